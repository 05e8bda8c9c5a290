/*
 * The inside of the pickle reader, shared by pickle*.c alone.
 *
 * pickle_source.c fetches bytes, pickle_ops.c has the table of opcodes,
 * pickle_memo.c numbers objects and keeps what is needed later,
 * pickle_known.c understands standard containers, pickle_filter.c decides
 * what is payload, and pickle.c drives them and hands out elements.
 *
 * Invariants: values on the stack from `marks[marks_n - 1]` upward belong to
 * the innermost mark. Payload is VALUE_SKIPPED on the stack; inside the mark
 * of a skipped value (skip_marks != 0) numbers are not pushed at all, so
 * operations there take what they find.
 */
#ifndef OBS_FMT_PICKLE_VM_H
#define OBS_FMT_PICKLE_VM_H

#include "base/buf.h"
#include "fmt/pickle.h"

/* Text up to this length is kept for later elements. */
enum { PICKLE_SHORT_STRING = 1024 };

/* What an opcode says to the driver, when it is no error. */
enum { PICKLE_GO = 0, PICKLE_ELEMENT = 1, PICKLE_CLOSE = 2, PICKLE_STOP = 3 };

/* The streamed list and the elements above it on the stack. */
struct pickle_level {
	bool open;
	bool seen; /* there was one: a second is read as a plain value */
	uint32_t list;	/* its place on the stack */
	uint32_t marks; /* marks below it */
	uint32_t next;	/* place of the first element not handed out */
};

struct pickle {
	struct byte_source *source;
	const struct value_filter *filter;
	const char *p;	 /* next byte */
	const char *end; /* of the block at hand */
	uint64_t offset; /* of end, from the start of the pickle */
	struct buf scratch; /* an argument that crosses a block's end */

	struct value *stack;
	uint32_t stack_n, stack_cap;
	uint32_t *marks;
	uint32_t marks_n, marks_cap;
	struct value *memo; /* VALUE_ABSENT, n = 1: forgotten */
	uint32_t memo_n, memo_cap;
	uint32_t element_memo; /* first number given in this element */

	struct arena kept;    /* lives as long as the reader */
	struct arena element; /* reset between elements */
	uint64_t small_kept;  /* small objects kept so far */

	struct pickle_level level;
	bool closing;	/* elements of a finished batch are handed out */
	bool popping;	/* that batch has a mark of its own */
	bool early;	/* the element handed out last is still on top */
	bool batches;	/* protocol 2 or later: items come in batches */
	uint32_t skip_marks; /* marks_n inside the skipped value, else 0 */
	struct value shadow; /* what a VALUE_SKIPPED just pushed stands for */
	struct value shadow_before; /* and the one before */

	unsigned char *later; /* bit set of numbers fetched by later elements */
	uint32_t later_n;     /* its size in bits */
	bool missed;	      /* a forgotten object was wanted */
	bool second;	      /* this is the second reading */
	uint64_t given;	      /* elements handed out */
	uint64_t passed;      /* elements met in this reading */

	struct value top; /* the whole, after STOP */
	bool stopped;
	uint32_t top_next; /* of a list not streamed: next element */
	struct err *err;   /* of the call under way */
};

/* pickle_source.c: n bytes in one piece, valid until the next call; NULL with
 * r->err set at the end of the input. */
