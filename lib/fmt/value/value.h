/*
 * A decoded value: the data of a pickle or a JSON text.
 *
 * One small struct, passed by value. Its pointers are into the reader's arena
 * for the sample, which is reset for the next one. Lists, dicts and objects may
 * be shared and may contain themselves (pickles allow it), so code that walks a
 * value must bound the depth.
 *
 * Nothing here is ever called: a class or function named by a pickle is a
 * VALUE_GLOBAL, the result of calling it a VALUE_OBJECT.
 */
#ifndef OBS_FMT_VALUE_VALUE_H
#define OBS_FMT_VALUE_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

enum value_kind {
	VALUE_ABSENT, /* no value: a missing key */
	VALUE_NONE,   /* None, null */
	VALUE_BOOL,
	VALUE_INT,
	VALUE_BIGINT, /* beyond int64: p, n are its decimal digits, with sign */
	VALUE_FLOAT,
	VALUE_STR,   /* p, n: UTF-8; lone surrogates as three bytes ED xx xx */
	VALUE_BYTES, /* p, n */
	VALUE_LIST,
	VALUE_TUPLE,
	VALUE_SET,
	VALUE_DICT,   /* items: key, value, key, value, ... in order */
	VALUE_GLOBAL, /* module.name: a class or a function, never called */
	VALUE_OBJECT, /* the result of calling a class or function */
	VALUE_SKIPPED /* unwanted payload; see value_skipped */
};

struct value {
	uint8_t kind; /* enum value_kind */
	uint32_t n;   /* bytes at p */
	union {
		bool b;
		int64_t i;
		double f;
		const char *p;
		struct value_items *items;
		struct value_global *global;
		struct value_object *object;
		struct value_skipped *skipped; /* may be NULL */
	};
};

/* The elements of a list, tuple or set; a dict's keys and values. */
struct value_items {
	struct value *v;
	uint32_t n; /* values in v: twice the pairs of a dict */
	uint32_t cap;
	bool kept;	/* for the pickle reader: outlives the element */
	bool moved;	/* likewise: v is the replacing struct value_items */
	bool entered;	/* for value_enter */
	bool is_record; /* v is in the memory of a struct value_records */
	uint32_t depth; /* for the pickle reader: levels below this one */
};

struct value_global {
	struct str module;
	struct str name;
};

/* callable(args) and its later additions. */
struct value_object {
	struct value callable; /* usually VALUE_GLOBAL */
	struct value args;     /* usually VALUE_TUPLE */
	struct value state;    /* BUILD's argument, else VALUE_ABSENT */
	struct value list;     /* appended elements, else VALUE_ABSENT */
	struct value dict;     /* set items, else VALUE_ABSENT */
	struct value number;   /* of a single-element tensor, else ABSENT */
	struct str text;       /* and as Python prints it */
	bool kept;	       /* as in struct value_items */
	bool moved;	       /* replaced by state.object */
	uint32_t depth;
};

/* A skipped value, if it was a flat list of numbers. */
struct value_skipped {
	uint64_t count;
	double sum;
};

/* Begin and end a walk over a container. False if one is already in progress:
 * the container contains itself. */
static inline bool value_enter(struct value_items *items)
{
	bool first = !items->entered;

	items->entered = true;
	return first;
}

static inline void value_leave(struct value_items *items)
{
	items->entered = false;
}

/* The text of a str, bytes or bigint value. */
static inline struct str value_text(struct value v)
{
	return str_make(v.p, v.n);
}

static inline bool value_is_str(struct value v, const char *text)
{
	return v.kind == VALUE_STR && str_is(value_text(v), text);
}

/* The value of the last key equal to the text, else VALUE_ABSENT; also for
 * values that are not a dict. */
struct value value_find(struct value dict, struct str key);

/* The same. Inline, so the length of a literal is a constant. */
static inline struct value value_get(struct value dict, const char *key)
{
	return value_find(dict, str_of(key));
}

#endif
