#include "fmt/file/chrome_read.h"

#include <stdlib.h>

#include "base/limits.h"
#include "base/window.h"
#include "fmt/file/brackets.h"
#include "fmt/file/chrome_member.h"
#include "fmt/json/json_lenient.h"
#include "fmt/json/json_token.h"

enum { END = JSON_TOKEN_END };

enum chrome_place { AT_START, IN_ARRAY, IN_OBJECT, BEHIND, AT_END };

struct chrome_reader {
	struct window w;
	bool torn;	 /* the source is damaged */
	struct err *err; /* of the current call */
	enum chrome_place place;
	bool first; /* no element of the list has been read */
	bool any;   /* a list of events was found */
	struct chrome_found found;
	struct json_lenient scan;
	struct json_inner args;
	struct buf mended;
	struct buf distributed, devices; /* texts of found */
};

/* Bytes ------------------------------------------------------------------- */

/* Read more into the window: 1, 0 if there is no more, or an error. A damaged
 * source ends there. */
static int fill(struct chrome_reader *r)
{
	ptrdiff_t left = r->w.end - r->w.p;
	struct err why = {0};
	int rc = window_fill(&r->w, &why);

	if (rc == ERR_INPUT) {
		r->torn = r->found.truncated = true;
		r->found.cut = why;
		return r->w.end - r->w.p > left;
	}
	if (rc < 0)
		*r->err = why;
	return rc;
}

/* The next non-blank byte, not consumed; END, or an error. */
static int peek(struct chrome_reader *r)
{
	int rc = 1;

	while (rc == 1) {
		for (; r->w.p < r->w.end; r->w.p++)
			if (*r->w.p != ' ' && *r->w.p != '\n' &&
			    *r->w.p != '\r' && *r->w.p != '\t')
				return (unsigned char)*r->w.p;
		rc = fill(r);
	}
	return rc == 0 ? END : rc;
}

/* Where the trace ends early ---------------------------------------------- */

static void unexpected(struct err *err, int64_t at, int c, const char *expected)
{
	if (expected == NULL)
		err_at(err, ERR_LIMIT, ERR_BYTE, at,
		       "nested deeper than %d levels" ERR_RAISE(LIMIT_DEPTH),
		       LIMIT_DEPTH);
	else if (c == END)
		err_at(err, ERR_INPUT, ERR_BYTE, at, "truncated before %s",
		       expected);
	else if (c > ' ' && c < 0x7f)
		err_at(err, ERR_INPUT, ERR_BYTE, at, "expected %s, found '%c'",
		       expected, c);
	else
		err_at(err, ERR_INPUT, ERR_BYTE, at,
		       "expected %s, found byte 0x%02x", expected, (unsigned)c);
}

/* Stop reading here: 0. */
static int cut(struct chrome_reader *r, int64_t at, const char *why)
{
	if (!r->found.truncated)
		err_at(&r->found.cut, ERR_INPUT, ERR_BYTE, at, "%s", why);
	r->found.truncated = true;
	r->place = AT_END;
	return 0;
}

/* The same, with c (a byte, END or an error) found instead of what was
 * expected. */
static int cut_at(struct chrome_reader *r, int c, const char *expected)
{
	struct err why;

	if (c < 0 && c != END)
		return c;
	unexpected(&why, window_offset(&r->w), c, expected);
	return cut(r, why.at, why.text);
}

/* Resynchronise: go to the next line that begins with a brace after a line that
 * ends in a comma. 0 (also at the end of the file) or an error. */
static int find_line(struct chrome_reader *r)
{
	int64_t at = window_offset(&r->w);
	char last = *r->w.p++;
	bool begins = false;
	int rc = 1;

	for (; rc == 1; rc = fill(r)) {
		for (; r->w.p < r->w.end; r->w.p++) {
			if (*r->w.p == '\n') {
				begins = last == ',';
			} else if (*r->w.p == '{' && begins) {
				r->first = true;
				return 0;
			} else if (*r->w.p != ' ' && *r->w.p != '\t' &&
				   *r->w.p != '\r') {
				begins = false;
				last = *r->w.p;
			}
		}
	}
	return rc < 0 ? rc
		      : cut(r, at, "no event can be made out from here on");
}

