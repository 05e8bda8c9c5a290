#include "profile/profile_trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/digits.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/num.h"
#include "fmt/file/chrome_member.h"
#include "fmt/file/chrome_read.h"
#include "fmt/json/json_read.h"
#include "profile/call_class.h"
#include "profile/event_category.h"
#include "profile/python_name.h"
#include "profile/step_name.h"

/* 52 days in ns: the durations of 2,000 traces fit into an int64_t. */
#define DURATIONS_MAX (INT64_C(1) << 52)

/* Members --------------------------------------------------------------- */

/* Half a surrogate pair is three bytes, ED A0 80 and up: replace it by U+FFFD,
 * which is as long. */
static void replace_surrogates(struct value v)
{
	char *p = (char *)v.p;

	for (uint32_t i = 0; i + 2 < v.n; i++)
		if ((unsigned char)p[i] == 0xed &&
		    (unsigned char)p[i + 1] >= 0xa0)
			memcpy(p + i, "\xef\xbf\xbd", 3);
}

/* The unescaped text of a string member; "" for anything else. */
static struct str text_of(struct profile_trace *t, struct str member)
{
	struct err ignored = {0};
	struct value v;

	if (member.n < 2 || member.p[0] != '"')
		return str_make("", 0);
	if (memchr(member.p, '\\', member.n) == NULL)
		return str_make(member.p + 1, member.n - 2);
	if (json_parse(member, &t->text, &v, &ignored) < 0 ||
	    v.kind != VALUE_STR)
		return chrome_unquote(member);
	replace_surrogates(v);
	return value_text(v);
}

/* A pid or tid: a text, or a number as spelled; "" if it is absent or something
 * else. */
static struct str id_of(struct profile_trace *t, struct str member)
{
	if (member.n == 0 || member.p[0] == '"')
		return text_of(t, member);
	if (member.p[0] == '-' || is_digit(member.p[0]))
		return member;
	return str_make("", 0);
}

/* A number in a table, or INTERN_FAILED with err filled. */
static uint32_t number_in(struct intern *table, struct str text,
			  struct err *err)
{
	uint32_t number = intern_add(table, text);

	if (number == INTERN_FAILED)
		intern_error(table, err);
	return number;
}

static uint32_t thread_of(struct profile_trace *t, const struct chrome_event *e,
			  struct err *err)
{
	struct str pid = id_of(t, e->member[CHROME_PID]);
	struct str tid = id_of(t, e->member[CHROME_TID]);

	buf_clear(&t->scratch);
	buf_put(&t->scratch, pid.p, pid.n);
	buf_putc(&t->scratch, '\x1f');
	buf_put(&t->scratch, tid.p, tid.n);
	return number_in(&t->threads, buf_str(&t->scratch), err);
}

static int64_t int_of(struct str member)
{
	int64_t i;

	return num_parse_int(chrome_unquote(member), &i) ? i : 0;
}

/* A merged file has the rank in brackets before each pid, and their numbers
 * collide. */
static uint64_t correlation_of(struct profile_trace *t,
			       const struct chrome_event *e, struct str member)
{
	struct str pid = id_of(t, e->member[CHROME_PID]);
	int64_t number = int_of(member);
	const char *end;

	if (number == 0 || pid.n == 0 || pid.p[0] != '[')
		return (uint64_t)number;
	end = memchr(pid.p, ']', pid.n);
	if (end == NULL)
		return (uint64_t)number;
	return hash_bytes(pid.p, (size_t)(end - pid.p), (uint64_t)number) | 1;
}

/* Records --------------------------------------------------------------- */

struct event_times {
	int64_t start, dur;
	bool repaired;
};

static void note_window(struct profile_trace *t, const struct event_times *at)
{
	int64_t end = at->start + at->dur;

	if (at->start < t->earliest)
		t->earliest = at->start;
	if (end > t->latest)
		t->latest = end;
}

/* The number of an event's work; INTERN_FAILED with err filled. */
static uint32_t work_of(struct profile_trace *t, const struct chrome_event *e,
			struct str group, enum gpu_kind kind, struct err *err)
{
	uint32_t known = t->works.count, number;
	struct gpu_work work = {.kind = kind};

	work.name =
		number_in(&t->names, text_of(t, e->member[CHROME_NAME]), err);
	work.group = number_in(&t->names, text_of(t, group), err);
	work.device =
		number_in(&t->devices, id_of(t, e->member[CHROME_PID]), err);
	work.stream =
		number_in(&t->streams, id_of(t, e->member[CHROME_TID]), err);
	if (err->code != 0)
		return INTERN_FAILED;
	number = number_in(&t->works,
			   str_make((const char *)&work, sizeof(work)), err);
	if (number != known)
		return number;
	if (!ARRAY_GROW(t->work_bytes, number, t->work_cap)) {
		err_memory(err);
		return INTERN_FAILED;
	}
	t->work_bytes[number] = 0;
	return number;
}

static int add_gpu_event(struct profile_trace *t, const struct chrome_event *e,
			 const struct event_times *at, enum gpu_kind kind,
			 struct err *err)
{
	struct gpu_event *gpu;
	uint32_t work;

