#include "rollout/waits.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "rollout/shared_spans.h"

/* A row of the current group. */
struct group_row {
	size_t place;	 /* in the store */
	uint32_t sample; /* the first member that is a copy of it */
};

/* The key for copies of one sample: its index and a start. */
struct likeness {
	uint32_t sample; /* text of the index */
	int64_t start;
	int64_t child; /* for a call: when its first child began */
	uint32_t member;
};

struct likenesses {
	struct likeness *v;
	size_t n, cap;
};

/* A member enclosed by a span that it shares. */
struct shared_by {
	int64_t start, end; /* the span's */
	uint32_t name;
	bool barrier; /* a barrier for this member */
	uint32_t member;
	int64_t worked_until, wait;
};

struct group_walk {
	const struct row_store *store;
	struct rows_visitor *visitor;
	struct victims *victims;
	struct group_row *members;
	size_t n;
	size_t samples; /* number of samples among the members */
	bool is_group;
	struct likenesses rows;	 /* members with a repeated index */
	struct likenesses calls; /* likewise, the earliest child first */
	struct shared_spans shared;
	struct timed_row timed;
	struct own_finder finder;
	bool *counts;
	size_t count_cap;
	struct shared_by *held;
	size_t held_count, held_cap;
};

void victims_free(struct victims *victims)
{
	free(victims->v);
	*victims = (struct victims){0};
}

static void free_walk(struct group_walk *walk)
{
	free(walk->members);
	free(walk->rows.v);
	free(walk->calls.v);
	free(walk->counts);
	free(walk->held);
	shared_spans_free(&walk->shared);
	timed_row_free(&walk->timed);
	own_finder_free(&walk->finder);
}

static const struct stored_row *row_of(const struct group_walk *walk,
				       size_t member)
{
	return &walk->store->rows[walk->members[member].place];
}

static int unpack(struct group_walk *walk, size_t member, struct err *err)
{
	return row_store_get(walk->store, row_of(walk, member), &walk->timed,
			     err);
}

/* Copies --------------------------------------------------------------- */

static int compare_likeness(const struct likeness *a, const struct likeness *b)
{
	if (a->sample != b->sample)
		return a->sample < b->sample ? -1 : 1;
	return (a->start > b->start) - (a->start < b->start);
}

/* Equal ones together, the earliest child first, then by member. */
static int by_likeness(const void *x, const void *y)
{
	const struct likeness *a = x;
	const struct likeness *b = y;
	int order = compare_likeness(a, b);

	if (order != 0)
		return order;
	if (a->child != b->child)
		return a->child < b->child ? -1 : 1;
	return (a->member > b->member) - (a->member < b->member);
}

static int add_likeness(struct likenesses *list, struct likeness one,
			struct err *err)
{
	if (!ARRAY_GROW(list->v, list->n, list->cap))
		return err_memory(err);
	list->v[list->n++] = one;
	return 0;
}

/* When the row began: at its first call, else at its first span. */
static int64_t begin_of(const struct timed_row *timed)
{
	int64_t start = INT64_MAX;

	for (size_t i = 0; i < timed->call_count; i++)
		if (timed->calls[i].start < start)
			start = timed->calls[i].start;
	for (size_t i = 0; timed->call_count == 0 && i < timed->count; i++)
		if (timed->spans[i].start < start)
			start = timed->spans[i].start;
	return start;
}

static bool may_be_copy(const struct group_walk *walk, size_t member)
{
	const struct stored_row *row = row_of(walk, member);

	return row->indexed && stored_row_repeats(walk->store, row);
}

/* List the keys that could make it a copy of another member. */
static int list_likeness(struct group_walk *walk, uint32_t member,
			 struct err *err)
{
	struct likeness one = {.sample = row_of(walk, member)->sample,
			       .member = member};

	if (unpack(walk, member, err) < 0)
		return err->code;
	one.start = begin_of(&walk->timed);
	if (add_likeness(&walk->rows, one, err) < 0)
		return err->code;
	for (size_t i = 0; i < walk->timed.call_count; i++) {
		one.start = walk->timed.calls[i].start;
		one.child = walk->timed.calls[i].child;
		if (one.child != INT64_MAX &&
		    add_likeness(&walk->calls, one, err) < 0)
			return err->code;
	}
	return 0;
}

