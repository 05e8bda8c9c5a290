/*
 * Objects whose members are known beforehand, read in one walk over their
 * text: a member that is wanted goes to its place, any other is passed over
 * without being built.
 *
 *	enum { TIME, KIND };
 *	static const struct json_member members[] = {
 *		[TIME] = {STR("ts")}, [KIND] = {STR("kind")}};
 *	static const struct json_form event = JSON_FORM(members);
 *
 * Such an object becomes a VALUE_TUPLE of the members in the order of the
 * form: VALUE_ABSENT where it has none, and of equal keys the last. What is
 * no object is built as it is, and so is an object in JSON_FORM_DEPTH others: a
 * form may be one of its own members'.
 */
#ifndef OBS_FMT_JSON_JSON_FORM_H
#define OBS_FMT_JSON_JSON_FORM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "fmt/value/value.h"

enum { JSON_FORM_DEPTH = 256 };

struct json_tree;
struct json_form;

struct json_member {
	struct str name;
	/* Of the object that the member is, or of those in its list; NULL: the
	 * member is built whole. */
	const struct json_form *form;
	bool raw; /* it is checked, and is its JSON text, as VALUE_BYTES */
};

struct json_form {
	const struct json_member *members;
	size_t count;
	/* Instead of members: the object is a VALUE_DICT, whose values have
	 * this form. */
	const struct json_form *each;
};

#define JSON_FORM(array)                                                       \
	{                                                                      \
		.members = (array), .count = sizeof(array) / sizeof(*(array))  \
	}

/* A member of a tuple; VALUE_ABSENT also of what is no object. */
static inline struct value json_form_get(struct value object, size_t member)
{
	return object.kind == VALUE_TUPLE
		       ? object.items->v[member]
		       : (struct value){.kind = VALUE_ABSENT};
}

/* One value, whole, is pushed; as json_tree_read. */
int json_form_read(struct json_tree *tree, const struct json_form *form);

#endif
