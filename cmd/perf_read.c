#include "perf_read.h"

#include <stdlib.h>
#include <string.h>

#include "bad_records.h"
#include "base/array.h"
#include "base/limits.h"
#include "common.h"
#include "dump.h"
#include "dump_remark.h"
#include "fmt/prom/prom_read.h"
#include "metrics/merge.h"
#include "rollout/partial.h"
#include "rollout/perf_keys.h"
#include "rollout/prom_perf.h"
#include "rollout/saved.h"

enum operand_kind { KIND_DUMP, KIND_SAVED, KIND_PARTIAL, KIND_PROM };

/* One operand in progress. */
struct operand {
	const char *name; /* as on the command line; "-" is stdin */
	const struct digest_plan *plan;
	struct digests *digests;
	struct input *input;
};

void digests_free(struct digests *digests)
{
	for (size_t i = 0; i < digests->n; i++)
		digest_free(digests->v[i]);
	free(digests->v);
	*digests = (struct digests){0};
}

/* Takes ownership of the digest, even if it fails or there is no sink. */
static int keep(struct operand *r, struct digest *digest, struct err *err)
{
	struct digests *digests = r->digests;

	if (digest == NULL)
		return err->code;
	if (!ARRAY_GROW(digests->v, digests->n, digests->cap)) {
		digest_free(digest);
		return err_memory(err);
	}
	digests->v[digests->n++] = digest;
	return 0;
}

/* A dump -------------------------------------------------------------- */

/* A key that no dump has is probably misspelt. */
static void check_key(const struct digest *digest)
{
	struct buf text = buf_new(LIMIT_STRING);

	if (digest_lacks_key(digest, &text))
		fail("%s: %.*s", digest->dump, (int)text.n, text.p);
	buf_free(&text);
}

/* Why are there no requests? An empty list and nested samples are reported
 * anyway, as are samples that all lack a trace. */
static void explain_zero(const struct digest *digest,
			 enum rollout_remark remark)
{
	const struct digest_plan *plan = digest->plan;
	bool said = remark == ROLLOUT_UNTRACED;

	if (!digest_is_zero(digest) || remark == ROLLOUT_EMPTY ||
	    remark == ROLLOUT_NESTED)
		return;
	if (!digest->any_time && !said)
		fail("%s: no event of the samples has a time", digest->dump);
	else if (!digest->any_time)
		status_raise(STATUS_PARTLY);
	else if ((!plan->breakdown && plan->stragglers == 0) || plan->compares)
		warn("%s: no generation requests: no span such as "
		     "sglang_generate ends with attributes",
		     digest->dump);
}

static void report_skipped(const struct digest *digest)
{
	if (digest->skipped == 1)
		fail("%s: %s", digest->dump, digest->what);
	else if (digest->skipped > 1)
		fail("%s: %s; %llu more part%s of traces could not be used",
		     digest->dump, digest->what,
		     (unsigned long long)digest->skipped - 1,
		     str_plural(digest->skipped - 1));
}

/* Engines compute queue_time unguarded. */
static void warn_negatives(const struct digest *digest)
{
	struct perf_negatives negatives = digest_negatives(digest);
	uint64_t n = negatives.queues;

	if (negatives.unused == 1)
		warn("%s: a negative %s is not used", digest->dump,
		     negatives.unused_name);
	else if (negatives.unused > 1)
		warn("%s: %llu negative values, such as %s, are not used",
		     digest->dump, (unsigned long long)negatives.unused,
		     negatives.unused_name);
	if (negatives.others == 1)
		warn("%s: a request has a negative %s; it counts as it is",
		     digest->dump, negatives.other);
	else if (negatives.others > 1)
		warn("%s: %llu figures of requests are negative, such as %s; "
		     "they count as they are",
		     digest->dump, (unsigned long long)negatives.others,
		     negatives.other);
	if (n > 0)
		warn("%s: %llu %s a negative queue_time, as engines give it to "
		     "a request that was retracted or never ran; it counts as "
		     "it is",
		     digest->dump, (unsigned long long)n,
		     n == 1 ? "request has" : "requests have");
}

