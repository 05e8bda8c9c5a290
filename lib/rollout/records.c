#include "rollout/records.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/limits.h"
#include "base/map.h"
#include "fmt/json/json_read.h"
#include "fmt/value/value_make.h"
#include "fmt/value/value_python.h"
#include "fmt/value/value_text.h"
#include "rollout/record_line.h"

/* Position of a record in the text, and the next of its sample, or NO_ENTRY. */
struct entry {
	uint64_t at;
	double time; /* NaN: none */
	uint32_t n;
	uint32_t next;
};

#define NO_ENTRY UINT32_MAX

static const struct value absent = {.kind = VALUE_ABSENT};

struct record_group {
	uint32_t first, last; /* entries */
	uint32_t n;
	bool named;	/* set by a record with a sample id */
	uint32_t alike; /* the next group with that sample id, or NO_ENTRY */
};

/* The groups of a sample id. */
struct name {
	uint32_t first, last;
};

struct records {
	struct buf text;
	size_t indexed; /* size of the text */
	int64_t line;	/* of the last loaded file, from 1 */
	struct entry *entries;
	uint32_t entry_count;
	size_t entry_cap;
	struct intern keys; /* one per sample, see key_of */
	struct record_group *groups;
	size_t group_cap;
	struct intern samples; /* sample ids, one name each */
	struct name *names;
	size_t name_cap;
	struct arena arena; /* for the line being indexed */
	struct buf key;
	struct interval times;
	struct interval kept;
};

struct records *records_new(void)
{
	struct records *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	r->text = buf_new(LIMIT_KEPT);
	r->keys = intern_new(LIMIT_KEPT);
	r->samples = intern_new(LIMIT_KEPT);
	r->arena = arena_new(LIMIT_SAMPLE);
	r->key = buf_new(LIMIT_STRING);
	r->times = INTERVAL_NONE;
	r->kept = (struct interval){-INFINITY, INFINITY};
	return r;
}

void records_free(struct records *r)
{
	if (r == NULL)
		return;
	buf_free(&r->text);
	intern_free(&r->keys);
	intern_free(&r->samples);
	arena_free(&r->arena);
	buf_free(&r->key);
	free(r->entries);
	free(r->groups);
	free(r->names);
	free(r);
}

/* Lines ------------------------------------------------------------------ */

int records_load(struct records *r, struct input *input, struct err *err)
{
	r->line = 1;
	if (input_read_all(input, &r->text, err) < 0)
		return err->code;
	if (r->text.n > 0 && r->text.p[r->text.n - 1] != '\n')
		buf_putc(&r->text, '\n');
	return r->text.failed ? buf_error(&r->text, err) : 0;
}

int records_load_file(struct records *r, const char *path, struct err *err)
{
	struct input *input = input_open(path, err);
	int code = input == NULL ? err->code : records_load(r, input, err);

	input_close(input);
	return code;
}

/* Indexing --------------------------------------------------------------- */

/* The key of a sample: its trace id, else its sample id. */
static struct str key_of(struct buf *key, struct value trace_id,
			 struct value sample_id)
{
	bool by_trace = value_truth(trace_id);

	buf_clear(key);
	buf_putc(key, by_trace ? 't' : 's');
	value_put_str(key, by_trace ? trace_id : sample_id);
	return buf_str(key);
}

static struct record_group *group_of(struct records *r, struct value record)
{
	uint32_t known = r->keys.count;
	struct str key = key_of(&r->key, value_get(record, "trace_id"),
				value_get(record, "sample_id"));
	uint32_t number = r->key.failed ? INTERN_FAILED
					: intern_add(&r->keys, key);

	if (number == INTERN_FAILED)
		return NULL;
	if (number == known) {
		if (!ARRAY_GROW(r->groups, known, r->group_cap))
			return NULL;
		r->groups[number] = (struct record_group){
			.first = NO_ENTRY, .last = NO_ENTRY, .alike = NO_ENTRY};
	}
	return &r->groups[number];
}

/* Record the sample of a group, once a record names it. */
static bool name_group(struct records *r, struct record_group *group,
		       struct value sample_id)
{
	uint32_t at = (uint32_t)(group - r->groups);
	uint32_t known = r->samples.count, number;
	struct str key;

	if (group->named || sample_id.kind <= VALUE_NONE)
		return true;
	key = key_of(&r->key, absent, sample_id);
	number = r->key.failed ? INTERN_FAILED : intern_add(&r->samples, key);
	if (number == INTERN_FAILED)
		return false;
	group->named = true;
	if (number < known) {
		r->groups[r->names[number].last].alike = at;
		r->names[number].last = at;
		return true;
	}
	if (!ARRAY_GROW(r->names, known, r->name_cap))
		return false;
	r->names[number] = (struct name){at, at};
	return true;
}

