#include "rollout/rollout.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "fmt/file/torch_file.h"
#include "fmt/json/json_read.h"
#include "fmt/pickle/pickle.h"
#include "rollout/foreign/foreign.h"
#include "rollout/prom_perf.h"
#include "rollout/record_line.h"
#include "rollout/records.h"
#include "rollout/sift.h"

struct rollout {
	struct str wanted[SAMPLE_KEYS + ROLLOUT_WANT_MAX];
	struct value_filter filter;
	struct input *input;
	struct torch_file *torch;
	struct pickle *pickle;
	struct json_reader *json;
	struct records *records;
	struct foreign *foreign;
	bool needs_times;
	bool bad_record;    /* the last error was in one line only */
	struct arena arena; /* of a JSON sample */
	uint64_t samples;
	struct sift sift;
	uint64_t waiting;   /* elements before the first sample, to return */
	struct sample held; /* that sample */
	unsigned bad_lines; /* elements before it */
	bool perhaps_text;  /* a text that may be a pickle of protocol 0 */
};

/* After this many bad lines and no sample, a file is not a dump. */
enum { BAD_LINES_MAX = 20 };

static int open_torch(struct rollout *r, struct err *err)
{
	struct str head = r->input->head;

	r->perhaps_text = r->input->kind == INPUT_PICKLE &&
			  input_is_text(head) && !str_starts(head, "(dp") &&
			  !str_starts(head, "(lp");
	if (torch_file_open(r->input, &r->torch, err) < 0)
		return err->code;
	r->pickle = pickle_open(torch_file_source(r->torch), &r->filter);
	if (r->pickle == NULL)
		return err_memory(err);
	pickle_read_storages(r->pickle, torch_file_storages(r->torch));
	return 0;
}

static int open_records(struct rollout *r, struct err *err)
{
	r->records = records_new();
	return r->records == NULL ? err_memory(err)
				  : records_load(r->records, r->input, err);
}

static int open_json(struct rollout *r, struct err *err)
{
	struct str head = r->input->head;
	struct byte_source *source = &r->input->source;
	const struct foreign_format *format;
	bool opened;

	if (records_detect(head))
		return open_records(r, err);
	format = foreign_detect_input(r->input);
	if (format != NULL) {
		r->foreign = foreign_open(format, source);
		opened = r->foreign != NULL;
	} else {
		r->sift.json = true;
		r->json = json_open(source, &r->filter);
		opened = r->json != NULL;
	}
	return opened ? 0 : err_memory(err);
}

static int no_samples(struct err *err, const char *what)
{
	return err_set(err, ERR_INPUT, "not a rollout dump: this is %s", what);
}

/* The kind of a text that begins like no other format. */
static const char *text_name(struct str head)
{
	if (prom_perf_detect(head))
		return "metrics in Prometheus' format";
	return input_is_scalar(head) ? "a single JSON value" : "plain text";
}

static int open_any(struct rollout *r, struct err *err)
{
	switch (r->input->kind) {
	case INPUT_EMPTY:
		return err_set(err, ERR_INPUT, "the input is empty");
	case INPUT_ZIP:
	case INPUT_LEGACY:
	case INPUT_PICKLE:
		return open_torch(r, err);
	case INPUT_JSON:
		return open_json(r, err);
	case INPUT_GZIP:
	case INPUT_FOREIGN:
		return no_samples(err, r->input->kind_name);
	case INPUT_TEXT:
		if (records_detect(r->input->head))
			return open_records(r, err);
		return no_samples(err, text_name(r->input->head));
	default:
		return no_samples(err, "binary data of another format");
	}
}

int rollout_open(struct input *input, struct rollout **opened, struct err *err)
{
	struct rollout *r = calloc(1, sizeof(*r));
	int code;

	if (r == NULL)
		return err_memory(err);
	r->filter = sample_filter(r->wanted);
	r->arena = arena_new(LIMIT_SAMPLE);
	r->input = input;
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
	arena_free(&r->arena);
	free(r);
}

bool rollout_want(struct rollout *r, struct str key)
{
	if (r->filter.count == SAMPLE_KEYS + ROLLOUT_WANT_MAX)
		return false;
	r->wanted[r->filter.count++] = key;
	return true;
}

