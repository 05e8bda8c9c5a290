#include "fmt/prom/prom_read.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/io.h"
#include "base/limits.h"
#include "base/mapped.h"
#include "fmt/prom/prom_check.h"

enum { STEP = 256 * 1024 /* bytes read at once, and the first buffer */ };

struct prom_reader prom_reader_new(ssize_t (*read)(void *source, void *p,
						   size_t n),
				   void *source, enum prom_units units)
{
	struct prom_reader r = {.read = read,
				.source = source,
				.units = units,
				.time = (long double)NAN,
				.parser = prom_parser_new()};

	if (units == PROM_ALL_MILLISECONDS)
		r.unit = PROM_MILLISECONDS;
	if (units == PROM_ALL_SECONDS)
		r.unit = PROM_SECONDS;
	return r;
}

static ssize_t read_fd(void *source, void *p, size_t n)
{
	return io_read(*(int *)source, p, n);
}

struct prom_reader prom_reader_fd(int *fd, enum prom_units units)
{
	return prom_reader_new(read_fd, fd, units);
}

/* Nothing is written there: a buffer that is read to its end does not change. */
void prom_reader_borrow(struct prom_reader *r, struct str text)
{
	r->p = (char *)text.p;
	r->end = text.n;
	r->borrowed = r->finished = true;
}

void prom_reader_free(struct prom_reader *r)
{
	prom_parser_free(&r->parser);
	if (!r->borrowed)
		free(r->p);
	r->p = NULL;
}

/* Make room for a read after end: by moving unread bytes to the front, else by
 * a larger buffer. One extra byte guards against overruns. */
static int make_room(struct prom_reader *r, struct err *err)
{
	size_t unread = r->end - r->start;
	size_t cap = r->cap;
	char *p;

	r->dropped |= r->start > 0;
	if (r->start > 0 && unread > 0)
		memmove(r->p, r->p + r->start, unread);
	r->seen -= r->start;
	r->start = 0;
	r->end = unread;
	if (cap - unread >= STEP / 2)
		return 0;
	cap = cap == 0 ? STEP : cap * 2;
	p = realloc(r->p, cap);
	if (p == NULL)
		return err_memory(err);
	r->p = p;
	r->cap = cap;
	return 0;
}

static int too_long(const struct prom_reader *r, size_t max, struct err *err)
{
	err_limit(err, max, "LIMIT_LINE"); /* a body's end decides */
	err->unit = ERR_LINE;
	err->at = r->line + 1;
	return err->code;
}

/* Read more into the buffer, which may hold at most max unread bytes. */
static int fill(struct prom_reader *r, size_t max, struct err *err)
{
	size_t unread = r->end - r->start;
	size_t n;
	ssize_t got;

	if (unread > max)
		return too_long(r, max, err);
	if (r->cap - r->end < STEP / 2 && make_room(r, err) < 0)
		return err->code;
	n = r->cap - r->end;
	if (n > max + 1 - unread)
		n = max + 1 - unread;
	got = r->read(r->source, r->p + r->end, n);
	if (got < 0)
		return err_sys(err, errno, "cannot read");
	if (got == 0)
		r->finished = true;
	r->end += (size_t)got;
	return 0;
}

/* Skip a line that is too long, up to its LF. */
static int skip_line(struct prom_reader *r, struct err *err)
{
	struct err why = *err;
	char *lf = NULL;
	int code = 0;

	while (code == 0 && lf == NULL && !r->finished) {
		r->start = r->end = r->seen = 0;
		r->dropped = true;
		code = fill(r, LIMIT_LINE, err);
		lf = memchr(r->p, '\n', r->end);
	}
	r->start = lf == NULL ? r->end : (size_t)(lf - r->p) + 1;
	r->seen = r->start;
	r->line++;
	if (code < 0)
		return code;
	*err = why;
	return ERR_LIMIT;
}

/* Skip a line of a mapped file that is too long, up to its LF, and keep no more
 * of it in memory than of others. */
