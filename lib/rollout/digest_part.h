/*
 * The parts of a digest: one for all samples or, with a key of group_by.h, one
 * for each value. Private to digest.c.
 */
#ifndef OBS_ROLLOUT_DIGEST_PART_H
#define OBS_ROLLOUT_DIGEST_PART_H

#include "rollout/digest.h"
#include "rollout/sample_trace.h"

/* Add a part without a value. 0 or ERR_MEMORY. */
int digest_part_add(struct digest *digest, struct err *err);
void digest_part_free(struct digest_part *part);

/* Do the requests of one sample belong to several parts? */
bool digest_splits(const struct digest *digest);

/*
 * Add the requests of a sample to the part of its value or, if they are split,
 * each to that of its own. row: of the sample; NULL if it has none or they are
 * split. Returns the part of the sample, which is that of its last request, or
 * NULL with err filled.
 */
struct digest_part *digest_place(struct digest *digest,
				 const struct sample *sample,
				 const struct sample_trace *trace,
				 const struct row *row, struct err *err);

#endif