	work = work_of(t, e, e->arg[CHROME_GROUP], kind, err);
	if (work == INTERN_FAILED)
		return err->code;
	gpu = spill_list_add(&t->gpu_events);
	if (gpu == NULL)
		return err_memory(err);
	t->work_bytes[work] = (int64_t)((uint64_t)t->work_bytes[work] +
					(uint64_t)int_of(e->arg[CHROME_BYTES]));
	*gpu = (struct gpu_event){
		.start = at->start,
		.dur = at->dur,
		.correlation = correlation_of(t, e, e->arg[CHROME_CORRELATION]),
		.work = work,
		.call = PROFILE_NONE};
	return 0;
}

static int add_call(struct profile_trace *t, const struct chrome_event *e,
		    const struct event_times *at, struct err *err)
{
	struct str name = text_of(t, e->member[CHROME_NAME]);
	uint32_t thread = thread_of(t, e, err);
	enum call_class class = call_class_of(name);
	int64_t end = at->start + at->dur;
	struct host_call *call;

	if (err->code != 0)
		return err->code;
	call = t->calls.n < INT32_MAX ? spill_list_add(&t->calls) : NULL;
	if (call == NULL || thread > INT32_MAX / 8)
		return err_memory(err);
	*call = (struct host_call){
		.start = at->start,
		.dur = at->dur,
		.correlation = correlation_of(t, e, e->arg[CHROME_CORRELATION]),
		.name = number_in(&t->names, name, err),
		.thread = thread & (INT32_MAX / 8),
		.class = (unsigned)class & 7};
	if (err->code == 0 && class == CALL_SYNC)
		covered_add(&t->sync, thread, at->start, end, err);
	return err->code == 0
		       ? covered_add(&t->busy, thread, at->start, end, err)
		       : err->code;
}

static bool is_host_collective(struct str name)
{
	return str_starts(name, "gloo:") || str_starts(name, "mpi:");
}

static int add_host_event(struct profile_trace *t, const struct chrome_event *e,
			  const struct event_times *at,
			  enum event_category kind, struct err *err)
{
	struct spill_list *list = kind == KIND_OP	? &t->ops
				  : kind == KIND_PYTHON ? &t->python
							: &t->steps;
	struct str name = text_of(t, e->member[CHROME_NAME]);
	uint32_t thread = thread_of(t, e, err);
	int64_t end = at->start + at->dur;
	struct engine_step_name step;
	struct host_event *host;

	if (err->code == 0 && kind == KIND_OP)
		covered_add(&t->busy, thread, at->start, end, err);
	if (err->code == 0 && kind != KIND_PYTHON && is_host_collective(name))
		covered_add(&t->collective, 0, at->start, end, err);
	if (kind == KIND_NOTE && !engine_step_name_read(name, &step))
		return err->code;
	if (kind == KIND_PYTHON)
		name = python_name(&t->scratch, name);
	host = err->code == 0 ? spill_list_add(list) : NULL;
	if (host == NULL)
		return err->code != 0 ? err->code : err_memory(err);
	*host = (struct host_event){.start = at->start,
				    .dur = at->dur,
				    .name = number_in(&t->names, name, err),
				    .thread = thread};
	return err->code;
}

static int count_other(struct profile_trace *t, struct str category,
		       struct err *err)
{
	uint32_t known = t->other_categories.count;
	uint32_t number = number_in(&t->other_categories, category, err);

	if (number == INTERN_FAILED)
		return err->code;
	if (!ARRAY_GROW(t->other_counts, number, t->other_cap))
		return err_memory(err);
	if (number == known)
		t->other_counts[number] = 0;
	t->other_counts[number]++;
	return 0;
}

/* The times of an event; false if it is skipped. */
static bool times_of(struct profile_trace *t, const struct chrome_event *e,
		     enum event_category kind, struct event_times *at)
{
	bool gpu = kind == KIND_KERNEL || kind == KIND_COPY || kind == KIND_SET;
	struct str dur = e->member[CHROME_DUR];

	if (!chrome_parse_time(e->member[CHROME_TS], &at->start)) {
		t->skipped++;
		return false;
	}
	at->repaired = !chrome_parse_time(dur, &at->dur) || at->dur < 0 ||
		       at->dur > DURATIONS_MAX - t->durations;
	if (at->repaired)
		at->dur = 0;
	t->durations += at->dur;
	if (gpu && at->start == 0 && at->dur == 0 && !at->repaired) {
		t->skipped++;
		return false;
	}
	t->repaired += at->repaired;
	return true;
}

static int take_event(struct profile_trace *t, const struct chrome_event *e,
		      struct err *err)
{
	struct str category = text_of(t, e->member[CHROME_CAT]);
	enum event_category kind = event_category_of(category);
	struct event_times at;

