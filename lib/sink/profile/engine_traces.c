#include "sink/profile/engine_traces.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/limits.h"
#include "base/num.h"
#include "fmt/file/chrome_member.h"
#include "fmt/file/gzip_read.h"
#include "profile/event_category.h"
#include "sink/profile/engine_events.h"

struct engine_traces {
	struct arena arena;
	struct engine_trace *files;
	size_t n, cap;
};

struct engine_traces *engine_traces_new(void)
{
	struct engine_traces *t = calloc(1, sizeof(*t));

	if (t != NULL)
		t->arena = arena_new(LIMIT_LIST);
	return t;
}

static void free_file(struct engine_trace *file)
{
	intern_free(&file->pids);
	intern_free(&file->tids);
}

void engine_traces_free(struct engine_traces *t)
{
	if (t == NULL)
		return;
	for (size_t i = 0; i < t->n; i++)
		free_file(&t->files[i]);
	free(t->files);
	arena_free(&t->arena);
	free(t);
}

/* First pass. */

/* The process of an event; NULL with err filled if out of memory. */
static struct process *find_process(struct engine_pass *pass,
				    const struct chrome_event *e,
				    struct err *err)
{
	struct engine_trace *file = pass->file;
	uint32_t at = intern_add(&file->pids, e->member[CHROME_PID]);
	size_t cap = file->cap ? 2 * file->cap : 16;
	struct process *grown;

	if (at == INTERN_FAILED) {
		intern_error(&file->pids, err);
		return NULL;
	}
	if (at < file->cap)
		return &file->processes[at];
	grown = arena_array(pass->arena, cap, sizeof(*grown));
	if (grown == NULL) {
		arena_error(pass->arena, err);
		return NULL;
	}
	if (file->cap > 0)
		memcpy(grown, file->processes, file->cap * sizeof(*grown));
	file->processes = grown;
	file->cap = cap;
	return &grown[at];
}

static bool has_name(const struct chrome_event *e, const char *name)
{
	return str_is(chrome_unquote(e->member[CHROME_NAME]), name);
}

/* Keep the process information of a metadata event. */
static int note_metadata(struct arena *arena, struct process *process,
			 const struct chrome_event *e, struct err *err)
{
	bool name = has_name(e, "process_name");
	struct str value;

	if (!name && !has_name(e, "process_labels"))
		return 0;
	value = chrome_find(e->member[CHROME_ARGS], name ? "name" : "labels");
	if (value.p == NULL)
		return 0;
	value = arena_str(arena, value);
	*(name ? &process->name : &process->labels) = value;
	return value.p ? 0 : arena_error(arena, err);
}

static bool is_recorded(const struct chrome_event *e)
{
	struct str category = chrome_unquote(e->member[CHROME_CAT]);

	return str_is(chrome_unquote(e->member[CHROME_PH]), "X") &&
	       event_counts(event_category_of(category));
}

static void note_time(struct engine_profile *about,
		      const struct engine_time *time,
		      const struct chrome_event *e)
{
	int64_t end;

	about->events++;
	about->repaired += time->repaired;
	if (__builtin_add_overflow(time->start, time->length, &end))
		end = INT64_MAX;
	if (time->start < about->earliest)
		about->earliest = time->start;
	if (end > about->latest)
		about->latest = end;
	if ((time->start >= about->first && end <= about->last) ||
	    !is_recorded(e))
		return;
	if (time->start < about->first)
		about->first = time->start;
	if (end > about->last)
		about->last = end;
}

static int note_event(struct engine_pass *pass, const struct chrome_event *e,
		      struct err *err)
{
	struct engine_trace *file = pass->file;
	struct process *process;
	struct engine_time time;
	enum engine_kind kind = engine_classify(e, &time);

	if (kind == ENGINE_OTHER)
		return 0;
	if (e->member[CHROME_PID].p != NULL) {
		process = find_process(pass, e, err);
		if (process == NULL)
			return err->code;
		if (kind == ENGINE_METADATA)
			return note_metadata(pass->arena, process, e, err);
	}
	if (kind == ENGINE_UNTIMED)
		file->about.untimed++;
	else if (kind == ENGINE_EVENT)
		note_time(&file->about, &time, e);
	return 0;
}

/* Call take for every event of the pass's file; found is what the reader
 * found. */
static int read_file(struct engine_pass *pass,
		     int (*take)(struct engine_pass *pass,
				 const struct chrome_event *e, struct err *err),
		     struct chrome_found *found, bool *padded, struct err *err)
{
	struct gzip_reader *bytes =
		gzip_reader_open(pass->file->about.path, err);
	struct chrome_reader *reader;
	struct chrome_event event;
	int rc;

	if (bytes == NULL)
		return err->code;
	reader = chrome_open(gzip_reader_source(bytes));
	rc = reader ? chrome_next(reader, &event, err) : err_memory(err);
	while (rc == 1) {
		rc = take(pass, &event, err);
		if (rc == 0)
			rc = chrome_next(reader, &event, err);
	}
	if (rc == 0)
		*found = *chrome_found(reader);
	*padded = gzip_reader_is_padded(bytes);
	chrome_close(reader);
	gzip_reader_close(bytes);
	return rc;
}

