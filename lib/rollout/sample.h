/*
 * One sample of a rollout dump: the fields used by programs.
 *
 * Source of the shape: slime's slime/utils/types.py (Sample), read at
 * 624b824a8. Samples may be dicts or pickled objects.
 */
#ifndef OBS_ROLLOUT_SAMPLE_H
#define OBS_ROLLOUT_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "fmt/value/value.h"
#include "fmt/value/value_filter.h"

struct events; /* rollout/sample_trace.h */
struct value_records;

/* The fields used by programs; VALUE_ABSENT if missing. */
struct sample {
	uint64_t position; /* in its dump, from 0 */
	struct value index;
	struct value group_index;
	struct value source;
	struct value status; /* an enum member is its value: "completed" */
	struct value label;
	struct value reward;
	struct value metadata;
	struct value trace;
	struct value meta_info;		  /* of an SGLang response */
	struct value is_aside;		  /* True: a timeline of no sample */
	struct value response_length;	  /* tokens */
	struct value non_generation_time; /* seconds */
	struct value loss_mask; /* VALUE_SKIPPED with its sum, or none */
	bool is_stray;		/* only in --with: not a sample of the dump */
	struct value whole;	/* a dict or an object; see sample_field */
	const struct events *events;   /* those of its trace, if the reader
				      * supplies them; NULL: use trace */
	struct value_records *records; /* the events in trace, if they have
					* memory of their own; else NULL */
};

/* Any field of the sample; VALUE_ABSENT if missing, VALUE_SKIPPED if not
 * requested (rollout_want). */
struct value sample_field(const struct sample *sample, const char *key);

/* The dicts that hold its fields, the last of which counts; VALUE_ABSENT if
 * there is none. */
enum { SAMPLE_DICTS = 3 };
void sample_dicts(const struct sample *sample,
		  struct value dicts[SAMPLE_DICTS]);

/* The keys used by programs, as a filter for readers; the loss mask, which is
 * summed, is not included. */
enum { SAMPLE_KEYS = 17 };
struct value_filter sample_filter(struct str wanted[SAMPLE_KEYS]);

/* The members of an event that are used; a reader may leave out others. */
enum { SAMPLE_EVENT_MEMBERS = 8 };
extern const struct str sample_event_members[SAMPLE_EVENT_MEMBERS];

/* The events in trace were read for the last time: give back their memory, which
 * may be most of the sample's. */
void sample_release_events(const struct sample *sample);

/* The unconverted fields of a decoded sample; position is 0. */
void sample_from(struct sample *sample, struct value v);

/* Normalise: an enum's member becomes its value, a single-element tensor its
 * number. Results live in the arena. */
void sample_make_regular(struct sample *sample, struct arena *a);

/* The normalised fields of a decoded sample. */
struct sample sample_read(struct value v, struct arena *a);

/* The dict of a sample's fields: itself or the state of an object, which is the
 * instance's dict or a pair of that (part 0) and its slots (part 1). */
struct value sample_fields(struct value element, size_t part);

#endif
