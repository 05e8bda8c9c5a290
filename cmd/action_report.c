#include "action_report.h"

#include <math.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/temporary.h"
#include "common.h"
#include "fmt/json/json_write.h"
#include "sink/table.h"

static const char *const action_names[] = {
	[PROFILE_START] = "start",
	[PROFILE_STOP] = "stop",
	[PROFILE_STATUS] = "status",
	[PROFILE_LIST] = "list",
};

static bool is_done(const struct action_report *r,
		    const struct profile_worker *w)
{
	return profile_is_done(r->action, w->verdict);
}

size_t action_report_count_done(const struct action_report *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->profile->n; i++)
		n += is_done(r, &r->profile->v[i]);
	return n;
}

/* What a worker that did not answer may be doing, or may be. */
static const char *doubt(const struct action_report *r,
			 const struct profile_worker *w)
{
	/* A router's list gives a role. */
	if (w->verdict == PROFILE_NOT_CONFIGURED && *w->target->role == '\0')
		return "; it has no profiler, or is a router: profile its "
		       "workers with --router-url";
	if (w->verdict != PROFILE_TIMEOUT || w->sent == 0)
		return "";
	if (r->action == PROFILE_START)
		return "; it may have started";
	if (r->action == PROFILE_STOP)
		return "; the stop may still run, engines answer once their "
		       "traces are written";
	return "";
}

void action_report_failures(const struct action_report *r)
{
	for (size_t i = 0; i < r->profile->n; i++) {
		const struct profile_worker *w = &r->profile->v[i];

		if (!is_done(r, w))
			fail("%s: %s%s%s%s", w->target->address,
			     profile_verdict_name(w->verdict),
			     *w->text ? ": " : "", w->text, doubt(r, w));
	}
}

static double ms(int64_t ns)
{
	int64_t us = ns / 1000;

	return (double)us / 1000;
}

/* From its engine, or counted from the list. */
static size_t ranks_of(const struct profile_worker *w)
{
	size_t listed = w->target->ranks ? w->target->ranks : 1;

	return w->ranks > listed ? w->ranks : listed;
}

/* The table. */

static void put_table(struct table *table, struct out *out)
{
	struct err err = {0};

	if (table_put(table, out, &err) < 0)
		die_err(&err);
}

static void add_outcome(struct table *table, const struct profile_worker *w)
{
	table_add(table, str_of(profile_verdict_name(w->verdict)));
	if (w->status)
		table_addf(table, "%d", w->status);
	else
		table_add(table, str_of("-"));
	if (w->sent)
		table_addf(table, "%.1f", ms(w->duration));
	else
		table_add(table, str_of("-"));
	table_add(table, str_of(w->text));
}

static void write_table(const struct action_report *r, struct out *out)
{
	static const struct table_column columns[] = {
		{"worker", TABLE_LEFT}, {"role", TABLE_LEFT},
		{"ranks", TABLE_RIGHT}, {"verdict", TABLE_LEFT},
		{"http", TABLE_RIGHT},	{"ms", TABLE_RIGHT},
		{"answer", TABLE_LEFT}};
	struct table table = table_new(columns, 7);

	for (size_t i = 0; i < r->profile->n; i++) {
		const struct profile_worker *w = &r->profile->v[i];

		table_add(&table, str_of(w->target->address));
		table_add(&table, str_of(*w->role ? w->role : "-"));
		table_addf(&table, "%zu", ranks_of(w));
		add_outcome(&table, w);
	}
	put_table(&table, out);
}

static void write_list(const struct action_report *r, struct out *out)
{
	static const struct table_column columns[] = {{"worker", TABLE_LEFT},
						      {"role", TABLE_LEFT},
						      {"ranks", TABLE_RIGHT},
						      {"url", TABLE_LEFT}};
	struct table table = table_new(columns, 4);

	for (size_t i = 0; i < r->profile->n; i++) {
		const struct profile_worker *w = &r->profile->v[i];

		table_add(&table, str_of(w->target->address));
		table_add(&table, str_of(*w->role ? w->role : "-"));
		table_addf(&table, "%zu", ranks_of(w));
		table_add(&table,
			  str_of(w->target->url ? w->target->url : w->text));
	}
	put_table(&table, out);
}

static void write_spread(const struct action_report *r, struct out *out)
{
	const struct profile *p = r->profile;
	struct buf line = buf_new(KIB);

	buf_printf(&line, "%zu of %zu worker%s OK, ",
		   action_report_count_done(r), p->n, str_plural(p->n));
	if (p->first_sent)
		buf_printf(&line, "requests sent within %.1f ms\n",
			   ms(p->spread));
	else
		buf_puts(&line, "no requests sent\n");
	out_put(out, line.p, line.n);
	buf_free(&line);
}

/* JSON. */

static void put_file(struct json_writer *w, const struct trace_file *f)
{
	json_begin(w, '{');
	json_add_text(w, "name", f->name);
	json_add_int(w, "bytes", f->bytes);
	json_add_uint(w, "events", f->events);
	json_add_bool(w, "complete", f->state == TRACE_COMPLETE);
	json_end(w, '}');
}

