/*
 * The memo: objects that the pickle numbers, to refer to them later.
 *
 * Strings up to 1 KiB and classes are made in the arena that outlives the
 * element. At the end of an element, its small objects (an enum's member, a
 * dtype) are copied there as well; other containers are forgotten. When the
 * pickle refers to a forgotten one from a place that is wanted, the reading
 * goes on only to learn which others are needed, then a second reading keeps
 * exactly those.
 */
#include <stdlib.h>

#include "base/limits.h"
#include "fmt/pickle_parts.h"
#include "fmt/value_make.h"

enum {
	MEMO_GAP = 64 * 1024,	  /* numbers a pickler may leave out */
	SMALL_VALUES = 32,	  /* values in a small object */
	SMALL_OBJECTS = 64 * 1024 /* kept unasked, over the whole dump */
};

static const struct value forgotten = {.kind = VALUE_ABSENT, .n = 1};

static int grow_memo(struct pickle *r, uint64_t number)
{
	uint64_t cap = r->memo_cap == 0 ? 256 : r->memo_cap;
	struct value *memo;

	if (number > (uint64_t)r->memo_n + MEMO_GAP || number >= LIMIT_MEMO)
		return err_at(r->err, ERR_LIMIT, ERR_BYTE,
			      (int64_t)pickle_offset(r),
			      "memo number %llu after %u",
			      (unsigned long long)number, r->memo_n);
	while (cap <= number)
		cap *= 2;
	memo = realloc(r->memo, cap * sizeof(*memo));
	if (memo == NULL)
		return pickle_memory(r);
	memset(memo + r->memo_cap, 0, (cap - r->memo_cap) * sizeof(*memo));
	r->memo = memo;
	r->memo_cap = (uint32_t)cap;
	return 0;
}

/* Is v kept whoever asks: short text, a class, a scalar? */
static bool is_always_kept(struct value v)
{
	switch (v.kind) {
	case VALUE_STR:
	case VALUE_BYTES:
		return v.n <= PICKLE_SHORT_STRING;
	case VALUE_ABSENT:
	case VALUE_LIST:
	case VALUE_TUPLE:
	case VALUE_SET:
	case VALUE_DICT:
	case VALUE_OBJECT:
	case VALUE_BIGINT:
		return false;
	default:
		return true;
	}
}

int pickle_memo_put(struct pickle *r, uint64_t number)
{
	struct value *top = pickle_below(r, 0);
	struct value v;

	if (top == NULL)
		return r->err->code;
	if (number >= r->memo_cap && grow_memo(r, number) < 0)
		return r->err->code;
	if (r->memo[number].kind != VALUE_ABSENT || r->memo[number].n != 0)
		return pickle_bad(r, "memo number %llu is given twice",
				  (unsigned long long)number);
	v = top->kind == VALUE_SKIPPED ? r->shadow : *top;
	/* Numbers go up. One from before this element is not kept for later
	 * ones: finding it again would cost time for every element. */
	if (number < r->element_memo && !is_always_kept(v))
		v = forgotten;
	r->memo[number] = v.kind == VALUE_ABSENT ? forgotten : v;
	if (number >= r->memo_n)
		r->memo_n = (uint32_t)number + 1;
	return PICKLE_GO;
}

/* Remember that a later element needs this one; a set of bits. */
void pickle_later(struct pickle *r, uint32_t number)
{
	if (number >= r->later_n) {
		uint32_t bits = (number + 1024) * 2;
		unsigned char *later = realloc(r->later, bits / 8 + 1);

		if (later == NULL)
			return; /* the value will be VALUE_SKIPPED */
		memset(later + r->later_n / 8, 0,
		       bits / 8 + 1 - r->later_n / 8);
		r->later = later;
		r->later_n = bits / 8 * 8;
	}
	r->later[number / 8] |= (unsigned char)(1 << number % 8);
}

static bool is_needed_later(const struct pickle *r, uint32_t number)
{
	return number < r->later_n && (r->later[number / 8] >> number % 8 & 1);
}

/* Payload, or an object that must be fetched in another reading. */
static int get_with_care(struct pickle *r, uint32_t number, struct value v)
{
	bool skips = pickle_skips_value(r) && !pickle_sums_value(r);
	bool missing = v.kind == VALUE_ABSENT;

	if (missing && v.n == 0)
		return pickle_bad(r, "memo number %u was never given", number);
	/* What payload refers to is needed later when the payload is. */
	if (!r->second && !is_always_kept(v) &&
	    (number < r->element_memo || missing))
		pickle_later(r, number);
	/* A key may follow a skipped value, and keys are always kept. */
	if (skips || (v.kind != VALUE_STR && pickle_builds_on_skipped(r)))
		return pickle_push_skipped(r, v);
	r->missed |= !r->second && missing;
	if (v.kind == VALUE_ABSENT)
		v = (struct value){.kind = VALUE_SKIPPED};
	return pickle_push(r, v);
}

