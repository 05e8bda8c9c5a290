/* Which samples count: the best copy of a fact, and either a total or its
 * parts. */
#include <math.h>
#include <stdlib.h>

#include "metrics/reduce_incoming.h"

static uint64_t key_of(const struct incoming *in)
{
	return hash_mix(in->metric->hash, in->fact);
}

static void count_copies(struct reduce *r, uint64_t n)
{
	r->names->report->counts[REMARK_COPY] += n;
}

/* A copy equal to the previous one: another process, or the same series. */
static void report_again(struct reduce *r, const struct incoming *in,
			 uint32_t part)
{
	if (in->rank.blurred)
		count_copies(r, 1);
	else
		names_report_duplicate(r->names, in->metric, part,
				       in->line_number);
}

/* Totals -------------------------------------------------------------- */

/* Where a total or a part of one counts; NULL if out of memory. */
static struct fold *split_fold(struct reduce *r, const struct incoming *in)
{
	uint64_t whole = hash_mix(in->metric->hash, in->fact - in->part);
	bool held = in->splits == (in->part == 0);
	struct split *split;

	/* Usually there is only a total. */
	if (!held && !in->splits) {
		split = totals_find(&r->totals, whole);
		if (split != NULL)
			split->other = true;
		return &in->group->fold;
	}
	split = totals_open(&r->totals, whole);
	if (split == NULL)
		return NULL;
	if (!held) {
		split->other = true;
		return &in->group->fold;
	}
	split->group = in->group;
	split->other |= !in->splits && (map_find(&r->seen, whole, NULL) ||
					facts_find(&r->facts, whole) != NULL);
	return &split->held;
}

/* Where a value counts; NULL if out of memory. */
static struct fold *fold_of(struct reduce *r, const struct incoming *in)
{
	return *catalogue_str(in->metric->row->total) == '\0'
		       ? &in->group->fold
		       : split_fold(r, in);
}

static void settle_totals(struct reduce *r)
{
	for (uint32_t i = 0; i < r->totals.n; i++) {
		struct split *split = r->totals.v[i];

		if (split->group == NULL)
			continue;
		if (split->other)
			r->names->report->counts[REMARK_PART] +=
				split->held.n + split->held.nans;
		else
			fold_merge(&split->group->fold, &split->held);
	}
	totals_clear(&r->totals);
}

static void rank_fact(struct fact *fact, const struct incoming *in)
{
	fact->order = in->rank.order;
	fact->pid = in->rank.pid;
}

/* Below 0: the sample is a better copy than the fact's. */
static int compare(const struct incoming *in, const struct fact *fact)
{
	const struct copy_rank rank = {.order = fact->order, .pid = fact->pid};

	return copy_rank_compare(&in->rank, &rank);
}

/* Values -------------------------------------------------------------- */

/* A copy that no other beats. */
static int take_first(struct reduce *r, const struct incoming *in,
		      struct err *err)
{
	uint32_t part;
	int code = reduce_note(r, key_of(in), &part);
	struct fact *fact;
	struct fold *fold;

	if (code < 0)
		return err_memory(err);
	if (code == 0) {
		report_again(r, in, part);
		return 0;
	}
	fact = facts_find(&r->facts, key_of(in));
	if (fact != NULL) {
		fact->settled = true;
		count_copies(r, 1);
	}
	fold = fold_of(r, in);
	if (fold == NULL)
		return err_memory(err);
	reduce_count(r, in->metric, fold, in->line);
	return 0;
}

static void hold_value(const struct reduce *r, struct fact *fact,
		       const struct incoming *in)
{
	rank_fact(fact, in);
	fact->part = r->names->n_parts - 1;
	fact->value = in->line->value;
	fact->time = (double)in->line->time;
}

/* A copy that counts unless a better one follows. */
static int take_other(struct reduce *r, const struct incoming *in,
		      struct err *err)
{
	struct fold *fold;
	struct fact *fact;
	bool fresh;
	int order;

	if (map_find(&r->seen, key_of(in), NULL)) {
		count_copies(r, 1);
		return 0;
	}
	fold = fold_of(r, in);
	fact = facts_open(&r->facts, key_of(in), &fresh);
	if (fold == NULL || fact == NULL)
		return err_memory(err);
	order = fresh ? -1 : compare(in, fact);
	if (order == 0) {
		report_again(r, in, fact->part);
		return 0;
	}
	count_copies(r, !fresh);
	if (order < 0)
		hold_value(r, fact, in);
	fact->fold = fold;
	fact->group = in->group;
	return 0;
}

