/*
 * The error value: what went wrong and where, as data.
 *
 * A library function that can fail returns 0 or one of the negative codes
 * below and fills the caller's struct err; it never prints or exits. Only a
 * program turns an error into a line on stderr and an exit status.
 */
#ifndef OBS_BASE_ERR_H
#define OBS_BASE_ERR_H

#include <stddef.h>
#include <stdint.h>

enum err_code {
	ERR_NONE = 0,
	ERR_INPUT = -1, /* the input violates its format */
	ERR_LIMIT = -2, /* the input exceeds one of limits.h */
	ERR_IO = -3,	/* a read, a write or a connection failed */
	ERR_MEMORY = -4 /* an allocation failed */
};

/* How many bad records of one input are reported one by one; the rest are
 * counted. */
enum { BAD_RECORDS_SAID = 10 };

/* Where an error or a warning happened: a line, a byte, or neither. */
enum err_unit { ERR_NOWHERE, ERR_LINE, ERR_BYTE };

struct err {
	enum err_code code;
	enum err_unit unit;
	int64_t at;	  /* line from 1 or byte offset from 0, by unit */
	char source[192]; /* file, URL or stream; "" if the caller knows */
	char text[256];	  /* what is wrong; what to do. No full stop. */
};

/* Fill err and return code, so `return err_set(...)` reads well. */
int err_set(struct err *err, enum err_code code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
int err_at(struct err *err, enum err_code code, enum err_unit unit, int64_t at,
	   const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Like err_set, with ": REASON" of the errno value appended. */
int err_sys(struct err *err, int errnum, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* An allocation failed. Inline, so the compiler knows the code. */
static inline int err_memory(struct err *err)
{
	err_set(err, ERR_MEMORY, "out of memory");
	return ERR_MEMORY;
}

/* The same, for functions that return a pointer. */
static inline void *err_no_memory(struct err *err)
{
	err_memory(err);
	return NULL;
}

/*
 * Something would take more than max bytes. If limit is LIMIT_... (see
 * base/limits.h) or --OPTION, the message says how to raise it.
 */
void err_set_limit(struct err *err, size_t max, const char *limit);

static inline int err_limit(struct err *err, size_t max, const char *limit)
{
	err_set_limit(err, max, limit);
	return ERR_LIMIT;
}

/* A limit, for code that finds it exceeded but has no struct err at hand. */
struct limit {
	size_t max;
	const char *of; /* "levels"; NULL: bytes, as in err_set_limit */
	const char *name;
};

/* Report that the limit was exceeded; returns ERR_LIMIT. */
int err_passed(struct err *err, const struct limit *limit);

/* The end of a message about a limit that is not in bytes. */
#define ERR_RAISE(limit) "; obstools(7) tells how to raise " #limit

/* Name the source unless one is set already; returns err->code. */
int err_in(struct err *err, const char *source);

#endif