int pickle_memo_get(struct pickle *r, uint64_t number)
{
	struct value v;

	if (number >= r->memo_n)
		return pickle_bad(r, "memo number %llu was never given",
				  (unsigned long long)number);
	v = r->memo[number];
	if (v.kind == VALUE_STR && v.n <= PICKLE_SHORT_STRING &&
	    !pickle_skips_value(r))
		return pickle_push(r, v);
	return get_with_care(r, (uint32_t)number, v);
}

/* Keeping ----------------------------------------------------------- */

/* A copy to the arena that lives on; what it costs is counted down. */
struct keep {
	struct pickle *r;
	uint64_t left; /* values it may still take */
	int depth;
};

static bool keep_value(struct keep *keep, struct value *v);

static bool keep_bytes(struct keep *keep, struct value *v)
{
	struct str s = arena_str(&keep->r->kept, value_text(*v));

	v->p = s.p;
	return s.p != NULL;
}

static bool keep_all(struct keep *keep, struct value_items *items)
{
	for (uint32_t i = 0; i < items->n; i++)
		if (!keep_value(keep, &items->v[i]))
			return false;
	return true;
}

static bool keep_items(struct keep *keep, struct value *v)
{
	struct value_items *old = v->items;
	struct value made;

	if (old->kept)
		return true;
	if (old->moved) {
		v->items = (struct value_items *)old->v;
		return true;
	}
	made = value_new(&keep->r->kept, v->kind, old->n);
	if (made.kind == VALUE_ABSENT ||
	    !value_push_all(&keep->r->kept, made, old->v, old->n))
		return false;
	made.items->kept = true;
	v->items = made.items;
	if (keep->left == UINT64_MAX) { /* whole: others may meet it, too */
		old->moved = true;
		old->v = (struct value *)made.items;
	}
	return keep_all(keep, made.items);
}

static bool keep_object(struct keep *keep, struct value *v)
{
	struct value_object *old = v->object;
	struct value_object *made;

	if (old->kept)
		return true;
	if (old->moved) {
		v->object = old->state.object;
		return true;
	}
	made = arena_alloc(&keep->r->kept, sizeof(*made));
	if (made == NULL)
		return false;
	*made = *old;
	made->kept = true;
	v->object = made;
	if (keep->left == UINT64_MAX) {
		old->moved = true;
		old->state.object = made;
	}
	return keep_value(keep, &made->callable) &&
	       keep_value(keep, &made->args) &&
	       keep_value(keep, &made->state) &&
	       keep_value(keep, &made->list) && keep_value(keep, &made->dict);
}

static bool keep_deeper(struct keep *keep, struct value *v)
{
	switch (v->kind) {
	case VALUE_LIST:
	case VALUE_TUPLE:
	case VALUE_SET:
	case VALUE_DICT:
		return keep_items(keep, v);
	case VALUE_OBJECT:
		return keep_object(keep, v);
	default:
		return keep_bytes(keep, v);
	}
}

/* Returns false when v is no small object; a whole value is kept as far as
 * depth and memory go. */
static bool keep_value(struct keep *keep, struct value *v)
{
	bool whole = keep->left == UINT64_MAX;
	bool ok;

	if (v->kind == VALUE_SKIPPED)
		v->skipped = NULL;
	if (is_always_kept(*v) || v->kind == VALUE_ABSENT)
		return true;
	if (!whole && keep->left-- == 0)
		return false;
	keep->depth++;
	ok = keep->depth < LIMIT_DEPTH && keep_deeper(keep, v);
	keep->depth--;
	if (!ok && whole)
		*v = (struct value){.kind = VALUE_SKIPPED};
	return ok || whole;
}

/* What the memo holds of v once its element is forgotten. */
static struct value keep_or_forget(struct pickle *r, uint32_t number)
{
	struct value v = r->memo[number];
	struct keep keep = {.r = r, .left = SMALL_VALUES};

	if (v.kind == VALUE_ABSENT || is_always_kept(v))
		return v;
	if (r->second && is_needed_later(r, number))
		keep.left = UINT64_MAX;
	else if (r->second || v.kind != VALUE_OBJECT ||
		 r->small_kept == SMALL_OBJECTS)
		return forgotten;
	if (!keep_value(&keep, &v))
		return forgotten;
	r->small_kept++;
	return v;
}

void pickle_forget_element(struct pickle *r)
{
	for (uint32_t i = r->element_memo; i < r->memo_n; i++)
		r->memo[i] = keep_or_forget(r, i);
	r->element_memo = r->memo_n;
	r->shadow = forgotten;
	r->shadow_before = forgotten;
	arena_reset(&r->element);
}