const char *pickle_take(struct pickle *r, size_t n);
int pickle_copy(struct pickle *r, char *to, uint64_t n);
int pickle_pass(struct pickle *r, uint64_t n);
/* Does the input still hold n bytes, as far as is known? The error if not. */
bool pickle_can_follow(const struct pickle *r, uint64_t n);
int pickle_cut_off(struct pickle *r, uint64_t n);
/* Up to and without the next newline, which is passed. */
int pickle_line(struct pickle *r, struct str *line);
/* Another block; 0 when there is one. */
int pickle_refill(struct pickle *r);
uint64_t pickle_offset(const struct pickle *r);
int pickle_bad(struct pickle *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int pickle_memory(struct pickle *r);

/* pickle_ops.c: by opcode; NULL where there is none. */
typedef int pickle_op(struct pickle *r);
extern pickle_op *const pickle_ops[256];

/*
 * pickle_stack.c. pickle_pop takes n values off the stack, readable at the
 * returned place until something is pushed; in payload, where numbers are not
 * on the stack, fewer may be there. pickle_below is the value under n
 * operands. Both give NULL, with r->err set, when the pickle never pushed
 * them. pickle_pop_mark leaves the innermost mark, n values above it.
 */
int pickle_push_slowly(struct pickle *r, struct value v);
int pickle_push_skipped(struct pickle *r, struct value shadow);
int pickle_push_payload(struct pickle *r);

static inline int pickle_push(struct pickle *r, struct value v)
{
	if (r->skip_marks != 0 || r->stack_n == r->stack_cap)
		return pickle_push_slowly(r, v);
	r->stack[r->stack_n++] = v;
	return PICKLE_GO;
}

struct value *pickle_pop(struct pickle *r, uint32_t n);
struct value *pickle_below(struct pickle *r, uint32_t n);
int pickle_pop_mark(struct pickle *r, uint32_t *n);
/* Where a new value belongs, and where text of n bytes does. */
struct arena *pickle_arena(struct pickle *r);
struct arena *pickle_text_arena(struct pickle *r, uint64_t n);
/* Would adding to the object at place make it point into a later element? */
bool pickle_is_frozen(const struct pickle *r, const struct value *place,
		      bool kept);
pickle_op pickle_op_mark, pickle_op_empty_list, pickle_op_list,
    pickle_op_append, pickle_op_appends, pickle_op_empty_dict, pickle_op_dict,
    pickle_op_setitem, pickle_op_setitems, pickle_op_empty_tuple,
    pickle_op_tuple, pickle_op_tuple1, pickle_op_tuple2, pickle_op_tuple3,
    pickle_op_empty_set, pickle_op_frozenset;

/* pickle_scalar.c; n bytes, little-endian and unsigned, n from 1 to 8. */
int pickle_take_size_slowly(struct pickle *r, size_t n, uint64_t *v);

static inline int pickle_take_size(struct pickle *r, size_t n, uint64_t *v)
{
	if ((size_t)(r->end - r->p) < n)
		return pickle_take_size_slowly(r, n, v);
	*v = 0;
	memcpy(v, r->p, n); /* as little-endian as the machine */
	r->p += n;
	return 0;
}

pickle_op pickle_op_none, pickle_op_true, pickle_op_false, pickle_op_int,
    pickle_op_binint, pickle_op_binint1, pickle_op_binint2, pickle_op_long,
    pickle_op_long1, pickle_op_long4, pickle_op_float, pickle_op_binfloat,
    pickle_op_string, pickle_op_binunicode, pickle_op_short_binunicode,
    pickle_op_unicode, pickle_op_binunicode8, pickle_op_binbytes,
    pickle_op_short_binbytes, pickle_op_binbytes8;

/* pickle_text.c: the values that protocols 0 and 1 spell as text, and the
 * long integers of protocol 2. */
int pickle_decode_string(struct pickle *r, struct str quoted, struct value *v);
int pickle_decode_unicode(struct pickle *r, struct str raw, struct value *v);
int pickle_decode_int(struct pickle *r, struct str digits, struct value *v);
int pickle_decode_long(struct pickle *r, const unsigned char *p, size_t n,
		       struct value *v);

/* pickle_memo.c */
int pickle_memo_put(struct pickle *r, uint64_t number);
int pickle_memo_get(struct pickle *r, uint64_t number);
void pickle_forget_element(struct pickle *r);
int pickle_read_again(struct pickle *r);
void pickle_later(struct pickle *r, uint32_t number);

/* pickle_known.c: the value that callable(args) stands for, when it is one
 * of the standard containers; else an object. VALUE_ABSENT: no memory. */
struct value pickle_call(struct pickle *r, struct value callable,
			 struct value args);

/* pickle_numpy.c: a numpy scalar as a plain value, VALUE_ABSENT when its
 * dtype is not known. callable is a VALUE_GLOBAL. */
bool pickle_is_numpy_scalar(struct value callable);
struct value pickle_numpy_scalar(struct pickle *r, struct value dtype,
				 struct value raw);

/* pickle_filter.c */
bool pickle_skips_field(const struct pickle *r);

/* Is the value that is pushed next payload? */
static inline bool pickle_skips_value(const struct pickle *r)
{
	if (r->skip_marks != 0)
		return true;
	/* Deeper than a sample's own items nothing is skipped. */
	return r->level.open && r->marks_n - r->level.marks <= 2 &&
	       pickle_skips_field(r);
}

/* Is the value on top payload that goes on being built? */
static inline bool pickle_builds_on_skipped(const struct pickle *r)
{
	return r->skip_marks != 0 ||
	       (r->level.open && r->stack_n > r->level.next + 1 &&
		r->stack[r->stack_n - 1].kind == VALUE_SKIPPED && !r->second);
}

bool pickle_sums_value(const struct pickle *r);
bool pickle_element_ends(const struct pickle *r, unsigned char op);
int pickle_run_of_numbers(struct pickle *r);

#endif
