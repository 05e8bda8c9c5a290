#include "metrics/stream/metric_stream.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"

enum { BLOCK = 256 * 1024 };

struct metric_stream
metric_stream_new(ssize_t (*read)(void *source, void *p, size_t n),
		  void *source, enum prom_units units, bool latest)
{
	return (struct metric_stream){
		.read = read,
		.source = source,
		.text = prom_reader_new(NULL, NULL, units),
		.snapshots = snapshots_new(latest),
		.from = -INFINITY,
		.to = INFINITY,
		.first = INFINITY,
		.last = -INFINITY,
	};
}

static ssize_t read_fd(void *source, void *p, size_t n)
{
	return io_read(*(int *)source, p, n);
}

struct metric_stream metric_stream_fd(int *fd, enum prom_units units,
				      bool latest)
{
	return metric_stream_new(read_fd, fd, units, latest);
}

void metric_stream_free(struct metric_stream *s)
{
	prom_reader_free(&s->text);
	series_json_close(s->json);
	snapshots_free(&s->snapshots);
	free(s->head);
	free(s->block);
	s->json = NULL;
	s->head = s->block = NULL;
}

/* Bytes ------------------------------------------------------------------- */

/* Replay the head, then read the rest. */
static ssize_t read_on(void *stream, void *p, size_t n)
{
	struct metric_stream *s = stream;
	size_t left = s->head_n - s->head_given;

	if (left == 0)
		return s->read(s->source, p, n);
	n = n < left ? n : left;
	memcpy(p, s->head + s->head_given, n);
	s->head_given += n;
	return (ssize_t)n;
}

static int next_block(struct byte_source *source, struct str *block,
		      struct err *err)
{
	struct metric_stream *s =
		(struct metric_stream *)((char *)source -
					 offsetof(struct metric_stream, bytes));
	ssize_t got = read_on(s, s->block, BLOCK);

	if (got < 0)
		return err_sys(err, errno, "cannot read");
	*block = str_make(s->block, (size_t)got);
	return got > 0;
}

/* Read until the first bytes show whether it is JSON. */
static int read_head(struct metric_stream *s, bool *json, struct err *err)
{
	int begins = -1;

	if (s->head == NULL)
		s->head = malloc(STREAM_HEAD);
	if (s->head == NULL)
		return err_memory(err);
	s->head_n = s->head_given = 0;
	while (begins < 0 && s->head_n < STREAM_HEAD) {
		ssize_t got = s->read(s->source, s->head + s->head_n,
				      STREAM_HEAD - s->head_n);

		if (got < 0)
			return err_sys(err, errno, "cannot read");
		if (got == 0)
			break;
		s->head_n += (size_t)got;
		begins = series_json_begins(str_make(s->head, s->head_n));
	}
	*json = begins > 0;
	return 0;
}

static int begin_history(struct metric_stream *s, struct err *err)
{
	s->bytes = (struct byte_source){.next = next_block, .left = UINT64_MAX};
	if (s->block == NULL)
		s->block = malloc(BLOCK);
	s->json = series_json_open(&s->bytes);
	return s->block == NULL || s->json == NULL ? err_memory(err) : 0;
}

static int begin(struct metric_stream *s, struct err *err)
{
	if (read_head(s, &s->is_history, err) < 0)
		return err->code;
	s->begun = true;
	s->text.read = read_on;
	s->text.source = s;
	if (!s->is_history && s->mapped.p != NULL)
		prom_reader_borrow(&s->text, s->mapped);
	return s->is_history ? begin_history(s, err) : 0;
}

int metric_stream_all_history(struct metric_stream *s, struct err *err)
{
	if (!s->begun && begin(s, err) < 0)
		return err->code;
	if (s->is_history)
		s->snapshots.latest = false;
	return s->is_history;
}

/* What is wanted ----------------------------------------------------------- */

static bool is_wanted(struct metric_stream *s, const struct prom_line *line)
{
	if (line->kind == PROM_SAMPLE && line->stamped) {
		s->first = fminl(s->first, line->time);
		s->last = fmaxl(s->last, line->time);
		if (line->time < s->from || line->time > s->to)
			return false;
	}
	if (s->wants == NULL ||
	    (line->kind != PROM_SAMPLE && line->kind != PROM_TYPE &&
	     line->kind != PROM_HELP))
		return true;
	return s->wants(s->wants_what, line->name);
}

/* Histories --------------------------------------------------------------- */