static void read_dump(struct operand *r)
{
	struct err err = {0};
	struct digest *digest;
	struct sample sample;
	struct dump dump;
	enum rollout_remark remark;

	if (!dump_open_input(&dump, r->name, r->input))
		return;
	digest_want_fields(r->plan, dump.rollout);
	if (with.n == 0 && digest_needs_requests_only(r->plan))
		rollout_need_requests(dump.rollout);
	digest = digest_new(r->plan, r->name, &err);
	while (err.code == 0 && dump_next(&dump, &sample))
		digest_add(digest, &sample, &err);
	if (err.code == 0 && !dump.failed)
		digest_end(digest, rollout_id(dump.rollout), &err);
	if (err.code == 0 && !dump.failed && digest_is_zero(digest))
		rollout_check_times(dump.rollout, &err);
	if (err.code != 0)
		dump_fail(&dump, &err);
	if (digest != NULL && !dump.failed && !dump.mixed)
		dump_remark_clock(dump.name, &digest->clock);
	remark = rollout_remark(dump.rollout);
	if (!dump_close(&dump)) {
		digest_free(digest);
		return;
	}
	report_skipped(digest);
	warn_negatives(digest);
	explain_zero(digest, remark);
	check_key(digest);
	if (keep(r, digest, &err) < 0)
		dump_fail(&dump, &err);
}

/* Saved figures ------------------------------------------------------- */

static bool has_percentile(const struct figures *figures, double percent)
{
	double one;

	for (size_t i = 0; i < figures->n; i++)
		if (perf_key_percentile(str_of(figures->v[i].key), &one) &&
		    one == percent)
			return true;
	return false;
}

/* Report what was asked for and only a dump could give. */
static void say_not_added(const struct operand *r,
			  const struct figures *figures)
{
	const struct perf_wanted *wanted = &r->plan->perf;

	for (size_t i = 0; i < wanted->percentiles_asked; i++)
		if (!has_percentile(figures, wanted->percentiles[i]))
			fail("%s: holds only metrics, without p%.10g; -p needs "
			     "the dump",
			     r->name, wanted->percentiles[i]);
	if (wanted->rollout_time > 0 &&
	    figures_find(figures, str_of("perf/rollout_time")) == NULL)
		fail("%s: holds only metrics; --rollout-time needs the dump",
		     r->name);
}

/* Takes ownership of the figures. */
static int keep_figures(struct operand *r, struct str dump, struct value id,
			struct figures *figures, struct err *err)
{
	const struct digest_plan *plan = r->plan;

	say_not_added(r, figures);
	if (((!plan->breakdown && plan->stragglers == 0) || plan->compares) &&
	    plan->by == NULL && plan->what_if == NULL)
		return keep(r, digest_given(plan, dump, id, figures, err), err);
	figures_free(figures);
	return err_set(err, ERR_INPUT,
		       "holds only metrics, no samples to look into");
}

static int keep_rollout(struct operand *r, struct saved_rollout *rollout,
			struct err *err)
{
	struct str dump = rollout->dump.kind == VALUE_STR
				  ? value_text(rollout->dump)
				  : str_of(r->name);

	return keep_figures(r, dump, rollout->rollout_id, &rollout->figures,
			    err);
}

static int keep_saved(struct operand *r, struct saved *saved, struct err *err)
{
	struct bad_records bad = {0};
	int got = 1;

	while (got > 0) {
		struct saved_rollout rollout;

		*err = (struct err){0};
		got = saved_next(saved, &rollout, err);
		if (got > 0 && keep_rollout(r, &rollout, err) < 0)
			return err->code;
		if ((got == ERR_INPUT || got == ERR_LIMIT) &&
		    saved_can_continue(saved) && !strict) {
			bad_records_add(&bad, r->name, err);
			got = 1;
		}
	}
	bad_records_end(&bad, r->name);
	if (got == 0 && r->digests->n == 0)
		return err_set(err, ERR_INPUT,
			       "holds no saved rollout that can be used");
	return got;
}

