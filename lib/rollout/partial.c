#include "rollout/partial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/limits.h"
#include "base/num.h"

static const double second = 1e6; /* us */

struct partial *partial_new(const struct digest_plan *plan)
{
	struct partial *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	p->plan = plan;
	p->breakdown.names = intern_new(LIMIT_LIST);
	p->stragglers.text = arena_new(LIMIT_KEPT);
	if (straggler_ranks_init(&p->stragglers.ranks,
				 (size_t)plan->stragglers))
		return p;
	partial_free(p);
	return NULL;
}

static void free_breakdown(struct partial_breakdown *b)
{
	for (size_t i = 0; i < b->span_cap; i++)
		sketch_free(&b->spans[i].durations);
	for (size_t r = 0; r < PD_ROLES; r++) {
		sketch_free(&b->phases[r]);
		for (size_t s = 0; s < PD_SEGMENTS; s++)
			sketch_free(&b->segments[r][s]);
	}
	free(b->spans);
	free(b->figures.spans);
	intern_free(&b->names);
}

void partial_free(struct partial *p)
{
	if (p == NULL)
		return;
	for (size_t m = 0; m < PERF_METRICS; m++)
		sketch_free(&p->metrics[m]);
	free_breakdown(&p->breakdown);
	sketch_free(&p->stragglers.durations);
	sketch_free(&p->stragglers.tokens);
	sketch_free(&p->stragglers.rates);
	straggler_ranks_free(&p->stragglers.ranks);
	free(p->stragglers.all);
	arena_free(&p->stragglers.text);
	free(p);
}

/* One rollout ----------------------------------------------------------- */

struct partial_span *partial_span(struct partial_breakdown *b, struct str name,
				  struct err *err)
{
	uint32_t number;

	/* First, so that each name has a span. */
	if (!ARRAY_GROW_ZEROED(b->spans, b->names.count, b->span_cap))
		return err_no_memory(err);
	number = intern_add(&b->names, name);
	if (number == INTERN_FAILED) {
		intern_error(&b->names, err);
		return NULL;
	}
	return &b->spans[number];
}

static bool add_values(struct sketch *sketch, const struct time_figures *f)
{
	return f->values == NULL || sketch_add_all(sketch, f->values);
}

static int add_spans(struct partial_breakdown *b,
		     const struct breakdown_figures *f, struct err *err)
{
	for (size_t i = 0; i < f->span_count; i++) {
		struct partial_span *span =
			partial_span(b, f->spans[i].name, err);

		if (span == NULL)
			return err->code;
		if (!add_values(&span->durations, &f->spans[i]))
			return err_memory(err);
		sum_add(&span->self, round(f->spans[i].self * second));
	}
	return 0;
}

static int add_breakdown(struct partial_breakdown *b,
			 const struct breakdown_figures *f, struct err *err)
{
	double wall = round(f->wall * second);

	b->rows += f->samples;
	if (f->peak > b->peak)
		b->peak = f->peak;
	sum_add(&b->wall, wall);
	sum_add(&b->time, round(f->time * second));
	sum_add(&b->own, round(f->own * second));
	sum_add(&b->tail, round(f->tail * second));
	sum_add(&b->capacity, wall * (double)f->peak);
	for (int a = 0; a < ACTIVITIES; a++)
		sum_add(&b->activities[a], round(f->activities[a] * second));
	for (size_t r = 0; r < PD_ROLES; r++) {
		if (!add_values(&b->phases[r], &f->phases[r]))
			return err_memory(err);
		for (size_t s = 0; s < PD_SEGMENTS; s++)
			if (!add_values(&b->segments[r][s], &f->segments[r][s]))
				return err_memory(err);
	}
	return add_spans(b, f, err);
}

/* A copy of a text that may be absent; false if out of memory. */
static bool keep_text(struct arena *a, struct str *text)
{
	if (text->p == NULL)
		return true;
	*text = arena_str(a, *text);
	return text->p != NULL;
}

