/*
 * Rollouts saved by obs-perfsum as JSON: one object each, one or many (JSONL),
 * detected by their first member, "dump", or by any perf/ key, since other
 * programs may have reformatted or sorted the JSON.
 *
 * "dump", "rollout_id", numbers whose keys begin with perf/, and "approximate"
 * are used. null and NaN are missing figures, and an object without any figure
 * is an error.
 */
#ifndef OBS_ROLLOUT_SAVED_H
#define OBS_ROLLOUT_SAVED_H

#include <stdbool.h>

#include "base/err.h"
#include "base/source.h"
#include "fmt/value/value.h"
#include "rollout/figures.h"

struct saved;

/* Does such a file begin like this? */
bool saved_detect(struct str head);

/* A reader of the source, which is borrowed; NULL: no memory. */
struct saved *saved_open(struct byte_source *source);
void saved_close(struct saved *saved);

struct saved_rollout {
	struct figures figures;	 /* freed by the caller */
	struct value dump;	 /* its name, if it is a text */
	struct value rollout_id; /* both are valid until the next call */
};

/* The next rollout: 1, 0 at the end, or an error. If saved_can_continue says
 * that the error is in one line only, reading may continue. */
int saved_next(struct saved *saved, struct saved_rollout *rollout,
	       struct err *err);
bool saved_can_continue(const struct saved *saved);

#endif
