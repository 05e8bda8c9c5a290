#include "sink/profile/engine_events.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/map.h"
#include "base/num.h"
#include "fmt/file/chrome_member.h"

/* Ids of one file are below this; with it, 8,192 files fit in a double. */
#define ID_BITS 40
#define ID_MASK (((uint64_t)1 << ID_BITS) - 1)

/* Where numbers for replaced tids begin. */
#define TID_BASE ((uint64_t)1 << 31)

/* Times. */

static bool is_of_gpu(const struct chrome_event *e)
{
	static const char *const categories[] = {
		"kernel", "gpu_memcpy", "memcpy", "gpu_memset", "memset"};
	struct str cat = chrome_unquote(e->member[CHROME_CAT]);

	for (size_t i = 0; i < ARRAY_SIZE(categories); i++)
		if (str_is_nocase(cat, categories[i]))
			return true;
	return false;
}

enum engine_kind engine_classify(const struct chrome_event *e,
				 struct engine_time *time)
{
	struct str phase = e->member[CHROME_PH];
	struct str length = e->member[CHROME_DUR];

	*time = (struct engine_time){.start = 0};
	if (phase.p == NULL || *phase.p != '"')
		return ENGINE_OTHER;
	if (str_is(phase, "\"M\""))
		return ENGINE_METADATA;
	if (!chrome_parse_time(e->member[CHROME_TS], &time->start))
		return ENGINE_UNTIMED;
	if (str_is(phase, "\"X\"") &&
	    (!chrome_parse_time(length, &time->length) || time->length < 0)) {
		time->length = 0;
		time->repaired = true;
	}
	if (time->start == 0 && time->length == 0 && is_of_gpu(e))
		return ENGINE_UNTIMED;
	return ENGINE_EVENT;
}

/* Names. */

/* "DIR TP-0": the file's directory and rank, or its name. */
static void put_label(struct out *out, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	const char *dir = slash;
	const char *rank = strstr(name, "-TP-");
	const char *end = strstr(name, ".trace.json");

	while (dir && dir > path && dir[-1] != '/')
		dir--;
	if (dir && dir < slash) {
		json_escape(out, str_make(dir, (size_t)(slash - dir)));
		out_putc(out, ' ');
	}
	if (rank)
		name = rank + 1;
	json_escape(out, end && end > name
				 ? str_make(name, (size_t)(end - name))
				 : str_of(name));
}

/* Text of a file, already JSON; non-ASCII is escaped. */
static void put_verbatim(struct out *out, struct str s)
{
	const char *end = s.p + s.n;

	while (s.p < end) {
		const char *p = s.p;
		bool ascii = (unsigned char)*p < 0x80;

		while (p < end && ((unsigned char)*p < 0x80) == ascii)
			p++;
		s.n = (size_t)(p - s.p);
		if (ascii)
			out_put(out, s.p, s.n);
		else
			json_escape(out, s);
		s.p = p;
	}
}

/* A member of a file as part of a string: the text of one, and the JSON of
 * anything else, whose own quotes must be escaped. */
static void put_member(struct out *out, struct str member)
{
	struct str text = chrome_unquote(member);

	if (text.p != member.p)
		put_verbatim(out, text);
	else
		json_escape(out, member);
}

/* "GPU 0", "python 4242": the labels, or, since those of all CPU processes are
 * equal, name and pid. */
static void put_device(struct out *out, const struct process *process,
		       struct str pid)
{
	struct str labels = chrome_unquote(process->labels);

	if (labels.n > 0 && !str_is(labels, "CPU")) {
		put_member(out, process->labels);
		return;
	}
	if (chrome_unquote(process->name).n > 0) {
		put_member(out, process->name);
		out_putc(out, ' ');
	}
	put_member(out, chrome_unquote(pid).n > 0 ? pid : str_of("marks"));
}

