/*
 * Growable bytes with a ceiling.
 *
 * Invariants: n <= cap <= max. A buffer that could not grow (the ceiling was
 * hit or memory ran out) sets `failed` and from then on swallows what is
 * appended, so that a caller may append freely and check once at the end.
 * The bytes belong to the buffer until buf_free; pointers into it die when it
 * grows.
 */
#ifndef OBS_BASE_BUF_H
#define OBS_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct buf {
	char *p;
	size_t n;
	size_t cap;
	size_t max;
	bool failed;
};

/* An empty buffer that never holds more than max bytes. */
struct buf buf_new(size_t max);
void buf_free(struct buf *b);

/* Forget the content, keep the memory, clear `failed`. */
void buf_clear(struct buf *b);

/* Make room for n more bytes; returns where they go, NULL on failure. The
 * caller adds to b->n what it wrote. */
char *buf_room(struct buf *b, size_t n);

void buf_put(struct buf *b, const void *p, size_t n);
void buf_putc(struct buf *b, char c);
void buf_puts(struct buf *b, const char *text);
void buf_printf(struct buf *b, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The content; an empty buffer's has an address, too, so that it may be
 * walked over like any other. */
static inline struct str buf_str(const struct buf *b)
{
	return str_make(b->p == NULL ? "" : b->p, b->n);
}

#endif
