/*
 * A row of another framework's file, written as a sample of slime's with a
 * trace carrier (rollout/sample_trace.h), so that all that reads samples reads it.
 *
 * Readers add spans and points in any order; each names its parent, since
 * nothing is inferred from the order of the events. Times are Unix seconds,
 * or seconds of whatever clock the file has. A failed allocation is
 * remembered: look at `failed` once, after carrier_sample.
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

struct carrier {
	struct arena *arena;
	struct value sample; /* a dict: index, group_index, status ... */
	struct value trace;  /* a dict: trace_id, attempt, events */
	struct value events;
	int64_t last_id; /* of the spans that were added */
	uint64_t events_n;
	double tokens;	 /* completion tokens of its requests */
	bool has_tokens; /* one of them has a number of tokens */
	bool failed;	 /* memory ran out */
};

struct carrier carrier_new(struct arena *arena);

/* A member of the sample, of its trace, or of attributes; nothing happens
 * when v is absent. */
void carrier_set(struct carrier *c, const char *key, struct value v);
void carrier_set_trace(struct carrier *c, const char *key, struct value v);
void carrier_attr(struct carrier *c, struct value attrs, const char *key,
		  struct value v);

/* An empty dict of attributes. */
struct value carrier_attrs(struct carrier *c);

/* A span. */
struct carrier_span {
	struct value name;
	double start;
	double end;	      /* NAN: it is still open */
	struct value parent;  /* a span's id; absent: none */
	struct value id;      /* absent: the next free number */
	struct value attrs;   /* a dict, of its end; absent: none */
	struct value request; /* of a generation span: what feeds perf/, which
			       * it does when it is closed */
	int64_t attempt;
};

/* Add it; returns its id. completion_tokens among the attributes of a closed
 * request count towards the sample's response_length. */
struct value carrier_span(struct carrier *c, const struct carrier_span *span);

/* A point of that time, and an end without a start. */
void carrier_point(struct carrier *c, const struct carrier_span *point);
void carrier_orphan(struct carrier *c, const struct carrier_span *orphan);

/* The sample, with its trace and the length of its response: of no known
 * length it is VALUE_NONE. */
struct value carrier_sample(struct carrier *c);

/* A value as a finite number. */
bool finite_number(struct value v, double *number);

/* A member of a record likewise. */
static inline bool member_number(struct value record, const char *key,
				 double *number)
{
	return finite_number(value_get(record, key), number);
}

/* The same number as a value, absent when the member is none. */
static inline struct value member_value(struct value record, const char *key)
{
	struct value v = value_get(record, key);
	double number;

	return finite_number(v, &number) ? v
					 : (struct value){.kind = VALUE_ABSENT};
}

/* A member that is a text, else absent; likewise a list or an object. */
static inline struct value member_of_kind(struct value record, const char *key,
					  enum value_kind kind)
{
	struct value v = value_get(record, key);

	return v.kind == kind ? v : (struct value){.kind = VALUE_ABSENT};
}

static inline struct value member_text(struct value record, const char *key)
{
	return member_of_kind(record, key, VALUE_STR);
}

/* A member that is an index or an id, a number without a fraction or a text,
 * else absent. */
static inline struct value member_id(struct value record, const char *key)
{
	struct value v = value_get(record, key);
	bool is_id = v.kind == VALUE_INT || v.kind == VALUE_BIGINT ||
		     v.kind == VALUE_STR;

	return is_id ? v : (struct value){.kind = VALUE_ABSENT};
}

/* The type of finish_reason, which newer engines have as an object. */
struct value member_finish_reason(struct value record);

static inline struct value value_literal(const char *text)
{
	return value_str(str_of(text));
}

#endif
