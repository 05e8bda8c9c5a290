#include "rollout/rollout.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "base/limits.h"
#include "fmt/file/torch_file.h"
#include "fmt/json/json_read.h"
#include "fmt/pickle/pickle.h"
#include "rollout/foreign/foreign.h"
#include "rollout/prom_perf.h"
#include "rollout/record_line.h"
#include "rollout/records.h"
#include "rollout/sift.h"

enum { BLOCK = 256 * 1024 }; /* more than ROLLOUT_HEAD */

/* Bytes of a descriptor: first those already read to tell the format. */
struct stream {
	struct byte_source source; /* first: next_block casts back */
	int fd;
	size_t head; /* bytes of block that are waiting */
	char *block;
};

struct rollout {
	struct str wanted[SAMPLE_KEYS + ROLLOUT_WANT_MAX];
	struct value_filter filter;
	struct stream stream;
	int spool; /* a copy of a pipe, or -1 */
	struct torch_file *torch;
	struct pickle *pickle;
	struct json_reader *json;
	struct records *records;
	struct foreign *foreign;
	bool needs_times;
	bool bad_record;    /* the last error was of one line */
	struct arena arena; /* of a JSON sample */
	uint64_t samples;
	struct sift sift;
	uint64_t waiting;   /* elements before the first sample, to be given */
	struct sample held; /* that sample */
	unsigned bad_lines; /* before it */
	bool perhaps_text;  /* a text may begin like a pickle of protocol 0 */
};

/* A file of that many bad lines and no sample is no dump. */
enum { BAD_LINES_MAX = 20 };

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
	if (r->pickle == NULL)
		return err_memory(err);
	pickle_read_storages(r->pickle, torch_file_storages(r->torch));
	return 0;
}

static int open_records(struct rollout *r, struct err *err)
{
	struct str head = str_make(r->stream.block, r->stream.head);

	r->records = records_new();
	return r->records == NULL
		       ? err_memory(err)
		       : records_load(r->records, r->stream.fd, head, err);
}

/* What begins like this is nothing that we read. */
static int not_a_dump(struct str head, struct err *err)
{
	const char *known = not_dump_by_bytes(head);

	if (known == NULL && not_dump_is_text(head))
		known = prom_perf_told(head) ? "metrics in Prometheus' format"
					     : "plain text";
	return err_set(err, ERR_INPUT,
		       "no samples: this is %s, not a rollout dump",
		       known != NULL ? known : "binary data of another format");
}

/* Does JSON begin so: { or [ and what may follow? A torn record may be just a
 * brace. */
static bool begins_json(struct str head)
{
	static const char *const words[] = {"true", "false", "null", "NaN",
					    "Infinity"};
	bool array = str_starts(head, "[");

	if (!array && !str_starts(head, "{"))
		return false;
	head = str_trim(str_make(head.p + 1, head.n - 1));
	if (head.n == 0)
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]) && array; i++)
		if (str_starts(head, words[i]))
			return true;
	return strchr(array ? "\"{[]-0123456789" : "\"}{", head.p[0]) != NULL;
}

static int open_json(struct rollout *r, struct err *err)
{
	const struct foreign_format *format;
	struct str head = str_make(r->stream.block, r->stream.head);
	struct str text = head;

	if (str_starts(text, "\xef\xbb\xbf"))
		text = str_make(text.p + 3, text.n - 3);
	text = str_trim(text);
	if (text.n == 0)
		return err_set(err, ERR_INPUT, "the input is empty");
	if (!begins_json(text))
		return not_a_dump(head, err);
	if (records_begin(text))
		return open_records(r, err);
	format = foreign_detect(head);
	if (format != NULL) {
		r->foreign = foreign_open(format, &r->stream.source);
		return r->foreign == NULL ? err_memory(err) : 0;
	}
	r->sift.json = true;
	r->json = json_open(&r->stream.source, &r->filter);
	return r->json == NULL ? err_memory(err) : 0;
}

