/*
 * A row of another framework's file as a sample with prepared events
 * (rollout/sample_trace.h), as used by all code that reads samples.
 *
 * Readers add spans and points in any order; each names its parent, since
 * nothing is inferred from the order of the events. Times are Unix seconds, or
 * seconds of the file's own clock. A failed allocation is recorded: check
 * `failed` once, after carrier_end.
 *
 * A request without a time has its figures as meta_info, and its attributes as
 * `unplaced`.
 */
#ifndef OBS_ROLLOUT_FOREIGN_CARRIER_H
#define OBS_ROLLOUT_FOREIGN_CARRIER_H

#include <math.h>
#include <stdbool.h>

#include "fmt/value/value.h"
#include "fmt/value/value_make.h"
#include "rollout/foreign/losses.h"
#include "rollout/foreign/member.h"
#include "rollout/sample_trace.h"

struct carrier {
	struct arena *arena;
	struct sample sample;
	struct events events;
	uint32_t cap;	       /* capacity for events */
	struct value no_attrs; /* one empty dict for all */
	double tokens;	       /* completion tokens of its requests */
	bool has_tokens;       /* one of them has a token count */
	struct losses lost;
	bool requests_only; /* see carrier_omits */
	bool incomplete;    /* an event was added that needs omitted ones */
	bool failed;	    /* out of memory */
};

/* Begin a row. Its pointers are into the arena. */
void carrier_begin(struct carrier *c, struct arena *arena);

/* Add a pair to a dict; does nothing if v is absent. */
void carrier_put(struct carrier *c, struct value dict, struct str key,
		 struct value v);

/* A member of the sample (one of struct sample's), of its trace, or of
 * attributes. */
#define CARRIER_SET(c, field, v)                                               \
	carrier_set((c), &(c)->sample.field, (struct str)STR(#field), (v))

static inline void carrier_set(struct carrier *c, struct value *field,
			       struct str key, struct value v)
{
	if (v.kind != VALUE_ABSENT)
		*field = v;
	carrier_put(c, c->sample.whole, key, v);
}

static inline void carrier_set_trace(struct carrier *c, const char *key,
				     struct value v)
{
	carrier_put(c, c->sample.trace, str_of(key), v);
}

static inline void carrier_attr(struct carrier *c, struct value attrs,
				const char *key, struct value v)
{
	carrier_put(c, attrs, str_of(key), v);
}

/* A figure of a request or a sample, to be passed to one of those; absent, and
 * counted, if it is negative. */
struct value carrier_figure(struct carrier *c, const char *key, struct value v);

/* An empty dict of attributes. */
struct value carrier_attrs(struct carrier *c);

/* The same for those without figures; absent if only requests are needed. */
struct value carrier_span_attrs(struct carrier *c);

/* Make room for the events of so many spans at once. */
void carrier_expect(struct carrier *c, size_t spans);

/* A span. */
struct carrier_span {
	struct value name;
	double start;
	double end;	      /* NAN: still open */
	struct value parent;  /* a span's id; absent: none */
	struct value id;      /* absent: the next free number */
	struct value attrs;   /* a dict, for its end; absent: none */
	struct value request; /* for a generation span: the input of perf/,
			       * which it feeds once it is closed */
	int64_t attempt;
};

/* True if only requests are wanted and nothing of this name can be one: it is
 * left out, and its events are counted. carrier_span and carrier_point check
 * this themselves: ask first only to save building what they would drop. */
bool carrier_omits(struct carrier *c, struct value name, uint32_t events);

/* Add it; returns its id. completion_tokens among the attributes of a closed
 * request are added to the sample's response_length. */
struct value carrier_span(struct carrier *c, const struct carrier_span *span);

/* The span is a request, with its duration as e2e_latency if it has one. */
void carrier_set_latency(struct carrier *c, struct carrier_span *span);

/* A point at that time, and an end without a start, which is counted. */
void carrier_point(struct carrier *c, const struct carrier_span *point);
void carrier_orphan(struct carrier *c, const struct carrier_span *orphan);

/* Complete the sample with its trace and response length, VALUE_NONE if
 * unknown. */
void carrier_end(struct carrier *c);

static inline struct value value_literal(const char *text)
{
	return value_str(str_of(text));
}

#endif
