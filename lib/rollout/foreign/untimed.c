/*
 * Rollout files with texts, rewards and lengths, but no times: those of verl,
 * NeMo-RL, SkyRL and ROLL.
 *
 * Sources, read in 2026-08: verl/trainer/ppo/ray_trainer.py
 * (rollout_data_dir), nemo_rl/utils/logger.py (train_data_stepN.jsonl),
 * skyrl/train/utils/trainer_utils.py, roll/pipeline/rlvr/utils.py.
 */
#include "base/array.h"
#include "rollout/foreign/foreign.h"

struct untimed {
	struct foreign base; /* first: the format's functions cast back */
	struct value record;
};

static const struct str payload[] = {
	STR("input"),		STR("output"),	   STR("input_prompt"),
	STR("output_response"), STR("prompt"),	   STR("responses"),
	STR("token_ids"),	STR("content"),	   STR("generation_logprobs"),
	STR("prev_logprobs"),	STR("advantages"),
};

/* The record has these two members. */
static int take_if(struct foreign *f, struct value record, const char *one,
		   const char *two, struct err *err)
{
	if (value_get(record, one).kind == VALUE_ABSENT ||
	    value_get(record, two).kind == VALUE_ABSENT)
		return err_set(err, ERR_INPUT, "not a record of %s",
			       f->format->name);
	((struct untimed *)f)->record = record;
	return 1;
}

static int take_verl(struct foreign *f, struct value record, struct err *err)
{
	return take_if(f, record, "output", "score", err);
}

static int take_skyrl(struct foreign *f, struct value record, struct err *err)
{
	return take_if(f, record, "input_prompt", "output_response", err);
}

static int take_nemo(struct foreign *f, struct value record, struct err *err)
{
	return take_if(f, record, "content", "rewards", err);
}

/* A line holds columns: one row per score. */
static int take_roll(struct foreign *f, struct value record, struct err *err)
{
	struct value scores = member_of_kind(record, "scores", VALUE_LIST);
	int code = take_if(f, record, "responses", "scores", err);

	if (code < 0)
		return code;
	return scores.kind == VALUE_LIST ? (int)scores.items->n : 0;
}

static int row_of_score(struct foreign *f, uint64_t i, struct carrier *c,
			struct err *err)
{
	struct value record = ((struct untimed *)f)->record;

	(void)err;
	CARRIER_SET(c, index, value_int((int64_t)(f->position + i)));
	CARRIER_SET(c, reward, value_get(record, "score"));
	return 1;
}

static int row_of_column(struct foreign *f, uint64_t i, struct carrier *c,
			 struct err *err)
{
	struct value scores =
		value_get(((struct untimed *)f)->record, "scores");

	(void)err;
	CARRIER_SET(c, index, value_int((int64_t)(f->position + i)));
	CARRIER_SET(c, reward, scores.items->v[i]);
	return 1;
}

/* The value of a single-element list, which all of NeMo-RL's are. */
static struct value only(struct value record, const char *key)
{
	struct value list = member_of_kind(record, key, VALUE_LIST);

	if (list.kind != VALUE_LIST || list.items->n != 1)
		return value_get(record, key);
	return list.items->v[0];
}

static bool sum_of(struct value list, double *sum)
{
	*sum = 0;
	if (list.kind != VALUE_LIST)
		return false;
	for (uint32_t i = 0; i < list.items->n; i++) {
		struct value v = list.items->v[i];

		if (v.kind == VALUE_INT)
			*sum += (double)v.i;
		else if (v.kind == VALUE_FLOAT)
			*sum += v.f;
		else if (v.kind == VALUE_BOOL)
			*sum += v.b;
	}
	return isfinite(*sum);
}

/* The mask is 1 for generated tokens; a sample's own weight is 0 if it is not
 * trained on. */
static int row_of_nemo(struct foreign *f, uint64_t i, struct carrier *c,
		       struct err *err)
{
	struct value record = ((struct untimed *)f)->record;
	struct value weight = only(record, "sample_loss_mask");
	struct value mask = value_new(c->arena, VALUE_LIST, 1);
	double length, scale = 1;

	(void)i, (void)err;
	CARRIER_SET(c, index, value_int((int64_t)f->position));
	CARRIER_SET(c, reward, only(record, "rewards"));
	if (!sum_of(only(record, "token_loss_mask"), &length))
		return 1;
	if (carrier_figure(c, "token_loss_mask", value_float(length)).kind ==
	    VALUE_ABSENT)
		return 1;
	if (weight.kind == VALUE_INT)
		scale = (double)weight.i;
	else if (weight.kind == VALUE_FLOAT)
		scale = weight.f;
	CARRIER_SET(c, response_length, value_float(length));
	c->failed |= mask.kind == VALUE_ABSENT ||
		     !value_push(c->arena, mask, value_float(length * scale));
	CARRIER_SET(c, loss_mask, mask);
	return 1;
}

#define UNTIMED(NAME, TAKE, ROW)                                               \
	{                                                                      \
		.name = (NAME), .row_name = "sample", .rows = "samples",       \
		.payload = payload, .payload_count = ARRAY_SIZE(payload),      \
		.size = sizeof(struct untimed), .take = (TAKE), .row = (ROW),  \
	}

const struct foreign_format verl_format =
	UNTIMED("verl's rollout data", take_verl, row_of_score);
const struct foreign_format skyrl_format =
	UNTIMED("SkyRL's evaluation data", take_skyrl, row_of_score);
const struct foreign_format nemo_format =
	UNTIMED("NeMo-RL's batch data", take_nemo, row_of_nemo);
const struct foreign_format roll_format =
	UNTIMED("ROLL's rollout data", take_roll, row_of_column);
