#include "fmt/file/sse.h"

#include "base/limits.h"

static const struct str field = STR("data:");

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_line_end(char c)
{
	return c == '\n' || c == '\r';
}

/* The state after the byte c, which is kept if it is data. */
static enum sse_state step(struct sse_source *sse, char c)
{
	if (is_line_end(c)) {
		if (sse->state == SSE_DATA)
			buf_putc(&sse->lines, '\n');
		sse->matched = 0;
		return SSE_FIELD;
	}
	if (sse->state == SSE_FIELD) {
		if (c != field.p[sse->matched])
			return SSE_OTHER;
		return ++sse->matched == field.n ? SSE_BLANK : SSE_FIELD;
	}
	if (sse->state == SSE_BLANK && is_blank(c))
		return SSE_BLANK;
	if (sse->state == SSE_BLANK && c != '{')
		return SSE_OTHER;
	if (sse->state == SSE_OTHER)
		return SSE_OTHER;
	buf_putc(&sse->lines, c);
	return SSE_DATA;
}

/* A byte of a byte order mark. */
static bool is_mark(char c)
{
	return c == '\xef' || c == '\xbb' || c == '\xbf';
}

/* Detect the input's kind by its first non-blank byte, and make the block begin
 * there. */
static enum sse_state detect(struct str *block)
{
	while (block->n > 0 && (is_blank(*block->p) || is_line_end(*block->p) ||
				is_mark(*block->p)))
		*block = str_skip(*block, 1);
	if (block->n == 0)
		return SSE_NEW;
	return *block->p == '{' || *block->p == '[' ? SSE_JSON : SSE_FIELD;
}

static int next_lines(struct byte_source *source, struct str *block,
		      struct err *err)
{
	struct sse_source *sse = (struct sse_source *)source;
	int got;

	buf_clear(&sse->lines);
	do {
		got = sse->from->next(sse->from, block, err);
		if (got != 1)
			return got;
		if (sse->state == SSE_NEW)
			sse->state = detect(block);
		if (sse->state == SSE_JSON)
			return 1;
		for (size_t i = 0; i < block->n && sse->state != SSE_NEW; i++)
			sse->state = step(sse, block->p[i]);
		if (sse->lines.failed)
			return buf_error(&sse->lines, err);
	} while (sse->lines.n == 0);
	*block = buf_str(&sse->lines);
	return 1;
}

void sse_open(struct sse_source *sse, struct byte_source *from)
{
	*sse = (struct sse_source){.source = {.next = next_lines,
					      .left = UINT64_MAX},
				   .from = from,
				   .lines = buf_new(LIMIT_STRING)};
}

void sse_close(struct sse_source *sse)
{
	buf_free(&sse->lines);
}
