/*
 * The stack, the marks, and the opcodes that build containers.
 */
#include "base/array.h"
#include "base/limits.h"
#include "fmt/pickle/pickle_parts.h"
#include "fmt/value/value_make.h"

struct arena *pickle_arena(struct pickle *r)
{
	return r->level.open ? &r->element : &r->kept;
}

static int stack_full(struct pickle *r)
{
	return err_at(
		r->err, ERR_LIMIT, ERR_BYTE, (int64_t)pickle_offset(r),
		"more than %zu values on the stack" ERR_RAISE(LIMIT_STACK),
		(size_t)LIMIT_STACK);
}

static int grow_stack(struct pickle *r)
{
	size_t had = r->stack_cap;

	if (had == LIMIT_STACK)
		return stack_full(r);
	if (!ARRAY_GROW(r->stack, had, r->stack_cap))
		return pickle_memory(r);
	if (r->stack_cap > LIMIT_STACK)
		r->stack_cap = LIMIT_STACK;
	return 0;
}

int pickle_push_slowly(struct pickle *r, struct value v)
{
	if (r->skip_marks != 0)
		return pickle_push_skipped(r, v);
	if (r->stack_n == r->stack_cap && grow_stack(r) < 0)
		return r->err->code;
	r->stack[r->stack_n++] = v;
	return PICKLE_GO;
}

int pickle_push_skipped(struct pickle *r, struct value shadow)
{
	if (r->stack_n == r->stack_cap && grow_stack(r) < 0)
		return r->err->code;
	r->shadow_before = r->shadow;
	r->shadow = shadow;
	r->stack[r->stack_n++] = (struct value){.kind = VALUE_SKIPPED};
	return PICKLE_GO;
}

static uint32_t mark_floor(const struct pickle *r)
{
	return r->marks_n == 0 ? 0 : r->marks[r->marks_n - 1];
}

/* The lowest slot an operation may pop. */
static uint32_t floor_of(const struct pickle *r)
{
	uint32_t floor = mark_floor(r);
	bool elements = r->stack_n > r->level.next ||
			r->level.next > r->level.list + 1;

	if (r->level.open && elements && floor < r->level.next)
		floor = r->level.next;
	return floor;
}

void pickle_drop(struct pickle *r, uint32_t n)
{
	r->stack_n -= n;
	if (!r->level.open)
		return;
	if (r->stack_n <= r->level.list)
		r->level.open = false;
	else if (r->stack_n < r->level.next)
		r->level.next = r->stack_n;
}

struct arena *pickle_text_arena(struct pickle *r, uint64_t n)
{
	return n <= PICKLE_SHORT_STRING ? &r->kept : pickle_arena(r);
}

/* room decided where the text was allocated; its length decides how long it is
 * kept. */
struct value pickle_text_in(struct pickle *r, size_t room, const char *p,
			    size_t n)
{
	struct str s = {p, n};

	if (n <= PICKLE_SHORT_STRING && room > PICKLE_SHORT_STRING)
		s = arena_str(&r->kept, s);
	if (s.p == NULL)
		return (struct value){.kind = VALUE_ABSENT};
	return value_str(s);
}

struct value *pickle_pop(struct pickle *r, uint32_t n)
{
	static const struct value payload = {.kind = VALUE_SKIPPED};
	uint32_t here = r->stack_n - floor_of(r);

	if (here < n && r->skip_marks == 0) {
		pickle_bad(r, "an operation without its operands");
		return NULL;
	}
	while (r->stack_n + (n - here) > r->stack_cap && here < n)
		if (grow_stack(r) < 0)
			return NULL;
	for (; here < n; here++) /* numbers that were not pushed */
		r->stack[r->stack_n++] = payload;
	pickle_drop(r, n);
	return r->stack + r->stack_n;
}

struct value *pickle_below(struct pickle *r, uint32_t n)
{
	if (r->stack_n < floor_of(r) + n + 1) {
		pickle_bad(r, "an operation without its operands");
		return NULL;
	}
	return &r->stack[r->stack_n - n - 1];
}

int pickle_pop_mark(struct pickle *r, uint32_t *n)
{
	*n = 0;
	if (r->marks_n == 0)
		return pickle_bad(r, "an operation without its MARK");
	*n = r->stack_n - r->marks[--r->marks_n];
	if (r->marks_n < r->skip_marks)
		r->skip_marks = 0;
	return PICKLE_GO;
}

int pickle_op_mark(struct pickle *r)
{
	if (r->marks_n == LIMIT_STACK)
		return stack_full(r);
	if (!ARRAY_GROW(r->marks, r->marks_n, r->marks_cap))
		return pickle_memory(r);
	r->marks[r->marks_n++] = r->stack_n;
	/* Protocols 0 and 1 require numbers on the stack: they POP them. */
	if (r->batches && r->skip_marks == 0 && pickle_builds_on_skipped(r))
		r->skip_marks = r->marks_n;
	return r->skip_marks != 0 ? pickle_run_of_numbers(r) : PICKLE_GO;
}

