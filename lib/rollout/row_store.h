/*
 * The rows of a dump, packed until all are known: a sample's waits depend on
 * the other samples of its group, which may be anywhere in the dump. A span
 * takes about 12 bytes (time differences as varints), a row 80 and the texts of
 * its index and group.
 */
#ifndef OBS_ROLLOUT_ROW_STORE_H
#define OBS_ROLLOUT_ROW_STORE_H

#include "base/buf.h"
#include "rollout/timed_row.h"

enum { ROW_NO_GROUP = UINT32_MAX, ROW_NO_WORKER = UINT32_MAX };

struct stored_row {
	uint64_t row_id;    /* position of the sample in its dump */
	uint32_t sample;    /* text of its index, in texts */
	uint32_t group;	    /* in texts; ROW_NO_GROUP: it has none */
	bool indexed;	    /* its index is not null */
	bool is_stray;	    /* not a sample of the dump; see sample.h */
	uint32_t part;	    /* from the caller, unchanged: */
	uint32_t worker;    /* ROW_NO_WORKER: unknown */
	double tokens;	    /* NaN: unknown */
	int64_t start, end; /* us, over all items */
	size_t at;	    /* of its spans in packed */
};

struct row_store {
	struct stored_row *rows; /* in dump order */
	size_t count, cap;
	struct buf packed;
	struct intern texts; /* JSON of indexes and groups */
	uint32_t *uses;	     /* by text: the rows with that index */
	size_t use_cap;
	struct buf scratch;
};

struct row_store row_store_new(void);
void row_store_free(struct row_store *store);

/* Store a row with the caller's facts: part, worker, tokens and is_stray of
 * about are used. Returns 0 or an error. */
int row_store_add(struct row_store *store, const struct row *row,
		  const struct timed_row *timed, const struct stored_row *about,
		  struct err *err);

/* Unpack the spans of a stored row. 0 or ERR_MEMORY. */
int row_store_get(const struct row_store *store, const struct stored_row *row,
		  struct timed_row *timed, struct err *err);

/* How many spans it has. */
size_t stored_row_spans(const struct row_store *store,
			const struct stored_row *row);

/* JSON text of its index and of its group (null: none). */
struct str stored_row_sample(const struct row_store *store,
			     const struct stored_row *row);
struct str stored_row_group(const struct row_store *store,
			    const struct stored_row *row);

/* Does another row have the same index? */
bool stored_row_repeats(const struct row_store *store,
			const struct stored_row *row);

#endif
