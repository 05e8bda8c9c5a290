/*
 * Objects with known members, read in one pass over their text: a wanted member
 * is stored at its index, any other is skipped without being built.
 *
 *	enum { TIME, KIND };
 *	static const struct json_member members[] = {
 *		[TIME] = {.key = JSON_KEY("ts")}, ...};
 *	static const struct json_form event = JSON_FORM(members);
 *
 * Such an object becomes a VALUE_TUPLE of the members in the order of the form:
 * VALUE_ABSENT if missing, and the last of duplicate keys. Other values are
 * built normally, and so is an object nested in JSON_FORM_DEPTH others: a form
 * may refer to itself.
 */
#ifndef OBS_FMT_JSON_JSON_FORM_H
#define OBS_FMT_JSON_JSON_FORM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/array.h"
#include "base/str.h"
#include "fmt/value/value.h"

enum { JSON_FORM_DEPTH = 256 };

struct json_tree;
struct json_form;

struct json_member {
	struct str key; /* as it is written: JSON_KEY of its name */
	/* The form of the member's object, or of those in its list; NULL: build
	 * the whole member. */
	const struct json_form *form;
	bool raw; /* check it and keep its JSON text, as VALUE_BYTES */
};

struct json_form {
	const struct json_member *members;
	size_t count;
	/* Instead of members: the object is a VALUE_DICT whose values have this
	 * form. */
	const struct json_form *each;
};

#define JSON_KEY(name) STR("\"" name "\":")

enum { JSON_KEY_MARKS = 3 }; /* bytes of a key that are not its name */

#define JSON_FORM(array)                                                       \
	{                                                                      \
		.members = (array), .count = ARRAY_SIZE(array)                 \
	}

/* A member of a tuple; VALUE_ABSENT also if it is not an object. */
static inline struct value json_form_get(struct value object, size_t member)
{
	return object.kind == VALUE_TUPLE
		       ? object.items->v[member]
		       : (struct value){.kind = VALUE_ABSENT};
}

/* Push one complete value; like json_tree_read. */
int json_form_read(struct json_tree *tree, const struct json_form *form);

#endif
