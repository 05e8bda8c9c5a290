/*
 * Growable bytes with a ceiling.
 *
 * Invariants: n <= cap <= max. A buffer that could not grow (the ceiling was
 * hit or memory ran out) sets `failed` and ignores further appends, so a caller
 * may append freely and check once at the end; buf_error has the reason.
 * The bytes belong to the buffer until buf_free; pointers into it are invalid
 * once it grows.
 */
#ifndef OBS_BASE_BUF_H
#define OBS_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

struct buf {
	char *p;
	size_t n;
	size_t cap;
	size_t max;
	const char *limit;	    /* what max is called, for messages */
	const struct limit *passed; /* failed by buf_reject */
	bool failed;
	bool full; /* failed because max was reached */
};

/* An empty buffer that never exceeds max bytes. Pass a constant of
 * base/limits.h by name: the name is used in messages. */
#define buf_new(max) buf_limited((max), #max)
struct buf buf_limited(size_t max, const char *limit);
void buf_free(struct buf *b);

/* Forget the content, keep the memory, clear `failed`. */
void buf_clear(struct buf *b);

/* Make room for n more bytes; returns where they go, NULL on failure. The
 * caller adds to b->n what it wrote. */
char *buf_room(struct buf *b, size_t n);

void buf_put(struct buf *b, const void *p, size_t n);
void buf_putc(struct buf *b, char c);
void buf_puts(struct buf *b, const char *text);
/* Fail because the next append would exceed a limit. */
void buf_reject(struct buf *b, const struct limit *passed);
void buf_printf(struct buf *b, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The reason it failed: ERR_LIMIT (its ceiling, or the limit passed to
 * buf_reject) or ERR_MEMORY. */
static inline int buf_error(const struct buf *b, struct err *err)
{
	if (b->passed != NULL)
		return err_passed(err, b->passed);
	return b->full ? err_limit(err, b->max, b->limit) : err_memory(err);
}

/* The content; p is never NULL, even if the buffer is empty. */
static inline struct str buf_str(const struct buf *b)
{
	return str_make(b->p == NULL ? "" : b->p, b->n);
}

#endif