static void sort(struct likenesses *list)
{
	if (list->n > 1)
		qsort(list->v, list->n, sizeof(*list->v), by_likeness);
}

/* Number the samples of the members, by their first copies. */
static int number_copies(struct group_walk *walk, struct err *err)
{
	struct likenesses *rows = &walk->rows;

	rows->n = 0;
	walk->calls.n = 0;
	walk->samples = walk->n;
	for (uint32_t i = 0; i < walk->n; i++) {
		walk->members[i].sample = i;
		if (may_be_copy(walk, i) && list_likeness(walk, i, err) < 0)
			return err->code;
	}
	sort(rows);
	sort(&walk->calls);
	for (size_t i = 1; i < rows->n; i++) {
		if (compare_likeness(&rows->v[i - 1], &rows->v[i]) != 0)
			continue;
		walk->members[rows->v[i].member].sample =
			walk->members[rows->v[i - 1].member].sample;
		walk->samples--;
	}
	return 0;
}

/* Of all copies, is it this call that measures the client's queue? */
static bool measures_queue(const struct group_walk *walk, uint32_t member,
			   const struct timed_call *call)
{
	const struct likenesses *calls = &walk->calls;
	const struct likeness key = {.sample = row_of(walk, member)->sample,
				     .start = call->start};
	size_t i;

	SEARCH_FIRST(i, 0, calls->n, compare_likeness(&calls->v[i], &key) >= 0);
	return calls->v[i].member == member;
}

static int choose_calls(struct group_walk *walk, uint32_t member,
			struct err *err)
{
	bool copy = may_be_copy(walk, member);

	if (!ARRAY_GROW(walk->counts, walk->timed.call_count, walk->count_cap))
		return err_memory(err);
	for (size_t i = 0; i < walk->timed.call_count; i++) {
		const struct timed_call *call = &walk->timed.calls[i];

		walk->counts[i] = call->child != INT64_MAX &&
				  (!copy || measures_queue(walk, member, call));
	}
	return 0;
}

/* Members -------------------------------------------------------------- */

static int find_shared(struct group_walk *walk, struct err *err)
{
	size_t spans = 0;

	for (size_t i = 0; i < walk->n; i++)
		spans += stored_row_spans(walk->store, row_of(walk, i));
	if (shared_spans_begin(&walk->shared, spans, err) < 0)
		return err->code;
	for (size_t i = 0; i < walk->n; i++) {
		if (unpack(walk, i, err) < 0)
			return err->code;
		shared_spans_see(&walk->shared, &walk->timed,
				 walk->members[i].sample);
	}
	return 0;
}

/* Record the spans that held the current member, one per attempt. */
static int note_held(struct group_walk *walk, uint32_t member, struct err *err)
{
	const struct own_finder *finder = &walk->finder;

	for (size_t i = 0; i < finder->run_count; i++) {
		const struct run *run = &finder->runs[i];
		const struct timed_span *around = run->around;
		struct shared_by held = {.member = member};

		if (around == NULL || run->end == INT64_MIN)
			continue;
		held.start = around->start;
		held.end = around->end;
		held.name = around->name;
		held.barrier = run->barrier != INT64_MIN;
		held.worked_until = own_worked_until(finder, around->end);
		if (run->end > held.worked_until)
			held.worked_until = run->end;
		if (held.barrier)
			held.wait = own_waited(finder, run->end, around->end);
		if (!ARRAY_GROW(walk->held, walk->held_count, walk->held_cap))
			return err_memory(err);
		walk->held[walk->held_count++] = held;
	}
	return 0;
}

static int walk_member(struct group_walk *walk, uint32_t member,
		       struct err *err)
{
	bool shares = walk->is_group && walk->samples > 1;
	struct own_time own;

	if (unpack(walk, member, err) < 0 ||
	    choose_calls(walk, member, err) < 0)
		return err->code;
	if (shares)
		shared_spans_mark(&walk->shared, &walk->timed);
	if (own_time_find(&walk->finder, &walk->timed,
			  walk->is_group && !shares, walk->counts, &own,
			  err) < 0)
		return err->code;
	if (shares && note_held(walk, member, err) < 0)
		return err->code;
	return walk->visitor->row(walk->visitor, walk->members[member].place,
				  &walk->timed, &own, err);
}