static uint32_t depth_of(struct value v)
{
	switch ((enum value_kind)v.kind) {
	case VALUE_LIST:
	case VALUE_TUPLE:
	case VALUE_SET:
	case VALUE_DICT:
		return v.items->depth + 1;
	case VALUE_OBJECT:
		return v.object->depth + 1;
	default:
		return 0;
	}
}

int pickle_too_deep(struct pickle *r)
{
	return err_at(r->err, ERR_LIMIT, ERR_BYTE, (int64_t)pickle_offset(r),
		      "nested deeper than %d levels" ERR_RAISE(LIMIT_DEPTH),
		      LIMIT_DEPTH);
}

/*
 * The depth of a container of n values v. Python's picklers fill a container
 * before adding it to another, so this is its depth; values added later by a
 * forged pickle are not counted, nor is a container inside itself: code that
 * walks a value has its own limit.
 */
int pickle_deepen(struct pickle *r, uint32_t *depth, const struct value *v,
		  uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (v[i].kind >= VALUE_LIST && depth_of(v[i]) > *depth)
			*depth = depth_of(v[i]);
	return *depth < LIMIT_DEPTH ? 0 : pickle_too_deep(r);
}

static int push_new(struct pickle *r, enum value_kind kind,
		    const struct value *v, uint32_t n)
{
	struct value made = value_new(pickle_arena(r), kind, n);

	if (made.kind == VALUE_ABSENT ||
	    !value_push_all(pickle_arena(r), made, v, n))
		return pickle_memory(r);
	if (pickle_deepen(r, &made.items->depth, v, n) < 0)
		return r->err->code;
	made.items->kept = !r->level.open;
	return pickle_push(r, made);
}

static int push_payload(struct pickle *r)
{
	bool sums = pickle_sums_value(r);
	struct value absent = {.kind = VALUE_ABSENT};
	int code = pickle_push_skipped(r, absent);
	struct value_skipped *sum;

	if (code < 0 || !sums)
		return code;
	sum = arena_array(&r->element, 1, sizeof(*sum));
	if (sum == NULL)
		return pickle_memory(r);
	r->stack[r->stack_n - 1].skipped = sum;
	return code;
}

/* Is the list about to be pushed the one to stream? Items of the top dict come
 * one by one, or in a batch above a mark. */
static bool opens_level(const struct pickle *r)
{
	if (r->level.seen)
		return false;
	if (r->stack_n == 0)
		return r->marks_n == 0;
	return r->marks_n <= 1 &&
	       value_is_str(r->stack[r->stack_n - 1], "samples") &&
	       r->stack[0].kind == VALUE_DICT &&
	       (r->stack_n == 2 ||
		(r->marks_n == 1 && r->marks[0] == 1 && r->stack_n % 2 == 0 &&
		 !pickle_may_take_item(r->stack[r->stack_n - 2])));
}

static int push_empty(struct pickle *r, enum value_kind kind)
{
	bool opens = kind == VALUE_LIST && opens_level(r);
	int code;

	if (pickle_skips_value(r) || pickle_builds_on_skipped(r))
		return push_payload(r);
	code = push_new(r, kind, NULL, 0);
	if (code == PICKLE_GO && opens)
		r->level = (struct pickle_level){.open = true,
						 .seen = true,
						 .list = r->stack_n - 1,
						 .marks = r->marks_n,
						 .next = r->stack_n};
	return code;
}

/* Batches for lists and dicts exist from protocol 1 on; protocol 0 uses MARK
 * LIST and MARK DICT. */
int pickle_op_empty(struct pickle *r)
{
	r->batches |= r->argument == VALUE_LIST || r->argument == VALUE_DICT;
	return push_empty(r, r->argument);
}

/* Was a member of a wanted container taken for payload? */
static bool lost_member(const struct pickle *r, const struct value *v,
			uint32_t n)
{
	bool skipped = false;

	for (uint32_t i = 0; i < n; i++)
		skipped |= v[i].kind == VALUE_SKIPPED;
	return skipped && r->reading < 3 && r->filter != NULL &&
	       !pickle_skips_value(r) && !pickle_builds_on_skipped(r);
}

/* A container of these popped members: payload unless its numbers are to be
 * summed. */
static int push_members(struct pickle *r, enum value_kind kind,
			const struct value *v, uint32_t n)
{
	if ((pickle_skips_value(r) && !pickle_sums_value(r)) ||
	    pickle_builds_on_skipped(r))
		return push_payload(r);
	r->lost |= lost_member(r, v, n);
	return push_new(r, kind, v, n);
}

/* A container of everything above the mark. */
int pickle_op_of_mark(struct pickle *r)
{
	enum value_kind kind = r->argument;
	uint32_t n;

	if (pickle_pop_mark(r, &n) < 0)
		return r->err->code;
	if (n == 0)
		return push_empty(r, kind);
	if (kind == VALUE_DICT && n % 2 != 0 && r->skip_marks == 0)
		return pickle_bad(r, "a DICT with a key without value");
	pickle_drop(r, n);
	return push_members(r, kind, r->stack + r->stack_n, n);
}

