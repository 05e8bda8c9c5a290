#include "rollout/foreign/foreign.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/limits.h"

struct foreign *foreign_open(const struct foreign_format *format,
			     struct byte_source *source)
{
	struct foreign *f = calloc(1, format->size);

	if (f == NULL)
		return NULL;
	f->format = format;
	f->giving = f;
	f->source = source;
	f->line = buf_new(LIMIT_STRING);
	f->text = buf_new(LIMIT_KEPT);
	f->record = format->document ? arena_new(LIMIT_KEPT)
				     : arena_new(LIMIT_SAMPLE);
	f->kept = arena_new(LIMIT_KEPT);
	json_tree_init(&f->tree, NULL);
	f->tree.borrow = true;
	f->tree.form = format->form;
	f->tree.lean = format->payload;
	f->tree.lean_count = format->payload_count;
	return f;
}

void foreign_close(struct foreign *f)
{
	if (f == NULL)
		return;
	if (f->format->close != NULL)
		f->format->close(f);
	for (size_t i = 0; i < f->other_count; i++)
		foreign_close(f->others[i]);
	free(f->others);
	free(f->more);
	buf_free(&f->line);
	buf_free(&f->text);
	json_tree_free(&f->tree);
	arena_free(&f->record);
	arena_free(&f->kept);
	free(f);
}

int foreign_add(struct foreign *f, struct byte_source *source, const char *name,
		struct err *err)
{
	if (!ARRAY_GROW(f->more, f->more_count, f->more_cap))
		return err_memory(err);
	f->more[f->more_count++] = (struct foreign_more){source, name};
	return 0;
}

/* Continue with the next file; false: there is none. */
static bool next_file(struct foreign *f)
{
	if (f->more_read == f->more_count)
		return false;
	f->source = f->more[f->more_read].source;
	f->name = f->more[f->more_read++].name;
	f->number = f->said = 0;
	buf_clear(&f->text);
	return true;
}

/* Lines ---------------------------------------------------------------- */

/* The next line without its end, in f->rest: 1, 0 after the last, or an
 * error. */
static int next_line(struct foreign *f, struct err *err)
{
	const char *end = NULL;
	int got = 1;

	buf_clear(&f->line);
	while (end == NULL) {
		if (f->block.n == 0)
			got = f->source->next(f->source, &f->block, err);
		if (got < 0)
			return got;
		if (got == 0)
			break;
		end = memchr(f->block.p, '\n', f->block.n);
		if (end != NULL && f->line.n == 0) {
			f->rest = str_make(f->block.p,
					   (size_t)(end - f->block.p));
			break;
		}
		buf_put(&f->line, f->block.p,
			end != NULL ? (size_t)(end - f->block.p) : f->block.n);
		if (f->line.failed)
			return buf_error(&f->line, err);
		if (end == NULL)
			f->block.n = 0;
	}
	if (end != NULL) {
		f->block.n -= (size_t)(end + 1 - f->block.p);
		f->block.p = end + 1;
	}
	if (end == NULL || f->line.n > 0)
		f->rest = buf_str(&f->line);
	f->number++;
	return end != NULL || f->rest.n > 0;
}

static struct str without_mark(struct str text)
{
	if (str_starts(text, "\xef\xbb\xbf"))
		text = str_make(text.p + 3, text.n - 3);
	return text;
}

/* The record at the start of a text, and where it ends; NULL: it must be all of
 * the text. 0 or an error: ERR_INPUT if it is not an object. */
static int parse_record(struct foreign *f, struct str text,
			struct value *record, size_t *used, struct err *err)
{
	int code;

	arena_reset(&f->record);
	code = json_tree_parse(&f->tree, text, &f->record, record, used, err);
	if (code < 0)
		return code;
	return record->kind == (f->format->form != NULL ? VALUE_TUPLE
							: VALUE_DICT)
		       ? 0
		       : ERR_INPUT;
}

/* The whole input is one object over many lines: 1 with it, 0 if it is not, and
 * is read by lines from memory. */
static int read_document(struct foreign *f, struct value *record,
			 struct err *err)
{
	struct err ignored = {0};
	int got = 1;

	buf_put(&f->text, f->rest.p, f->rest.n);
	buf_putc(&f->text, '\n');
	while (got > 0) {
		buf_put(&f->text, f->block.p, f->block.n);
		f->block.n = 0;
		got = f->source->next(f->source, &f->block, err);
	}
	if (got < 0)
		return got;
	if (f->text.failed)
		return buf_error(&f->text, err);
	if (parse_record(f, buf_str(&f->text), record, NULL, &ignored) == 0) {
		f->rest.n = 0;
		f->read = str_make("", 0); /* not of a single line */
		return 1;
	}
	f->whole = text_source_of(buf_str(&f->text));
	f->source = &f->whole.source;
	f->number = 0;
	return 0;
}

