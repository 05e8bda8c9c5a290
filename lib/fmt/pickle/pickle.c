#include "fmt/pickle/pickle.h"

#include <stdlib.h>

#include "base/limits.h"
#include "fmt/pickle/pickle_parts.h"

struct pickle *pickle_open(struct byte_source *source,
			   const struct value_filter *filter)
{
	struct pickle *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	r->source = source;
	r->filter = filter;
	r->reading = 1;
	r->kept = arena_new(LIMIT_KEPT);
	r->element = arena_new(LIMIT_SAMPLE);
	r->records.arena = arena_new(LIMIT_SAMPLE);
	r->scratch = buf_new(LIMIT_STRING);
	r->classes = intern_new(LIMIT_KEPT);
	return r;
}

void pickle_read_storages(struct pickle *r, struct pickle_storages *storages)
{
	r->storages = storages;
}

static void release(struct pickle *r)
{
	buf_free(&r->scratch);
	arena_free(&r->kept);
	arena_free(&r->element);
	arena_free(&r->records.arena);
	free(r->stack);
	free(r->marks);
	pickle_memo_free(r);
}

void pickle_close(struct pickle *r)
{
	if (r == NULL)
		return;
	release(r);
	intern_free(&r->classes);
	free(r->later);
	free(r);
}

/* Restart from the first byte, knowing which objects later elements need. */
static int read_again(struct pickle *r)
{
	int reading = r->lost ? 3 : 2;
	struct pickle fresh = {.source = r->source,
			       .filter = r->filter,
			       .storages = r->storages,
			       .classes = r->classes,
			       .later = r->later,
			       .later_bytes = r->later_bytes,
			       .reading = reading,
			       .given = r->given,
			       .kept = arena_new(LIMIT_KEPT),
			       .element = arena_new(LIMIT_SAMPLE),
			       .records.arena = arena_new(LIMIT_SAMPLE),
			       .scratch = buf_new(LIMIT_STRING),
			       .err = r->err};

	release(r);
	*r = fresh;
	return r->source->rewind(r->source, r->err);
}

/* Does op begin another element, so the one on top is complete? */
static bool element_ends(const struct pickle *r, unsigned char op)
{
	uint8_t kind = r->stack[r->stack_n - 1].kind;

	if (kind == VALUE_DICT)
		return op == '}';
	/* Without a state, the top may be the class of the next object. */
	if (kind != VALUE_OBJECT ||
	    r->stack[r->stack_n - 1].object->state.kind == VALUE_ABSENT)
		return false;
	if (op == 'c')
		return true;
	return op == 'h' && r->p + 1 < r->end &&
	       (unsigned char)r->p[1] < r->memo_n &&
	       pickle_memo_at(r, (unsigned char)r->p[1]).kind == VALUE_GLOBAL;
}

/* Is an element complete, given the next op? */
static bool element_is_complete(const struct pickle *r, unsigned char op)
{
	return r->stack_n == r->level.next + 1 && r->level.open &&
	       r->marks_n == r->level.marks + 1 &&
	       r->marks[r->level.marks] == r->level.list + 1 &&
	       element_ends(r, op);
}

/* Run opcodes up to the next event. */
static int run(struct pickle *r)
{
	int event = PICKLE_GO;

	while (event == PICKLE_GO) {
		const struct pickle_opcode *operate;

		if (r->p == r->end && pickle_refill(r) < 0)
			return r->err->code;
		if (element_is_complete(r, (unsigned char)*r->p))
			return PICKLE_ELEMENT;
		operate = &pickle_ops[(unsigned char)*r->p];
		if (operate->run == NULL)
			return pickle_bad(r, "unknown opcode 0x%02x",
					  (unsigned char)*r->p);
		r->p++;
		r->argument = operate->argument;
		event = operate->run(r);
	}
	return event;
}

/* Take the element at level.next off the stack, leaving its slot. */
static struct value take_element(struct pickle *r)
{
	struct value *place = &r->stack[r->level.next++];
	struct value element = *place;

	*place = (struct value){.kind = VALUE_SKIPPED};
	return element;
}

/* All elements of a batch were returned: finish its APPENDS or APPEND. */
static int end_batch(struct pickle *r)
{
	uint32_t n;

	if (r->popping && pickle_pop_mark(r, &n) < 0)
		return r->err->code;
	r->stack_n = r->level.list + 1;
	r->level.next = r->stack_n;
	r->closing = false;
	r->popping = false;
	return pickle_forget_element(r);
}