static int failure(const struct records *r, struct err *err)
{
	if (r->key.failed)
		return buf_error(&r->key, err);
	return intern_error(r->keys.text.full ? &r->keys : &r->samples, err);
}

static int add_record(struct records *r, struct str line, struct value record,
		      struct err *err)
{
	struct record_group *group = group_of(r, record);
	uint32_t at = r->entry_count;
	double ts = NAN;

	if (!ARRAY_GROW(r->entries, at, r->entry_cap) || group == NULL ||
	    !name_group(r, group, value_get(record, "sample_id")))
		return failure(r, err);
	if (group->n == LIMIT_EVENTS)
		return err_at(err, ERR_LIMIT, ERR_LINE, r->line,
			      "a sample has more than %zu records" ERR_RAISE(
				      LIMIT_EVENTS),
			      (size_t)LIMIT_EVENTS);
	value_to_float(value_get(record, "ts"), &ts);
	interval_add(&r->times, ts);
	r->entries[at] = (struct entry){.at = (uint64_t)(line.p - r->text.p),
					.time = ts,
					.n = (uint32_t)line.n,
					.next = NO_ENTRY};
	r->entry_count++;
	if (group->n++ == 0)
		group->first = at;
	else
		r->entries[group->last].next = at;
	group->last = at;
	return 0;
}

/* Index the records of a line: 0, 1 with err filled if all or part of it is not
 * a record, or an error. */
static int index_line(struct records *r, struct str line, struct err *err)
{
	struct err found = {0};
	int torn = 0;

	if (line.n > LIMIT_STRING)
		return err_limit(err, LIMIT_STRING, "LIMIT_STRING");
	while (line.n > 0) {
		struct value record = {.kind = VALUE_ABSENT};
		struct str text = line;
		int code =
			record_parse(line, &r->arena, &record, &text.n, &found);

		if (code == ERR_MEMORY)
			return err_memory(err);
		if (code < 0) {
			if (torn++ == 0)
				*err = found;
			text = record_next_whole(line, &r->arena, &record);
		}
		if (text.p == NULL)
			break;
		if (torn > 0 && text.p != line.p)
			err_set(err, ERR_INPUT,
				"a truncated record before a complete one");
		if (add_record(r, text, record, err) < 0)
			return err->code;
		line.n -= (size_t)(text.p + text.n - line.p);
		line.p = text.p + text.n;
		line = str_trim(line);
	}
	err->unit = ERR_LINE;
	err->at = r->line;
	return torn > 0;
}

int records_index(struct records *r, struct err *err)
{
	int code = 0;

	while (code == 0 && r->indexed < r->text.n) {
		struct str line = str_before(
			str_skip(buf_str(&r->text), r->indexed), '\n');

		r->indexed += line.n + 1;
		line = str_trim(line);
		arena_reset(&r->arena);
		if (line.n > 0)
			code = index_line(r, line, err);
		r->line++;
	}
	return code;
}

/* Samples ---------------------------------------------------------------- */

size_t records_total(const struct records *r)
{
	return r->entry_count;
}

size_t records_count(const struct records *r)
{
	return r->keys.count;
}

struct interval records_times(const struct records *r)
{
	return r->times;
}

size_t records_within(const struct records *r, struct interval interval)
{
	size_t n = 0;

	for (uint32_t i = 0; i < r->entry_count; i++)
		n += r->entries[i].time >= interval.start &&
		     r->entries[i].time <= interval.end;
	return n;
}

void records_keep(struct records *r, struct interval interval)
{
	r->kept = interval;
}

static bool is_kept(const struct records *r, const struct entry *entry)
{
	return !isfinite(entry->time) ||
	       (entry->time >= r->kept.start && entry->time <= r->kept.end);
}

struct interval records_sample_times(const struct records *r, size_t i,
				     size_t *n)
{
	struct interval times = INTERVAL_NONE;

	*n = 0;
	for (uint32_t at = r->groups[i].first; at != NO_ENTRY;
	     at = r->entries[at].next) {
		if (!is_kept(r, &r->entries[at]))
			continue;
		interval_add(&times, r->entries[at].time);
		++*n;
	}
	return times;
}

static int64_t find_key(const struct intern *keys, struct value trace_id,
			struct value sample_id)
{
	struct buf key = buf_new(LIMIT_STRING);
	uint32_t number = intern_find(keys, key_of(&key, trace_id, sample_id));
	bool failed = key.failed;