static int skip_mapped(struct prom_reader *r, struct err *err)
{
	const char *end = r->p + r->end;
	const char *lf = NULL;

	too_long(r, LIMIT_LINE, err);
	for (const char *p = r->p + r->start; lf == NULL && p < end;) {
		size_t n = (size_t)(end - p) < STEP ? (size_t)(end - p) : STEP;

		lf = memchr(p, '\n', n);
		p += n;
		mapped_leave(r->p + r->start, p);
		r->start = (size_t)((lf == NULL ? p : lf + 1) - r->p);
	}
	r->line++;
	return ERR_LIMIT;
}

/* The same as take_text, of a mapped file. */
static int take_mapped(struct prom_reader *r, struct str *text, struct err *err)
{
	const char *line = r->p + r->start;
	size_t left = r->end - r->start;
	const char *lf;

	if (left == 0)
		return 0;
	lf = memchr(line, '\n', left > LIMIT_LINE ? LIMIT_LINE : left);
	if (lf == NULL && left > LIMIT_LINE)
		return skip_mapped(r, err);
	r->unended = lf == NULL;
	*text = str_make(line, lf == NULL ? left : (size_t)(lf - line));
	r->start += text->n + (lf != NULL);
	r->line++;
	return 1;
}

/* The next line without its LF; 1, 0 at the end, or an error. */
static int take_text(struct prom_reader *r, struct str *text, struct err *err)
{
	char *lf = NULL;
	int code;

	if (r->borrowed)
		return take_mapped(r, text, err);
	for (;;) {
		if (r->seen < r->end)
			lf = memchr(r->p + r->seen, '\n', r->end - r->seen);
		if (lf != NULL || r->finished)
			break;
		r->seen = r->end;
		code = fill(r, LIMIT_LINE, err);
		if (code < 0)
			return code == ERR_LIMIT ? skip_line(r, err) : code;
	}
	if (lf == NULL && r->start == r->end)
		return 0;
	r->unended = lf == NULL;
	if (lf == NULL)
		lf = r->p + r->end;
	*text = str_make(r->p + r->start, (size_t)(lf - r->p) - r->start);
	r->start += text->n;
	r->start += r->start < r->end;
	r->seen = r->start;
	r->line++;
	return 1;
}

/* The unit of a body's timestamps -------------------------------------- */

static bool only_blank(struct str s)
{
	return str_trim(s).n == 0;
}

/* Is the text at p, the start of a line, "# EOF" and the end of a line? Only
 * this exact spelling is OpenMetrics'. */
static bool is_eof_line(const char *p, const char *end)
{
	static const struct str eof = STR("# EOF");

	if ((size_t)(end - p) < eof.n || memcmp(p, eof.p, eof.n) != 0)
		return false;
	p += eof.n;
	return p == end || *p == '\n' || *p == '\r';
}

/* Where the text after the body's "# EOF" begins, searching from *from; NULL if
 * it is not in the buffer. *from is then where to continue. */
static const char *after_eof(const struct prom_reader *r, size_t *from)
{
	const char *end = r->p + r->end;
	const char *p = r->p + *from;

	for (;;) {
		const char *lf = memchr(p, '\n', (size_t)(end - p));

		if (lf == NULL && !r->finished)
			break;
		if (is_eof_line(p, end))
			return lf == NULL ? end : lf + 1;
		if (lf == NULL)
			break;
		p = lf + 1;
	}
	*from = (size_t)(p - r->p);
	return NULL;
}

/*
 * Read on until the end of this body is in the buffer and, if it matters, the
 * first byte of another. *ended: there was an "# EOF". *alone: and nothing
 * after it.
 */
static int read_ahead(struct prom_reader *r, bool *ended, bool *alone,
		      struct err *err)
{
	size_t from = r->start;

	*ended = *alone = false;
	for (;;) {
		const char *rest = after_eof(r, &from);
		size_t n = rest == NULL ? 0 : (size_t)(r->p + r->end - rest);
		bool blank = rest == NULL || only_blank(str_make(rest, n));

		*ended = rest != NULL;
		*alone = *ended && blank;
		if (r->finished || !blank)
			return 0;
		from -= r->start;
		if (fill(r, LIMIT_BODY, err) < 0)
			return err->code == ERR_LIMIT
				       ? err_set(err, ERR_MEMORY,
						 "the body is too long to "
						 "find its unit of time "
						 "(LIMIT_BODY); name it with "
						 "--input")
				       : err->code;
		from += r->start;
	}
}