static int skip_damaged(struct chrome_reader *r, const struct err *why)
{
	if (r->found.damaged++ == 0)
		r->found.first_damaged = *why;
	return find_line(r);
}

/* Values that are not events ---------------------------------------------- */

/* Read the next string or word: 1, 0 if the file ends inside it, or an
 * error. */
static int take_token(struct chrome_reader *r, struct str *token)
{
	const char *p = NULL;
	int rc = 1;

	while (p == NULL && rc == 1) {
		struct brackets b = {0};

		p = r->w.p;
		if (*p == '"')
			p = brackets_end(&b, p, r->w.end);
		else
			while (p < r->w.end && json_in_word(*p))
				p++;
		if (p == r->w.end)
			p = NULL;
		rc = p == NULL ? fill(r) : 1;
	}
	if (rc != 1)
		return rc < 0 ? rc : cut(r, window_offset(&r->w), "truncated");
	*token = str_make(r->w.p, (size_t)(p - r->w.p));
	r->w.p = p;
	return 1;
}

/* Consume the next value, up to its last bracket or quote, and append it to
 * kept unless that is NULL: 0 or an error. */
static int pass_brackets(struct chrome_reader *r, struct buf *kept)
{
	struct brackets b = {0};
	const char *p = NULL;
	int rc = 1;

	while (p == NULL && rc == 1) {
		const char *end;

		p = brackets_end(&b, r->w.p, r->w.end);
		end = p != NULL ? p : r->w.end;
		if (kept != NULL)
			buf_put(kept, r->w.p, (size_t)(end - r->w.p));
		r->w.p = end;
		rc = p == NULL ? fill(r) : 1;
	}
	if (rc == 0)
		return cut(r, window_offset(&r->w), "truncated inside a value");
	return rc < 0 ? rc : 0;
}

/* Skip the next value, looking only at its brackets: 0 or an error. */
static int skip_value(struct chrome_reader *r, int c)
{
	struct str token;
	int rc;

	if (c == '{' || c == '[' || c == '"')
		return pass_brackets(r, NULL);
	if (c < 0 || !json_in_word((char)c))
		return cut_at(r, c, "a value");
	rc = take_token(r, &token);
	return rc < 0 ? rc : 0;
}

/* Events ------------------------------------------------------------------ */

/* Scan the next object, reading more bytes while it is incomplete: 1, 0 if it
 * has no end, or an error. */
static int scan_event(struct chrome_reader *r, enum json_lenient_result *result)
{
	int rc = 1;

	*result = JSON_LENIENT_SHORT;
	while (*result == JSON_LENIENT_SHORT && rc == 1) {
		struct str text = str_make(r->w.p, (size_t)(r->w.end - r->w.p));

		*result = json_lenient_scan(&r->scan, text);
		if (*result == JSON_LENIENT_SHORT)
			rc = fill(r);
	}
	return rc;
}

/* Convert the text of an event to strict JSON. */
static int mend(struct chrome_reader *r, struct str *text)
{
	buf_clear(&r->mended);
	json_lenient_clean(*text, &r->mended);
	if (r->mended.failed)
		return buf_error(&r->mended, r->err);
	*text = buf_str(&r->mended);
	json_lenient_scan(&r->scan, *text);
	return 1;
}

