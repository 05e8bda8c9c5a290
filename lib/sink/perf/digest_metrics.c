/*
 * Digests as metrics, for the sinks of Prometheus text and TSV: each figure is
 * a gauge with the dump, the rollout and the group as labels.
 *
 * A family is written once, whatever the number of dumps, so all figures are
 * kept until the end: about 100 bytes each. Figures that are not finite are
 * dropped, and so are those with duplicate labels: a dump given twice.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/intern.h"
#include "base/limits.h"
#include "fmt/prom/prom_text.h"
#include "sink/metrics/metric_sink.h"
#include "sink/perf/digest_parts.h"

struct figure_kept {
	uint32_t family, labels, place;
	double value;
};

struct digest_metrics {
	struct digest_sink sink; /* first: the sink is the struct */
	struct metric_sink *metrics;
	struct intern families; /* names, in order of appearance */
	struct buf helps;	/* one struct str each */
	struct buf figures;	/* struct figure_kept, in order */
	struct intern texts;	/* their labels */
	struct buf labels;	/* those of the current part, then more */
	size_t part_labels;	/* length of the part's own labels */
	struct buf name;
};

static void add_label(struct digest_metrics *m, const char *name,
		      struct str value)
{
	if (m->labels.n > 0)
		buf_putc(&m->labels, ',');
	buf_puts(&m->labels, name);
	buf_puts(&m->labels, "=\"");
	prom_escape(&m->labels, value);
	buf_putc(&m->labels, '"');
}

/* Reset the labels to the part's own. */
static void end_labels(struct digest_metrics *m)
{
	m->labels.n = m->part_labels;
}

/* The number of a family, possibly new, or INTERN_FAILED. */
static uint32_t family_of(struct digest_metrics *m, struct str name,
			  struct str help)
{
	uint32_t known = m->families.count;
	uint32_t family = intern_add(&m->families, name);

	if (family == known)
		buf_put(&m->helps, &help, sizeof(help));
	return family;
}

/* Keep a figure with the current labels. Running out of memory is recorded in
 * figures, which then failed. */
static void keep(struct digest_metrics *m, struct str name, struct str help,
		 double value)
{
	struct figure_kept kept = {
		.value = value,
		.place = (uint32_t)(m->figures.n / sizeof(kept))};

	m->figures.failed |= m->labels.failed | m->name.failed;
	if (!isfinite(value) || m->figures.failed)
		return;
	kept.family = family_of(m, name, help);
	kept.labels = intern_add(&m->texts, buf_str(&m->labels));
	buf_put(&m->figures, &kept, sizeof(kept));
	m->figures.failed |= kept.family == INTERN_FAILED ||
			     kept.labels == INTERN_FAILED;
}

/* perf/ metrics ------------------------------------------------------- */

/* How parts of keys are renamed: Prometheus reserves _count for parts of
 * histograms and discourages abbreviated units. */
static const struct {
	struct str part;
	const char *name;
} renamed[] = {
	{STR("perf/request/count"), "perf_requests"},
	{STR("perf/request/profiled_count"), "perf_profiled_requests"},
	{STR("transfer_speed_gb_s"), "transfer_speed"},
	{STR("transfer_total_mb"), "transfer_size"},
	{STR("per_sec"), "per_second"},
};

/* Append the new name of the start of text; returns the bytes replaced, 0 if it
 * is not renamed. */
static size_t put_renamed(struct buf *b, struct str text)
{
	for (size_t i = 0; i < ARRAY_SIZE(renamed); i++) {
		if (!str_starts(text, renamed[i].part.p))
			continue;
		buf_puts(b, renamed[i].name);
		return renamed[i].part.n;
	}
	return 0;
}

/* perf/request/e2e_latency/p99.9 becomes perf_request_e2e_latency_p99_9. */
static struct str name_of(struct digest_metrics *m, const char *key)
{
	size_t taken;

	buf_clear(&m->name);
	for (; *key != '\0'; key += taken) {
		char c = *key;

		taken = put_renamed(&m->name, str_of(key));
		if (taken > 0)
			continue;
		buf_putc(&m->name, c == '/' || c == '.' || c == '-' || c == '+'
					   ? '_'
					   : c);
		taken = 1;
	}
	return buf_str(&m->name);
}

static void keep_figures(struct digest_metrics *m,
			 const struct figures *figures)
{
	for (size_t i = 0; i < figures->n; i++)
		keep(m, name_of(m, figures->v[i].key),
		     str_of("A metric of the rollout's requests."),
		     figures->v[i].value);
}