static void begin_metadata(struct json_writer *w, const char *name,
			   uint64_t pid, uint64_t tid)
{
	json_begin(w, '{');
	json_add_str(w, "ph", str_of("M"));
	json_add_uint(w, "pid", pid);
	json_add_uint(w, "tid", tid);
	json_add_str(w, "name", str_of(name));
	json_add_begin(w, "args", '{');
}

static void end_metadata(struct json_writer *w)
{
	json_end(w, '}');
	json_end(w, '}');
}

void engine_pass_name(const struct engine_pass *pass, uint32_t at)
{
	struct json_writer *w = pass->w;
	uint64_t pid = pass->first_pid + at;

	begin_metadata(w, "process_name", pid, 0);
	json_key(w, "name");
	json_begin_value(w);
	out_putc(w->out, '"');
	put_label(w->out, pass->file->about.path);
	out_puts(w->out, " / ");
	put_device(w->out, &pass->file->processes[at],
		   intern_text(&pass->file->pids, at));
	out_putc(w->out, '"');
	end_metadata(w);
	begin_metadata(w, "process_sort_index", pid, 0);
	json_add_uint(w, "sort_index", pid);
	end_metadata(w);
}

/* A thread whose tid was a text. */
static void put_thread(const struct engine_pass *pass, uint64_t pid,
		       uint64_t tid, struct str text)
{
	struct json_writer *w = pass->w;

	begin_metadata(w, "thread_name", pid, tid);
	json_key(w, "name");
	json_begin_value(w);
	out_putc(w->out, '"');
	put_verbatim(w->out, text);
	out_putc(w->out, '"');
	end_metadata(w);
}

/* Events. */

/* A replacement for a member. */
struct new_member {
	struct str old;
	char text[32];
	size_t n;
};

struct new_members {
	struct new_member v[CHROME_MEMBERS];
	size_t n;
};

/* Changes are kept in text order. */
static struct new_member *add_change(struct new_members *changes,
				     struct str old)
{
	size_t at = changes->n++;

	for (; at > 0 && changes->v[at - 1].old.p > old.p; at--)
		changes->v[at] = changes->v[at - 1];
	changes->v[at] = (struct new_member){.old = old};
	return &changes->v[at];
}

static void change_to(struct new_members *changes, struct str old,
		      uint64_t number)
{
	struct new_member *c = add_change(changes, old);

	c->n = num_put_uint(c->text, number);
}

/* ns as µs with three decimals. */
static void change_time(struct new_members *changes, struct str old, int64_t ns)
{
	struct new_member *c = add_change(changes, old);
	int64_t us = ns / 1000 - (ns % 1000 < 0);
	int64_t rest = ns - us * 1000;

	c->n = num_put_int(c->text, us);
	c->text[c->n++] = '.';
	c->text[c->n++] = (char)('0' + rest / 100);
	c->text[c->n++] = (char)('0' + rest / 10 % 10);
	c->text[c->n++] = (char)('0' + rest % 10);
}

/* A length of 0 for an event that has none. */
static void add_length(struct new_members *changes, struct str event)
{
	struct str added = STR("\"dur\":0,");
	struct new_member *c = add_change(changes, str_make(event.p + 1, 0));

	memcpy(c->text, added.p, added.n);
	c->n = added.n;
}

/* Returns whether the event can be placed among the others. */
static bool place(const struct engine_pass *pass, const struct chrome_event *e,
		  struct new_members *changes)
{
	struct str ts = e->member[CHROME_TS], dur = e->member[CHROME_DUR];
	struct engine_time time;
	enum engine_kind kind = engine_classify(e, &time);

	if (kind == ENGINE_METADATA && ts.p != NULL)
		change_time(changes, ts, 0);
	if (kind != ENGINE_EVENT)
		return kind == ENGINE_METADATA;
	if (__builtin_add_overflow(time.start, pass->file->about.found.base,
				   &time.start) ||
	    __builtin_sub_overflow(time.start, pass->origin, &time.start))
		return false;
	change_time(changes, ts, time.start);
	if (dur.p == NULL && time.repaired)
		add_length(changes, e->text);
	else if (time.repaired || (dur.p != NULL && *dur.p == '"'))
		change_time(changes, dur, time.length);
	return true;
}

