/*
 * Chrome Trace Event JSON (Google's "Trace Event Format" document; if importers
 * differ, Perfetto's). Groups are processes, samples threads.
 *
 * Events of one thread must nest, so partly overlapping spans go to further
 * threads of their sample, and so do the PD lanes. Times are whole microseconds
 * from the earliest event, which is known only at the end: until then the
 * events are kept as compressed text with absolute times between marks.
 */
#include "sink/timeline/sink.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/intern.h"
#include "base/limits.h"
#include "base/num.h"
#include "fmt/file/gzip_write.h"
#include "fmt/json/json_value.h"
#include "fmt/value/value_text.h"
#include "rollout/micros.h"
#include "sink/profile/engine_traces.h"
#include "sink/timeline/counters.h"
#include "sink/timeline/tracks.h"

#define MARK '\x01' /* encloses a time in the kept text; not used by JSON */

/* A span to be assigned to a track. */
struct placed {
	int64_t start, end;
	const struct item *item;
};

struct chrome {
	struct timeline_sink sink;
	struct out *out;
	const struct timeline_about *about;
	struct buf packed;
	struct gzip gzip;
	struct json_writer events; /* on gzip's input */
	struct intern groups;	   /* a group's number is its pid - 1 */
	struct buf text;	   /* of a name being written */
	struct placed *spans;	   /* in one row */
	size_t span_cap;
	struct tracks tracks; /* in one row and role */
	uint64_t tid;	      /* the last one assigned */
	uint64_t pid;	      /* of the row */
	int64_t earliest;
	uint64_t timeless; /* items without a place */
};

/* In µs. A span that ends before it starts (a clock was set) has length 0,
 * because importers drop negative ones. */
static int64_t length_of(const struct item *item)
{
	int64_t us = micros(item->display_end) - micros(item->start);

	return us < 0 ? 0 : us;
}

static void put_time(struct chrome *c, int64_t us)
{
	struct out *out = c->events.out;

	json_key(&c->events, "ts");
	json_begin_value(&c->events);
	out_putc(out, MARK);
	out->n += num_put_int(out_room(out, NUM_INT_MAX), us);
	out_putc(out, MARK);
	c->earliest = us < c->earliest ? us : c->earliest;
}

static void put_head(struct chrome *c, const char *phase, uint64_t tid)
{
	struct json_writer *w = &c->events;

	json_begin(w, '{');
	json_add_str(w, "ph", str_of(phase));
	json_add_uint(w, "pid", c->pid);
	json_add_uint(w, "tid", tid);
}

/* A metadata event: a sort index, or the name in c->text. */
static void put_metadata(struct chrome *c, const char *what, uint64_t tid,
			 const uint64_t *place)
{
	struct json_writer *w = &c->events;

	put_head(c, "M", tid);
	json_add_str(w, "name", str_of(what));
	json_add_begin(w, "args", '{');
	json_key(w, place != NULL ? "sort_index" : "name");
	if (place != NULL)
		json_uint(w, *place);
	else
		json_str(w, c->text.failed ? str_of("") : buf_str(&c->text));
	json_end(w, '}');
	json_end(w, '}');
}

/* Set c->text to prefix, value, suffix, unless one was rejected before. */
static void set_text(struct chrome *c, const char *prefix, struct value v,
		     const char *suffix)
{
	if (!c->text.failed)
		buf_clear(&c->text);
	buf_puts(&c->text, prefix);
	value_put_str(&c->text, v);
	buf_puts(&c->text, suffix);
}

/* The row's process: the number of its group. A new one gets a name. */
static int find_group(struct chrome *c, struct value group, struct err *err)
{
	uint32_t known = c->groups.count, number;

	set_text(c, "group ", group, "");
	if (c->text.failed)
		return buf_error(&c->text, err);
	number = intern_add(&c->groups, buf_str(&c->text));
	if (number == INTERN_FAILED)
		return intern_error(&c->groups, err);
	c->pid = (uint64_t)number + 1;
	if (number < known)
		return 0;
	put_metadata(c, "process_name", 0, NULL);
	put_metadata(c, "process_sort_index", 0, &c->pid);
	return 0;
}

static void put_attrs(struct json_writer *w, const char *key, struct value v)
{
	if (v.kind == VALUE_ABSENT || (v.kind == VALUE_DICT && v.items->n == 0))
		return;
	json_add_value(w, key, v);
}

static void put_args(struct json_writer *w, const struct item *item)
{
	json_add_begin(w, "args", '{');
	if (item->state == ITEM_OPEN) {
		json_add_bool(w, "open", true);
	}
	if (item_is_span(item) && item->display_end < item->start) {
		json_add_double(w, "ends_before_start_s",
				num_round6(item->start - item->display_end));
	}
	if (item->span_id.kind != VALUE_NONE)
		put_attrs(w, "span_id", item->span_id);
	put_attrs(w, "attempt", item->attempt);
	put_attrs(w, item_is_span(item) ? "start_attrs" : "attrs",
		  item->start_attrs);
	put_attrs(w, "end_attrs", item->end_attrs);
	json_end(w, '}');
}

