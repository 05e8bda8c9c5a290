#include "rollout/rollout.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "base/limits.h"
#include "fmt/file/torch_file.h"
#include "fmt/json/json_read.h"
#include "fmt/pickle/pickle.h"
#include "fmt/value/value_filter.h"
#include "fmt/value/value_make.h"
#include "fmt/value/value_python.h"
#include "rollout/records.h"

enum { BLOCK = 256 * 1024 }; /* more than ROLLOUT_HEAD */

/* The keys of a sample and where they go. */
static const struct field {
	struct str key;
	size_t offset;
} fields[] = {
	{STR("index"), offsetof(struct sample, index)},
	{STR("group_index"), offsetof(struct sample, group_index)},
	{STR("source"), offsetof(struct sample, source)},
	{STR("status"), offsetof(struct sample, status)},
	{STR("label"), offsetof(struct sample, label)},
	{STR("reward"), offsetof(struct sample, reward)},
	{STR("metadata"), offsetof(struct sample, metadata)},
	{STR("trace"), offsetof(struct sample, trace)},
	{STR("response_length"), offsetof(struct sample, response_length)},
	{STR("non_generation_time"),
	 offsetof(struct sample, non_generation_time)},
	{STR("meta_info"), offsetof(struct sample, meta_info)},
	{STR("loss_mask"), offsetof(struct sample, loss_mask)},
};

/* What a trace carrier has that stands in a line of its own. */
static const struct str carrier_keys[] = {STR("events"), STR("trace_id"),
					  STR("attempt"), STR("sample_id"),
					  STR("group_id")};

enum {
	FIELDS = sizeof(fields) / sizeof(fields[0]),
	BUILT = FIELDS - 1, /* all but the loss mask */
	CARRIER_KEYS = sizeof(carrier_keys) / sizeof(carrier_keys[0]),
	WANTED = BUILT + CARRIER_KEYS
};

/* Bytes of a descriptor: first those already read to tell the format. */
struct stream {
	struct byte_source source; /* first: next_block casts back */
	int fd;
	size_t head; /* bytes of block that are waiting */
	char *block;
};

struct rollout {
	struct str wanted[WANTED];
	struct value_filter filter;
	struct stream stream;
	int spool; /* a copy of a pipe, or -1 */
	struct torch_file *torch;
	struct pickle *pickle;
	struct json_reader *json;
	struct records *records;
	bool bad_record;    /* the last error was of one line */
	struct arena arena; /* of a JSON sample */
	uint64_t samples;
};

static int next_block(struct byte_source *source, struct str *block,
		      struct err *err)
{
	struct stream *stream = (struct stream *)source;
	ssize_t got = (ssize_t)stream->head;

	stream->head = 0;
	if (got == 0)
		got = io_read(stream->fd, stream->block, BLOCK);
	if (got < 0)
		return err_sys(err, errno, "cannot read");
	*block = str_make(stream->block, (size_t)got);
	return got > 0;
}

/* Do the first bytes tell the format? Of an object it takes a line. */
static bool is_told(const struct stream *stream)
{
	if (stream->head < TORCH_HEAD)
		return false;
	return stream->head == BLOCK || stream->block[0] != '{' ||
	       memchr(stream->block, '\n', stream->head) != NULL;
}

/* Read until the first bytes that tell the format are there. */
static int read_head(struct stream *stream, struct err *err)
{
	ssize_t got = 1;

	while (!is_told(stream) && got > 0) {
		got = io_read(stream->fd, stream->block + stream->head,
			      BLOCK - stream->head);
		if (got < 0)
			return err_sys(err, errno, "cannot read");
		stream->head += (size_t)got;
	}
	if (stream->head == 0)
		return err_set(err, ERR_INPUT, "the input is empty");
	return 0;
}

static int open_torch(struct rollout *r, enum torch_kind kind, struct err *err)
{
	struct stream *stream = &r->stream;
	off_t back = -(off_t)stream->head;
	int fd = stream->fd;

	if (lseek(fd, 0, SEEK_CUR) < 0) {
		r->spool = io_spool(fd, str_make(stream->block, stream->head),
				    LIMIT_SPOOL, err);
		if (r->spool < 0)
			return r->spool;
		fd = r->spool;
	} else if (lseek(fd, back, SEEK_CUR) < 0) {
		return err_sys(err, errno, "cannot rewind");
	}
	if (torch_file_open(fd, kind, &r->torch, err) < 0)
		return err->code;
	r->pickle = pickle_open(torch_file_source(r->torch), &r->filter);
	return r->pickle == NULL ? err_memory(err) : 0;
}

