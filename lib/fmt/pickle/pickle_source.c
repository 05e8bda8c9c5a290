#include <stdarg.h>
#include <stdio.h>

#include "base/limits.h"
#include "fmt/pickle/pickle_parts.h"

uint64_t pickle_offset(const struct pickle *r)
{
	return r->offset - (uint64_t)(r->end - r->p);
}

int pickle_bad(struct pickle *r, const char *format, ...)
{
	char text[160];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return err_at(r->err, ERR_INPUT, ERR_BYTE, (int64_t)pickle_offset(r),
		      "%s", text);
}

int pickle_memory(struct pickle *r)
{
	if (r->scratch.failed)
		buf_error(&r->scratch, r->err);
	else
		arena_error(r->element.full	    ? &r->element
			    : r->records.arena.full ? &r->records.arena
						    : &r->kept,
			    r->err);
	r->err->unit = ERR_BYTE;
	r->err->at = (int64_t)pickle_offset(r);
	return r->err->code;
}

int pickle_refill(struct pickle *r)
{
	struct str block;
	int got;

	do
		got = r->source->next(r->source, &block, r->err);
	while (got > 0 && block.n == 0);
	if (got < 0)
		return got;
	if (got == 0)
		return pickle_bad(r, "the pickle is truncated: no STOP");
	r->p = block.p;
	r->end = block.p + block.n;
	r->offset += block.n;
	return 0;
}

int pickle_cut_off(struct pickle *r, uint64_t n)
{
	return pickle_bad(
		r, "truncated: fewer bytes follow than the %llu expected",
		(unsigned long long)n);
}

bool pickle_can_follow(const struct pickle *r, uint64_t n)
{
	uint64_t here = (uint64_t)(r->end - r->p);

	return n <= here || n - here <= r->source->left;
}

int pickle_copy(struct pickle *r, char *to, uint64_t n)
{
	while (n > 0) {
		size_t here = (size_t)(r->end - r->p);

		if (here == 0) {
			if (pickle_refill(r) < 0)
				return r->err->code;
			continue;
		}
		if (here > n)
			here = (size_t)n;
		memcpy(to, r->p, here);
		to += here;
		r->p += here;
		n -= here;
	}
	return 0;
}

int pickle_pass(struct pickle *r, uint64_t n)
{
	if (!pickle_can_follow(r, n))
		return pickle_cut_off(r, n);
	while (n > (uint64_t)(r->end - r->p)) {
		n -= (uint64_t)(r->end - r->p);
		r->p = r->end;
		if (pickle_refill(r) < 0)
			return r->err->code;
	}
	r->p += n;
	return 0;
}

const char *pickle_take(struct pickle *r, size_t n)
{
	const char *p = r->p;
	char *room;

	if (n <= (size_t)(r->end - r->p)) {
		r->p += n;
		return p;
	}
	if (!pickle_can_follow(r, n)) {
		pickle_cut_off(r, n);
		return NULL;
	}
	buf_clear(&r->scratch);
	room = buf_room(&r->scratch, n);
	if (room == NULL) {
		pickle_memory(r);
		return NULL;
	}
	return pickle_copy(r, room, n) < 0 ? NULL : room;
}

/* The line continues past the current block. */
static int long_line(struct pickle *r, struct str *line)
{
	const char *newline = NULL;

	buf_clear(&r->scratch);
	while (newline == NULL) {
		size_t here = (size_t)(r->end - r->p);

		newline = memchr(r->p, '\n', here);
		if (newline != NULL)
			here = (size_t)(newline - r->p);
		buf_put(&r->scratch, r->p, here);
		r->p += here;
		if (r->scratch.failed)
			return pickle_memory(r);
		if (newline == NULL && pickle_refill(r) < 0)
			return r->err->code;
	}
	r->p++;
	*line = r->scratch.n == 0 ? str_of("") : buf_str(&r->scratch);
	return 0;
}

int pickle_line(struct pickle *r, struct str *line)
{
	size_t here = (size_t)(r->end - r->p);
	const char *newline = here == 0 ? NULL : memchr(r->p, '\n', here);

	if (newline == NULL)
		return long_line(r, line);
	*line = str_make(r->p, (size_t)(newline - r->p));
	r->p = newline + 1;
	return 0;
}