	buf_free(&key);
	if (failed)
		return RECORDS_FAILED;
	return number == INTERN_FAILED ? RECORDS_NONE : (int64_t)number;
}

int64_t records_find(const struct records *r, struct value trace_id,
		     struct value sample_id)
{
	return find_key(&r->keys, trace_id, sample_id);
}

int64_t records_find_named(const struct records *r, struct value sample_id)
{
	int64_t number = find_key(&r->samples, absent, sample_id);

	return number < 0 ? number : (int64_t)r->names[number].first;
}

int64_t records_next_named(const struct records *r, int64_t i)
{
	uint32_t next = r->groups[i].alike;

	return next == NO_ENTRY ? RECORDS_NONE : (int64_t)next;
}

/* Facts about all records of a sample. */
struct shared_ids {
	struct value trace_id, sample_id, group_id, events;
	int64_t attempt;
};

static void note_ids(struct shared_ids *c, struct value record)
{
	struct value sample_id = value_get(record, "sample_id");
	struct value group_id = value_get(record, "group_id");
	struct value attempt = value_get(record, "attempt");

	if (c->trace_id.kind == VALUE_ABSENT)
		c->trace_id = value_get(record, "trace_id");
	if (sample_id.kind != VALUE_NONE && c->sample_id.kind == VALUE_ABSENT)
		c->sample_id = sample_id;
	if (group_id.kind != VALUE_NONE && c->group_id.kind == VALUE_ABSENT)
		c->group_id = group_id;
	if (attempt.kind == VALUE_INT && attempt.i > c->attempt)
		c->attempt = attempt.i;
}

/* The trace id for a carrier whose records have none: always the same one for a
 * sample. */
static struct value made_id(struct arena *a, struct str key)
{
	static const char digits[] = "0123456789abcdef";
	char hex[32];

	for (size_t i = 0; i < sizeof(hex); i++) {
		uint64_t word = hash_bytes(key.p, key.n, i / 16);

		hex[i] = digits[word >> (60 - i % 16 * 4) & 15];
	}
	return value_str(arena_str(a, str_make(hex, sizeof(hex))));
}

static bool put(struct arena *a, struct value dict, const char *key,
		struct value v)
{
	return dict.kind == VALUE_DICT &&
	       value_push(a, dict, value_str(str_of(key))) &&
	       value_push(a, dict, v);
}

static struct value or_none(struct value v)
{
	return v.kind == VALUE_ABSENT ? value_none() : v;
}

/* Build the sample; VALUE_ABSENT if out of memory. */
static struct value make_sample(const struct shared_ids *c, struct arena *a)
{
	struct value sample = value_new(a, VALUE_DICT, 6);
	struct value trace = value_new(a, VALUE_DICT, 12);

	if (put(a, trace, "version", value_int(1)) &&
	    put(a, trace, "trace_id", c->trace_id) &&
	    put(a, trace, "sample_id", or_none(c->sample_id)) &&
	    put(a, trace, "group_id", or_none(c->group_id)) &&
	    put(a, trace, "attempt", value_int(c->attempt)) &&
	    put(a, trace, "events", c->events) &&
	    (c->sample_id.kind == VALUE_ABSENT ||
	     put(a, sample, "index", c->sample_id)) &&
	    (c->group_id.kind == VALUE_ABSENT ||
	     put(a, sample, "group_index", c->group_id)) &&
	    put(a, sample, "trace", trace))
		return sample;
	return absent;
}

int records_sample(const struct records *r, size_t i, struct arena *a,
		   struct value *sample, struct err *err)
{
	const struct record_group *group = &r->groups[i];
	struct shared_ids c = {.events = value_new(a, VALUE_LIST, group->n)};

	for (uint32_t at = group->first; at != NO_ENTRY;
	     at = r->entries[at].next) {
		const struct entry *entry = &r->entries[at];
		struct value record;

		if (!is_kept(r, entry))
			continue;
		if (json_parse(str_make(r->text.p + entry->at, entry->n), a,
			       &record, err) < 0)
			return err->code;
		note_ids(&c, record);
		if (c.events.kind != VALUE_LIST ||
		    !value_push(a, c.events, record))
			return arena_error(a, err);
	}
	if (!value_truth(c.trace_id))
		c.trace_id = made_id(a, intern_text(&r->keys, (uint32_t)i));
	*sample = make_sample(&c, a);
	return sample->kind == VALUE_ABSENT ? arena_error(a, err) : 0;
}
