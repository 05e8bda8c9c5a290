/*
 * The pickle reader's stack, and the decision whether a value is built; private
 * to pickle*.c.
 */
#ifndef OBS_FMT_PICKLE_PICKLE_STACK_H
#define OBS_FMT_PICKLE_PICKLE_STACK_H

#include "fmt/pickle/pickle_vm.h"

/*
 * pickle_stack.c. pickle_pop pops n values, readable at the returned place
 * until the next push; in payload, where numbers are not on the stack, there
 * may be fewer. pickle_below is the value under n operands. Both return NULL,
 * with r->err set, if the pickle never pushed them. pickle_pop_mark leaves the
 * innermost mark, n values above it.
 */
int pickle_push_slowly(struct pickle *r, struct value v);
int pickle_push_skipped(struct pickle *r, struct value shadow);

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
/* Drop the top n values; the streamed list may be among them. */
void pickle_drop(struct pickle *r, uint32_t n);
/* Where to allocate a new value, and text of n bytes. */
struct arena *pickle_arena(struct pickle *r);
struct arena *pickle_text_arena(struct pickle *r, uint64_t n);
/* Text of n bytes stored there, for which room bytes were requested. */
struct value pickle_text_in(struct pickle *r, size_t room, const char *p,
			    size_t n);
int pickle_too_deep(struct pickle *r);
/* Add n values to a container of depth *depth: 0, or ERR_LIMIT. */
int pickle_deepen(struct pickle *r, uint32_t *depth, const struct value *v,
		  uint32_t n);
/* Would adding to the object at place make it point into a later element? */
bool pickle_is_frozen(const struct pickle *r, const struct value *place,
		      bool kept);
pickle_op pickle_op_mark, pickle_op_empty, pickle_op_of_mark, pickle_op_tuple,
	pickle_op_append, pickle_op_setitem, pickle_op_add_marked;

/* pickle_filter.c */
/* Does a later element need the object with this number? */
bool pickle_is_needed(const struct pickle *r, uint32_t number);
bool pickle_skips_field(const struct pickle *r);
/* Is the dict at this slot, which is to get items, a record without any? */
bool pickle_is_record(const struct pickle *r, uint32_t slot);
/* Give it the wanted ones of n keys and values; false: no memory. */
bool pickle_fill_record(struct pickle *r, struct value_items *record,
			const struct value *v, uint32_t n);

/* Is the next pushed value payload? */
static inline bool pickle_skips_value(const struct pickle *r)
{
	if (r->skip_marks != 0)
		return true;
	/* Nothing is skipped deeper than a sample's own items. */
	return r->level.open && r->marks_n - r->level.marks <= 2 &&
	       pickle_skips_field(r);
}

/* Is the top value payload that is still being filled? */
static inline bool pickle_builds_on_skipped(const struct pickle *r)
{
	return r->skip_marks != 0 ||
	       (r->level.open && r->stack_n > r->level.next + 1 &&
		r->stack[r->stack_n - 1].kind == VALUE_SKIPPED &&
		r->reading < 3);
}

bool pickle_sums_value(const struct pickle *r);
/* Add v to the sum of a skipped list that is summed. */
void pickle_sum_one(struct value list, struct value v);
bool pickle_may_take_item(struct value v);
int pickle_run_of_numbers(struct pickle *r);

#endif
