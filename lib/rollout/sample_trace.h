/*
 * The events of one sample's trace, normalised: times as numbers, ids numbered,
 * parents inferred.
 *
 * Source: slime's slime/utils/trace_utils.py writes the carrier; it is read
 * like in tools/trace_timeline_viewer.py, both read at 624b824a8. An event that
 * is not an object or has no time is dropped, as there. What that viewer fails
 * on is skipped here and counted.
 *
 * Everything lives in the arena given to sample_trace_read.
 */
#ifndef OBS_ROLLOUT_SAMPLE_TRACE_H
#define OBS_ROLLOUT_SAMPLE_TRACE_H

#include "base/err.h"
#include "rollout/sample.h"
#include "rollout/span_ids.h"

enum event_kind { EVENT_POINT, EVENT_START, EVENT_END };

struct event {
	double ts; /* Unix seconds, not rounded */
	struct value name;
	struct value attempt;
	struct value span_id;	/* none, or as recorded */
	struct value parent_id; /* given or inferred, else none */
	int32_t id;		/* numbers of these, or SPAN_ID_NONE */
	int32_t parent;
	struct value attrs;   /* an empty dict if there were none */
	struct value request; /* a dict: it is a request's if the trace marks
			       * them, and at its end has these figures */
	uint32_t place;	      /* position in the list of events */
	uint8_t kind;	      /* enum event_kind */
	bool has_attrs;	      /* attrs was an object, even if empty */
	bool closes;	      /* for span_build: an end with a matching start */
};

/* Prepared events, from other frameworks' files: parents are named, requests
 * marked. The numbers of each event's ids are set when they are read. */
struct events {
	struct event *v;
	uint32_t n;
	uint64_t omitted; /* further events, which are not needed */
	int64_t last_id;  /* ids are numbers up to this; unless: */
	bool given_ids;	  /* some are the file's own */
};

struct sample_trace {
	uint64_t position; /* of the sample */
	struct arena *arena;
	struct arena *list; /* of the events; often the same */
	struct span_ids ids;
	struct event *events; /* in recorded order */
	uint32_t count;
	uint64_t omitted;      /* events that are not needed */
	struct value attempt;  /* the trace's own, unconverted */
	bool names_parents;    /* no parent is inferred */
	bool marks_requests;   /* events may have `request` */
	struct value no_attrs; /* one empty dict for all */
	const char *
		keys[SAMPLE_EVENT_MEMBERS]; /* of events, index where seen last */
	uint32_t at;			    /* the current event */
	uint64_t skipped;		    /* unusable parts */
	char what[160];			    /* the first of them */
};

/* Read the events of a sample; a sample without a trace has none. Returns 0 or
 * an error. */
int sample_trace_read(struct sample_trace *trace, const struct sample *sample,
		      struct arena *a, struct err *err);

/* The same, with the list of events in an arena of its own, which may be freed
 * when they have become spans. last: nobody reads the sample's events again, so
 * their memory is given back on the way (sample_release_events). */
int sample_trace_read_apart(struct sample_trace *trace,
			    const struct sample *sample, struct arena *a,
			    struct arena *list, bool last, struct err *err);

/* Use the prepared events of a sample as its trace. 0 or an error. */
int sample_trace_write(struct sample *sample, struct arena *a, struct err *err);

/* Record that a part of the trace is unusable. */
void sample_trace_skip(struct sample_trace *trace, uint32_t event,
		       const char *what);

/* The value as shown in a timeline: as text if JSON cannot represent it; and
 * always as text, like Python's str(). */
struct value sample_trace_shown(struct sample_trace *trace, struct value v);
struct value sample_trace_shown_text(struct sample_trace *trace,
				     struct value v);

#endif