static int read_saved(struct operand *r, struct err *err)
{
	struct saved *saved = saved_open(&r->input->source);
	int code = saved == NULL ? err_memory(err) : keep_saved(r, saved, err);

	if (code < 0)
		digests_free(r->digests);
	saved_close(saved);
	return code;
}

/* Prometheus text ------------------------------------------------------ */

static int read_lines(struct operand *r, struct merge *merge, struct err *err)
{
	struct prom_reader reader =
		prom_reader_new(input_read, r->input, PROM_ALL_MILLISECONDS);
	struct bad_records bad = {0};
	struct prom_line line;
	int got = 1;

	while (got > 0) {
		*err = (struct err){0};
		got = prom_next(&reader, &line, err);
		if (got > 0 && merge_line(merge, &line, reader.line, err) < 0) {
			got = err->code;
		} else if ((got == ERR_INPUT || got == ERR_LIMIT) && !strict) {
			bad_records_add(&bad, r->name, err);
			got = 1;
		}
	}
	bad_records_end(&bad, r->name);
	prom_reader_free(&reader);
	return got < 0 ? got : merge_settle(merge, err);
}

static int keep_prom(struct operand *r, const struct series_table *table,
		     struct err *err)
{
	struct figures figures = figures_new();
	struct value none = {.kind = VALUE_ABSENT};
	int code = prom_perf(table, &r->plan->perf, &figures, err);

	if (code == 0 && figures.n == 0)
		code = err_set(err, ERR_INPUT,
			       "it has no request latency histogram of SGLang "
			       "or vLLM");
	if (code < 0) {
		figures_free(&figures);
		return code;
	}
	return keep_figures(r, str_of(r->name), none, &figures, err);
}

/* Conflicting lines do not matter here. */
static void say_nothing(void *to, enum remark remark, const struct err *err)
{
	(void)to;
	(void)remark;
	(void)err;
}

static int read_prom(struct operand *r, struct err *err)
{
	static const struct naming as_it_is;
	struct report report = report_new(say_nothing, NULL);
	struct series_table table;
	struct merge merge;
	int code;

	series_table_init(&table, &as_it_is, &report);
	merge = merge_new(&table, NULL);
	code = names_begin_part(&table.names, r->name, err);
	if (code == 0)
		code = read_lines(r, &merge, err);
	if (code == 0)
		code = keep_prom(r, &table, err);
	merge_free(&merge);
	series_table_free(&table);
	return code;
}

/* Any operand --------------------------------------------------------- */

static enum operand_kind kind_of(const struct input *input)
{
	enum input_kind kind = input->kind;
	struct str head = input->head;

	if (saved_detect(head))
		return KIND_SAVED;
	if (partial_detect(head))
		return KIND_PARTIAL;
	/* A pickle may begin with a letter, like a metric's name. */
	if (kind == INPUT_ZIP || kind == INPUT_LEGACY ||
	    (kind == INPUT_PICKLE && head.p[0] != 'c'))
		return KIND_DUMP;
	return prom_perf_detect(head) ? KIND_PROM : KIND_DUMP;
}

static void end_reading(struct operand *r, struct err *err)
{
	struct dump failed = {.name = r->name};

	if (err->code < 0)
		dump_fail(&failed, err);
	else
		dump_count_read();
	input_close(r->input);
}

void perf_read(const char *name, const struct digest_plan *plan,
	       struct digests *digests)
{
	struct err err = {0};
	struct operand r = {.name = name,
			    .plan = plan,
			    .digests = digests,
			    .input = input_open(name, &err)};
	enum operand_kind kind = r.input != NULL ? kind_of(r.input)
						 : KIND_SAVED;

	if (kind == KIND_DUMP) {
		read_dump(&r);
		return;
	}
	if (kind == KIND_PARTIAL)
		err_set(&err, ERR_INPUT,
			"a partial; merge it with --merge-partials");
	if (err.code == 0 && with.n > 0)
		err_set(&err, ERR_INPUT,
			"holds only metrics, no samples that --with could add "
			"to");
	if (err.code == 0 && kind == KIND_SAVED)
		read_saved(&r, &err);
	else if (err.code == 0)
		read_prom(&r, &err);
	end_reading(&r, &err);
}