/* From the file's base to 1970. */
static int settle_times(struct engine_profile *about, struct err *err)
{
	int64_t base = about->found.base;

	if (about->events == 0)
		return 0;
	if (__builtin_add_overflow(about->earliest, base, &about->earliest))
		return err_set(err, ERR_INPUT, "its times are out of range");
	if (__builtin_add_overflow(about->latest, base, &about->latest))
		about->latest = INT64_MAX;
	if (about->last < about->first) {
		about->first = about->earliest;
		about->last = about->latest;
		return 0;
	}
	about->first += base; /* between earliest and latest */
	if (__builtin_add_overflow(about->last, base, &about->last))
		about->last = INT64_MAX;
	return 0;
}

/* A pipe would be empty on the second pass. */
static int check_twice(const char *path, struct err *err)
{
	struct stat st;

	if (strcmp(path, "-") != 0 &&
	    (stat(path, &st) < 0 ||
	     !(S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode))))
		return 0; /* opening it reports that */
	return err_set(err, ERR_INPUT,
		       "is a pipe, but profiles are read twice; save it as a "
		       "file first");
}

int engine_traces_add(struct engine_traces *t, const char *path,
		      struct err *err)
{
	struct engine_pass pass = {.arena = &t->arena};
	struct engine_profile *about;
	int rc;

	if (!ARRAY_GROW(t->files, t->n, t->cap))
		return err_memory(err);
	pass.file = &t->files[t->n];
	about = &pass.file->about;
	*pass.file = (struct engine_trace){
		.about = {.path = path,
			  .earliest = INT64_MAX,
			  .latest = INT64_MIN,
			  .first = INT64_MAX,
			  .last = INT64_MIN},
		.pids = intern_new(LIMIT_LIST),
		.tids = intern_new(LIMIT_LIST),
	};
	rc = check_twice(path, err);
	if (rc == 0)
		rc = read_file(&pass, note_event, &about->found, &about->padded,
			       err);
	if (rc == 0)
		rc = chrome_check(&about->found, err);
	if (rc == 0)
		rc = settle_times(about, err);
	if (rc == 0)
		t->n++;
	else
		free_file(pass.file);
	return rc;
}

size_t engine_traces_count(const struct engine_traces *t)
{
	return t->n;
}

const struct engine_profile *engine_traces_about(const struct engine_traces *t,
						 size_t i)
{
	return &t->files[i].about;
}

int64_t engine_traces_earliest(const struct engine_traces *t)
{
	int64_t ns = INT64_MAX;

	for (size_t i = 0; i < t->n; i++)
		if (t->files[i].about.earliest < ns)
			ns = t->files[i].about.earliest;
	return ns == INT64_MAX ? ns : ns / 1000 - (ns % 1000 < 0);
}

/* Read a file a second time; it must be unchanged. */
static int write_file(struct engine_pass *pass, struct err *err)
{
	const struct engine_profile *about = &pass->file->about;
	struct chrome_found found = {0};
	bool padded;
	int rc;

	for (uint32_t at = 0; at < pass->file->pids.count; at++)
		engine_pass_name(pass, at);
	rc = read_file(pass, engine_pass_write, &found, &padded, err);
	if (rc == 0 && (found.elements != about->found.elements ||
			found.base != about->found.base))
		rc = err_set(err, ERR_INPUT, "changed while it was read");
	return rc < 0 ? err_in(err, about->path) : 0;
}

int engine_traces_write(struct engine_traces *t, struct json_writer *w,
			uint64_t first_pid, int64_t origin_us, struct err *err)
{
	struct engine_pass pass = {.w = w};
	int rc = 0;

	if (__builtin_mul_overflow(origin_us, 1000, &pass.origin))
		return err_set(err, ERR_INPUT,
			       "the rollout's times are out of range");
	for (size_t i = 0; i < t->n && rc == 0; i++) {
		pass.file = &t->files[i];
		pass.first_pid = first_pid;
		pass.number = i + 1;
		first_pid += pass.file->pids.count;
		rc = write_file(&pass, err);
	}
	return rc;
}

void engine_traces_describe(const struct engine_traces *t,
			    struct json_writer *w)
{
	json_begin(w, '[');
	for (size_t i = 0; i < t->n; i++) {
		const struct engine_profile *about = &t->files[i].about;

		json_begin(w, '{');
		json_add_str(w, "file", str_of(about->path));
		json_add_uint(w, "events", about->events);
		json_add_uint(w, "events_without_time", about->untimed);
		json_add_uint(w, "durations_set_to_0", about->repaired);
		json_add_uint(w, "events_damaged", about->found.damaged);
		json_add_bool(w, "truncated", about->found.truncated);
		json_key(w, "baseTimeNanoseconds");
		json_begin_value(w);
		out_putc(w->out, '"'); /* readers parse numbers as doubles */
		w->out->n += num_put_int(out_room(w->out, NUM_INT_MAX),
					 about->found.base);
		out_putc(w->out, '"');
		json_end(w, '}');
	}
	json_end(w, ']');
}
