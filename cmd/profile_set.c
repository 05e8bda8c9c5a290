#include "profile_set.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/limits.h"
#include "fmt/file/gzip_read.h"

/* Files, read side by side -------------------------------------------- */

struct trace_reading {
	struct profile_set *set;
	const struct profile_reading *how;
	struct profile_summary **summaries; /* NULL: unusable */
	struct err *errors;
	size_t next;
	pthread_mutex_t lock;
};

/* A block that was read, and what follows it. */
struct peeked_source {
	struct byte_source source;
	struct str first;
	struct byte_source *rest;
};

static int next_block(struct byte_source *source, struct str *block,
		      struct err *err)
{
	struct peeked_source *p = (struct peeked_source *)source;

	*block = p->first;
	p->first = str_make("", 0);
	return block->n > 0 ? 1 : p->rest->next(p->rest, block, err);
}

/* Read saved JSON, if allowed here. */
static int read_saved(struct trace_reading *r, struct byte_source *source,
		      struct err *err)
{
	struct buf text = buf_new(LIMIT_STRING);
	struct str block;
	int rc = 1;

	if (!r->how->saved || r->set->files.n != 1)
		return err_set(err, ERR_INPUT,
			       "this is the output of profile-summary, which "
			       "only --compare reads");
	while (rc == 1) {
		rc = source->next(source, &block, err);
		if (rc == 1)
			buf_put(&text, block.p, block.n);
	}
	if (rc == 0 && text.failed)
		rc = buf_error(&text, err);
	if (rc == 0)
		rc = profile_totals_read(&r->set->saved, buf_str(&text), err);
	r->set->is_saved = rc == 0;
	buf_free(&text);
	return rc;
}

static struct profile_summary *read_source(struct trace_reading *r,
					   const char *path,
					   struct byte_source *source,
					   struct err *err)
{
	struct peeked_source peeked = {{.next = next_block}, {"", 0}, source};
	struct profile_trace *trace;
	int rc = source->next(source, &peeked.first, err);

	if (rc < 0 && err->code != ERR_INPUT)
		return NULL;
	if (rc == 1 && profile_totals_detect(peeked.first)) {
		read_saved(r, &peeked.source, err);
		return NULL;
	}
	trace = profile_trace_read(path, &peeked.source, LIMIT_RECORDS, err);
	return trace == NULL ? NULL
			     : profile_summarise(trace, r->how->gaps, err);
}

static struct profile_summary *read_one(struct trace_reading *r,
					const char *path, struct err *err)
{
	struct gzip_reader *reader = gzip_reader_open(path, err);
	struct profile_summary *s;

	if (reader == NULL)
		return NULL;
	s = read_source(r, path, gzip_reader_source(reader), err);
	gzip_reader_close(reader);
	return s;
}

static void *read_some(void *argument)
{
	struct trace_reading *r = argument;

	for (;;) {
		size_t i;

		pthread_mutex_lock(&r->lock);
		i = r->next++;
		pthread_mutex_unlock(&r->lock);
		if (i >= r->set->files.n)
			return NULL;
		r->summaries[i] =
			read_one(r, r->set->files.v[i], &r->errors[i]);
	}
}

/* The number of files, out of n, to read at a time. */
static size_t jobs_for(int64_t jobs, size_t n)
{
	if (jobs == 0 && n > 1)
		jobs = sysconf(_SC_NPROCESSORS_ONLN);
	if (jobs < 1)
		jobs = 1;
	return (size_t)jobs < n ? (size_t)jobs : n;
}

