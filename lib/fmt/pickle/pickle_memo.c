/*
 * The memo: objects numbered by the pickle for later references.
 *
 * Strings up to 1 KiB and classes are allocated in the arena that outlives the
 * element. At the end of an element, its small objects (an enum's member, a
 * dtype) are copied there as well; other containers are forgotten. If a wanted
 * value refers to a forgotten one, the first pass continues only to learn which
 * others are needed. The second keeps exactly those and still skips payload. If
 * one of them is part of payload, a third pass builds everything, one sample at
 * a time.
 *
 * The memo consists of pages, and a page with nothing kept takes no memory:
 * most of payload is like that.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/limits.h"
#include "base/pages.h"
#include "fmt/pickle/pickle_parts.h"
#include "fmt/value/value_make.h"

enum {
	PAGE = 512,		  /* numbers per page */
	MANY_PAGES = 128,	  /* 1 MiB, worth returning */
	MEMO_GAP = 64 * 1024,	  /* numbers a pickler may skip */
	SMALL_VALUES = 32,	  /* values in a small object */
	SMALL_OBJECTS = 64 * 1024 /* kept by default, over the whole dump */
};

static const struct value forgotten = {.kind = VALUE_ABSENT};

struct pickle_page {
	struct value v[PAGE]; /* VALUE_ABSENT: forgotten */
};

struct value pickle_memo_at(const struct pickle *r, uint32_t number)
{
	const struct pickle_page *page = r->memo[number / PAGE];

	return page == NULL ? forgotten : page->v[number % PAGE];
}

void pickle_memo_free(struct pickle *r)
{
	for (size_t i = 0; i < r->memo_pages; i++)
		free(r->memo[i]);
	free(r->memo);
}

static int grow_memo(struct pickle *r, uint64_t number)
{
	if (number > (uint64_t)r->memo_n + MEMO_GAP)
		return pickle_bad(r, "memo number %llu after %u",
				  (unsigned long long)number, r->memo_n);
	if (number >= LIMIT_MEMO)
		return err_at(r->err, ERR_LIMIT, ERR_BYTE,
			      (int64_t)pickle_offset(r),
			      "memo number %llu" ERR_RAISE(LIMIT_MEMO),
			      (unsigned long long)number);
	return ARRAY_GROW_ZEROED(r->memo, number / PAGE, r->memo_pages)
		       ? 0
		       : pickle_memory(r);
}

/* The slot of a number; its page is allocated if needed. */
static struct value *memo_place(struct pickle *r, uint32_t number)
{
	struct pickle_page **page = &r->memo[number / PAGE];

	if (*page == NULL)
		*page = calloc(1, sizeof(**page));
	return *page == NULL ? NULL : &(*page)->v[number % PAGE];
}

/* Is v always kept: short text, a class, a scalar? */
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
	struct value *place;
	struct value v;

	if (top == NULL)
		return r->err->code;
	if (number / PAGE >= r->memo_pages && grow_memo(r, number) < 0)
		return r->err->code;
	v = top->kind == VALUE_SKIPPED ? r->shadow : *top;
	/* Numbers only increase. One from before this element is not kept for
	 * later ones: looking it up again would cost time for every element. */
	if (number < r->element_memo && !is_always_kept(v))
		v = forgotten;
	if (number >= r->memo_n)
		r->memo_n = (uint32_t)number + 1;
	if (v.kind == VALUE_ABSENT) {
		r->lost |= r->reading == 2 &&
			   pickle_is_needed(r, (uint32_t)number);
		if (r->memo[number / PAGE] == NULL)
			return PICKLE_GO;
	}
	place = memo_place(r, (uint32_t)number);
	if (place == NULL)
		return pickle_memory(r);
	*place = v;
	return PICKLE_GO;
}

/* Record that a later element needs this one, in a bit set. */
static int need_later(struct pickle *r, uint32_t number)
{
	if (!ARRAY_GROW_ZEROED(r->later, number / 8, r->later_bytes))
		return pickle_memory(r);
	r->later[number / 8] |= (unsigned char)(1 << number % 8);
	return 0;
}

/* Payload, or an object that must be fetched in another pass. */
static int get_with_care(struct pickle *r, uint32_t number, struct value v)
{
	bool skips = pickle_skips_value(r) && !pickle_sums_value(r);
	bool missing = v.kind == VALUE_ABSENT;

	/* A record that is shared needs all of its members. */
	r->lost |= v.kind == VALUE_DICT && v.items->is_record;
	/* Objects referenced by payload are needed later if the payload is. */
	if (r->reading == 1 && !is_always_kept(v) &&
	    (number < r->element_memo || missing) && need_later(r, number) < 0)
		return r->err->code;
	/* A key may follow a skipped value, and keys are always kept. */
	if (skips || (v.kind != VALUE_STR && pickle_builds_on_skipped(r)))
		return pickle_push_skipped(r, v);
	r->missed |= r->reading == 1 && missing;
	r->lost |= r->reading == 2 && missing;
	if (v.kind == VALUE_ABSENT)
		v = (struct value){.kind = VALUE_SKIPPED};
	return pickle_push(r, v);
}

