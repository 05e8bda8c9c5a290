#include "trace_file.h"

#include "bad_records.h"
#include "common.h"

/* Index the rest of the file. 0 or an error; with strict, that of the first bad
 * line. */
static int index_all(struct records *records, const char *path, bool strict,
		     struct held_records *bad, struct err *err)
{
	int code = records_index(records, err);

	for (; code > 0; code = records_index(records, err)) {
		err_in(err, path);
		if (strict)
			return err->code;
		held_records_add(bad, err);
		*err = (struct err){0};
	}
	return code;
}

static bool is_metrics(struct str head)
{
	return str_starts(head, "# HELP ") || str_starts(head, "# TYPE ") ||
	       str_starts(head, "# obs-scrape stream");
}

/* The kind of an input without lines of records; NULL: it has lines. */
static const char *kind_of(const struct input *input)
{
	if (is_metrics(input->head))
		return "Prometheus text, which trace-timeline --metrics shows";
	switch (input->kind) {
	case INPUT_ZIP:
		return "a zip archive";
	case INPUT_LEGACY:
		return "a torch file";
	case INPUT_PICKLE:
		return input_is_text(input->head) ? NULL : "a pickle";
	case INPUT_GZIP:
	case INPUT_FOREIGN:
		return input->kind_name;
	case INPUT_BINARY:
		return "binary data";
	default:
		return NULL;
	}
}

/* No line is a record. */
static int none_error(const struct held_records *bad, const char *kind,
		      struct err *err)
{
	struct err first = bad->first[0];

	if (kind != NULL)
		return err_set(err, ERR_INPUT, "no trace records: this is %s",
			       kind);
	if (bad->n > 1)
		return err_set(err, ERR_INPUT,
			       "no trace records: none of its %llu lines is "
			       "one; line %lld: %s",
			       (unsigned long long)bad->n, (long long)first.at,
			       first.text);
	*err = first;
	return err->code;
}

int trace_input_read(struct records *records, struct input *input,
		     const char *path, bool strict, struct err *err)
{
	size_t before = records_total(records);
	struct held_records bad = {.n = 0};
	int code = records_load(records, input, err);

	if (code == 0)
		code = index_all(records, path, strict, &bad, err);
	if (code == 0 && bad.n > 0 && records_total(records) == before)
		code = none_error(&bad, kind_of(input), err);
	else
		held_records_say(&bad, path);
	if (code < 0)
		err_in(err, path);
	return code;
}

int trace_file_read(struct records *records, const char *path, bool strict,
		    struct err *err)
{
	struct input *input = input_open(path, err);
	size_t before = records_total(records);
	int code;

	if (input == NULL)
		return err_in(err, path);
	code = trace_input_read(records, input, path, strict, err);
	input_close(input);
	if (code == 0 && records_total(records) == before)
		warn("%s: no trace records: the file is empty", path);
	return code;
}