/* Culprits ------------------------------------------------------------- */

static bool same_span(const struct shared_by *a, const struct shared_by *b)
{
	return a->name == b->name && a->start == b->start && a->end == b->end;
}

/* Those held by the same span. */
static int by_span(const void *x, const void *y)
{
	const struct shared_by *a = x;
	const struct shared_by *b = y;

	if (a->name != b->name)
		return a->name < b->name ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	return (a->member > b->member) - (a->member < b->member);
}

/* The one that worked longest, for which the others waited. */
static const struct shared_by *culprit_of(const struct shared_by *v, size_t n)
{
	const struct shared_by *culprit = v;

	for (size_t i = 1; i < n; i++)
		if (v[i].worked_until > culprit->worked_until)
			culprit = &v[i];
	return culprit;
}

static int add_victims(struct group_walk *walk, const struct shared_by *v,
		       size_t n, struct err *err)
{
	const struct shared_by *culprit = culprit_of(v, n);
	const struct group_row *members = walk->members;
	struct victims *victims = walk->victims;

	for (size_t i = 0; i < n; i++) {
		if (v[i].wait == 0 || members[v[i].member].sample ==
					      members[culprit->member].sample)
			continue;
		if (!ARRAY_GROW(victims->v, victims->n, victims->cap))
			return err_memory(err);
		victims->v[victims->n++] =
			(struct victim){members[culprit->member].place,
					members[v[i].member].place, v[i].wait};
	}
	return 0;
}

static int find_culprits(struct group_walk *walk, struct err *err)
{
	size_t same;

	if (walk->held_count > 1)
		qsort(walk->held, walk->held_count, sizeof(*walk->held),
		      by_span);
	for (size_t i = 0; i < walk->held_count; i += same) {
		const struct shared_by *first = &walk->held[i];

		for (same = 1; i + same < walk->held_count &&
			       same_span(first, &first[same]);)
			same++;
		if (add_victims(walk, first, same, err) < 0)
			return err->code;
	}
	return 0;
}

static int walk_group(struct group_walk *walk, struct err *err)
{
	walk->held_count = 0;
	if (number_copies(walk, err) < 0 ||
	    (walk->is_group && walk->samples > 1 && find_shared(walk, err) < 0))
		return err->code;
	for (uint32_t i = 0; i < walk->n; i++)
		if (walk_member(walk, i, err) < 0)
			return err->code;
	return find_culprits(walk, err);
}

/* All of them ---------------------------------------------------------- */

static int by_group(const void *x, const void *y, void *of)
{
	const struct stored_row *rows = of;
	size_t a = ((const struct group_row *)x)->place;
	size_t b = ((const struct group_row *)y)->place;

	if (rows[a].group != rows[b].group)
		return rows[a].group < rows[b].group ? -1 : 1;
	return (a > b) - (a < b);
}

static int by_culprit(const void *x, const void *y)
{
	const struct victim *a = x;
	const struct victim *b = y;

	if (a->culprit != b->culprit)
		return a->culprit < b->culprit ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

int waits_each(const struct row_store *store, const struct span_names *names,
	       struct rows_visitor *visitor, struct victims *victims,
	       struct err *err)
{
	struct group_row *all = calloc(store->count + 1, sizeof(*all));
	struct group_walk walk = {.store = store,
				  .visitor = visitor,
				  .victims = victims,
				  .finder.names = names};
	int code = all == NULL ? err_memory(err) : 0;

	for (size_t i = 0; code == 0 && i < store->count; i++)
		all[i].place = i;
	if (code == 0)
		qsort_r(all, store->count, sizeof(*all), by_group, store->rows);
	walk.members = all;
	for (size_t i = 0; code == 0 && i < store->count; i += walk.n) {
		uint32_t group = store->rows[all[i].place].group;

		walk.members = &all[i];
		walk.is_group = group != ROW_NO_GROUP;
		for (walk.n = 1;
		     i + walk.n < store->count &&
		     store->rows[all[i + walk.n].place].group == group;)
			walk.n++;
		code = walk_group(&walk, err);
	}
	walk.members = all;
	free_walk(&walk);
	if (victims->n > 1)
		qsort(victims->v, victims->n, sizeof(*victims->v), by_culprit);
	return code;
}