/* Torn records of a line that are skipped one by one, to avoid quadratic
 * time. */
enum { TORN_MAX = 64 };

/* Where a record begins after a torn one in the text: the next, or the last;
 * NULL: nowhere. */
static const char *resume_in(const struct foreign *f, struct str text)
{
	const char *literal = f->format->resume;
	size_t n = literal == NULL ? 0 : strlen(literal);

	if (n == 0 || text.n < n)
		return NULL;
	if (f->torn <= TORN_MAX)
		return memmem(text.p, text.n, literal, n);
	for (const char *p = text.p + text.n - n; p >= text.p; p--)
		if (*p == *literal && memcmp(p, literal, n) == 0)
			return p;
	return NULL;
}

/* The rest of the line after its first `used` bytes is skipped, unless a record
 * begins there. */
static void go_behind(struct foreign *f, size_t used)
{
	struct str rest = str_make(f->rest.p + used, f->rest.n - used);
	const char *at = resume_in(f, rest);

	f->rest = at == NULL ? str_make(rest.p, 0)
			     : str_make(at, (size_t)(rest.p + rest.n - at));
}

/* Report this error of the line? A line has only one message. */
static bool says_line(struct foreign *f)
{
	bool first = f->said != f->number;

	f->said = f->number;
	return first;
}

/* What follows the record that was read from the line. */
static void check_behind(struct foreign *f, size_t used)
{
	struct str rest =
		str_trim(str_make(f->rest.p + used, f->rest.n - used));

	if (rest.n == 0) {
		f->rest.n = 0;
		return;
	}
	go_behind(f, used);
	if (says_line(f))
		err_at(&f->trouble, ERR_INPUT, ERR_LINE, f->number,
		       f->rest.n > 0 ? "two records on one line"
				     : "text after the record is ignored");
}

/* Is a line of this format, whose object ends there, complete? Only a format
 * that marks the start of records may have several. */
static bool is_whole(const struct foreign *f, size_t used)
{
	return f->format->resume != NULL ||
	       str_trim(str_make(f->rest.p + used, f->rest.n - used)).n == 0;
}

/* Read the record at the start of the line's rest. */
static bool parse(struct foreign *f, struct value *record, struct err *why)
{
	size_t used = 0;

	if (parse_record(f, f->rest, record, &used, why) < 0 ||
	    !is_whole(f, used))
		return false;
	f->read = str_make(f->rest.p, used);
	check_behind(f, used);
	return true;
}

/* The next non-blank line: 1, 0 at the end, or an error. */
static int next_text(struct foreign *f, struct err *err)
{
	while (f->rest.n == 0) {
		int got = next_line(f, err);

		if (got == 0 && next_file(f))
			continue;
		if (got <= 0)
			return got;
		f->torn = 0;
		if (f->number == 1)
			f->rest = without_mark(f->rest);
		f->rest = str_trim(f->rest);
	}
	return 1;
}

/* Is it a document that may be over many lines? */
static bool may_be_document(const struct foreign *f)
{
	return f->format->document && f->number == 1 && f->text.n == 0;
}

/* The next record: 1, 0 at the end, or an error. */
static int next_record(struct foreign *f, struct value *record, struct err *err)
{
	int got = next_text(f, err);

	while (got > 0) {
		struct err why = {0};

		if (parse(f, record, &why))
			return 1;
		if (why.code == ERR_MEMORY)
			return err_memory(err);
		if (may_be_document(f)) {
			got = read_document(f, record, err);
			if (got != 0)
				return got;
		} else {
			f->torn++;
			go_behind(f, 1);
			if (says_line(f))
				return why.code == ERR_LIMIT
					       ? err_at(err, ERR_INPUT,
							ERR_LINE, f->number,
							"%s", why.text)
					       : err_at(err, ERR_INPUT,
							ERR_LINE, f->number,
							"not a complete JSON "
							"object");
		}
		got = next_text(f, err);
	}
	return got;
}

/* Rows ----------------------------------------------------------------- */

/* The reader for another format's records; NULL: no memory. */
static struct foreign *other_reader(struct foreign *f,
				    const struct foreign_format *format)
{
	struct foreign *other;

	for (size_t i = 0; i < f->other_count; i++)
		if (f->others[i]->format == format)
			return f->others[i];
	if (!ARRAY_GROW(f->others, f->other_count, f->other_cap))
		return NULL;
	other = foreign_open(format, NULL);
	if (other == NULL)
		return NULL;
	f->others[f->other_count++] = other;
	err_at(&f->trouble, ERR_INPUT, ERR_LINE, f->number,
	       "from here on there is also %s in this input; both are read",
	       format->name);
	return other;
}

