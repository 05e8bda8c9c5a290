/*
 * Internals of the pickle reader, private to pickle*.c.
 *
 * pickle_source.c fetches bytes, pickle_ops.c has the table of opcodes,
 * pickle_memo.c numbers objects and keeps those needed later, pickle_known.c
 * builds standard containers, pickle_filter.c detects payload, and pickle.c
 * drives them and returns elements.
 *
 * Invariants: values on the stack from `marks[marks_n - 1]` upward belong to
 * the innermost mark. Payload is VALUE_SKIPPED on the stack; inside the mark
 * of a skipped value (skip_marks != 0) numbers are not pushed at all, so
 * operations there may find fewer operands.
 */
#ifndef OBS_FMT_PICKLE_PICKLE_VM_H
#define OBS_FMT_PICKLE_PICKLE_VM_H

#include "base/buf.h"
#include "fmt/pickle/pickle.h"
#include "fmt/value/value_records.h"

/* Text up to this length is kept for later elements. */
enum { PICKLE_SHORT_STRING = 1024 };

/* Results of an opcode other than errors. */
enum { PICKLE_GO = 0, PICKLE_ELEMENT = 1, PICKLE_CLOSE = 2, PICKLE_STOP = 3 };

/*
 * The streamed list and its elements on the stack. While it is open, list <
 * next <= stack_n: the slots between hold returned elements, and only the end
 * of their batch pops them.
 */
struct pickle_level {
	bool open;
	bool home;	/* it is the "samples" of the top dict */
	bool seen;	/* one was streamed; a second is read as a value */
	uint32_t list;	/* its stack slot */
	uint32_t marks; /* marks below it */
	uint32_t next;	/* slot of the next element to return */
};

struct pickle {
	struct byte_source *source;
	const struct value_filter *filter;
	struct pickle_storages *storages; /* NULL: tensors are not read */
	struct intern classes;		  /* see pickle_classes */
	const char *p;			  /* next byte */
	const char *end;		  /* current block */
	uint64_t offset;    /* of end, from the start of the pickle */
	struct buf scratch; /* an operand that crosses a block boundary */

	struct value *stack;
	size_t stack_cap;
	uint32_t stack_n;
	uint32_t *marks;
	size_t marks_cap;
	uint32_t marks_n;
	struct pickle_page **memo; /* pages; NULL: nothing on it is kept */
	size_t memo_pages;
	uint32_t memo_n;
	uint32_t element_memo; /* first number given in this element */

	struct arena kept;	      /* lives as long as the reader */
	struct arena element;	      /* reset between elements */
	struct value_records records; /* of the element, while reading is 1 */
	uint64_t small_kept;	      /* small objects kept so far */

	struct pickle_level level;
	bool closing;	     /* returning the elements of a finished batch */
	bool popping;	     /* that batch has a mark of its own */
	bool early;	     /* the last returned element is still on top */
	bool batches;	     /* protocol 2 or later: items come in batches */
	uint32_t skip_marks; /* marks_n inside the skipped value, else 0 */
	struct value shadow; /* the meaning of the VALUE_SKIPPED just pushed */
	struct value shadow_before; /* and the one before */

	unsigned char *later; /* bit set of numbers fetched by later elements */
	size_t later_bytes;
	bool missed;	     /* a forgotten object was wanted */
	bool lost;	     /* a skipped value is needed later */
	int reading;	     /* 1, 2 or 3; see pickle_memo.c */
	size_t payload_text; /* bytes of payload text kept */
	uint64_t given;	     /* elements returned */
	uint64_t passed;     /* elements seen in this pass */

	struct value top; /* the top object, after STOP */
	bool stopped;
	uint32_t top_next; /* of a list not streamed: next element */
	uint32_t argument; /* of the current opcode */
	struct err *err;   /* of the current call */
};

/* pickle_source.c: n contiguous bytes, valid until the next call; NULL with
 * r->err set at the end of the input. */
const char *pickle_take(struct pickle *r, size_t n);
int pickle_copy(struct pickle *r, char *to, uint64_t n);
int pickle_pass(struct pickle *r, uint64_t n);
/* Can the input still have n bytes, as far as is known? If not, the error. */
bool pickle_can_follow(const struct pickle *r, uint64_t n);
int pickle_cut_off(struct pickle *r, uint64_t n);
/* Up to the next newline, which is consumed and not included. */
int pickle_line(struct pickle *r, struct str *line);
/* Read another block; 0 if there is one. */
int pickle_refill(struct pickle *r);
uint64_t pickle_offset(const struct pickle *r);
int pickle_bad(struct pickle *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int pickle_memory(struct pickle *r);

/* pickle_ops.c: by opcode; NULL if undefined. */
typedef int pickle_op(struct pickle *r);
struct pickle_opcode {
	pickle_op *run;
	uint32_t argument; /* bytes of a size, a value_kind, a count, a bool */
};
extern const struct pickle_opcode pickle_ops[256];

#endif