static bool keep_victims(struct arena *a, struct straggler *one)
{
	struct str *to = arena_array(a, one->victim_count + 1, sizeof(*to));

	if (to == NULL)
		return false;
	for (size_t i = 0; i < one->victim_count; i++) {
		to[i] = one->victim_samples[i];
		if (!keep_text(a, &to[i]))
			return false;
	}
	one->victim_samples = to;
	return true;
}

int partial_keep_straggler(struct partial *p, const struct straggler *straggler,
			   struct err *err)
{
	struct arena *a = &p->stragglers.text;
	struct straggler one = *straggler;

	if (!straggler_ranks_reach(&p->stragglers.ranks, &one))
		return 0;
	if (!keep_text(a, &one.dump) || !keep_text(a, &one.sample) ||
	    !keep_text(a, &one.group) || !keep_text(a, &one.worker) ||
	    !keep_text(a, &one.held) || !keep_victims(a, &one))
		return arena_error(a, err);
	straggler_ranks_add(&p->stragglers.ranks, &one);
	return 0;
}

/* A straggler of a digest, with the names of the samples that waited for it. */
static int add_straggler(struct partial *p, const struct digest *digest,
			 const struct straggler *late, struct err *err)
{
	struct straggler one = *late;
	struct str *names = calloc(one.victim_count + 1, sizeof(*names));
	int code;

	if (names == NULL)
		return err_memory(err);
	for (size_t i = 0; i < one.victim_count; i++)
		names[i] = victim_sample(digest, late, i);
	one.victim_samples = names;
	one.dump = str_of(digest->dump);
	one.place = (size_t)one.row;
	code = partial_keep_straggler(p, &one, err);
	free(names);
	return code;
}

static int add_stragglers(struct partial *p, const struct digest *digest,
			  const struct digest_part *part, struct err *err)
{
	struct partial_stragglers *s = &p->stragglers;
	struct straggler_values values = stragglers_values(part->stragglers);
	int code = 0;

	if (!sketch_add_all(&s->durations, values.durations) ||
	    !sketch_add_all(&s->tokens, values.tokens) ||
	    !sketch_add_all(&s->rates, values.rates))
		return err_memory(err);
	for (size_t i = 0; code == 0 && i < part->late_count; i++)
		code = add_straggler(p, digest, &part->late[i], err);
	return code;
}

static void add_counts(struct partial *p, uint64_t dumps,
		       struct perf_counts counts)
{
	p->dumps += dumps;
	p->counts.samples += counts.samples;
	p->counts.requests += counts.requests;
	p->counts.profiled += counts.profiled;
}

int partial_add(struct partial *p, const struct digest *digest, struct err *err)
{
	const struct digest_part *part = &digest->parts[0];
	int code = 0;

	if (part->perf == NULL)
		return err_set(err, ERR_INPUT,
			       "holds only metrics, no values to merge");
	add_counts(p, 1, perf_counts(part->perf));
	for (size_t m = 0; m < PERF_METRICS; m++)
		if (!sketch_add_all(&p->metrics[m],
				    perf_metric_values(part->perf, m)))
			return err_memory(err);
	if (part->times != NULL)
		code = add_breakdown(&p->breakdown, part->times, err);
	if (code == 0 && part->late != NULL)
		code = add_stragglers(p, digest, part, err);
	return code;
}

/* Merging --------------------------------------------------------------- */

