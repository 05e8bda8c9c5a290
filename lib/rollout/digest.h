/*
 * What is reported of a rollout: its perf/ metrics, where its time went, which
 * samples held it up; of all samples together, or of each group of them.
 *
 * A digest is made from samples one by one and stands by itself: it owns what
 * it holds, the names of its dump and rollout included, so that the dump may
 * be closed and digests of several dumps be made side by side.
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

/* What is asked for; outlives the digests made by it. */
struct digest_plan {
	struct perf_wanted perf;
	bool breakdown;
	int64_t stragglers; /* how many; 0: none are asked for */
	const char *by;	    /* a key of group_by.h; NULL: all together */
	const struct what_if_plan *what_if; /* NULL: nothing is priced */
};

/* One group of samples, or all of them. */
struct digest_part {
	struct str group;	     /* JSON text of its value; of all: empty */
	struct str group_name;	     /* the value as text; empty for none */
	struct perf *perf;	     /* NULL: only its figures are known */
	struct breakdown *breakdown; /* NULL: not asked for; likewise: */
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
	const char *dump;	 /* as given on the command line; borrowed */
	struct str rollout_id;	 /* JSON text: 7, "a", null */
	struct str rollout_name; /* for people: 7, a; empty when there is none */
	struct digest_part *parts;
	size_t count, cap;
	enum group_by by;	     /* of plan->by */
	bool by_found;		     /* something has that key */
	bool any_time;		     /* of an event */
	uint64_t skipped;	     /* parts that could not be used */
	char what[160];		     /* the first of them */
	struct group_by_names there; /* looked at until then */
	struct intern groups;	     /* JSON texts; a part each */
	struct intern group_names;   /* of the parts, each another */
	struct span_names names;     /* of all parts */
	struct row_store store;	     /* rows, until their waits are known */
	struct timed_row timed;	     /* one row's spans */
	struct workers workers;
	struct victims victims;
	struct answers answers;	 /* for what_if: requests */
	struct what_if *what_if; /* set by digest_end; NULL: not asked */
	struct arena arena;	 /* one sample's events and items */
	struct buf scratch;
	struct arena text;	  /* rollout_id and what else is kept */
	struct clock_check clock; /* of rows, where they are looked at */
};

/* Returns NULL with err filled when memory ran out. */
struct digest *digest_new(const struct digest_plan *plan, const char *dump,
			  struct err *err);
void digest_free(struct digest *digest);

/* Take one sample in. Returns 0 or an error. */
int digest_add(struct digest *digest, const struct sample *sample,
	       struct err *err);

/* The JSON of the index of a sample that waited for it, i < victim_count. */
struct str victim_sample(const struct digest *digest,
			 const struct straggler *one, size_t i);

/* A whole digest of a rollout of which only figures are known. It copies the
 * dump's name and takes the figures over, also when it fails. */
struct digest *digest_given(const struct digest_plan *plan, struct str dump,
			    struct value rollout_id, struct figures *figures,
			    struct err *err);

/* After digest_end: is every figure a count of 0, but for the rollout's time? */
bool digest_is_zero(const struct digest *digest);

/* Requests of a dump whose queue_time is negative. */
uint64_t digest_negative_queues(const struct digest *digest);

/* Is it of an evaluation rather than of training, by its dump's name
 * (eval_42.pt)? Trainers number both alike. */
bool digest_is_eval(const struct digest *digest);

/* Append to text that no sample and no request has the key of --by, and what
 * they have; false, and nothing, when one has or there are no samples. */
bool digest_lacks_key(const struct digest *digest, struct buf *text);

/* Read these fields of the samples as well, which the plan needs. */
void digest_want_fields(const struct digest_plan *plan,
			struct rollout *rollout);

/* After the last sample: the rollout's id as the dump has it. 0 or an error. */
int digest_end(struct digest *digest, struct value rollout_id, struct err *err);

#endif