/* The new files of a directory and their total size. */
static void put_files(struct json_writer *w, const struct trace_dir *dir)
{
	int64_t bytes = 0;

	json_add_begin(w, "files", '[');
	for (size_t i = 0; i < dir->n; i++) {
		if (dir->files[i].old)
			continue;
		put_file(w, &dir->files[i]);
		bytes += dir->files[i].bytes;
	}
	json_end(w, ']');
	json_add_int(w, "bytes", bytes);
}

static void put_times(struct json_writer *w, const struct profile_worker *of,
		      int64_t first)
{
	json_add_double(w, "sent_ms",
			of->sent ? ms(of->sent - first) : (double)NAN);
	json_add_double(w, "took_ms",
			of->sent ? ms(of->duration) : (double)NAN);
}

static void put_worker(struct json_writer *w, const struct action_report *r,
		       size_t i)
{
	const struct profile_worker *of = &r->profile->v[i];
	const struct trace_dir *dir = watch_dir(r->watch, i);

	json_begin(w, '{');
	json_add_text(w, "worker", of->target->address);
	json_add_text(w, "url", of->target->url);
	json_add_text(w, "role", *of->role ? of->role : NULL);
	json_add_uint(w, "entries", of->target->entries);
	json_add_uint(w, "ranks", ranks_of(of));
	json_add_text(w, "status", profile_verdict_name(of->verdict));
	json_add_bool(w, "done", is_done(r, of));
	json_key(w, "http_status");
	if (of->status)
		json_int(w, of->status);
	else
		json_null(w);
	json_add_text(w, "answer", of->text);
	put_times(w, of, r->profile->first_sent);
	json_add_text(w, "output_dir", of->dir);
	if (dir)
		put_files(w, dir);
	json_end(w, '}');
}

static void put_report(struct json_writer *w, const struct action_report *r)
{
	const struct profile *p = r->profile;

	json_begin(w, '{');
	json_add_text(w, "action", action_names[r->action]);
	json_add_uint(w, "asked", r->profile->n);
	json_add_uint(w, "done", action_report_count_done(r));
	json_add_double(w, "send_spread_ms",
			p->first_sent ? ms(p->spread) : (double)NAN);
	json_add_begin(w, "workers", '[');
	for (size_t i = 0; i < r->profile->n; i++)
		put_worker(w, r, i);
	json_end(w, ']');
	if (r->watch->shared && r->watch->n > 0)
		put_files(w, &r->watch->dirs[0]);
	json_end(w, '}');
	json_end_line(w);
}

static void put_lines(struct json_writer *w, const struct action_report *r)
{
	for (size_t i = 0; i < r->profile->n; i++) {
		put_worker(w, r, i);
		json_end_line(w);
	}
}

void action_report_write(const struct action_report *r,
			 enum report_format format, struct out *out)
{
	struct json_writer w = json_writer_on(out);

	if (format == REPORT_JSON) {
		put_report(&w, r);
	} else if (format == REPORT_JSONL) {
		put_lines(&w, r);
	} else if (r->action == PROFILE_LIST) {
		write_list(r, out);
	} else {
		write_table(r, out);
		write_spread(r, out);
	}
}

void action_report_write_files(const struct action_report *r, struct out *out)
{
	static const struct table_column columns[] = {{"trace", TABLE_LEFT},
						      {"bytes", TABLE_RIGHT},
						      {"events", TABLE_RIGHT},
						      {"state", TABLE_LEFT}};
	static const char *const states[] = {[TRACE_NEW] = "growing",
					     [TRACE_COMPLETE] = "complete",
					     [TRACE_TORN] = "torn"};
	struct table table = table_new(columns, 4);

	for (size_t i = 0; i < r->watch->n; i++) {
		const struct trace_dir *dir = &r->watch->dirs[i];

		for (size_t k = 0; k < dir->n; k++) {
			const struct trace_file *f = &dir->files[k];

			if (f->old)
				continue;
			table_addf(&table, "%s/%s", dir->path, f->name);
			table_addf(&table, "%lld", (long long)f->bytes);
			table_addf(&table, "%llu",
				   (unsigned long long)f->events);
			table_add(&table, str_of(states[f->state]));
		}
	}
	put_table(&table, out);
}

void action_report_write_manifest(const struct action_report *r,
				  const char *dir)
{
	struct buf path = buf_new(64 * KIB);
	struct out_file file = {0};
	struct err err = {0};
	struct json_writer w;

	buf_printf(&path, "%s/manifest.json", dir);
	if (path.failed)
		die_memory();
	temporary_clean(path.p);
	if (out_file_open(&file, path.p, &err) == 0) {
		w = json_writer_on(&file.out);
		put_report(&w, r);
		out_file_commit(&file, &err);
	}
	if (err.code)
		fail_err(&err);
	buf_free(&path);
}