static void put_event(struct chrome *c, const struct item *item, uint64_t tid)
{
	static const char *const categories[] = {
		[ITEM_CLOSED] = "span",
		[ITEM_OPEN] = "open_span",
		[ITEM_POINT] = "event",
		[ITEM_ORPHAN] = "orphan_end",
	};
	struct json_writer *w = &c->events;

	put_head(c, item_is_span(item) ? "X" : "i", tid);
	put_time(c, micros(item->start));
	if (item_is_span(item)) {
		json_add_int(w, "dur", length_of(item));
	} else {
		json_add_str(w, "s", str_of("t"));
	}
	json_add_str(w, "cat", str_of(categories[item->state]));
	json_key(w, "name");
	set_text(c, "", item->name, "");
	json_str(w, c->text.failed ? str_of("") : buf_str(&c->text));
	put_args(w, item);
	json_end(w, '}');
}

/* Outer spans first, so that inner ones find them on top of the track. */
static int compare_placed(const void *a, const void *b)
{
	const struct placed *x = a;
	const struct placed *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	if (x->item->lane != y->item->lane)
		return x->item->lane < y->item->lane ? -1 : 1;
	return x->item < y->item ? -1 : x->item > y->item;
}

static uint64_t new_thread(struct chrome *c, const struct row *row,
			   const char *suffix)
{
	c->tid++;
	set_text(c, "sample ", row->sample_index, suffix);
	put_metadata(c, "thread_name", c->tid, NULL);
	put_metadata(c, "thread_sort_index", c->tid, &c->tid);
	return c->tid;
}

/* The row's spans of one role, sorted; returns the number. */
static size_t collect(struct chrome *c, const struct row *row,
		      enum item_role role)
{
	size_t n = 0;

	for (uint32_t i = 0; i < row->item_count; i++) {
		const struct item *item = &row->items[i];
		int64_t start;

		if (!item_is_span(item) || item->role != role ||
		    !item_is_timed(item))
			continue;
		start = micros(item->start);
		c->spans[n++] =
			(struct placed){start, start + length_of(item), item};
	}
	qsort(c->spans, n, sizeof(*c->spans), compare_placed);
	return n;
}

/*
 * Distribute the row's spans of one role over threads. Only tracks that can
 * take further spans need to remember their tid.
 */
static int put_spans(struct chrome *c, const struct row *row,
		     enum item_role role, struct err *err)
{
	static const char *const suffixes[] = {"", " [P]", " [D]"};
	uint64_t tids[TRACKS_TRIED] = {0};
	size_t n = collect(c, row, role);

	tracks_reset(&c->tracks);
	for (size_t i = 0; i < n; i++) {
		uint32_t known = c->tracks.count;
		uint32_t track = tracks_place(&c->tracks, c->spans[i].start,
					      c->spans[i].end);
		uint64_t tid;

		if (track == TRACKS_FAILED)
			return err_memory(err);
		tid = track < known ? tids[track]
				    : new_thread(c, row, suffixes[role]);
		if (track < TRACKS_TRIED)
			tids[track] = tid;
		put_event(c, c->spans[i].item, tid);
	}
	return 0;
}

/* Points and orphans, on the sample's first thread. */
static void put_instants(struct chrome *c, const struct row *row, uint64_t tid)
{
	for (uint32_t i = 0; i < row->item_count; i++) {
		const struct item *item = &row->items[i];

		if (!item_is_timed(item))
			c->timeless++;
		else if (!item_is_span(item))
			put_event(c, item, tid);
	}
}

static int make_spans(struct chrome *c, size_t n, struct err *err)
{
	return ARRAY_GROW(c->spans, n, c->span_cap) ? 0 : err_memory(err);
}

static int chrome_row(struct timeline_sink *sink, const struct row *row,
		      struct err *err)
{
	struct chrome *c = (struct chrome *)sink;
	uint64_t first = c->tid + 1;

	c->events.size = 0;
	if (find_group(c, row->group_index, err) < 0 ||
	    make_spans(c, row->item_count, err) < 0 ||
	    put_spans(c, row, ROLE_NONE, err) < 0)
		return err->code;
	if (c->tid < first) /* no spans, but possibly points */
		new_thread(c, row, "");
	put_instants(c, row, first);
	if (put_spans(c, row, ROLE_PREFILL, err) < 0 ||
	    put_spans(c, row, ROLE_DECODE, err) < 0)
		return err->code;
	sink->cuts = c->events.cuts;
	if (c->events.passed != NULL)
		return err_passed(err, c->events.passed);
	return c->text.failed ? buf_error(&c->text, err) : 0;
}

/* Copies the kept text to the output, making times relative. */
struct copier {
	struct out *out;
	int64_t earliest;
	bool in_time;
	size_t n;
	char digits[NUM_INT_MAX];
};

