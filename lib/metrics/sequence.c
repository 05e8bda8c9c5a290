#include "metrics/sequence.h"

#include <math.h>
#include <time.h>

#include "fmt/prom/prom_check.h"

enum { PART_ENDS = 1 }; /* the rest is not read */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A part or, without a source, a snapshot in a sequence has no samples. */
static void report_empty(const struct sequence *s, const char *source)
{
	struct report *report = s->aggregate->report;
	struct err err;

	if (!report_count(report, REMARK_EMPTY))
		return;
	err_set(&err, ERR_INPUT, "no samples in the %s",
		source == NULL ? "snapshot" : "input");
	if (source != NULL)
		err_in(&err, source);
	report_say(report, REMARK_EMPTY, &err);
}

static int answer(struct sequence *s, struct err *err)
{
	bool answers = aggregate_answers(s->aggregate);
	int code;

	if (s->closed && s->aggregate->merge.samples == 0)
		report_empty(s, NULL);
	code = aggregate_end(s->aggregate, s->arrived, s->closed, s->sink, err);

	/* Flush: a user watching a stream should not wait for its end. */
	if (s->live && s->aggregate->samples > 0)
		aggregate_report_missing(s->aggregate);
	s->answers += answers;
	s->held = false;
	s->open = false;
	s->any = true;
	return code < 0 ? code : s->answered(err);
}

/* A snapshot ended, by "# EOF" or with its part. */
static int end_snapshot(struct sequence *s, const struct metric_stream *r,
			double mtime, struct err *err)
{
	s->arrived = isnan(mtime) ? now() : mtime;
	s->live |= r->streaming;
	s->closed |= r->streaming;
	if (s->closed)
		return answer(s, err);
	s->held = true;
	return 0;
}

/* More follows the snapshot that is held, if one is. */
static int end_held(struct sequence *s, struct err *err)
{
	if (!s->held)
		return 0;
	s->closed = aggregate_answers(s->aggregate);
	return answer(s, err);
}

static int begin_snapshot(struct sequence *s, const char *source,
			  const struct label_set *added, struct err *err)
{
	int code = end_held(s, err);

	if (code != 0)
		return code;
	if (!s->open)
		code = aggregate_begin_part(s->aggregate, source, added, err);
	s->open = true;
	return code;
}

/* Lines after the "# EOF" of a part are ignored. */
static void report_after_eof(const struct sequence *s,
			     const struct metric_stream *r, const char *source)
{
	struct report *report = s->aggregate->report;
	struct err err;

	if (!report_count(report, REMARK_AFTER_EOF))
		return;
	err_at(&err, ERR_INPUT, ERR_LINE, r->line,
	       "text after # EOF is ignored");
	err_in(&err, source);
	report_say(report, REMARK_AFTER_EOF, &err);
}

/* A bad line: reported and counted, unless none are allowed. Before any valid
 * line, the whole part may be something else: then PART_ENDS. */
static int report_bad_line(struct sequence *s, const struct metric_stream *r,
			   const char *source, struct err *err)
{
	struct report *report = s->aggregate->report;
	enum remark remark = REMARK_BAD_LINE;
	const char *other = NULL;

	struct err late;

	s->bad++;
	/* What is said of the line before comes first. */
	if (merge_settle(&s->aggregate->merge, &late) < 0) {
		*err = late;
		return err->code;
	}
	if (!s->understood)
		other = prom_check_other(metric_stream_head(r));
	if (other != NULL) {
		remark = REMARK_FOREIGN;
		err_set(err, ERR_INPUT, "this is %s, not metrics", other);
	}
	err_in(err, source);
	if (s->strict)
		return err->code;
	if (report_count(report, remark) && s->bad <= BAD_RECORDS_SAID)
		report_say(report, remark, err);
	return other != NULL ? PART_ENDS : 0;
}

/* The part ends: how many more bad lines it had. */
static void report_more_bad(const struct sequence *s, const char *source)
{
	uint64_t more = s->bad - BAD_RECORDS_SAID;
	struct err err;

	if (s->bad <= BAD_RECORDS_SAID)
		return;
	if (s->understood)
		err_set(&err, ERR_INPUT, "%llu more bad line%s",
			(unsigned long long)more, str_plural(more));
	else
		err_set(&err, ERR_INPUT,
			"none of %llu lines is valid; this is not metrics",
			(unsigned long long)s->bad);
	err_in(&err, source);
	report_say(s->aggregate->report, REMARK_BAD_LINE, &err);
}

static int take_line(struct sequence *s, struct metric_stream *r,
		     struct prom_line *line, const char *source,
		     const struct label_set *added, double mtime,
		     struct err *err)
{
	int code;

	if (s->together && r->bodies > (line->kind == PROM_EOF)) {
		report_after_eof(s, r, source);
		return 0;
	}
	/* The writer restarted: what it left is incomplete. */
	if (line->kind == PROM_STREAM && r->streaming && s->open) {
		aggregate_drop(s->aggregate);
		s->open = false;
	}
	s->understood = true;
	s->samples += line->kind == PROM_SAMPLE;
	code = line->kind == PROM_CLOCK ? end_held(s, err)
					: begin_snapshot(s, source, added, err);
	if (code == 0 && s->line != NULL)
		code = s->line(line, err);
	if (code == 0)
		code = aggregate_line(s->aggregate, line, r->line, err);
	if (code == 0 && line->kind == PROM_EOF && !s->together)
		code = end_snapshot(s, r, mtime, err);
	return code;
}

int sequence_read(struct sequence *s, struct metric_stream *r,
		  const char *source, const struct label_set *added,
		  double mtime, bool more, struct err *err)
{
	struct prom_line line;
	int code = 0;

	s->understood = false;
	s->samples = s->bad = 0;
	if (s->together)
		code = aggregate_begin_part(s->aggregate, source, added, err);
	s->open |= s->together;
	while (code == 0) {
		code = metric_stream_next(r, &line, err);
		if (code == 0)
			break;
		if (code == 1)
			code = take_line(s, r, &line, source, added, mtime,
					 err);
		else if (code == ERR_INPUT || code == ERR_LIMIT)
			code = report_bad_line(s, r, source, err);
	}
	if (code < 0) {
		err_in(err, source);
		return code;
	}
	report_more_bad(s, source);
	if (s->samples == 0 && s->bad == 0)
		report_empty(s, source);
	s->arrived = isnan(mtime) ? now() : mtime;
	if (s->together && aggregate_end_part(s->aggregate, err) < 0)
		return err->code;
	/* Parts are snapshots of their own; the last ends with the input. */
	if (!s->together && more && s->open && !s->held)
		return end_snapshot(s, r, mtime, err);
	return 0;
}

int sequence_end(struct sequence *s, struct err *err)
{
	if (s->held || s->open || !s->any)
		return answer(s, err);
	return 0;
}
