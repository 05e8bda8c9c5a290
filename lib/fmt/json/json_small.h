/*
 * Small JSON documents (RFC 8259), whole in memory: answers and requests of
 * routers, workers and service discovery. Rollouts go through the streaming
 * readers instead. cJSON does the work and stays behind this header.
 *
 * Ownership: a document is freed by its root; values and texts inside borrow
 * from it. Every reading function takes NULL for "no such value" and answers
 * as for a value of another kind, so that members can be followed without a
 * test at each step. Of two members of one name the first counts.
 */
#ifndef OBS_FMT_JSON_JSON_SMALL_H
#define OBS_FMT_JSON_JSON_SMALL_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

struct json_small; /* a value of any kind */

/* Read one document; blanks may follow it. NULL on error: ERR_INPUT with the
 * byte offset. The caller frees it. */
struct json_small *json_small_parse(struct str text, struct err *err);
void json_small_free(struct json_small *root);

bool json_small_is_array(const struct json_small *value);

/* A member of an object by name; NULL when there is none. */
const struct json_small *json_small_member(const struct json_small *object,
					   const char *name);

/* The first item or member, and the one after; NULL at the end. */
const struct json_small *json_small_first(const struct json_small *parent);
const struct json_small *json_small_next(const struct json_small *value);

/* The name of a member; NULL for an item of an array. */
const char *json_small_name(const struct json_small *value);

/* The text of a string; p is NULL for any other kind. */
struct str json_small_text(const struct json_small *value);

/* Is it a number, and which? A string of digits counts as one: protobuf's
 * JSON mapping writes int64 so. */
bool json_small_number(const struct json_small *value, double *number);

/* Is it the literal false, or true? */
bool json_small_is_false(const struct json_small *value);
bool json_small_is_true(const struct json_small *value);

/* Building: each returns the value made, owned by parent, or NULL when memory
 * ran out; a NULL parent gives NULL, so that one test at the end will do.
 * name is NULL when parent is an array. */
struct json_small *json_small_new_array(void);
struct json_small *json_small_new_object(void);
struct json_small *json_small_add_object(struct json_small *parent,
					 const char *name);
struct json_small *json_small_add_array(struct json_small *parent,
					const char *name);
struct json_small *json_small_add_text(struct json_small *parent,
				       const char *name, const char *text);

struct json_small *json_small_add_number(struct json_small *parent,
					 const char *name, double number);
struct json_small *json_small_add_bool(struct json_small *parent,
				       const char *name, bool value);

/* Append the document, indented when pretty. Returns 0 or ERR_MEMORY. */
int json_small_print(const struct json_small *root, bool pretty,
		     struct buf *out, struct err *err);

/* Of cJSON. */
const char *json_small_version(void);

#endif
