#include "perf_partial.h"

#include "bad_records.h"
#include "base/limits.h"
#include "common.h"
#include "dump.h"
#include "fmt/input.h"
#include "fmt/json/json_read.h"

#define NOT_PARTIAL "not a partial of obs-perfsum --partial"

/* State for reading an operand's partials. */
struct partials {
	struct json_reader *json;
	struct arena arena; /* for one partial */
};

/* The next partial, merged: 1, 0 at the end, or an error. The first becomes
 * *all: most operands have no more. */
static int merge_next(struct partial **all, const struct digest_plan *plan,
		      struct partials *from, struct err *err)
{
	struct partial *one;
	struct value object;
	int got;

	arena_reset(&from->arena);
	got = json_next_sample(from->json, &from->arena, &object, err);
	if (got != 1)
		return got;
	one = partial_new(plan);
	if (one == NULL)
		return err_memory(err);
	if (partial_read(one, object, err) == 0 && *all == NULL) {
		*all = one;
		return 1;
	}
	if (err->code == 0)
		partial_merge(*all, one, err);
	partial_free(one);
	return err->code < 0 ? err->code : 1;
}

/* An unusable partial is skipped; more may follow. */
static bool can_go_on(const struct partials *from, const struct err *err)
{
	return (err->code == ERR_INPUT || err->code == ERR_LIMIT) && !strict &&
	       json_can_continue(from->json);
}

/* Not one record is a partial. */
static int none_error(const struct held_records *bad, struct err *err)
{
	if (bad->n == 0)
		return err_set(err, ERR_INPUT, NOT_PARTIAL);
	*err = bad->first[0];
	if (bad->n > 1)
		err_set(err, ERR_INPUT,
			"none of its %llu records is a usable partial; the "
			"first: %s",
			(unsigned long long)bad->n, bad->first[0].text);
	return err->code;
}

static int merge_all(struct partial **all, const struct digest_plan *plan,
		     const char *name, struct partials *from, struct err *err)
{
	struct held_records bad = {.n = 0};
	int got = 1;

	while (got > 0) {
		*err = (struct err){0};
		got = merge_next(all, plan, from, err);
		if (got < 0 && can_go_on(from, err)) {
			held_records_add(&bad, err);
			got = 1;
		}
	}
	if (got == 0 && *all == NULL)
		return none_error(&bad, err);
	held_records_say(&bad, name);
	/* The reader may leave one behind when it finds the end. */
	if (got == 0)
		*err = (struct err){0};
	return got;
}

/* Merge the partials of an operand first, so that one that fails leaves nothing
 * behind. */
static int merge_input(struct partial *to, const char *name,
		       struct input *input, struct err *err)
{
	struct partials from = {.arena = arena_new(LIMIT_LIST),
				.json = json_open(&input->source, NULL)};
	struct partial *all = NULL;

	if (from.json == NULL)
		err_memory(err);
	else if (input->kind == INPUT_EMPTY)
		err_set(err, ERR_INPUT, "the input is empty");
	else if (input->kind != INPUT_JSON)
		err_set(err, ERR_INPUT, NOT_PARTIAL);
	else if (merge_all(&all, to->plan, name, &from, err) == 0)
		partial_merge(to, all, err);
	if (all != NULL)
		partial_free(all);
	if (from.json != NULL)
		json_close(from.json);
	arena_free(&from.arena);
	return err->code;
}

static void merge_operand(struct partial *to, const char *name)
{
	struct dump failed = {.name = name};
	struct err err = {0};
	struct input *input = input_open(name, &err);

	if (input != NULL)
		merge_input(to, name, input, &err);
	if (err.code < 0)
		dump_fail(&failed, &err);
	else
		dump_count_read();
	input_close(input);
}

void perf_merge_partials(struct partial *to, size_t count, char *const *names)
{
	if (count == 0)
		merge_operand(to, "-");
	for (size_t i = 0; i < count; i++)
		merge_operand(to, names[i]);
}