static int merge_breakdown(struct partial_breakdown *b,
			   const struct partial_breakdown *other,
			   struct err *err)
{
	b->rows += other->rows;
	if (other->peak > b->peak)
		b->peak = other->peak;
	sum_merge(&b->wall, other->wall);
	sum_merge(&b->time, other->time);
	sum_merge(&b->own, other->own);
	sum_merge(&b->tail, other->tail);
	sum_merge(&b->capacity, other->capacity);
	for (int a = 0; a < ACTIVITIES; a++)
		sum_merge(&b->activities[a], other->activities[a]);
	for (size_t r = 0; r < PD_ROLES; r++) {
		if (!sketch_merge(&b->phases[r], &other->phases[r]))
			return err_memory(err);
		for (size_t s = 0; s < PD_SEGMENTS; s++)
			if (!sketch_merge(&b->segments[r][s],
					  &other->segments[r][s]))
				return err_memory(err);
	}
	for (uint32_t i = 0; i < other->names.count; i++) {
		struct partial_span *span =
			partial_span(b, intern_text(&other->names, i), err);

		if (span == NULL)
			return err->code;
		if (!sketch_merge(&span->durations, &other->spans[i].durations))
			return err_memory(err);
		sum_merge(&span->self, other->spans[i].self);
	}
	return 0;
}

static int merge_stragglers(struct partial *p,
			    const struct partial_stragglers *other,
			    struct err *err)
{
	const struct straggler_rank *ranks[] = {&other->ranks.last,
						&other->ranks.longest};
	struct partial_stragglers *s = &p->stragglers;

	if (!sketch_merge(&s->durations, &other->durations) ||
	    !sketch_merge(&s->tokens, &other->tokens) ||
	    !sketch_merge(&s->rates, &other->rates))
		return err_memory(err);
	for (size_t r = 0; r < 2; r++)
		for (size_t i = 0; i < ranks[r]->n; i++)
			if (partial_keep_straggler(p, &ranks[r]->v[i], err) < 0)
				return err->code;
	return 0;
}

int partial_merge(struct partial *p, const struct partial *other,
		  struct err *err)
{
	int code = 0;

	add_counts(p, other->dumps, other->counts);
	for (size_t m = 0; m < PERF_METRICS; m++)
		if (!sketch_merge(&p->metrics[m], &other->metrics[m]))
			return err_memory(err);
	if (p->plan->breakdown)
		code = merge_breakdown(&p->breakdown, &other->breakdown, err);
	if (code == 0 && p->plan->stragglers > 0)
		code = merge_stragglers(p, &other->stragglers, err);
	return code;
}

/* As one rollout -------------------------------------------------------- */

static int put_metric(struct figures *figures, const char *name,
		      struct sketch *s, const struct perf_wanted *wanted,
		      struct err *err)
{
	const struct {
		const char *name;
		double value;
		bool approximate;
	} all[] = {{"mean", sketch_mean(s), false},
		   {"median", sketch_percentile(s, 50), !sketch_is_exact(s)},
		   {"max", s->max, false},
		   {"min", s->min, false}};
	int code = 0;

	for (size_t i = 0; code == 0 && i < ARRAY_SIZE(all); i++)
		code = figures_add_statistic(
			figures, name, all[i].name, (double)NAN,
			(struct figure){.value = all[i].value,
					.approximate = all[i].approximate},
			err);
	for (size_t i = 0; code == 0 && i < wanted->percentile_count; i++) {
		double percent = wanted->percentiles[i];

		code = figures_add_statistic(
			figures, name, "", percent,
			(struct figure){.value = sketch_percentile(s, percent),
					.approximate = !sketch_is_exact(s)},
			err);
	}
	return code;
}

static int put_metrics(struct partial *p, struct figures *figures,
		       struct err *err)
{
	const struct figure requests = {.value = (double)p->counts.requests,
					.count = true};
	const struct figure profiled = {.value = (double)p->counts.profiled,
					.count = true};
	int code = figures_add_statistic(figures, "request/count", "",
					 (double)NAN, requests, err);

	if (code == 0)
		code = figures_add_statistic(figures, "request/profiled_count",
					     "", (double)NAN, profiled, err);
	for (size_t m = 0; code == 0 && m < PERF_METRICS; m++)
		if (p->metrics[m].n > 0)
			code = put_metric(figures, perf_metrics[m].key,
					  &p->metrics[m], &p->plan->perf, err);
	return code;
}

