/*
 * Rollouts that obs-perfsum wrote as JSON, read back: an object each, one or
 * many (JSONL), told by their first member, "dump", or by any that is a perf/
 * key. Whatever prints or sorts JSON in between may have passed them on.
 *
 * Of an object count "dump", "rollout_id", the numbers whose keys begin with
 * perf/, and "approximate". null and NaN are figures that are not there, and an
 * object without any figure is an error.
 */
#ifndef OBS_ROLLOUT_SAVED_H
#define OBS_ROLLOUT_SAVED_H

#include <stdbool.h>

#include "base/err.h"
#include "base/source.h"
#include "fmt/value/value.h"
#include "rollout/figures.h"

struct saved;

/* Is that how such a file begins? */
bool saved_detect(struct str head);

/* A reader of what the source gives, which is borrowed; NULL: no memory. */
struct saved *saved_open(struct byte_source *source);
void saved_close(struct saved *saved);

struct saved_rollout {
	struct figures figures;	 /* the caller's to free */
	struct value dump;	 /* a name where it is a text */
	struct value rollout_id; /* both live until the next call */
};

/* The next rollout: 1, 0 at the end, or an error. After one that
 * saved_can_continue says is of one line the reading may go on. */
int saved_next(struct saved *saved, struct saved_rollout *rollout,
	       struct err *err);
bool saved_can_continue(const struct saved *saved);

#endif