static int open_records(struct rollout *r, struct err *err)
{
	struct str head = str_make(r->stream.block, r->stream.head);

	r->records = records_new();
	return r->records == NULL
		       ? err_memory(err)
		       : records_load(r->records, r->stream.fd, head, err);
}

static int open_json(struct rollout *r, struct err *err)
{
	struct str head = str_make(r->stream.block, r->stream.head);

	if (str_starts(head, "\xef\xbb\xbf"))
		head = str_make(head.p + 3, head.n - 3);
	head = str_trim(head);
	if (head.n > 0 && head.p[0] != '{' && head.p[0] != '[')
		return err_set(err, ERR_INPUT,
			       "neither a torch file, a pickle, JSON nor "
			       "trace records");
	if (records_begin(head))
		return open_records(r, err);
	r->json = json_open(&r->stream.source, &r->filter);
	return r->json == NULL ? err_memory(err) : 0;
}

static int open_any(struct rollout *r, struct err *err)
{
	enum torch_kind kind;

	if (r->stream.block == NULL)
		return err_memory(err);
	if (read_head(&r->stream, err) < 0)
		return err->code;
	kind = torch_kind_of(str_make(r->stream.block, r->stream.head));
	return kind == TORCH_NONE ? open_json(r, err)
				  : open_torch(r, kind, err);
}

int rollout_open(int fd, struct str head, struct rollout **opened,
		 struct err *err)
{
	struct rollout *r = calloc(1, sizeof(*r));
	int code;

	if (r == NULL)
		return err_memory(err);
	for (size_t i = 0; i < BUILT; i++)
		r->wanted[i] = fields[i].key;
	for (size_t i = 0; i < CARRIER_KEYS; i++)
		r->wanted[BUILT + i] = carrier_keys[i];
	r->filter.wanted = r->wanted;
	r->filter.count = WANTED;
	r->filter.summed = fields[BUILT].key;
	r->spool = -1;
	r->arena = arena_new(LIMIT_SAMPLE);
	r->stream.fd = fd;
	r->stream.source.next = next_block;
	r->stream.source.left = UINT64_MAX;
	r->stream.block = malloc(BLOCK);
	if (r->stream.block != NULL)
		memcpy(r->stream.block, head.p, head.n);
	r->stream.head = head.n;
	code = open_any(r, err);
	if (code < 0)
		rollout_close(r);
	else
		*opened = r;
	return code;
}

void rollout_close(struct rollout *r)
{
	if (r == NULL)
		return;
	if (r->json != NULL)
		json_close(r->json);
	records_free(r->records);
	pickle_close(r->pickle);
	torch_file_close(r->torch);
	if (r->spool >= 0)
		close(r->spool);
	arena_free(&r->arena);
	free(r->stream.block);
	free(r);
}

/* The dict of a sample's fields: itself, or an object's state, which is the
 * instance's dict or a pair of that and its slots. */
static struct value dict_of(struct value v, size_t part)
{
	if (v.kind == VALUE_OBJECT)
		v = v.object->state;
	if (v.kind == VALUE_TUPLE && v.items->n > part)
		return v.items->v[part];
	return part == 0 ? v : (struct value){.kind = VALUE_ABSENT};
}

static void take_fields(struct sample *sample, struct value dict)
{
	if (dict.kind != VALUE_DICT)
		return;
	for (size_t i = 0; i < FIELDS; i++) {
		struct value v = value_get(dict, fields[i].key.p);

		if (v.kind != VALUE_ABSENT)
			*(struct value *)((char *)sample + fields[i].offset) =
				v;
	}
}

/* A trace carrier on its own is a sample of nothing but that. */
static void take_carrier(struct sample *sample, struct value dict)
{
	struct value events = value_get(dict, "events");

	if (sample->trace.kind != VALUE_ABSENT ||
	    (events.kind != VALUE_LIST && events.kind != VALUE_TUPLE))
		return;
	sample->trace = dict;
	if (sample->index.kind == VALUE_ABSENT)
		sample->index = value_get(dict, "sample_id");
	if (sample->group_index.kind == VALUE_ABSENT)
		sample->group_index = value_get(dict, "group_id");
}