const void *rollout_spans_files(struct input *input)
{
	const struct foreign_format *format = NULL;

	if (input->kind == INPUT_JSON && !records_detect(input->head))
		format = foreign_detect_input(input);
	return format != NULL && format->spans_files ? format : NULL;
}

int rollout_add(struct rollout *r, struct input *input, const char *name,
		struct err *err)
{
	if (r->foreign == NULL)
		return err_set(err, ERR_INPUT, "the file has changed");
	return foreign_add(r->foreign, &input->source, name, err);
}

/* Before the first sample, an unusable record is an error. */
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

/* Is the current list called "samples"? */
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

/* Position of the first element. */
static const char *around(const struct rollout *r)
{
	if (has_list(r))
		return "a list that begins with ";
	return r->sift.elements > 1 ? "JSON lines that begin with " : "";
}

/* The input was read to its end without finding a sample. */
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

/* The next element, of any kind. */
static int next_element(struct rollout *r, struct value *v, struct err *err)
{
	int got;

	*v = (struct value){.kind = VALUE_ABSENT};
	arena_reset(&r->arena);
	got = next_value(r, v, err);
	if (got < 0 && r->perhaps_text && r->sift.elements == 0)
		return no_samples(err, "plain text");
	if (got >= 0 || r->sift.any || !rollout_can_continue(r))
		return got;
	r->bad_lines++;
	if (rollout_can_continue(r))
		return got;
	return err_set(err, ERR_INPUT,
		       "no samples: none of the first %d lines can be read",
		       BAD_LINES_MAX);
}

/* The next sample among the elements. Those before the first one are returned,
 * without any field, since their positions count. */
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

/* Return one of those; the last is the first sample. */
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

void rollout_need_requests(struct rollout *r)
{
	if (r->foreign != NULL)
		foreign_need_requests(r->foreign);
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
	int got;

	do {
		arena_reset(&r->arena);
		got = foreign_next(r->foreign, &r->arena, sample, err);
		if (got == 0 && r->samples == 0)
			got = foreign_no_rows(r->foreign, err);
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
		if (r->pickle != NULL)
			r->held.records = pickle_records(r->pickle);
		r->waiting++;
	}
	*sample = give_waiting(r);
	return 1;
}

enum rollout_clock rollout_clock(const struct rollout *r)
{
	if (r->foreign == NULL || !r->foreign->format->clockless)
		return ROLLOUT_WALL_CLOCK;
	return r->foreign->several_clocks ? ROLLOUT_OWN_CLOCKS
					  : ROLLOUT_OWN_CLOCK;
}

struct losses rollout_losses(const struct rollout *r)
{
	return r->foreign == NULL ? (struct losses){0}
				  : foreign_losses(r->foreign);
}

uint64_t rollout_others(const struct rollout *r)
{
	return r->sift.others;
}

const char *rollout_format(const struct rollout *r)
{
	return r->foreign == NULL ? NULL : r->foreign->format->name;
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

bool rollout_can_continue(const struct rollout *r)
{
	if (r->foreign != NULL)
		return foreign_can_continue(r->foreign);
	if (r->records != NULL)
		return r->bad_record;
	return (r->json != NULL && json_can_continue(r->json) &&
		r->bad_lines < BAD_LINES_MAX);
}

int rollout_finish(struct rollout *r, struct err *err)
{
	if (r->json != NULL)
		return json_check_rest(r->json, err);
	return r->torch == NULL ? 0
				: torch_file_finish(r->torch,
						    pickle_end(r->pickle), err);
}

const struct intern *rollout_classes(const struct rollout *r)
{
	return r->pickle == NULL ? NULL : pickle_classes(r->pickle);
}

const char *rollout_row_name(const struct rollout *r)
{
	return r->foreign != NULL ? r->foreign->format->row_name : "sample";
}

struct value rollout_id(const struct rollout *r)
{
	if (r->records != NULL || r->foreign != NULL)
		return (struct value){.kind = VALUE_ABSENT};
	return r->json != NULL ? json_rollout_id(r->json)
			       : pickle_top_get(r->pickle, "rollout_id");
}