static void put_relative(struct copier *copier)
{
	char *room = out_room(copier->out, NUM_INT_MAX);
	int64_t us = 0;

	num_parse_int(str_make(copier->digits, copier->n), &us);
	copier->out->n += num_put_int(room, us - copier->earliest);
	copier->n = 0;
}

static int copy_text(void *taker, const char *p, size_t n)
{
	struct copier *copier = taker;
	const char *end = p + n;

	while (p < end) {
		const char *mark = memchr(p, MARK, (size_t)(end - p));
		size_t part = (size_t)((mark == NULL ? end : mark) - p);

		if (copier->in_time) {
			memcpy(copier->digits + copier->n, p, part);
			copier->n += part;
		} else {
			out_put(copier->out, p, part);
		}
		p += part;
		if (mark == NULL)
			return 0;
		if (copier->in_time)
			put_relative(copier);
		copier->in_time = !copier->in_time;
		p++;
	}
	return 0;
}

/* Large numbers are written as text, since readers parse numbers as doubles. */
static void put_other(struct chrome *c, struct json_writer *w)
{
	enum { MILLION = 1000000 };
	int64_t us = c->earliest;
	int64_t second = us / MILLION - (us % MILLION < 0); /* rounded down */

	json_add_begin(w, "otherData", '{');
	json_add_str(w, "clock", str_of("unix"));
	buf_clear(&c->text);
	buf_printf(&c->text, "%" PRId64 ".%06" PRId64, second,
		   us - second * MILLION);
	json_add_str(w, "earliest_unix_s", buf_str(&c->text));
	json_add_str(w, "dump", str_of(c->about->name));
	json_add_value(w, "rollout_id", c->about->rollout_id);
	json_add_uint(w, "items_without_time", c->timeless);
	if (c->about->profiles) {
		json_key(w, "profiles");
		engine_traces_describe(c->about->profiles, w);
	}
	json_end(w, '}');
}

/* Engine data, on the processes after those of the groups. */
static int put_beside(struct chrome *c, struct json_writer *w, struct err *err)
{
	const struct timeline_about *about = c->about;
	uint64_t pid = (uint64_t)c->groups.count + 1;

	w->comma = c->events.comma;
	if (about->strips != NULL) {
		counters_write(about->strips, w, pid, c->earliest);
		pid += about->strips->n;
	}
	return about->profiles == NULL
		       ? 0
		       : engine_traces_write(about->profiles, w, pid,
					     c->earliest, err);
}

/* Include engine data; 1970 if there are no events at all. */
static void settle_earliest(struct chrome *c)
{
	int64_t us = c->earliest;

	if (c->about->profiles)
		us = engine_traces_earliest(c->about->profiles);
	if (us < c->earliest)
		c->earliest = us;
	if (c->about->strips != NULL)
		us = counters_earliest(c->about->strips);
	if (us < c->earliest)
		c->earliest = us;
	if (c->earliest == INT64_MAX)
		c->earliest = 0;
}

static int chrome_end(struct timeline_sink *sink, struct err *err)
{
	struct chrome *c = (struct chrome *)sink;
	struct json_writer w = json_writer_on(c->out);
	struct copier copier = {.out = c->out};
	int code = gzip_close(&c->gzip, err);

	if (code != 0)
		return code;
	settle_earliest(c);
	copier.earliest = c->earliest;
	json_begin(&w, '{');
	json_add_str(&w, "displayTimeUnit", str_of("ms"));
	put_other(c, &w);
	json_add_begin(&w, "traceEvents", '[');
	code = gzip_unpack(buf_str(&c->packed), copy_text, &copier, err);
	if (code == 0)
		code = put_beside(c, &w, err);
	if (code == 0 && w.passed != NULL)
		code = err_passed(err, w.passed);
	json_end(&w, ']');
	json_end(&w, '}');
	json_end_line(&w);
	return code;
}

static void chrome_free(struct timeline_sink *sink)
{
	struct chrome *c = (struct chrome *)sink;
	struct err ignored;

	gzip_close(&c->gzip, &ignored);
	buf_free(&c->packed);
	buf_free(&c->text);
	intern_free(&c->groups);
	tracks_free(&c->tracks);
	free(c->spans);
	free(c);
}

struct timeline_sink *chrome_sink_new(struct out *out,
				      const struct timeline_about *about,
				      struct err *err)
{
	struct chrome *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return err_no_memory(err);
	c->sink = (struct timeline_sink){
		.row = chrome_row, .end = chrome_end, .free = chrome_free};
	c->out = out;
	c->about = about;
	c->packed = buf_new(LIMIT_KEPT);
	c->text = buf_new(LIMIT_STRING);
	c->groups = intern_new(LIMIT_KEPT);
	c->earliest = INT64_MAX;
	if (gzip_open(&c->gzip, &c->packed, 1, err) != 0) {
		chrome_free(&c->sink);
		return NULL;
	}
	c->events = json_writer_on(&c->gzip.in);
	return &c->sink;
}