/* Breakdown ----------------------------------------------------------- */

/* A member of a struct and its family. */
struct digest_metric {
	const char *name;
	const char *help;
	size_t offset;
	bool is_count; /* a uint64_t, else a double */
};

#define DOUBLE_OF(type, member, name, help)                                    \
	{                                                                      \
		name, help, offsetof(struct type, member), false               \
	}
#define COUNT_OF(type, member, name, help)                                     \
	{                                                                      \
		name, help, offsetof(struct type, member), true                \
	}

static const struct digest_metric of_rollout[] = {
	COUNT_OF(breakdown_figures, samples, "perf_rollout_samples",
		 "Samples with a timeline."),
	DOUBLE_OF(breakdown_figures, wall, "perf_rollout_wall_seconds",
		  "From the first start to the last end of a sample."),
	DOUBLE_OF(breakdown_figures, time, "perf_rollout_sample_seconds",
		  "Sum of the durations of all samples."),
	DOUBLE_OF(breakdown_figures, own, "perf_rollout_own_seconds",
		  "Sum of the time that samples worked."),
	COUNT_OF(breakdown_figures, peak, "perf_rollout_peak_samples",
		 "Peak concurrency: most samples at work at the same time."),
	DOUBLE_OF(breakdown_figures, utilisation, "perf_rollout_utilisation",
		  "Own time / (wall time * peak)."),
	DOUBLE_OF(breakdown_figures, bubble, "perf_rollout_bubble",
		  "1 - utilisation."),
	DOUBLE_OF(breakdown_figures, tail, "perf_rollout_tail_seconds",
		  "Time with fewer than a tenth of the samples at work."),
	DOUBLE_OF(breakdown_figures, waiting_group,
		  "perf_rollout_group_wait_seconds",
		  "Sum of the time that samples waited for their group."),
	DOUBLE_OF(breakdown_figures, waiting_client,
		  "perf_rollout_client_queue_seconds",
		  "Sum of the time that samples waited in the client queue."),
	DOUBLE_OF(breakdown_figures, waiting_reward,
		  "perf_rollout_reward_wait_seconds",
		  "Sample time spent on rewards."),
};

static const struct digest_metric of_span[] = {
	COUNT_OF(time_figures, count, "perf_spans",
		 "Number of spans of this name."),
	DOUBLE_OF(time_figures, total, "perf_span_duration_seconds",
		  "Sum of the durations of the spans of this name."),
	DOUBLE_OF(time_figures, self, "perf_span_self_seconds",
		  "Self time of the spans of this name."),
	DOUBLE_OF(time_figures, share, "perf_span_share",
		  "Self time divided by all sample time."),
	DOUBLE_OF(time_figures, concurrency, "perf_span_concurrency",
		  "Mean number of spans of this name at the same time."),
	DOUBLE_OF(time_figures, p50, "perf_span_p50_seconds",
		  "Median duration."),
	DOUBLE_OF(time_figures, p95, "perf_span_p95_seconds",
		  "95th percentile of the durations."),
	DOUBLE_OF(time_figures, max, "perf_span_max_seconds",
		  "Longest duration."),
};

static const struct digest_metric of_phase[] = {
	COUNT_OF(time_figures, count, "perf_pd_requests",
		 "Number of requests with this phase or segment."),
	DOUBLE_OF(time_figures, total, "perf_pd_duration_seconds",
		  "Sum of its durations."),
	DOUBLE_OF(time_figures, share, "perf_pd_share",
		  "Sum of its durations divided by all sample time."),
	DOUBLE_OF(time_figures, concurrency, "perf_pd_concurrency",
		  "Mean number of requests in it at the same time."),
	DOUBLE_OF(time_figures, p50, "perf_pd_p50_seconds", "Median."),
	DOUBLE_OF(time_figures, p95, "perf_pd_p95_seconds", "95th percentile."),
	DOUBLE_OF(time_figures, max, "perf_pd_max_seconds", "Longest."),
};

