#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct buf buf_limited(size_t max, const char *limit)
{
	return (struct buf){.max = max, .limit = limit};
}

void buf_free(struct buf *b)
{
	free(b->p);
	*b = buf_limited(b->max, b->limit);
}

void buf_clear(struct buf *b)
{
	b->n = 0;
	b->failed = false;
	b->passed = NULL;
}

void buf_reject(struct buf *b, const struct limit *passed)
{
	if (!b->failed)
		b->passed = passed;
	b->failed = true;
}

static bool grow(struct buf *b, size_t need)
{
	size_t cap = b->cap != 0 ? b->cap : b->max < 256 ? b->max : 256;
	char *p;

	while (cap < need)
		cap = cap > b->max / 2 ? b->max : cap * 2;
	p = realloc(b->p, cap);
	if (p == NULL)
		return false;
	b->p = p;
	b->cap = cap;
	return true;
}

char *buf_room(struct buf *b, size_t n)
{
	if (b->failed)
		return NULL;
	if (b->p != NULL && n <= b->cap - b->n)
		return b->p + b->n;
	b->full = n > b->max - b->n;
	if (b->full || !grow(b, b->n + n)) {
		b->failed = true;
		return NULL;
	}
	return b->p + b->n;
}

void buf_put(struct buf *b, const void *p, size_t n)
{
	char *room = n > 0 ? buf_room(b, n) : NULL;

	if (room == NULL)
		return;
	memcpy(room, p, n);
	b->n += n;
}

void buf_putc(struct buf *b, char c)
{
	buf_put(b, &c, 1);
}

void buf_puts(struct buf *b, const char *text)
{
	buf_put(b, text, strlen(text));
}

void buf_printf(struct buf *b, const char *format, ...)
{
	va_list args;
	char *room;
	int n;

	va_start(args, format);
	n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (n < 0) {
		b->failed = true;
		return;
	}
	room = buf_room(b, (size_t)n + 1);
	if (room == NULL)
		return;
	va_start(args, format);
	vsnprintf(room, (size_t)n + 1, format, args);
	va_end(args);
	b->n += (size_t)n;
}