/* A query that matched nothing is an error, unless one was reported. */
static int report_empty(struct metric_stream *s, struct err *err)
{
	if (s->reported_empty || series_json_number(s->json) > 0)
		return 0;
	s->reported_empty = true;
	return err_set(err, ERR_INPUT,
		       "the history has no samples; check the names and "
		       "times of the query");
}

/* Anything in a history other than samples is an error, reported once each:
 * ERR_INPUT; or 0. */
static int report_found(struct metric_stream *s, struct err *err)
{
	const struct series_json_found *found = series_json_found(s->json);
	struct series_json_found *reported = &s->reported;

	if (found->partial && !reported->partial) {
		reported->partial = true;
		return err_set(err, ERR_INPUT,
			       "the server says that its answer is partial");
	}
	if (found->warnings > reported->warnings) {
		reported->warnings = found->warnings;
		return err_set(err, ERR_INPUT,
			       "the server warns, so data may be missing: %s",
			       found->warning);
	}
	if (found->bad > reported->bad) {
		reported->bad = found->bad;
		return err_set(err, ERR_INPUT,
			       "skipped %llu sample%s with a bad value or "
			       "timestamp",
			       (unsigned long long)found->bad,
			       str_plural(found->bad));
	}
	if (found->unnamed > reported->unnamed) {
		reported->unnamed = found->unnamed;
		return err_set(err, ERR_INPUT,
			       "skipped %llu series without a name; query "
			       "the metric itself, without rate() or sum()",
			       (unsigned long long)found->unnamed);
	}
	if (found->histograms > reported->histograms) {
		reported->histograms = found->histograms;
		return err_set(err, ERR_INPUT,
			       "skipped the native histograms of %llu series",
			       (unsigned long long)found->histograms);
	}
	return report_empty(s, err);
}

/* Read a history to its end: 0 or an error. */
static int gather_one(struct metric_stream *s, struct err *err)
{
	struct prom_line line;
	int code = 1;

	while (code == 1) {
		code = series_json_next(s->json, &line, err);
		if (code == 1 && is_wanted(s, &line) &&
		    snapshots_add(&s->snapshots, &line,
				  s->series + series_json_number(s->json),
				  err) < 0)
			return err->code;
	}
	s->reported_empty |= code < 0;
	return code < 0 ? code : report_found(s, err);
}

/* Begin the history that follows another. */
static int begin_next(struct metric_stream *s, struct err *err)
{
	bool json = false;

	if (s->json != NULL)
		s->series += series_json_number(s->json);
	series_json_close(s->json);
	s->json = NULL;
	s->reported = (struct series_json_found){0};
	s->reported_empty = false;
	if (read_head(s, &json, err) < 0)
		return err->code;
	if (json)
		return begin_history(s, err);
	return err_set(err, ERR_INPUT,
		       s->head_n == 0
			       ? "no samples in the input"
			       : "skipped: only histories (JSON) can follow "
				 "a history");
}

/* Read the histories to their end: 0 or an error. */
static int gather(struct metric_stream *s, struct err *err)
{
	int code = 0;

	for (;;) {
		if (s->json != NULL)
			code = gather_one(s, err);
		if (code < 0)
			return code;
		if (s->next == NULL || !s->next(s->source))
			return 0;
		if (begin_next(s, err) < 0)
			return err->code;
	}
}

static int next_of_history(struct metric_stream *s, struct prom_line *line,
			   struct err *err)
{
	int code;

	if (!s->gathered) {
		code = gather(s, err);
		if (code < 0)
			return code;
		s->gathered = true;
	}
	code = snapshots_next(&s->snapshots, line, err);
	s->bodies += code == 1 && line->kind == PROM_EOF;
	return code;
}

int metric_stream_next(struct metric_stream *s, struct prom_line *line,
		       struct err *err)
{
	int code;

	if (!s->begun && begin(s, err) < 0)
		return err->code;
	if (s->is_history)
		return next_of_history(s, line, err);
	do
		code = prom_next(&s->text, line, err);
	while (code == 1 && !is_wanted(s, line));
	s->line = s->text.line;
	s->bodies = s->text.bodies;
	s->streaming = s->text.streaming;
	return code;
}

struct str metric_stream_head(const struct metric_stream *s)
{
	return s->is_history ? str_make("", 0) : prom_head(&s->text);
}

struct str metric_stream_unread(const struct metric_stream *s)
{
	const struct prom_reader *r = &s->text;

	return r->p == NULL ? str_make("", 0)
			    : str_make(r->p + r->start, r->end - r->start);
}