	if (!str_is(chrome_unquote(e->member[CHROME_PH]), "X"))
		return 0;
	if (kind == KIND_OTHER)
		return count_other(t, category, err);
	if (kind == KIND_IGNORED || !times_of(t, e, kind, &at))
		return 0;
	if (!event_counts(kind)) {
		t->overhead_count++;
		t->overhead_time += at.dur;
		return 0;
	}
	note_window(t, &at);
	if (kind == KIND_KERNEL || kind == KIND_COPY || kind == KIND_SET)
		return add_gpu_event(t, e, &at,
				     kind == KIND_KERNEL ? GPU_KERNEL
				     : kind == KIND_COPY ? GPU_COPY
							 : GPU_SET,
				     err);
	return kind == KIND_CALL ? add_call(t, e, &at, err)
				 : add_host_event(t, e, &at, kind, err);
}

/* The file -------------------------------------------------------------- */

static int64_t int_member(struct value dict, const char *key)
{
	struct value v = value_get(dict, key);
	int64_t i;

	if (v.kind == VALUE_INT)
		return v.i;
	if (v.kind == VALUE_STR && num_parse_int(value_text(v), &i))
		return i;
	return PROFILE_NONE;
}

/* Process and GPU metadata from the file. */
static void note_about(struct profile_trace *t,
		       const struct chrome_found *found)
{
	struct err ignored = {0};
	struct value v;

	t->damaged = found->damaged;
	t->truncated = found->truncated;
	t->cut = found->cut;
	t->events = found->elements;
	/* Metadata around the events is known if the file is complete, or was
	 * truncated inside it. */
	if (found->truncated && found->unclosed)
		return;
	t->base = found->base;
	t->has_base = found->base_kind == CHROME_BASE_READ;
	if (found->distributed.n > 0 &&
	    json_parse(found->distributed, &t->text, &v, &ignored) == 0) {
		t->rank = int_member(v, "rank");
		t->world_size = int_member(v, "world_size");
	}
	if (found->devices.n == 0 ||
	    json_parse(found->devices, &t->text, &v, &ignored) < 0 ||
	    v.kind != VALUE_LIST)
		return;
	for (uint32_t i = 0; t->gpu.n == 0 && i < v.items->n; i++) {
		struct value name = value_get(v.items->v[i], "name");

		if (name.kind == VALUE_STR)
			t->gpu = value_text(name);
	}
}

/* The file -------------------------------------------------------------- */

static int read_events(struct profile_trace *t, struct byte_source *source,
		       struct err *err)
{
	struct chrome_reader *reader = chrome_open(source);
	struct chrome_event event;
	int got = 1;

	if (reader == NULL)
		return err_memory(err);
	while (got > 0) {
		got = chrome_next(reader, &event, err);
		if (got <= 0)
			break;
		t->events++;
		err->code = ERR_NONE;
		if (take_event(t, &event, err) < 0)
			got = err->code;
	}
	if (got == 0)
		got = chrome_check(chrome_found(reader), err);
	if (got == 0)
		note_about(t, chrome_found(reader));
	chrome_close(reader);
	return got;
}

static void make_lists(struct profile_trace *t, size_t in_memory)
{
	t->spill.limit = in_memory;
	t->gpu_events = spill_list_new(sizeof(struct gpu_event), &t->spill);
	t->calls = spill_list_new(sizeof(struct host_call), &t->spill);
	t->ops = spill_list_new(sizeof(struct host_event), &t->spill);
	t->python = spill_list_new(sizeof(struct host_event), &t->spill);
	t->steps = spill_list_new(sizeof(struct host_event), &t->spill);
	t->busy = covered_new(&t->spill);
	t->sync = covered_new(&t->spill);
	t->collective = covered_new(&t->spill);
}

struct profile_trace *profile_trace_read(const char *path,
					 struct byte_source *source,
					 size_t in_memory, struct err *err)
{
	struct profile_trace *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return err_no_memory(err);
	t->path = strdup(path);
	t->rank = t->world_size = PROFILE_NONE;
	t->earliest = INT64_MAX;
	t->latest = INT64_MIN;
	t->names = intern_new(LIMIT_KEPT);
	t->devices = intern_new(LIMIT_KEPT);
	t->streams = intern_new(LIMIT_KEPT);
	t->threads = intern_new(LIMIT_KEPT);
	t->other_categories = intern_new(LIMIT_KEPT);
	t->works = intern_new(LIMIT_KEPT);
	make_lists(t, in_memory);
	t->scratch = buf_new(LIMIT_STRING);
	t->text = arena_new(LIMIT_KEPT);
	if (t->path == NULL) {
		err_memory(err);
	} else if (read_events(t, source, err) == 0 &&
		   profile_trace_join(t, err) == 0) {
		return t;
	}
	profile_trace_free(t);
	return NULL;
}

void profile_trace_free(struct profile_trace *t)
{
	if (t == NULL)
		return;
	profile_trace_drop(t);
	intern_free(&t->names);
	intern_free(&t->devices);
	intern_free(&t->streams);
	intern_free(&t->threads);
	intern_free(&t->works);
	intern_free(&t->other_categories);
	free(t->path);
	free(t->work_bytes);
	free(t->other_counts);
	buf_free(&t->scratch);
	arena_free(&t->text);
	free(t);
}
