/*
 * A parsed filter: built by row_filter_read.c, used by row_filter.c, private to
 * these.
 */
#ifndef OBS_ROLLOUT_ROW_FILTER_PARTS_H
#define OBS_ROLLOUT_ROW_FILTER_PARTS_H

#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "rollout/row_filter.h"
#include "rollout/worker.h"

enum op { OP_NONE, OP_HAS, OP_IS, OP_LESS, OP_MOST, OP_MORE, OP_LEAST };

enum filter_key {
	KEY_TEXT, /* no key: bare text */
	KEY_STATUS,
	KEY_SOURCE,
	KEY_LABEL,
	KEY_INDEX,
	KEY_GROUP,
	KEY_TOKENS,
	KEY_REWARD,
	KEY_WORKER,
	KEY_DUR,
	KEY_NAME,
	KEY_ATTEMPT,
	KEYS
};

enum term_place { OF_ROW, OF_ONE_SPAN, OF_NO_SPAN };

struct filter_term {
	size_t at; /* byte in the text, for messages */
	bool negated, quoted;
	enum op op;
	enum filter_key key;
	enum term_place place;
	struct str path;  /* of reward.PATH, else empty */
	struct str value; /* in lower case */
	double number;	  /* NaN if the value is not a number */
};

struct row_filter {
	struct arena arena;
	struct filter_term *terms;
	size_t n;
	bool has_spans; /* a term OF_ONE_SPAN */
	struct workers workers;
	struct buf text;    /* of a value */
	struct err failure; /* why one could not be converted */
};

#endif