static struct time_figures describe(struct str name, struct sketch *s,
				    double unit,
				    const struct breakdown_figures *f)
{
	struct time_figures t = {.name = name, .count = s->n};

	if (s->n == 0)
		return t;
	t.total = sum_total(s->sum) / unit;
	t.share = num_ratio(t.total, f->time);
	t.concurrency = num_ratio(t.total, f->wall);
	t.p50 = sketch_percentile(s, 50) / unit;
	t.p95 = sketch_percentile(s, 95) / unit;
	t.max = s->max / unit;
	return t;
}

static void put_phases(struct partial_breakdown *b)
{
	struct breakdown_figures *f = &b->figures;

	for (size_t r = 0; r < PD_ROLES; r++) {
		const struct pd_role *role = &pd_roles[r];

		f->phases[r] =
			describe(str_of(role->name), &b->phases[r], 1, f);
		for (size_t s = 0; s < PD_SEGMENTS; s++)
			f->segments[r][s] = describe(str_of(role->segments[s]),
						     &b->segments[r][s], 1, f);
	}
}

static bool put_breakdown(struct partial_breakdown *b)
{
	struct breakdown_figures *f = &b->figures;

	f->samples = b->rows;
	f->peak = b->peak;
	f->wall = sum_total(b->wall) / second;
	f->time = sum_total(b->time) / second;
	f->own = sum_total(b->own) / second;
	f->tail = sum_total(b->tail) / second;
	f->utilisation = num_ratio(sum_total(b->own), sum_total(b->capacity));
	f->bubble = 1 - f->utilisation;
	for (int a = 0; a < ACTIVITIES; a++)
		f->activities[a] = sum_total(b->activities[a]) / second;
	breakdown_set_waiting(f);
	put_phases(b);
	f->spans = calloc(b->names.count + 1, sizeof(*f->spans));
	if (f->spans == NULL)
		return false;
	for (uint32_t i = 0; i < b->names.count; i++) {
		struct time_figures *span = &f->spans[f->span_count++];

		*span = describe(intern_text(&b->names, i),
				 &b->spans[i].durations, second, f);
		span->self = sum_total(b->spans[i].self) / second;
		span->share = num_ratio(span->self, f->time);
	}
	breakdown_sort_spans(f);
	return true;
}

static double median(struct sketch *s)
{
	return s->n > 0 ? sketch_percentile(s, 50) : (double)NAN;
}

static bool put_stragglers(struct partial_stragglers *s,
			   struct digest_part *part)
{
	part->medians =
		(struct straggler_medians){.duration = median(&s->durations),
					   .tokens = median(&s->tokens),
					   .rate = median(&s->rates)};
	s->all = straggler_ranks_join(&s->ranks, &part->late_count);
	if (s->all == NULL)
		return false;
	for (size_t i = 0; i < part->late_count; i++)
		s->all[i].ratio =
			num_ratio(s->all[i].duration, part->medians.duration);
	part->late = s->all;
	return true;
}

struct digest *partial_digest(struct partial *p, struct err *err)
{
	struct figures figures = figures_new();
	struct value no_id = {.kind = VALUE_NONE};
	struct digest *digest;
	struct digest_part *part;
	char name[48];

	snprintf(name, sizeof(name), "%llu dump%s",
		 (unsigned long long)p->dumps, p->dumps == 1 ? "" : "s");
	if (put_metrics(p, &figures, err) < 0) {
		figures_free(&figures);
		return NULL;
	}
	digest = digest_given(p->plan, str_of(name), no_id, &figures, err);
	if (digest == NULL)
		return NULL;
	part = &digest->parts[0];
	part->samples = p->counts.samples;
	if (p->plan->breakdown && put_breakdown(&p->breakdown))
		part->times = &p->breakdown.figures;
	if ((!p->plan->breakdown || part->times != NULL) &&
	    (p->plan->stragglers == 0 || put_stragglers(&p->stragglers, part)))
		return digest;
	digest_free(digest);
	return err_no_memory(err);
}