static const struct digest_metric of_straggler[] = {
	DOUBLE_OF(straggler, last, "perf_straggler_last_rank",
		  "Its rank among those that ended last, from 1."),
	DOUBLE_OF(straggler, longest, "perf_straggler_longest_rank",
		  "Its rank among those that ran longest, from 1."),
	DOUBLE_OF(straggler, end, "perf_straggler_end_seconds",
		  "When its work ended, since the earliest sample began."),
	DOUBLE_OF(straggler, duration, "perf_straggler_duration_seconds",
		  "How long it worked."),
	DOUBLE_OF(straggler, ratio, "perf_straggler_over_median",
		  "Its duration divided by the median."),
	DOUBLE_OF(straggler, tokens, "perf_straggler_tokens",
		  "Tokens it completed."),
	DOUBLE_OF(straggler, rate, "perf_straggler_decode_rate",
		  "Tokens per second of decode."),
	DOUBLE_OF(straggler, held_time, "perf_straggler_span_seconds",
		  "Self time of its longest span."),
	DOUBLE_OF(straggler, client_queue,
		  "perf_straggler_client_queue_seconds",
		  "How long it waited in the client queue."),
	DOUBLE_OF(straggler, waited, "perf_straggler_waited_seconds",
		  "How long it waited for its group."),
	DOUBLE_OF(straggler, group_wait, "perf_straggler_group_wait_seconds",
		  "Sum of the time that its group waited for it."),
};

static void keep_members(struct digest_metrics *m,
			 const struct digest_metric *members, size_t count,
			 const void *of)
{
	for (size_t i = 0; i < count; i++) {
		const char *at = (const char *)of + members[i].offset;
		double value;

		if (members[i].is_count)
			value = (double)*(const uint64_t *)(const void *)at;
		else
			value = *(const double *)(const void *)at;
		keep(m, str_of(members[i].name), str_of(members[i].help),
		     value);
	}
	end_labels(m);
}

static void keep_phases(struct digest_metrics *m,
			const struct breakdown_figures *f)
{
	for (size_t r = 0; r < PD_ROLES; r++) {
		const char *phase = pd_roles[r].name;

		if (f->phases[r].count == 0)
			continue;
		add_label(m, "phase", str_of(phase));
		add_label(m, "segment", str_of(""));
		keep_members(m, of_phase, ARRAY_SIZE(of_phase), &f->phases[r]);
		for (size_t s = 0; s < PD_SEGMENTS; s++) {
			if (f->segments[r][s].count == 0)
				continue;
			add_label(m, "phase", str_of(phase));
			add_label(m, "segment", f->segments[r][s].name);
			keep_members(m, of_phase, ARRAY_SIZE(of_phase),
				     &f->segments[r][s]);
		}
	}
}

static void keep_breakdown(struct digest_metrics *m,
			   const struct breakdown_figures *f)
{
	keep_members(m, of_rollout, ARRAY_SIZE(of_rollout), f);
	for (int a = 0; a < ACTIVITIES; a++) {
		add_label(m, "activity",
			  str_of(activity_word((enum activity)a)));
		keep(m, str_of("perf_activity_seconds"),
		     str_of("Sample time spent on the activity."),
		     f->activities[a]);
		end_labels(m);
	}
	for (size_t i = 0; i < f->span_count; i++) {
		add_label(m, "name", f->spans[i].name);
		keep_members(m, of_span, ARRAY_SIZE(of_span), &f->spans[i]);
	}
	keep_phases(m, f);
}

static void keep_straggler(struct digest_metrics *m,
			   const struct straggler *one)
{
	buf_clear(&m->name);
	buf_put(&m->name, one->sample.p, one->sample.n);
	if (one->repeats)
		buf_printf(&m->name, " (row %" PRIu64 ")", one->row);
	add_label(m, "sample", buf_str(&m->name));
	add_label(m, "sample_group", one->group);
	add_label(m, "span", one->held);
	add_label(m, "activity", str_of(activity_word(one->most)));
	add_label(m, "cause", str_of(one->cause));
	add_label(m, "sample_worker", one->worker);
	keep_members(m, of_straggler, ARRAY_SIZE(of_straggler), one);
}

/* The sink ------------------------------------------------------------ */

static int put(struct digest_sink *sink, struct digest *digest, struct err *err)
{
	struct digest_metrics *m = (struct digest_metrics *)sink;
	char by[GROUP_BY_NAME_MAX];

	for (size_t i = 0; i < digest->count; i++) {
		const struct digest_part *part = &digest->parts[i];

		buf_clear(&m->labels);
		add_label(m, "dump", str_of(digest->dump));
		add_label(m, "rollout_id", digest->rollout_name);
		if (part->group.n > 0) {
			group_by_name(digest->plan->by, true, by);
			add_label(m, by, part->group_name);
		}
		m->part_labels = m->labels.n;
		keep_figures(m, &part->figures);
		if (part->times != NULL)
			keep_breakdown(m, part->times);
		for (size_t k = 0; k < part->late_count; k++)
			keep_straggler(m, &part->late[k]);
	}
	if (m->figures.failed)
		return buf_error(&m->figures, err);
	return m->helps.failed ? buf_error(&m->helps, err) : 0;
}