/* The next object: 1 if it is an event, 0 if it was skipped, or an error. */
static int take_event(struct chrome_reader *r, struct chrome_event *event)
{
	enum json_lenient_result result;
	struct err why;
	int rc;

	r->scan.members = &event->member[0];
	r->args.members = &event->arg[0];
	rc = scan_event(r, &result);
	if (rc == 0)
		return cut(r, window_offset(&r->w),
			   "truncated inside an event");
	if (rc == ERR_LIMIT) {
		why = *r->err;
		return skip_damaged(r, &why);
	}
	if (rc < 0)
		return rc;
	if (result == JSON_LENIENT_BAD) {
		unexpected(&why, window_offset(&r->w) + (r->scan.p - r->w.p),
			   (unsigned char)*r->scan.p, r->scan.expected);
		return skip_damaged(r, &why);
	}
	event->text = str_make(r->w.p, (size_t)(r->scan.p - r->w.p));
	r->w.p = r->scan.p;
	r->first = false;
	r->found.elements++;
	rc = r->scan.strict ? 1 : mend(r, &event->text);
	r->found.typed |= str_starts(event->member[CHROME_PH], "\"");
	return rc;
}

/* Go to the next object of the list: 1, 0 if there is none or the list has
 * ended, or an error. */
static int next_element(struct chrome_reader *r)
{
	size_t commas = 0;
	struct err why;
	int c = peek(r);

	for (; c == ','; c = peek(r), commas++)
		r->w.p++;
	if (c < 0)
		return cut_at(r, c, "the end of the list of events");
	if (c != ']' && !r->first)
		r->found.spare_comma |= commas > 1;
	else
		r->found.spare_comma |= commas > 0;
	if (c == ']') {
		r->w.p++;
		r->found.unclosed = r->found.in_object;
		r->place = r->found.in_object ? IN_OBJECT : BEHIND;
		return 0;
	}
	if (commas == 0 && !r->first) {
		unexpected(&why, window_offset(&r->w), c, "',' or ']'");
		return skip_damaged(r, &why);
	}
	if (c == '{')
		return 1;
	if (c != '[' && c != '"' && !json_in_word((char)c)) {
		unexpected(&why, window_offset(&r->w), c, "an event");
		return skip_damaged(r, &why);
	}
	r->first = false;
	r->found.elements++;
	return skip_value(r, c);
}

/* The file around the events ---------------------------------------------- */

static int read_base(struct chrome_reader *r, int c)
{
	struct str token = {NULL, 0};
	int rc = 1;

	r->found.base_kind = CHROME_BASE_BAD;
	if (c != '"' && (c < 0 || !json_in_word((char)c)))
		return skip_value(r, c);
	rc = take_token(r, &token);
	r->found.base = 0;
	if (rc == 1 && chrome_parse_base(token, &r->found.base))
		r->found.base_kind = CHROME_BASE_READ;
	return rc < 0 ? rc : 0;
}

/* Keep the next container as text: 0 or an error. One that is too large is
 * skipped. */
static int keep_value(struct chrome_reader *r, int c, struct buf *kept,
		      struct str *text)
{
	int rc;

	if (c != '{' && c != '[')
		return skip_value(r, c);
	buf_clear(kept);
	rc = pass_brackets(r, kept);
	*text = buf_str(kept);
	return rc;
}

/* A member of the top object, from its key: 0 or an error. */
static int read_member(struct chrome_reader *r)
{
	struct str key = {NULL, 0};
	int rc = take_token(r, &key);
	bool events = str_is(key, "\"traceEvents\"");
	bool base = str_is(key, "\"baseTimeNanoseconds\"");
	bool distributed = str_is(key, "\"distributedInfo\"");
	bool devices = str_is(key, "\"deviceProperties\"");
	int c;

	if (rc != 1)
		return rc;
	c = peek(r);
	if (c != ':')
		return cut_at(r, c, "':'");
	r->w.p++;
	c = peek(r);
	if (base)
		return read_base(r, c);
	if (distributed)
		return keep_value(r, c, &r->distributed, &r->found.distributed);
	if (devices)
		return keep_value(r, c, &r->devices, &r->found.devices);
	if (!events || c != '[')
		return skip_value(r, c);
	r->w.p++;
	r->place = IN_ARRAY;
	r->first = r->any = r->found.in_object = true;
	return 0;
}