int pickle_memo_get(struct pickle *r, uint64_t number)
{
	struct value v;

	if (number >= r->memo_n)
		return pickle_bad(r, "memo number %llu was never set",
				  (unsigned long long)number);
	v = pickle_memo_at(r, (uint32_t)number);
	if (v.kind == VALUE_STR && v.n <= PICKLE_SHORT_STRING &&
	    !pickle_skips_value(r))
		return pickle_push(r, v);
	return get_with_care(r, (uint32_t)number, v);
}

/* Keeping ----------------------------------------------------------- */

/* A copy to the long-lived arena, within a budget. */
struct keep {
	struct pickle *r;
	uint64_t left; /* values left in the budget; UINT64_MAX: no limit */
	int depth;
	int code; /* why a complete value is not kept, with r->err filled */
};

/* Some 80 bytes of stack per level. */
_Static_assert(LIMIT_DEPTH <= 50000,
	       "at most 50,000 levels fit a stack of 8 MiB");

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
	made.items->depth = old->depth;
	v->items = made.items;
	if (keep->left == UINT64_MAX) { /* complete: may be shared */
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
	if (made->text.n > 0)
		made->text = arena_str(&keep->r->kept, made->text);
	return (made->text.n == 0 || made->text.p != NULL) &&
	       keep_value(keep, &made->callable) &&
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

/* Returns false if v is not a small object, or keep->code has the reason. */
static bool keep_value(struct keep *keep, struct value *v)
{
	bool whole = keep->left == UINT64_MAX;
	bool deep, ok;

	if (v->kind == VALUE_SKIPPED)
		v->skipped = NULL;
	if (is_always_kept(*v) || v->kind == VALUE_ABSENT)
		return true;
	if (!whole && keep->left-- == 0)
		return false;
	/* Text may be one level below the deepest container. */
	deep = keep->depth > LIMIT_DEPTH;
	keep->depth++;
	ok = !deep && keep_deeper(keep, v);
	keep->depth--;
	if (!ok && whole && keep->code == 0)
		keep->code = deep ? pickle_too_deep(keep->r)
				  : pickle_memory(keep->r);
	return ok;
}

/* Replace *v by the memo's copy after its element is forgotten. */
static int keep_or_forget(struct pickle *r, uint32_t number, struct value *v)
{
	struct keep keep = {.r = r, .left = SMALL_VALUES};
	bool whole = r->reading > 1 && pickle_is_needed(r, number);

	if (v->kind == VALUE_ABSENT || is_always_kept(*v))
		return 0;
	if (whole)
		keep.left = UINT64_MAX;
	if ((whole || (r->reading != 3 && v->kind == VALUE_OBJECT &&
		       r->small_kept < SMALL_OBJECTS)) &&
	    keep_value(&keep, v))
		r->small_kept++;
	else
		*v = forgotten;
	return keep.code;
}

/* Keep or forget the current element's entries on a page. */
static int settle_page(struct pickle *r, uint32_t page)
{
	uint32_t first = page * PAGE;
	uint32_t end = r->memo_n - first < PAGE ? r->memo_n : first + PAGE;
	bool empty = true;

	for (uint32_t i = first; i < end; i++) {
		struct value *v = &r->memo[page]->v[i - first];

		if (i >= r->element_memo && keep_or_forget(r, i, v) < 0)
			return r->err->code;
		empty &= v->kind == VALUE_ABSENT;
	}
	if (empty) {
		free(r->memo[page]);
		r->memo[page] = NULL;
	}
	return 0;
}

/* While reading is 1, nothing later can need the element's containers, only its
 * objects. Returns whether the page was freed. */
static bool forget_containers(struct pickle *r, uint32_t page)
{
	uint32_t first = page * PAGE, at = r->element_memo;
	struct value *v = r->memo[page]->v;
	bool empty = true;

	for (uint32_t i = 0; i < PAGE; i++) {
		if (first + i >= at && v[i].kind >= VALUE_LIST &&
		    v[i].kind <= VALUE_DICT)
			v[i] = forgotten;
		empty &= v[i].kind == VALUE_ABSENT;
	}
	if (empty) {
		free(r->memo[page]);
		r->memo[page] = NULL;
	}
	return empty;
}

void pickle_forget_early(struct pickle *r)
{
	uint32_t first = r->element_memo / PAGE, gone = 0;

	for (uint32_t i = first; i * (uint64_t)PAGE < r->memo_n; i++)
		if (r->reading == 1 && r->memo[i] != NULL)
			gone += forget_containers(r, i);
	if (gone >= MANY_PAGES)
		pages_give_back();
}

int pickle_forget_element(struct pickle *r)
{
	uint32_t first = r->element_memo / PAGE;

	for (uint32_t i = first; i * (uint64_t)PAGE < r->memo_n; i++)
		if (r->memo[i] != NULL && settle_page(r, i) < 0)
			return r->err->code;
	r->element_memo = r->memo_n;
	r->shadow = forgotten;
	r->shadow_before = forgotten;
	arena_reset(&r->element);
	value_records_reset(&r->records);
	return 0;
}
