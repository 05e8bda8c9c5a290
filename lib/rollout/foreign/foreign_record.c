#include "rollout/foreign/foreign_record.h"

#include "base/limits.h"

/* Continue with the next file; false: there is none. */
static bool next_file(struct foreign *f)
{
	if (f->more_read == f->more_count)
		return false;
	f->source = f->more[f->more_read].source;
	f->name = f->more[f->more_read++].name;
	f->number = f->said = 0;
	f->in_document = false;
	buf_clear(&f->text);
	return true;
}

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

int foreign_parse_record(struct foreign *f, struct str text,
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

/* The whole input is objects over many lines: 1 with the first of them, 0 if it
 * is not, and is read by lines from memory. */
static int read_document(struct foreign *f, struct value *record,
			 struct err *err)
{
	struct err ignored = {0};
	struct str text;
	size_t used;
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
	text = buf_str(&f->text);
	if (foreign_parse_record(f, text, record, &used, &ignored) == 0) {
		f->in_document = true;
		f->read = str_make(text.p, used);
		f->rest = str_trim(str_skip(text, used));
		return 1;
	}
	f->whole = text_source_of(text);
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
	struct str rest = str_skip(f->rest, used);
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
	struct str rest = str_trim(str_skip(f->rest, used));

	if (rest.n == 0 || f->in_document) {
		f->rest = rest;
		return;
	}
	go_behind(f, used);
	if (says_line(f))
		err_at(&f->trouble, ERR_INPUT, ERR_LINE, f->number,
		       f->rest.n > 0 ? "two records on one line"
				     : "text after the record is ignored");
}

/* Is a line of this format, whose object ends there, complete? Only a format
 * that marks the start of records may have several; and a document is no
 * line. */
static bool is_whole(const struct foreign *f, size_t used)
{
	return f->format->resume != NULL || f->in_document ||
	       str_trim(str_skip(f->rest, used)).n == 0;
}

/* Read the record at the start of the line's rest, which usually is all of it.
 */
static bool parse(struct foreign *f, struct value *record, struct err *why)
{
	size_t used = 0;

	if (foreign_parse_record(f, f->rest, record, &used, why) < 0)
		return false;
	if (used < f->rest.n && !is_whole(f, used))
		return false;
	f->read = str_make(f->rest.p, used);
	if (used < f->rest.n)
		check_behind(f, used);
	else
		f->rest.n = 0;
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
			f->rest = str_skip_bom(f->rest);
		f->rest = str_trim(f->rest);
	}
	return 1;
}

/* Is it a document that may be over many lines? */
static bool may_be_document(const struct foreign *f)
{
	return f->format->document && f->number == 1 && f->text.n == 0;
}

/* The error of the text that is next, which is not a record, and the way behind
 * it: ERR_NONE if its line already has one. */
static int pass_bad(struct foreign *f, const struct err *why, struct err *err)
{
	if (f->in_document) {
		err_at(err, ERR_INPUT, ERR_BYTE, f->rest.p - f->text.p,
		       "the rest is not a complete JSON object");
		f->rest.n = 0;
		return err->code;
	}
	f->torn++;
	go_behind(f, 1);
	if (!says_line(f))
		return 0;
	return err_at(err, ERR_INPUT, ERR_LINE, f->number, "%s",
		      why->code == ERR_LIMIT ? why->text
					     : "not a complete JSON object");
}

int foreign_next_record(struct foreign *f, struct value *record,
			struct err *err)
{
	int got = next_text(f, err);
	struct err why;

	while (got > 0) {
		why.code = ERR_NONE;
		if (parse(f, record, &why))
			return 1;
		if (why.code == ERR_MEMORY)
			return err_memory(err);
		if (may_be_document(f))
			got = read_document(f, record, err);
		else
			got = pass_bad(f, &why, err);
		if (got != 0)
			return got;
		got = next_text(f, err);
	}
	return got;
}
