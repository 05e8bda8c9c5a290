/*
 * The report of a rollout: its perf/ metrics, where its time went, which
 * samples delayed it; for all samples together, or for each group.
 *
 * A digest is built sample by sample and owns everything, including the names
 * of its dump and rollout, so the dump may be closed and several digests be
 * built in parallel.
 */
#ifndef OBS_ROLLOUT_DIGEST_H
#define OBS_ROLLOUT_DIGEST_H

#include <stdbool.h>

#include "base/err.h"
#include "rollout/breakdown.h"
#include "rollout/clock_check.h"
#include "rollout/group_by.h"
#include "rollout/perf.h"
#include "rollout/rollout.h"
#include "rollout/stragglers.h"
#include "rollout/what_if/what_if.h"

/* What to compute; outlives the digests that use it. */
struct digest_plan {
	struct perf_wanted perf;
	bool breakdown;
	bool compares;	    /* breakdown and stragglers are not to be shown */
	int64_t stragglers; /* how many; 0: not wanted */
	const char *by;	    /* a key of group_by.h; NULL: all together */
	const struct what_if_plan *what_if; /* NULL: do not estimate remedies */
};

/* One group of samples, or all of them. */
struct digest_part {
	struct str group;	     /* JSON text of its value; empty for all */
	struct str group_name;	     /* the value as text; empty for none */
	struct perf *perf;	     /* NULL: only its figures are known */
	struct breakdown *breakdown; /* NULL: not wanted; likewise: */
	struct stragglers *stragglers;

	/* Set by digest_end. */
	struct figures figures; /* perf/ */
	uint64_t samples;
	const struct breakdown_figures *times;
	const struct straggler *late;
	size_t late_count;
	struct straggler_medians medians;
};

struct digest {
	const struct digest_plan *plan;
	const char *dump;	 /* as on the command line; borrowed */
	struct str rollout_id;	 /* JSON text: 7, "a", null */
	struct str rollout_name; /* for display: 7, a; empty if there is none */
	struct digest_part *parts;
	size_t count, cap;
	enum group_by by;	     /* of plan->by */
	bool by_found;		     /* something has that key */
	bool any_time;		     /* of an event */
	uint64_t negative_tokens;    /* requests with such a count */
	uint64_t skipped;	     /* unusable parts */
	char what[160];		     /* the first of them */
	struct group_by_names there; /* position of the next sample */
	struct intern groups;	     /* JSON texts, one per part */
	struct intern group_names;   /* of the parts, all different */
	struct span_names names;     /* of all parts */
	struct row_store store;	     /* rows, until their waits are known */
	struct timed_row timed;	     /* one row's spans */
	struct workers workers;
	struct victims victims;
	struct answers answers;	 /* for what_if: requests */
	struct what_if *what_if; /* set by digest_end; NULL: not wanted */
	struct arena arena;	 /* one sample's items */
	struct arena list;	 /* and its events */
	struct buf scratch;
	struct arena text;	  /* rollout_id and other kept texts */
	struct clock_check clock; /* of rows, if they are needed */
};

/* Returns NULL with err filled if out of memory. */
struct digest *digest_new(const struct digest_plan *plan, const char *dump,
			  struct err *err);
void digest_free(struct digest *digest);

/* Add one sample. Returns 0 or an error. */
int digest_add(struct digest *digest, const struct sample *sample,
	       struct err *err);

/* The JSON of the index of a sample that waited for it, i < victim_count. */
struct str victim_sample(const struct digest *digest,
			 const struct straggler *one, size_t i);

/* A complete digest of a rollout of which only figures are known. It copies the
 * dump's name and takes ownership of the figures, even on failure. */
struct digest *digest_given(const struct digest_plan *plan, struct str dump,
			    struct value rollout_id, struct figures *figures,
			    struct err *err);

/* After digest_end: is every figure a count of 0, except the rollout's time? */
bool digest_is_zero(const struct digest *digest);

/* Negative values of its requests. */
struct perf_negatives digest_negatives(const struct digest *digest);

/* Is it an evaluation rather than training, by its dump's name (eval_42.pt)?
 * Trainers number both alike. */
bool digest_is_eval(const struct digest *digest);

/* Append to text that no sample or request has the key of --by, and which keys
 * they have; false, appending nothing, if one has or there are no samples. */
bool digest_lacks_key(const struct digest *digest, struct buf *text);

/* Have these fields of samples read, which the plan needs. */
void digest_want_fields(const struct digest_plan *plan,
			struct rollout *rollout);

/* Does the plan need no other spans of samples than their requests? */
bool digest_needs_requests_only(const struct digest_plan *plan);

/* After the last sample: the dump's rollout id. 0 or an error. */
int digest_end(struct digest *digest, struct value rollout_id, struct err *err);

#endif
