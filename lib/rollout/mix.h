/*
 * Records from a separate file, merged into a dump of the same rollout.
 *
 * Records join the sample of the dump that has their trace id; those without
 * a trace id the one whose index is their sample id (its position in the dump,
 * if it has no index), and so do all others if the dump's sample has no trace
 * id. They follow the sample's own events. Records left at the end of the dump
 * become additional samples, at the positions after the dump's: attempts
 * abandoned by the trainer are not in its dump, but took time.
 *
 * A file of records may be that of many rollouts, or have a stray one. If any
 * record is in the time of the dump, to a minute, those an hour or more outside
 * of it are skipped, and so are samples that are not in the dump and lie a
 * minute or more outside. If none is, the clocks differ: nothing is skipped.
 *
 * A mixed sample lives until the next one.
 */
#ifndef OBS_ROLLOUT_MIX_H
#define OBS_ROLLOUT_MIX_H

#include "rollout/records.h"
#include "rollout/rollout.h"

struct mix {
	struct records *records; /* owned */
	bool *joined;		 /* by sample of records; NULL: not yet */
	size_t next;		 /* of the remaining ones */
	uint64_t samples;	 /* seen so far */
	struct interval own;	 /* the time span of the dump's own events */
	bool any_near;		 /* a record is in it; set with the first: */
	size_t far, elsewhere;	 /* skipped: single records, those of samples */
	double before, after;	 /* how far outside of own, in seconds */
	struct arena arena;
};

/* Takes ownership of the records, which are read before the first sample. */
struct mix mix_new(struct records *records);
void mix_free(struct mix *mix);

/* Restart at the dump's first sample. */
void mix_rewind(struct mix *mix);

/* May records be so far apart that the time of the dump must be known before
 * the first sample is mixed? If so, have it see all samples, then settle. */
bool mix_must_see(const struct mix *mix);
int mix_see(struct mix *mix, const struct sample *sample, struct err *err);
void mix_settle(struct mix *mix);

/* Add the records of a sample of the dump. 0 or an error. */
int mix_add(struct mix *mix, struct sample *sample, struct err *err);

/* The next sample from unused records: 1, 0 at the end, or an error. */
int mix_next(struct mix *mix, struct sample *sample, struct err *err);

#endif
