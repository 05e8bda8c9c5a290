#include "trace_file.h"

#include "common.h"

/* A file of another kind has as many bad lines as it has lines: the first of
 * them are said. */
enum { SAID = 10 };

struct bad_lines {
	struct err first[SAID];
	size_t n;
};

/* Index the rest of the file. 0 or an error, which with strict is that of the
 * first bad line. */
static int index_all(struct records *records, const char *path, bool strict,
		     struct bad_lines *bad, struct err *err)
{
	int code = records_index(records, err);

	for (; code > 0; code = records_index(records, err)) {
		err_in(err, path);
		if (strict)
			return err->code;
		if (bad->n < SAID)
			bad->first[bad->n] = *err;
		bad->n++;
		*err = (struct err){0};
	}
	return code;
}

static void say_lines(const struct bad_lines *bad, const char *path)
{
	for (size_t i = 0; i < bad->n && i < SAID; i++)
		fail_err(&bad->first[i]);
	if (bad->n > SAID)
		fail("%s: %zu more lines are not trace records", path,
		     bad->n - SAID);
}

static void say_none(const struct bad_lines *bad, const char *path)
{
	fail_err(&bad->first[0]);
	if (bad->n > 1)
		fail("%s: none of its %zu lines is a trace record", path,
		     bad->n);
}

int trace_file_read(struct records *records, const char *path, bool strict,
		    struct err *err)
{
	size_t before = records_total(records);
	struct bad_lines bad = {.n = 0};
	int code = records_load_file(records, path, err);

	if (code == 0)
		code = index_all(records, path, strict, &bad, err);
	if (bad.n > 0 && records_total(records) == before)
		say_none(&bad, path);
	else
		say_lines(&bad, path);
	if (code < 0)
		err_in(err, path);
	return code;
}