/* By family and labels, the first of equal ones first. */
static int compare_labels(const void *x, const void *y)
{
	const struct figure_kept *a = x;
	const struct figure_kept *b = y;

	if (a->family != b->family)
		return a->family < b->family ? -1 : 1;
	if (a->labels != b->labels)
		return a->labels < b->labels ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

/* By family; within one in insertion order. */
static int compare_figures(const void *x, const void *y)
{
	const struct figure_kept *a = x;
	const struct figure_kept *b = y;

	if (a->family != b->family)
		return a->family < b->family ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

/* Drop duplicate series, and sort the others; returns how many are left. */
static size_t settle(struct figure_kept *figures, size_t n)
{
	size_t kept = 0;

	if (n == 0)
		return 0;
	qsort(figures, n, sizeof(*figures), compare_labels);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || figures[i].family != figures[kept - 1].family ||
		    figures[i].labels != figures[kept - 1].labels)
			figures[kept++] = figures[i];
	qsort(figures, kept, sizeof(*figures), compare_figures);
	return kept;
}

static int put_figure(struct digest_metrics *m, const struct figure_kept *kept,
		      bool first, struct err *err)
{
	const struct str *helps = (const struct str *)(const void *)m->helps.p;
	struct str name = intern_text(&m->families, kept->family);
	struct metric_family family = {.name = name,
				       .help = helps[kept->family],
				       .type = PROM_GAUGE,
				       .typed = true};
	struct metric_sample sample = {.name = name,
				       .labels = intern_text(&m->texts,
							     kept->labels),
				       .value = kept->value,
				       .time = (long double)NAN};
	int code = first ? m->metrics->family(m->metrics, &family, err) : 0;

	return code < 0 ? code : m->metrics->sample(m->metrics, &sample, err);
}

static int end(struct digest_sink *sink, struct err *err)
{
	struct digest_metrics *m = (struct digest_metrics *)sink;
	struct figure_kept *figures =
		(struct figure_kept *)(void *)m->figures.p;
	size_t n = settle(figures, m->figures.n / sizeof(*figures));
	struct metric_about about = {.closed = false};
	int code = m->metrics->begin(m->metrics, &about, err);

	for (size_t i = 0; code == 0 && i < n; i++)
		code = put_figure(m, &figures[i],
				  i == 0 || figures[i].family !=
						    figures[i - 1].family,
				  err);
	return code < 0 ? code : m->metrics->end(m->metrics, err);
}

static void free_sink(struct digest_sink *sink)
{
	struct digest_metrics *m = (struct digest_metrics *)sink;

	if (m->metrics != NULL)
		m->metrics->free(m->metrics);
	intern_free(&m->families);
	buf_free(&m->helps);
	buf_free(&m->figures);
	intern_free(&m->texts);
	buf_free(&m->labels);
	buf_free(&m->name);
	free(m);
}

static struct digest_sink *make(struct out *out,
				struct metric_sink *(*metrics)(struct out *,
							       struct err *),
				struct err *err)
{
	struct digest_metrics *m = calloc(1, sizeof(*m));

	if (m == NULL)
		return err_no_memory(err);
	m->sink = (struct digest_sink){put, end, free_sink, out};
	m->families = intern_new(LIMIT_KEPT);
	m->helps = buf_new(LIMIT_KEPT);
	m->figures = buf_new(LIMIT_KEPT);
	m->texts = intern_new(LIMIT_KEPT);
	m->labels = buf_new(LIMIT_STRING);
	m->name = buf_new(LIMIT_STRING);
	m->metrics = metrics(out, err);
	if (m->metrics != NULL)
		return (struct digest_sink *)m;
	free_sink(&m->sink);
	return NULL;
}

struct digest_sink *digest_prom_new(struct out *out, struct err *err)
{
	return make(out, prom_out_new, err);
}

struct digest_sink *digest_tsv_new(struct out *out, struct err *err)
{
	return make(out, tsv_out_new, err);
}