/* Inside the top object, before a key or its end: 0 or an error. */
static int next_member(struct chrome_reader *r)
{
	int c = peek(r);

	for (; c == ','; c = peek(r))
		r->w.p++;
	if (c == '"')
		return read_member(r);
	if (c != '}')
		return cut_at(r, c, "a key or '}'");
	r->w.p++;
	r->found.unclosed = false;
	r->place = BEHIND;
	return 0;
}

static int skip_bom(struct chrome_reader *r)
{
	for (const char *p = "\xef\xbb\xbf"; *p != '\0'; p++) {
		int c = peek(r);

		if (c != (unsigned char)*p)
			return cut_at(r, c, "a byte order mark");
		r->w.p++;
	}
	return 0;
}

/* At the start, or after a top object: some tracers write several. */
static int next_top(struct chrome_reader *r)
{
	int c = peek(r);

	if (c == END && r->place == BEHIND) {
		r->place = AT_END;
		return 0;
	}
	if (c == 0xef && r->place == AT_START)
		return skip_bom(r);
	if (c == END && r->w.got == 0)
		return cut(r, 0, "the file is empty");
	if (c == '[' && r->place == AT_START) {
		r->place = IN_ARRAY;
		r->any = r->first = true;
	} else if (c == '{') {
		r->place = IN_OBJECT;
	} else if (c >= 0 && r->place == BEHIND) {
		return cut(r, window_offset(&r->w),
			   "unexpected text after the trace");
	} else if (c >= 0 && chrome_other(r->w.p, r->w.end) != NULL) {
		return cut(r, 0, chrome_other(r->w.p, r->w.end));
	} else {
		return cut_at(r, c, "'{' or '['");
	}
	r->w.p++;
	return 0;
}

/* The end of the file, an error if there was no list. */
static int finish(const struct chrome_reader *r)
{
	const struct err *cut = &r->found.cut;

	if (r->any)
		return 0;
	if (!r->found.truncated)
		return err_set(r->err, ERR_INPUT,
			       "not a profile: it has no traceEvents list");
	return err_at(r->err, ERR_INPUT, cut->unit, cut->at, "%s%s",
		      r->torn ? "" : "not a profile: ", cut->text);
}

int chrome_next(struct chrome_reader *r, struct chrome_event *event,
		struct err *err)
{
	int rc = 0;

	r->err = err;
	while (rc == 0 && r->place != AT_END) {
		if (r->place == IN_ARRAY) {
			rc = next_element(r);
			if (rc == 1)
				rc = take_event(r, event);
		} else if (r->place == IN_OBJECT) {
			rc = next_member(r);
		} else {
			rc = next_top(r);
		}
	}
	return rc == 0 ? finish(r) : rc;
}

const struct chrome_found *chrome_found(const struct chrome_reader *r)
{
	return &r->found;
}

struct chrome_reader *chrome_open(struct byte_source *source)
{
	struct chrome_reader *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	r->w = window_on(source, LIMIT_LINE);
	r->mended = buf_new(8 * LIMIT_LINE);
	r->distributed = buf_new(LIMIT_LINE);
	r->devices = buf_new(LIMIT_LINE);
	r->scan.names = chrome_names;
	r->scan.count = CHROME_MEMBERS;
	r->scan.inner = &r->args;
	r->args = (struct json_inner){.names = chrome_arg_names,
				      .count = CHROME_ARG_COUNT,
				      .of = CHROME_ARGS};
	return r;
}

void chrome_close(struct chrome_reader *r)
{
	if (r == NULL)
		return;
	window_free(&r->w);
	buf_free(&r->mended);
	buf_free(&r->distributed);
	buf_free(&r->devices);
	free(r);
}