/* A number from 0 to 2^31 - 1 is kept. */
static bool is_plain(struct str tid)
{
	int64_t number;

	return num_parse_int(tid, &number) && number >= 0 &&
	       number < (int64_t)TID_BASE;
}

static int change_tid(const struct engine_pass *pass, struct str tid,
		      uint64_t pid, struct new_members *changes,
		      struct err *err)
{
	struct intern *tids = &pass->file->tids;
	uint32_t known = tids->count;
	uint32_t at;

	if (tid.p == NULL || is_plain(tid))
		return 0;
	at = intern_add(tids, tid);
	if (at == INTERN_FAILED)
		return intern_error(tids, err);
	change_to(changes, tid, TID_BASE + at);
	if (at == known && chrome_unquote(tid).n + 2 == tid.n && tid.n > 2)
		put_thread(pass, pid, TID_BASE + at, chrome_unquote(tid));
	return 0;
}

/* A number below 2^40, even as hexadecimal text, is itself; else its hash. */
static uint64_t id_number(struct str member)
{
	struct str id = chrome_unquote(member);
	char text[20] = "";
	char *end = text;
	uint64_t number = 0;

	if (id.n > 0 && id.n < sizeof(text)) {
		memcpy(text, id.p, id.n);
		text[id.n] = '\0';
		number = strtoull(text, &end, 0);
	}
	if (id.n == 0 || end == text || *end != '\0' || number > ID_MASK)
		number = hash_bytes(id.p, id.n, 0) & ID_MASK;
	return number;
}

static void change_ids(const struct engine_pass *pass,
		       const struct chrome_event *e,
		       struct new_members *changes)
{
	static const enum chrome_member ids[] = {CHROME_ID, CHROME_BIND_ID};

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		struct str id = e->member[ids[i]];

		if (id.p != NULL)
			change_to(changes, id,
				  (pass->number << ID_BITS) + id_number(id));
	}
}

static void put_changed(struct json_writer *w, struct str text,
			const struct new_members *changes)
{
	json_begin_value(w);
	for (size_t i = 0; i < changes->n; i++) {
		const struct new_member *c = &changes->v[i];
		size_t before = (size_t)(c->old.p - text.p);

		put_verbatim(w->out, str_make(text.p, before));
		out_put(w->out, c->text, c->n);
		text.p += before + c->old.n;
		text.n -= before + c->old.n;
	}
	put_verbatim(w->out, text);
}

/* put_process names and sorts processes. */
static bool is_of_process(const struct chrome_event *e)
{
	struct str name = chrome_unquote(e->member[CHROME_NAME]);

	return str_is(e->member[CHROME_PH], "\"M\"") &&
	       str_starts(name, "process_");
}

int engine_pass_write(struct engine_pass *pass, const struct chrome_event *e,
		      struct err *err)
{
	struct new_members changes = {.n = 0};
	uint64_t pid = 0;
	uint32_t at;
	int rc;

	if (is_of_process(e))
		return 0;
	if (!place(pass, e, &changes))
		return 0;
	if (e->member[CHROME_PID].p != NULL) {
		at = intern_add(&pass->file->pids, e->member[CHROME_PID]);
		if (at == INTERN_FAILED)
			return intern_error(&pass->file->pids, err);
		pid = pass->first_pid + at;
		change_to(&changes, e->member[CHROME_PID], pid);
	}
	rc = change_tid(pass, e->member[CHROME_TID], pid, &changes, err);
	change_ids(pass, e, &changes);
	if (rc == 0)
		put_changed(pass->w, e->text, &changes);
	return rc;
}