/*
 * The value of an enum's member. It is pickled as Status('completed'), or by
 * Python 3.11.2 as getattr(Status, 'COMPLETED'), of which only the name is
 * known: slime's names are the values in upper case.
 */
static struct value enum_value(struct rollout *r, struct value v)
{
	struct value args, last;
	struct str text;
	char *lower;

	if (v.kind != VALUE_OBJECT || v.object->args.kind != VALUE_TUPLE)
		return v;
	args = v.object->args;
	last = args.items->n > 0 ? args.items->v[args.items->n - 1] : v;
	if (args.items->n == 1 && last.kind != VALUE_OBJECT)
		return last;
	if (last.kind != VALUE_STR || v.object->callable.kind != VALUE_GLOBAL ||
	    !str_is(v.object->callable.global->name, "getattr"))
		return v;
	text = arena_str(&r->arena, value_text(last));
	if (text.p == NULL)
		return v;
	lower = (char *)text.p;
	for (size_t i = 0; i < text.n; i++)
		if (lower[i] >= 'A' && lower[i] <= 'Z')
			lower[i] = (char)(lower[i] + ('a' - 'A'));
	return value_str(text);
}

/* A loss mask that the reader built, as one that it summed. */
static struct value summed(struct rollout *r, struct value mask)
{
	struct value sum = {.kind = VALUE_SKIPPED};

	if (mask.kind != VALUE_LIST && mask.kind != VALUE_TUPLE)
		return mask;
	sum.skipped = arena_array(&r->arena, 1, sizeof(*sum.skipped));
	if (sum.skipped == NULL)
		return sum;
	sum.skipped->count = mask.items->n;
	for (uint32_t i = 0; i < mask.items->n; i++) {
		double number;

		if (value_to_float(mask.items->v[i], &number))
			sum.skipped->sum += number;
	}
	return sum;
}

/* A record that cannot be used is an error before the first sample. */
static int next_recorded(struct rollout *r, struct value *v, struct err *err)
{
	int code = records_index(r->records, err);

	r->bad_record = code > 0;
	if (code != 0)
		return code < 0 ? code : err->code;
	if (r->samples == records_count(r->records))
		return 0;
	code = records_sample(r->records, r->samples, &r->arena, v, err);
	return code < 0 ? code : 1;
}

static int next_value(struct rollout *r, struct value *v, struct err *err)
{
	if (r->records != NULL)
		return next_recorded(r, v, err);
	if (r->json != NULL)
		return json_next_sample(r->json, &r->arena, v, err);
	return pickle_next(r->pickle, v, err);
}

void sample_from(struct sample *sample, struct value v)
{
	memset(sample, 0, sizeof(*sample));
	if (v.kind == VALUE_OBJECT) /* of a class derived from dict */
		take_fields(sample, v.object->dict);
	take_fields(sample, dict_of(v, 0));
	take_fields(sample, dict_of(v, 1));
	take_carrier(sample, v);
}

int rollout_next(struct rollout *r, struct sample *sample, struct err *err)
{
	struct value v = {.kind = VALUE_ABSENT};
	int got;

	arena_reset(&r->arena);
	got = next_value(r, &v, err);
	if (got != 1)
		return got;
	sample_from(sample, v);
	sample->position = r->samples++;
	sample->status = enum_value(r, sample->status);
	sample->loss_mask = summed(r, sample->loss_mask);
	return 1;
}

bool rollout_goes_on(const struct rollout *r)
{
	return r->records != NULL || (r->json != NULL && json_goes_on(r->json));
}

int rollout_finish(struct rollout *r, struct err *err)
{
	return r->torch == NULL ? 0 : torch_file_finish(r->torch, err);
}

struct value rollout_id(const struct rollout *r)
{
	if (r->records != NULL)
		return (struct value){.kind = VALUE_ABSENT};
	return r->json != NULL ? json_rollout_id(r->json)
			       : pickle_top_get(r->pickle, "rollout_id");
}