/* The reader has this many rows to return. */
static void give(struct foreign *f, struct foreign *reader, int64_t rows)
{
	reader->position += reader->rows;
	reader->rows = rows > 0 ? (uint64_t)rows : 0;
	reader->next = 0;
	f->giving = reader;
}

/* A record that is not of this format may be of another one: the number of rows
 * that it completes, or an error. */
static int take_other(struct foreign *f, struct err *err)
{
	const struct foreign_format *format = foreign_of_record(f->read);
	struct foreign *other;
	struct value record;
	struct err why = {0};
	int rows;

	if (format == NULL || format == f->format)
		return ERR_INPUT;
	other = other_reader(f, format);
	if (other == NULL)
		return err_memory(err);
	if (parse_record(other, f->read, &record, NULL, &why) < 0)
		return ERR_INPUT;
	rows = format->take(other, record, &why);
	if (rows < 0) {
		*err = why;
		return rows;
	}
	give(f, other, rows);
	return rows;
}

/* The rows that needed the end. With several formats, it is not an error if one
 * has none. */
static int64_t end_of(struct foreign *f, bool alone, struct err *err)
{
	int64_t rows;

	f->ended = true;
	rows = f->format->end == NULL ? 0 : f->format->end(f, err);
	return rows == ERR_INPUT && !alone ? 0 : rows;
}

/* End the next of the others: 1 if there may be rows, 0 after all, or an
 * error. */
static int end_other(struct foreign *f, struct err *err)
{
	for (size_t i = 0; i < f->other_count; i++) {
		int64_t rows;

		if (f->others[i]->ended)
			continue;
		rows = end_of(f->others[i], false, err);
		if (rows < 0)
			return (int)rows;
		give(f, f->others[i], rows);
		return 1;
	}
	return 0;
}

/* Process the next record, or end: 1 if there may be rows, 0 after the end. */
static int advance(struct foreign *f, struct err *err)
{
	struct value record;
	int64_t rows = 0;
	int got = f->ended ? 0 : next_record(f, &record, err);

	if (got < 0)
		return got;
	if (got == 0 && f->ended)
		return end_other(f, err);
	rows = got > 0 ? f->format->take(f, record, err)
		       : end_of(f, f->other_count == 0, err);
	if (got > 0 && rows == ERR_INPUT) {
		int others = take_other(f, err);

		err->unit = ERR_LINE;
		err->at = f->number;
		return others < 0 ? others : 1;
	}
	if (rows < 0)
		return (int)rows;
	give(f, f, rows);
	return 1;
}

static int make_row(struct foreign *f, struct arena *arena,
		    struct sample *sample, struct err *err)
{
	struct carrier *c = &f->carrier;
	int got;

	carrier_begin(c, arena);
	got = f->format->row(f, f->next++, c, err);
	if (got <= 0)
		return got;
	carrier_end(c);
	*sample = c->sample;
	sample_make_regular(sample, arena);
	f->row_timed = c->events.n > 0;
	f->timed |= f->row_timed;
	return c->failed ? arena_error(arena, err) : 1;
}

int foreign_no_times(const struct foreign *f, struct err *err)
{
	return err_set(err, ERR_INPUT, "%s, %llu %s: they have no times",
		       f->format->name,
		       (unsigned long long)(f->position + f->rows),
		       f->format->rows);
}

/* Report a pending message: its code, or 0. */
static int say_trouble(struct foreign *f, struct err *err)
{
	if (f->trouble.code == ERR_NONE)
		return 0;
	*err = f->trouble;
	if (f->name != NULL)
		err_in(err, f->name);
	f->trouble = (struct err){0};
	return err->code;
}

int foreign_next(struct foreign *f, struct arena *arena, struct sample *sample,
		 struct err *err)
{
	int got = say_trouble(f, err);

	if (got < 0)
		return got;
	while (got == 0) {
		struct foreign *giving = f->giving;

		if (giving->next < giving->rows) {
			got = make_row(giving, arena, sample, err);
			f->timed |= giving->timed;
			f->row_timed = giving->row_timed;
			continue;
		}
		got = advance(f, err);
		if (got == 0)
			return say_trouble(f, err);
		if (got > 0)
			got = 0;
	}
	f->failed |= got < 0 && (err->code != ERR_INPUT || f->ended);
	if (got < 0 && f->name != NULL && !f->ended)
		err_in(err, f->name);
	return got;
}
