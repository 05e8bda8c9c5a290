/*
 * Records of a file of their own beside a dump of the same rollout.
 *
 * Records join the sample of the dump that has their trace id; those without
 * a trace id the one whose index is their sample id (its position in the dump,
 * where it has no index), and so do all others when the dump has no trace id
 * for it. They come behind the sample's own events. What is left when the dump
 * has ended are samples of their own, with positions that go on from the
 * dump's: attempts that the trainer gave up are not in its dump, but took their
 * time.
 *
 * A mixed sample lives until the next one.
 */
#ifndef OBS_ROLLOUT_MIX_H
#define OBS_ROLLOUT_MIX_H

#include "rollout/records.h"
#include "rollout/rollout.h"

struct mix {
	struct records *records; /* owned */
	bool *joined;		 /* by sample of records; NULL: none yet */
	size_t next;		 /* of those that may be left */
	uint64_t samples;	 /* seen so far */
	struct interval own;	 /* when the dump's own events happened */
	struct arena arena;
};

/* Takes over the records, which are read before the first sample is. */
struct mix mix_new(struct records *records);
void mix_free(struct mix *mix);

/* Begin anew, with the dump's first sample. */
void mix_rewind(struct mix *mix);

/* Add the records that belong to a sample of the dump. 0 or an error. */
int mix_add(struct mix *mix, struct sample *sample, struct err *err);

/* The next sample of records that joined none: 1, 0 at the end, or an
 * error. */
int mix_next(struct mix *mix, struct sample *sample, struct err *err);

#endif
