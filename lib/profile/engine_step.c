#include "profile/engine_step.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/num.h"

const char *const step_kind_names[STEP_KINDS] = {
	[STEP_DECODE] = "decode",     [STEP_DRAFT] = "draft",
	[STEP_IDLE] = "idle",	      [STEP_MIXED] = "mixed",
	[STEP_OTHER] = "other",	      [STEP_PREFILL] = "prefill",
	[STEP_PROFILER] = "profiler", [STEP_VERIFY] = "verify",
};

/* Names --------------------------------------------------------------- */

static const struct {
	const char *mode;
	enum step_kind kind;
} modes[] = {
	{"DECODE", STEP_DECODE},
	{"EXTEND", STEP_PREFILL},
	{"SPLIT_PREFILL", STEP_PREFILL},
	{"DLLM_EXTEND", STEP_PREFILL},
	{"MIXED", STEP_MIXED},
	{"TARGET_VERIFY", STEP_VERIFY},
	{"IDLE", STEP_IDLE},
};

static enum step_kind kind_of_mode(struct str mode)
{
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (str_is(mode, modes[i].mode))
			return modes[i].kind;
	return str_starts(mode, "DRAFT") ? STEP_DRAFT : STEP_OTHER;
}

/* The value of KEY=VALUE in the text; STEP_UNKNOWN when it has none. */
static int64_t value_of(struct str text, const char *key)
{
	while (text.n > 0) {
		struct str word = str_cut(&text, ' ');
		size_t n = strlen(key);
		int64_t value;

		if (word.n > n + 1 && memcmp(word.p, key, n) == 0 &&
		    word.p[n] == '=' &&
		    num_parse_int(str_make(word.p + n + 1, word.n - n - 1),
				  &value))
			return value;
	}
	return STEP_UNKNOWN;
}

/* SGLang: step[MODE key=value ...] */
static bool read_sglang(struct str name, struct engine_step_name *step)
{
	int64_t prefill, decode;
	struct str text, mode;

	if (!str_starts(name, "step[") || !str_ends(name, "]"))
		return false;
	text = str_make(name.p + 5, name.n - 6);
	mode = str_cut(&text, ' ');
	step->kind = kind_of_mode(mode);
	step->batch = value_of(text, "bs");
	step->tokens = value_of(text, "toks");
	if (step->tokens != STEP_UNKNOWN)
		return true;
	prefill = value_of(text, "c_sq");
	decode = value_of(text, "g_sq");
	if (prefill != STEP_UNKNOWN || decode != STEP_UNKNOWN)
		step->tokens =
			(prefill > 0 ? prefill : 0) + (decode > 0 ? decode : 0);
	else if (step->kind == STEP_DECODE)
		step->tokens = step->batch;
	return true;
}

/* Digits at the begin of text, which moves behind them. */
static bool take_number(struct str *text, int64_t *number)
{
	size_t n = 0;

	while (n < text->n && text->p[n] >= '0' && text->p[n] <= '9')
		n++;
	if (n == 0 || !num_parse_int(str_make(text->p, n), number))
		return false;
	*text = str_make(text->p + n, text->n - n);
	return true;
}

static bool take_literal(struct str *text, const char *literal)
{
	size_t n = strlen(literal);

	if (!str_starts(*text, literal))
		return false;
	*text = str_make(text->p + n, text->n - n);
	return true;
}

/* COUNT(TOKENS...) or COUNT(sqTOKENS...) */
static bool take_side(struct str *text, int64_t *count, int64_t *tokens)
{
	const char *close;

	if (!take_number(text, count) || !take_literal(text, "("))
		return false;
	take_literal(text, "sq");
	close = memchr(text->p, ')', text->n);
	if (!take_number(text, tokens) || close == NULL)
		return false;
	close++;
	*text = str_make(close, (size_t)(text->p + text->n - close));
	return true;
}