static int open_any(struct rollout *r, struct err *err)
{
	enum torch_kind kind;
	struct str head;

	if (r->stream.block == NULL)
		return err_memory(err);
	if (read_head(&r->stream, err) < 0)
		return err->code;
	head = str_make(r->stream.block, r->stream.head);
	if (not_dump_by_bytes(head) != NULL)
		return not_a_dump(head, err);
	kind = torch_kind_of(head);
	r->perhaps_text = kind == TORCH_PICKLE && not_dump_is_text(head) &&
			  !str_starts(head, "(dp") && !str_starts(head, "(lp");
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
	r->filter = sample_filter(r->wanted);
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
	foreign_close(r->foreign);
	pickle_close(r->pickle);
	torch_file_close(r->torch);
	if (r->spool >= 0)
		close(r->spool);
	arena_free(&r->arena);
	free(r->stream.block);
	free(r);
}

bool rollout_want(struct rollout *r, struct str key)
{
	if (r->filter.count == SAMPLE_KEYS + ROLLOUT_WANT_MAX)
		return false;
	r->wanted[r->filter.count++] = key;
	return true;
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

static int next_of_json(struct rollout *r, struct value *v, struct err *err)
{
	int got;

	do
		got = json_next_sample(r->json, &r->arena, v, err);
	while (got == 1 && json_salvaged(r->json) != 0 &&
	       !sift_is_whole(*v, json_salvaged(r->json)));
	return got;
}

static int next_value(struct rollout *r, struct value *v, struct err *err)
{
	if (r->records != NULL)
		return next_recorded(r, v, err);
	if (r->json != NULL)
		return next_of_json(r, v, err);
	return pickle_next(r->pickle, v, err);
}

/* Is the list at hand called "samples"? */
static bool in_samples(const struct rollout *r)
{
	if (r->json != NULL)
		return json_shape(r->json) == JSON_SAMPLES;
	return r->pickle != NULL &&
	       pickle_list_kind(r->pickle) == PICKLE_SAMPLES;
}

static bool has_list(const struct rollout *r)
{
	if (r->json != NULL)
		return json_shape(r->json) != JSON_LINES;
	return r->records != NULL ||
	       pickle_list_kind(r->pickle) != PICKLE_NO_LIST;
}

static int no_samples(struct err *err, const char *what)
{
	return err_set(err, ERR_INPUT,
		       "no samples: this is %s, not a rollout dump", what);
}

/* Where the first element stood. */
static const char *around(const struct rollout *r)
{
	if (has_list(r))
		return "a list that begins with ";
	return r->sift.elements > 1 ? "JSON lines that begin with " : "";
}

/* The input was read to its end, and no sample was in it. */
static int end_without(struct rollout *r, struct err *err)
{
	char what[NOT_DUMP_MAX];

	if (r->records != NULL ||
	    (r->json != NULL && !has_list(r) && r->sift.elements == 0))
		return err_set(err, ERR_INPUT,
			       "no samples: none of its lines can be read");
	if (!has_list(r) && r->pickle != NULL)
		not_dump_by_value(pickle_top(r->pickle), false, what);
	else if (r->sift.elements == 0 || (in_samples(r) && r->sift.lists > 0))
		return 0; /* see rollout_remark */
	else
		snprintf(what, sizeof(what), "%s%.*s", around(r),
			 NOT_DUMP_MAX - 32, r->sift.first);
	return no_samples(err, what);
}

/* The next element, of whatever kind. */
static int next_element(struct rollout *r, struct value *v, struct err *err)
{
	int got;

	*v = (struct value){.kind = VALUE_ABSENT};
	arena_reset(&r->arena);
	got = next_value(r, v, err);
	if (got < 0 && r->perhaps_text && r->sift.elements == 0)
		return no_samples(err, "plain text");
	if (got >= 0 || r->sift.any || !rollout_goes_on(r))
		return got;
	r->bad_lines++;
	if (rollout_goes_on(r))
		return got;
	return err_set(err, ERR_INPUT,
		       "no samples: none of the first %d lines can be read",
		       BAD_LINES_MAX);
}

/* The next sample among the elements. Those before the first one wait to be
 * given, without any field, since their places count. */
static int next_sample(struct rollout *r, struct value *v, struct err *err)
{
	for (;;) {
		int got = next_element(r, v, err);

		if (got == 0 && r->samples == 0)
			return end_without(r, err);
		if (got != 1 || r->records != NULL ||
		    sift_take(&r->sift, *v, in_samples(r)))
			return got;
		r->waiting++;
	}
}

/* One of those that wait; the last is the first sample. */
static struct sample give_waiting(struct rollout *r)
{
	r->waiting--;
	if (r->waiting == 0)
		return r->held;
	return (struct sample){.position = r->held.position - r->waiting};
}

void rollout_need_times(struct rollout *r)
{
	r->needs_times = true;
}

int rollout_check_times(const struct rollout *r, struct err *err)
{
	return r->foreign == NULL || r->foreign->timed
		       ? 0
		       : foreign_no_times(r->foreign, err);
}

/* The next row of another framework's file. */
static int next_foreign(struct rollout *r, struct sample *sample,
			struct err *err)
{
	struct value v;
	int got;

	do {
		arena_reset(&r->arena);
		got = foreign_next(r->foreign, &r->arena, &v, err);
		if (got == 0 && r->samples == 0)
			got = err_set(err, ERR_INPUT,
				      "no samples: none of its lines can be "
				      "read");
		else if (got == 0 && r->needs_times)
			got = rollout_check_times(r, err);
		else if (got < 0 && foreign_can_continue(r->foreign))
			return got;
		if (got < 0)
			foreign_stop(r->foreign);
		if (got <= 0)
			return got;
		r->sift.any = r->sift.traced = true;
		r->sift.elements++;
		*sample = sample_read(v, &r->arena);
		sample->position = r->samples++;
	} while (r->needs_times && !r->foreign->row_timed);
	return 1;
}

int rollout_next(struct rollout *r, struct sample *sample, struct err *err)
{
	struct value v;
	int got;

	if (r->foreign != NULL)
		return next_foreign(r, sample, err);
	if (r->waiting == 0 || !r->sift.any) {
		got = next_sample(r, &v, err);
		if (got != 1)
			return got;
		if (r->samples == 0)
			r->samples = r->waiting;
		r->held = sample_read(v, &r->arena);
		r->held.position = r->samples++;
		r->waiting++;
	}
	*sample = give_waiting(r);
	return 1;
}

enum rollout_remark rollout_remark(const struct rollout *r)
{
	if (r->records != NULL)
		return ROLLOUT_FINE;
	if (r->sift.elements == 0)
		return ROLLOUT_EMPTY;
	if (!r->sift.any)
		return ROLLOUT_NESTED;
	if (!r->sift.traced)
		return ROLLOUT_UNTRACED;
	if (r->torch != NULL && torch_file_pickles(r->torch) > 1)
		return ROLLOUT_DECOYS;
	return ROLLOUT_FINE;
}

bool rollout_goes_on(const struct rollout *r)
{
	if (r->foreign != NULL)
		return foreign_can_continue(r->foreign);
	return r->records != NULL ||
	       (r->json != NULL && json_goes_on(r->json) &&
		r->bad_lines < BAD_LINES_MAX);
}

int rollout_finish(struct rollout *r, struct err *err)
{
	return r->torch == NULL ? 0 : torch_file_finish(r->torch, err);
}

const struct intern *rollout_classes(const struct rollout *r)
{
	return r->pickle == NULL ? NULL : pickle_classes(r->pickle);
}

struct value rollout_id(const struct rollout *r)
{
	if (r->records != NULL || r->foreign != NULL)
		return (struct value){.kind = VALUE_ABSENT};
	return r->json != NULL ? json_rollout_id(r->json)
			       : pickle_top_get(r->pickle, "rollout_id");
}