/* The next element of a list that was not streamed: the top itself, or its
 * "samples". */
static int next_of_whole(struct pickle *r, struct value *element)
{
	struct value all = r->top;

	if (r->level.seen)
		return 0;
	if (all.kind == VALUE_DICT)
		all = value_get(all, "samples");
	if ((all.kind != VALUE_LIST && all.kind != VALUE_TUPLE) ||
	    r->top_next == all.items->n)
		return 0;
	*element = all.items->v[r->top_next++];
	return 1;
}

/* One step: 1 with an element, 0 to continue, 2 at the end, or an error. */
static int step(struct pickle *r, struct value *element)
{
	int event;

	if (r->early) {
		r->early = false;
		if (pickle_forget_element(r) < 0)
			return r->err->code;
	}
	if (r->closing) {
		if (r->level.next >= r->stack_n)
			return end_batch(r);
		*element = take_element(r);
		return 1;
	}
	event = run(r);
	if (event < 0)
		return event;
	if (event == PICKLE_ELEMENT || event == PICKLE_CLOSE)
		pickle_forget_early(r);
	if (event == PICKLE_ELEMENT) {
		r->early = true;
		*element = take_element(r);
		return 1;
	}
	r->closing = event == PICKLE_CLOSE;
	r->stopped = event == PICKLE_STOP;
	return r->stopped ? 2 : 0;
}

static int next_element(struct pickle *r, struct value *element)
{
	int got;

	do
		got = r->stopped ? 2 : step(r, element);
	while (got == 0);
	if (got == 2)
		got = next_of_whole(r, element);
	r->passed += got == 1;
	return got;
}

int pickle_next(struct pickle *r, struct value *element, struct err *err)
{
	int got;

	r->err = err;
	for (;;) {
		got = next_element(r, element);
		/* The needed objects are known only at the end. */
		if ((got == 0 && (r->missed || r->lost)) ||
		    (got >= 0 && r->lost && r->reading == 2)) {
			if (read_again(r) < 0)
				return err->code;
			continue;
		}
		if (got == 1 && (r->missed || r->lost || r->passed <= r->given))
			continue; /* read only to learn, or already returned */
		r->given += got == 1;
		return got;
	}
}

int pickle_skip_one(struct byte_source *source,
		    struct pickle_storages *storages, uint64_t *size,
		    struct err *err)
{
	struct pickle *r = pickle_open(source, NULL);
	struct value element;
	int got;

	if (r == NULL)
		return err_memory(err);
	pickle_read_storages(r, storages);
	do
		got = pickle_next(r, &element, err);
	while (got == 1);
	*size = pickle_offset(r);
	pickle_close(r);
	return got;
}

struct value_records *pickle_records(struct pickle *r)
{
	bool alone = r->early || (r->closing && r->level.next >= r->stack_n);

	return alone ? &r->records : NULL;
}

uint64_t pickle_end(const struct pickle *r)
{
	return r->stopped ? pickle_offset(r) : 0;
}

const struct intern *pickle_classes(const struct pickle *r)
{
	return &r->classes;
}

struct value pickle_top(const struct pickle *r)
{
	return r->top;
}

enum pickle_list pickle_list_kind(const struct pickle *r)
{
	struct value all = r->top;
	bool inside = all.kind == VALUE_DICT;

	if (r->level.seen)
		return r->level.list == 0 ? PICKLE_TOP_LIST : PICKLE_SAMPLES;
	if (inside)
		all = value_get(all, "samples");
	if (all.kind != VALUE_LIST && all.kind != VALUE_TUPLE)
		return PICKLE_NO_LIST;
	return inside ? PICKLE_SAMPLES : PICKLE_TOP_LIST;
}

struct value pickle_top_get(const struct pickle *r, const char *key)
{
	uint32_t end = r->level.list;

	if (r->top.kind == VALUE_DICT)
		return value_get(r->top, key);
	if (!r->level.seen || r->stack_n < end)
		return (struct value){.kind = VALUE_ABSENT};
	for (uint32_t i = 1; i + 1 < end; i += 2)
		if (value_is_str(r->stack[i], key))
			return r->stack[i + 1];
	return value_get(r->stack[0], key);
}
