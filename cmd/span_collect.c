#include "span_collect.h"

#include "base/limits.h"
#include "common.h"
#include "fmt/json/json_value.h"
#include "output.h"
#include "repeats.h"
#include "trace_file.h"

/* *status is set if the file cannot be read, which is reported. Out of memory
 * the records are unusable, so the program ends. */
static void load(struct records *records, const char *path, enum status *status)
{
	struct err err = {0};

	if (trace_file_read(records, path, false, &err) == 0)
		return;
	if (err.code == ERR_MEMORY)
		die_err(&err);
	say_err(&err);
	*status = status_of_err(&err);
}

/* The members of a dict, except the one called `deeper`, which put is given. */
static void put_members(struct json_writer *w, struct value dict,
			const char *deeper,
			void (*put)(struct json_writer *w, struct value v))
{
	const struct value_items *items = dict.items;

	json_begin(w, '{');
	for (uint32_t i = 0; i + 1 < items->n; i += 2) {
		json_key_str(w, value_text(items->v[i]));
		if (value_is_str(items->v[i], deeper))
			put(w, items->v[i + 1]);
		else
			json_put_value(w, items->v[i + 1], JSON_KEYS_STR);
	}
	json_end(w, '}');
}

static void put_events(struct json_writer *w, struct value events)
{
	json_begin(w, '[');
	for (uint32_t i = 0; i < events.items->n; i++) {
		w->size = 0; /* size limit: the file was no larger */
		json_put_value(w, events.items->v[i], JSON_KEYS_STR);
	}
	json_end(w, ']');
}

static void put_trace(struct json_writer *w, struct value trace)
{
	put_members(w, trace, "events", put_events);
}

static int put_samples(const struct records *records, struct out *out,
		       struct err *err)
{
	struct json_writer w = json_writer_on(out);
	struct arena arena = arena_new(LIMIT_SAMPLE);
	int code = 0;

	json_begin(&w, '{');
	json_add_begin(&w, "samples", '[');
	for (size_t i = 0; code == 0 && i < records_count(records); i++) {
		struct value sample;

		arena_reset(&arena);
		code = records_sample(records, i, &arena, &sample, err);
		if (code == 0)
			put_members(&w, sample, "trace", put_trace);
		if (code == 0 && w.passed != NULL)
			code = err_passed(err, w.passed);
	}
	json_end(&w, ']');
	json_end(&w, '}');
	json_end_line(&w);
	arena_free(&arena);
	return code;
}

static void write_samples(const struct records *records, const char *path)
{
	struct output output;
	struct err err = {0};

	output_open(&output, path);
	if (put_samples(records, &output.file.out, &err) < 0)
		die_err(&err);
	output_close(&output);
}

/* Is there anything to write? An empty list is, if all files are empty; failed
 * is the status of those that could not be read. */
static bool is_useful(const struct records *records, enum status failed)
{
	if (records_count(records) > 0)
		return true;
	if (status_remembered() != STATUS_DONE)
		status_raise(STATUS_INPUT);
	if (status_remembered() != STATUS_DONE || failed != STATUS_DONE)
		return false;
	return true;
}

void span_collect(int count, char **files, const char *path)
{
	static char *standard_input[] = {"-"};
	struct records *records = records_new();
	enum status status = STATUS_DONE;

	if (records == NULL)
		die_memory();
	if (count == 0) {
		files = standard_input;
		count = 1;
	}
	count = repeats_drop(count, files);
	for (int i = 0; i < count; i++)
		load(records, files[i], &status);
	if (is_useful(records, status)) {
		write_samples(records, path);
		status = status == STATUS_DONE ? status : STATUS_PARTLY;
	}
	status_raise(status);
	records_free(records);
}
