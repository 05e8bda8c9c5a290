/*
 * JSON values of any form, built or skipped, under json_read.c; private to the
 * JSON reader. There is no recursion: open containers are on an explicit stack,
 * and values are kept in `pending` until their container closes and its size is
 * known.
 *
 * Functions return 0, or as documented, or a negative error code with t.err
 * filled. They push one value on `pending`, unless arena is NULL, which means
 * to skip values.
 */
#ifndef OBS_FMT_JSON_JSON_TREE_H
#define OBS_FMT_JSON_JSON_TREE_H

#include "base/arena.h"
#include "fmt/json/json_form.h"
#include "fmt/json/json_token.h"
#include "fmt/value/value.h"

enum { JSON_KNOWN = 2 }; /* values that are known at a time */

struct frame;

struct json_tree {
	struct json_tokens t;
	struct arena *arena;   /* the caller's; NULL while skipping */
	struct value *pending; /* owned */
	size_t count, cap;
	struct frame *frames; /* owned; the open containers */
	size_t depth, frame_cap;
	const struct str *lean; /* keys whose values are skipped; borrowed */
	size_t lean_count;
	const struct json_form *form; /* for json_tree_parse; else NULL */
	bool borrow;		      /* texts may point into the source */
	/* Objects or lists that are known to be valid: a raw member that is one
	 * of them is not checked again. Borrowed. */
	struct str known[JSON_KNOWN];
	bool skip_next; /* the next value is one of those */
	bool payload;	/* skipping inside a sample: bounded by LIMIT_STACK */
};

void json_tree_init(struct json_tree *tree, struct byte_source *source);
void json_tree_free(struct json_tree *tree);

/* Read the value at the start of text, like json_parse_lean: a tree reused for
 * many texts allocates once. Texts of the value are parts of `text` if the tree
 * borrows. */
int json_tree_parse(struct json_tree *tree, struct str text, struct arena *a,
		    struct value *v, size_t *used, struct err *err);

int json_tree_push(struct json_tree *tree, struct value v);

/* Push a copy of a text (unless the tree borrows it) in a block or in the token
 * buffer. */
int json_tree_push_text(struct json_tree *tree, enum value_kind kind,
			struct str s);

/* The text, number or word that begins with the next byte c, as a value. */
int json_tree_scalar(struct json_tree *tree, int c, struct value *v);

/* The error after a failed allocation. */
int json_tree_no_memory(struct json_tree *tree);

/* Consume the bracket that opens or closes a container. */
int json_tree_open(struct json_tree *tree, bool dict);
int json_tree_close(struct json_tree *tree);

/* Consume the colon after a key, which usually is next. */
int json_tree_colon_slow(struct json_tree *tree);

static inline int json_tree_colon(struct json_tree *tree)
{
	if (tree->t.p == tree->t.end || *tree->t.p != ':')
		return json_tree_colon_slow(tree);
	tree->t.p++;
	return 0;
}

/* One complete value: built, or (pushing VALUE_SKIPPED) skipped. */
int json_tree_read(struct json_tree *tree);
int json_tree_skip(struct json_tree *tree);

/* A scalar is built, a container skipped; with _sum, a flat list of numbers
 * keeps its count and sum. */
int json_tree_read_scalar(struct json_tree *tree);
int json_tree_read_sum(struct json_tree *tree);

#endif