int pickle_op_tuple(struct pickle *r)
{
	struct value *v = pickle_pop(r, r->argument);

	if (v == NULL)
		return r->err->code;
	return push_members(r, VALUE_TUPLE, v, r->argument);
}

/*
 * An object made outside the streamed list, or kept from an earlier element,
 * must not point into an element that will be freed. Python's picklers fill a
 * container before they continue, so only forged pickles get here.
 */
bool pickle_is_frozen(const struct pickle *r, const struct value *place,
		      bool kept)
{
	return kept && r->level.open && place > &r->stack[r->level.list];
}

/* Where the elements or items of *v are added: itself, or a member of it. */
static struct value *part(struct pickle *r, struct value *v,
			  enum value_kind kind)
{
	bool object = v->kind == VALUE_OBJECT;
	struct value *into = v;

	if (v->kind == VALUE_SKIPPED)
		return v;
	if (object)
		into = kind == VALUE_LIST ? &v->object->list : &v->object->dict;
	else if (v->kind != kind &&
		 !(kind == VALUE_LIST && v->kind == VALUE_SET)) {
		pickle_bad(r, "elements for something that is not a container");
		return NULL;
	}
	if (pickle_is_frozen(r, v, object ? v->object->kept : v->items->kept)) {
		pickle_bad(r, "elements for an object of an earlier sample");
		return NULL;
	}
	if (object && into->kind == VALUE_ABSENT)
		*into = value_new(pickle_arena(r), kind, 0);
	if (into->kind == VALUE_ABSENT) {
		pickle_memory(r);
		return NULL;
	}
	return into;
}

static int add(struct pickle *r, struct value *to, enum value_kind kind,
	       uint32_t n)
{
	struct value *v = r->stack + r->stack_n - n;
	struct value *into;

	if (r->level.open && to < &r->stack[r->level.list]) {
		r->level.open = false;
		r->level.home = to == r->stack && kind == VALUE_DICT;
	}
	into = part(r, to, kind);
	if (into == NULL)
		return r->err->code;
	if (into->kind != VALUE_SKIPPED &&
	    !value_push_all(pickle_arena(r), *into, v, n))
		return pickle_memory(r);
	/* Numbers are on the stack for single items and protocol 1. */
	for (uint32_t i = 0; i < n && into->kind == VALUE_SKIPPED; i++)
		pickle_sum_one(*into, v[i]);
	if (into->kind != VALUE_SKIPPED &&
	    (pickle_deepen(r, &into->items->depth, v, n) < 0 ||
	     (to->kind == VALUE_OBJECT &&
	      pickle_deepen(r, &to->object->depth, into, 1) < 0)))
		return r->err->code;
	r->stack_n -= n;
	return PICKLE_GO;
}

int pickle_op_append(struct pickle *r)
{
	struct value *list;

	if (r->skip_marks != 0)
		return pickle_pop(r, 1) == NULL ? r->err->code : PICKLE_GO;
	if (r->level.open && r->stack_n == r->level.list + 2 &&
	    mark_floor(r) <= r->level.list)
		return PICKLE_CLOSE;
	list = pickle_below(r, 1);
	return list == NULL ? r->err->code : add(r, list, VALUE_LIST, 1);
}

static int add_record(struct pickle *r, struct value_items *record, uint32_t n)
{
	const struct value *v = r->stack + r->stack_n - n;

	if (!pickle_fill_record(r, record, v, n))
		return pickle_memory(r);
	r->stack_n -= n;
	return pickle_deepen(r, &record->depth, v, n);
}

int pickle_op_add_marked(struct pickle *r)
{
	enum value_kind kind = r->argument;
	struct value *to;
	uint32_t n;

	if (r->level.open && kind == VALUE_LIST && r->marks_n > 0 &&
	    mark_floor(r) == r->level.list + 1) {
		r->popping = true;
		return PICKLE_CLOSE;
	}
	if (pickle_pop_mark(r, &n) < 0)
		return r->err->code;
	if (r->skip_marks != 0) {
		r->stack_n -= n;
		return PICKLE_GO;
	}
	if (r->stack_n - n < mark_floor(r) + 1)
		return pickle_bad(r, "an operation without its operands");
	to = &r->stack[r->stack_n - n - 1];
	if (kind == VALUE_DICT && n % 2 != 0 && to->kind != VALUE_SKIPPED)
		return pickle_bad(r, "SETITEMS with a key without value");
	if (kind == VALUE_DICT && pickle_is_record(r, r->stack_n - n - 1))
		return add_record(r, to->items, n);
	return add(r, to, kind, n);
}

int pickle_op_setitem(struct pickle *r)
{
	struct value *dict;

	if (r->skip_marks != 0)
		return pickle_pop(r, 2) == NULL ? r->err->code : PICKLE_GO;
	dict = pickle_below(r, 2);
	return dict == NULL ? r->err->code : add(r, dict, VALUE_DICT, 2);
}
