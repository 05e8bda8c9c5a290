/*
 * The parts of the pickle reader used by opcodes; private to pickle*.c.
 */
#ifndef OBS_FMT_PICKLE_PICKLE_PARTS_H
#define OBS_FMT_PICKLE_PICKLE_PARTS_H

#include "fmt/pickle/pickle_stack.h"

/* pickle_scalar.c; n bytes, little-endian and unsigned, n from 1 to 8. */
int pickle_take_size_slowly(struct pickle *r, size_t n, uint64_t *v);

static inline int pickle_take_size(struct pickle *r, size_t n, uint64_t *v)
{
	if ((size_t)(r->end - r->p) < sizeof(*v))
		return pickle_take_size_slowly(r, n, v);
	memcpy(v, r->p, sizeof(*v)); /* assumes little-endian */
	*v &= UINT64_MAX >> (64 - 8 * n);
	r->p += n;
	return 0;
}

pickle_op pickle_op_none, pickle_op_bool, pickle_op_int, pickle_op_binint,
	pickle_op_binuint, pickle_op_long, pickle_op_binlong, pickle_op_float,
	pickle_op_binfloat, pickle_op_string, pickle_op_unicode,
	pickle_op_binunicode, pickle_op_binbytes;

/* pickle_text.c: values spelled as text by protocols 0 and 1, and the long
 * integers of protocol 2. */
int pickle_decode_string(struct pickle *r, struct str quoted, struct value *v);
int pickle_decode_unicode(struct pickle *r, struct str raw, struct value *v);
int pickle_decode_int(struct pickle *r, struct str digits, struct value *v);
int pickle_decode_long(struct pickle *r, const unsigned char *p, size_t n,
		       struct value *v);

/* pickle_memo.c */
/* The memo's value for a number below memo_n. */
struct value pickle_memo_at(const struct pickle *r, uint32_t number);
void pickle_memo_free(struct pickle *r);
int pickle_memo_put(struct pickle *r, uint64_t number);
int pickle_memo_get(struct pickle *r, uint64_t number);
/* The element is complete, and about to be returned: give back what of the memo
 * is not kept anyway. The rest follows before the next one. */
void pickle_forget_early(struct pickle *r);
int pickle_forget_element(struct pickle *r);

/* pickle_known.c: the value of callable(args) if it is one of the standard
 * containers; else an object. VALUE_ABSENT: no memory. */
struct value pickle_call(struct pickle *r, struct value callable,
			 struct value args);

/* pickle_tensor.c: the number in a single-element tensor, and a storage by
 * name; see struct pickle_storages. False: no memory. */
bool pickle_find_number(struct pickle *r, struct value_object *object);
void pickle_name_storage(struct pickle *r, struct value id);

/* pickle_numpy.c: a numpy scalar as a plain value, VALUE_ABSENT if its dtype is
 * unknown. callable is a VALUE_GLOBAL. */
bool pickle_is_numpy_scalar(struct value callable);
struct value pickle_numpy_scalar(struct pickle *r, struct value dtype,
				 struct value raw);

#endif