/* Buckets ------------------------------------------------------------- */

static void drop_apart(struct reduce *r, struct fact *fact)
{
	count_copies(r, fact->apart->fold.n + fact->apart->fold.nans);
	buckets_free(&fact->apart->buckets);
	*fact->apart = (struct group){.metric = fact->apart->metric};
}

/* The first bucket of a histogram that no other beats. */
static int begin_first(struct reduce *r, const struct incoming *in)
{
	uint32_t part;
	int code = reduce_note(r, key_of(in), &part);
	struct fact *fact = facts_find(&r->facts, key_of(in));

	if (code == 0) {
		r->histograms[in->group->histogram].copy = true;
		in->group->buckets.series--;
	}
	if (code == 1 && fact != NULL) {
		drop_apart(r, fact);
		fact->settled = true;
	}
	return code;
}

static int take_first_bucket(struct reduce *r, const struct incoming *in,
			     struct err *err)
{
	struct noted noted = reduce_note_bucket(r, in);

	if (noted.code >= 0 && noted.fresh && begin_first(r, in) < 0)
		return err_memory(err);
	if (noted.code > 0 && r->histograms[in->group->histogram].copy) {
		count_copies(r, 1);
		return 0;
	}
	return reduce_count_bucket(r, in, noted, err);
}

/* The histogram of a bucket whose copy is at least as good as the others; NULL
 * with err->code 0 if it is not. */
static struct fact *open_apart(struct reduce *r, const struct incoming *in,
			       struct err *err)
{
	bool fresh;
	struct fact *fact = facts_open(&r->facts, key_of(in), &fresh);
	int order;

	if (fact != NULL && fresh) {
		fact->group = in->group;
		rank_fact(fact, in);
		fact->series = in->series;
		fact->is_histogram = true;
		fact->apart = calloc(1, sizeof(*fact->apart));
	}
	if (fact == NULL || fact->apart == NULL)
		return err_no_memory(err);
	order = compare(in, fact);
	if (order > 0 || (order == 0 && in->series != fact->series)) {
		count_copies(r, 1);
		return NULL;
	}
	if (order < 0) {
		drop_apart(r, fact);
		rank_fact(fact, in);
		fact->series = in->series;
	}
	return fact;
}

static int take_other_bucket(struct reduce *r, const struct incoming *in,
			     struct err *err)
{
	struct incoming apart = *in;
	struct fact *fact;

	if (map_find(&r->seen, key_of(in), NULL)) {
		count_copies(r, 1);
		return 0;
	}
	err->code = 0;
	fact = open_apart(r, in, err);
	if (fact == NULL)
		return err->code;
	apart.group = fact->apart;
	apart.group->metric = in->metric->number;
	return reduce_count_bucket(r, &apart, reduce_note_bucket(r, &apart),
				   err);
}

int reduce_take_fact(struct reduce *r, const struct incoming *in,
		     struct err *err)
{
	bool first = copy_rank_is_first(&in->rank);

	if (incoming_is_bucket(in))
		return first ? take_first_bucket(r, in, err)
			     : take_other_bucket(r, in, err);
	in->group->plain = true;
	return first ? take_first(r, in, err) : take_other(r, in, err);
}

/* The end ------------------------------------------------------------- */

static int settle_buckets(struct reduce *r, const struct fact *fact,
			  struct err *err)
{
	struct group *g = fact->group;
	const struct buckets *from = &fact->apart->buckets;
	int code = 0;

	fold_merge(&g->fold, &fact->apart->fold);
	g->buckets.series += from->n > 0;
	for (uint32_t i = 0; code == 0 && i < from->n; i++)
		code = buckets_add(&g->buckets, from->v[i].bound,
				   from->v[i].count, fact->key);
	if (code < 0)
		buckets_error(code, r->names->metrics[g->metric]->name, err);
	return code;
}

int reduce_settle(struct reduce *r, struct err *err)
{
	int code = 0;

	for (uint32_t i = 0; code == 0 && i < r->facts.n; i++) {
		struct fact *fact = &r->facts.v[i];
		struct prom_line line = {.value = fact->value,
					 .time = (long double)fact->time,
					 .stamped = !isnan(fact->time)};

		if (fact->settled)
			continue;
		fact->settled = true;
		if (fact->is_histogram)
			code = settle_buckets(r, fact, err);
		else
			reduce_count(r, r->names->metrics[fact->group->metric],
				     fact->fold, &line);
	}
	settle_totals(r);
	return code;
}