/* Decide the unit of the body at its first timestamp. */
static int decide_unit(struct prom_reader *r, bool fraction, struct err *err)
{
	bool ended, alone;
	int code;

	if (r->units == PROM_BY_STREAM && r->bodies > 0 && !fraction) {
		r->unit = PROM_MILLISECONDS;
		return 0;
	}
	code = read_ahead(r, &ended, &alone, err);
	if (ended &&
	    (fraction || r->units == PROM_BY_BODY || (alone && r->bodies == 0)))
		r->unit = PROM_SECONDS;
	else
		r->unit = PROM_MILLISECONDS;
	return code;
}

static void note_line(struct prom_reader *r, const struct prom_line *line)
{
	if (line->kind == PROM_STREAM && r->line == 1) {
		r->streaming = true;
		if (r->units == PROM_BY_STREAM || r->units == PROM_BY_BODY)
			r->units = PROM_ALL_MILLISECONDS;
		if (r->units == PROM_ALL_MILLISECONDS)
			r->unit = PROM_MILLISECONDS;
	}
	if (line->kind != PROM_EOF)
		return;
	if (r->borrowed)
		mapped_leave(r->p, r->p + r->start);
	r->bodies++;
	if (r->units == PROM_BY_STREAM || r->units == PROM_BY_BODY)
		r->unit = PROM_UNDECIDED;
}

/* Parse the line at text; deciding the unit may move the buffer. */
static int parse(struct prom_reader *r, struct str text, struct prom_line *line,
		 struct err *err)
{
	int code = prom_parse(&r->parser, text, r->unit, line, err);

	if (code > 0) {
		/* Unread the line, so that it moves with the buffer. */
		size_t n = (size_t)(r->p + r->start - text.p);

		r->start -= n;
		if (decide_unit(r, code == PROM_NEEDS_UNIT_FRACTION, err) < 0)
			return err->code;
		text.p = r->p + r->start;
		r->start += n;
		r->seen = r->start;
		code = prom_parse(&r->parser, text, r->unit, line, err);
	}
	if (code == ERR_INPUT)
		err->at = r->line;
	return code;
}

/* Truncated samples ------------------------------------------------------ */

/* Is the sample, the last line, cut off in its value or its timestamp? */
static bool is_truncated(const struct prom_reader *r,
			 const struct prom_line *line)
{
	static const long double day = 24 * 3600 * 1000;

	return r->unended && !r->bare && !isnan(r->time) &&
	       !(line->time > r->time - day);
}

static int check_sample(struct prom_reader *r, const struct prom_line *line,
			struct err *err)
{
	if (is_truncated(r, line))
		return err_at(err, ERR_INPUT, ERR_LINE, r->line,
			      "truncated: the line does not end, and %s; "
			      "skipped",
			      line->stamped ? "its timestamp is not like those "
					      "before"
					    : "unlike those before, it has no "
					      "timestamp");
	r->bare |= !line->stamped;
	r->time = line->time;
	return 0;
}

int prom_next(struct prom_reader *r, struct prom_line *line, struct err *err)
{
	struct str text;
	int code;

	do {
		code = take_text(r, &text, err);
		if (code <= 0)
			return code;
		if (r->line == 1)
			text = str_skip_bom(text);
		code = parse(r, text, line, err);
		if (code < 0)
			return code;
	} while (line->kind == PROM_NOTHING);
	if (line->kind == PROM_SAMPLE && check_sample(r, line, err) < 0)
		return err->code;
	note_line(r, line);
	line->lasts = r->borrowed;
	return 1;
}

struct str prom_head(const struct prom_reader *r)
{
	if (r->borrowed)
		return str_make(r->p, r->start > STEP ? 0
				      : r->end < STEP ? r->end
						      : STEP);
	return r->dropped ? str_make("", 0) : str_make(r->p, r->end);
}