static void read_all(struct trace_reading *r)
{
	size_t jobs = jobs_for(r->how->jobs, r->set->files.n);
	pthread_t *threads;
	size_t started = 0;

	threads = calloc(jobs + 1, sizeof(*threads));
	while (threads != NULL && started + 1 < jobs &&
	       pthread_create(&threads[started], NULL, read_some, r) == 0)
		started++;
	read_some(r);
	for (size_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}

/* A gap made by a wrong time. */
static void report_gap(const struct profile_trace *t)
{
	static const double week_ns = 7 * 86400.0 * (double)NS_PER_SECOND;
	double window = (double)t->latest - (double)t->earliest;

	if (window > week_ns && t->latest > t->earliest)
		warn("%s: its events lie up to %.0f days apart; one of its "
		     "times is wrong",
		     t->path, window / week_ns * 7);
}

/* If only the GPU's events are missing, that is a finding. */
static bool has_events(const struct profile_trace *t)
{
	return t->latest >= t->earliest;
}

/* A trace in which no event has a valid time, or none a valid duration, would
 * be called idle: an error. */
static int check_times(const struct profile_trace *t, struct err *err)
{
	if (!has_events(t) && t->skipped > 0)
		return err_set(err, ERR_INPUT, "%s: no event has a valid time",
			       t->path);
	if (t->durations == 0 && t->repaired > 0)
		return err_set(err, ERR_INPUT,
			       "%s: no event has a valid duration", t->path);
	return 0;
}

/* Report what could not be read of a trace; true if some of it is usable. */
static bool report_trace(const struct profile_summary *s, struct err *err)
{
	const struct profile_trace *t;

	if (s == NULL || check_times(s->trace, err) < 0) {
		fail_err(err);
		return false;
	}
	t = s->trace;
	if (t->truncated) {
		struct err cut = t->cut;

		err_in(&cut, t->path);
		fail_err(&cut);
	}
	if (t->damaged > 0)
		fail("%s: skipped %" PRIu64 " damaged event%s", t->path,
		     t->damaged, str_plural(t->damaged));
	if (t->skipped > 0)
		warn("%s: skipped %" PRIu64 " event%s without a valid time",
		     t->path, t->skipped, str_plural(t->skipped));
	if (t->repaired > 0)
		warn("%s: set %" PRIu64 " invalid duration%s to 0", t->path,
		     t->repaired, str_plural(t->repaired));
	if (!has_events(t))
		warn("%s: no events: nothing was recorded", t->path);
	report_gap(t);
	return true;
}

void profile_set_read(struct profile_set *set,
		      const struct profile_reading *how, int count,
		      char **names, enum status *worst)
{
	struct trace_reading r = {
		.set = set, .how = how, .lock = PTHREAD_MUTEX_INITIALIZER};
	struct err err = {0};

	profile_files_find(&set->files, count, names, worst);
	r.summaries = calloc(set->files.n + 1, sizeof(*r.summaries));
	r.errors = calloc(set->files.n + 1, sizeof(*r.errors));
	if (r.summaries == NULL || r.errors == NULL)
		die_memory();
	read_all(&r);
	for (size_t i = 0; i < set->files.n && !set->is_saved; i++) {
		err_in(&r.errors[i], set->files.v[i]);
		if (report_trace(r.summaries[i], &r.errors[i]))
			r.summaries[set->report.n++] = r.summaries[i];
		else {
			if (status_of_err(&r.errors[i]) > *worst)
				*worst = status_of_err(&r.errors[i]);
			profile_summary_free(r.summaries[i]);
		}
	}
	free(r.errors);
	set->report.traces = r.summaries;
	set->report.top = how->top;
	set->report.gaps = how->gaps;
	if (profile_groups_find(&set->report.groups, set->report.traces,
				set->report.n, &err) < 0)
		die_err(&err);
}

bool profile_set_is_usable(const struct profile_set *set)
{
	return set->is_saved || set->report.n > 0;
}

bool profile_set_has_events(const struct profile_set *set)
{
	for (size_t i = 0; i < set->report.n; i++)
		if (has_events(set->report.traces[i]->trace))
			return true;
	return set->is_saved;
}

void profile_set_sum(const struct profile_set *set,
		     struct profile_totals *totals)
{
	struct err err = {0};

	if (profile_totals_sum(totals, set->report.traces, set->report.n,
			       &set->report.groups, &err) < 0)
		die_err(&err);
}

void profile_set_free(struct profile_set *set)
{
	profile_groups_free(&set->report.groups);
	for (size_t i = 0; i < set->report.n; i++)
		profile_summary_free(set->report.traces[i]);
	free(set->report.traces);
	profile_files_free(&set->files);
	profile_totals_free(&set->saved);
}