/* vLLM: execute_[N_]context_C(T)_generation_G(U) */
static bool read_vllm(struct str name, struct engine_step_name *step)
{
	int64_t number, context, generation, read, made;
	struct str text = name;

	if (!take_literal(&text, "execute_"))
		return false;
	if (take_number(&text, &number) && !take_literal(&text, "_"))
		return false;
	if (!take_literal(&text, "context_") ||
	    !take_side(&text, &context, &read) ||
	    !take_literal(&text, "_generation_") ||
	    !take_side(&text, &generation, &made))
		return false;
	step->kind = context > 0 ? generation > 0 ? STEP_MIXED : STEP_PREFILL
		     : generation > 0 ? STEP_DECODE
				      : STEP_IDLE;
	if (__builtin_add_overflow(context, generation, &step->batch) ||
	    __builtin_add_overflow(read, made, &step->tokens))
		return false;
	return true;
}

static bool read_profiler(struct str name, struct engine_step_name *step)
{
	int64_t number;

	if (!take_literal(&name, "ProfilerStep#") ||
	    !take_number(&name, &number))
		return false;
	step->kind = STEP_PROFILER;
	return true;
}

bool engine_step_name_read(struct str name, struct engine_step_name *step)
{
	*step = (struct engine_step_name){STEP_OTHER, STEP_UNKNOWN,
					  STEP_UNKNOWN};
	return read_sglang(name, step) || read_vllm(name, step) ||
	       read_profiler(name, step);
}

/* Steps ---------------------------------------------------------------- */

/* By thread, start and end, the longer first. */
static int compare(const void *x, const void *y)
{
	const struct engine_step *a = x;
	const struct engine_step *b = y;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->end < b->end) - (a->end > b->end);
}

/* Drop steps that begin inside another one of their thread. */
static void drop_nested(struct engine_steps *steps)
{
	size_t kept = 0;

	if (steps->n == 0)
		return;
	qsort(steps->v, steps->n, sizeof(*steps->v), compare);
	for (size_t i = 1; i < steps->n; i++) {
		const struct engine_step *last = &steps->v[kept];

		if (steps->v[i].thread == last->thread &&
		    steps->v[i].start < last->end)
			continue;
		steps->v[++kept] = steps->v[i];
	}
	steps->n = kept + 1;
}

int engine_steps_find(struct engine_steps *steps,
		      const struct profile_trace *trace, struct err *err)
{
	bool any = false;
	size_t kept = 0;

	for (size_t i = 0; i < trace->notes.n; i++) {
		const struct host_event *note = &trace->notes.v[i];
		struct engine_step step = {.start = note->start,
					   .end = note->start + note->dur,
					   .thread = note->thread,
					   .name = note->name,
					   .first_gpu = INT64_MAX,
					   .last_gpu = INT64_MIN};

		if (!engine_step_name_read(
			    intern_text(&trace->names, note->name), &step.is))
			continue;
		any |= step.is.kind != STEP_PROFILER;
		if (!ARRAY_GROW(steps->v, steps->n, steps->cap))
			return err_memory(err);
		steps->v[steps->n++] = step;
	}
	for (size_t i = 0; i < steps->n; i++)
		if (!any || steps->v[i].is.kind != STEP_PROFILER)
			steps->v[kept++] = steps->v[i];
	steps->n = kept;
	drop_nested(steps);
	return 0;
}

int32_t engine_step_at(const struct engine_steps *steps, uint32_t thread,
		       int64_t time)
{
	size_t low = 0, high = steps->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct engine_step *at = &steps->v[middle];

		if (at->thread < thread ||
		    (at->thread == thread && at->start <= time))
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || steps->v[low - 1].thread != thread ||
	    time >= steps->v[low - 1].end)
		return PROFILE_NONE;
	return (int32_t)(low - 1);
}

void engine_steps_free(struct engine_steps *steps)
{
	free(steps->v);
	*steps = (struct engine_steps){0};
}
