/*
 * obstools/trace.h: spans and events of a C or C++ program, in the timeline
 * of the rollout it works for. Link with `pkg-config --libs obstools`.
 *
 *	struct obs_trace *trace = obs_trace_open(NULL);
 *	struct obs_span span = obs_span_begin(trace, NULL, "reward", NULL, 0);
 *	struct obs_attr score = obs_double("score", 0.5);
 *	obs_span_end(&span, &score, 1);
 *	obs_trace_close(trace);
 *
 * The file is JSONL, an event of slime's trace carrier a line (trace_utils.py
 * of slime; man obstools_trace has the members), read by trace-timeline and
 * obs-perfsum as it is and made into carriers by trace-span --collect.
 *
 * Nothing is buffered: each start, end and event is one write(2) with
 * O_APPEND before the call returns, so that it outlives a kill -9. Linux keeps
 * writes of one host to a file of a local file system apart, however long;
 * records of more than OBS_TRACE_ATOMIC bytes are locked, too (F_OFD_SETLKW).
 * What a kill or a full disk tears within a write does not damage what is
 * appended behind it.
 *
 * Nothing fails the program: a trace that could not be opened is NULL, which
 * every function takes and ignores, a record that could not be written is
 * counted, and errno is left alone. All functions but close may be called from
 * several threads at once and after fork, in parent and child; none but open,
 * close and obs_trace_setenv allocates, unless for a record longer than
 * OBS_TRACE_ATOMIC. Texts are borrowed until the call returns; they are UTF-8,
 * other bytes become U+FFFD. Times are wall time where a tree of spans begins
 * and monotonic from there: a step of the clock bends no span.
 */
#ifndef OBSTOOLS_TRACE_H
#define OBSTOOLS_TRACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { OBS_TRACE_ATOMIC = 4096 };

/* Where records go and whose they are. NULL: by the environment; "": none. */
struct obs_trace_options {
	const char *file;      /* OBS_TRACE_FILE */
	const char *trace_id;  /* OBS_TRACE_ID; random without a sample */
	const char *sample_id; /* OBS_TRACE_SAMPLE; may be a list: "4,5" */
	const char *group_id;  /* OBS_TRACE_GROUP */
	const char *parent_id; /* OBS_TRACE_PARENT: a span above the topmost */
	const char *attempt;   /* OBS_TRACE_ATTEMPT, else 0 */
};

struct obs_trace;

/* options may be NULL. NULL with errno when no file can be appended to. */
struct obs_trace *obs_trace_open(const struct obs_trace_options *options);
void obs_trace_close(struct obs_trace *trace);

/* Further records belong to the next attempt, whose number is returned. */
int obs_trace_next_attempt(struct obs_trace *trace);

/* Records that could not be written. */
uint64_t obs_trace_lost(const struct obs_trace *trace);

/* An attribute: obs_int("tokens", 5). Key and text are borrowed. NaN, an
 * infinity and a NULL text are null; JSON is one value, not checked. */
enum obs_attr_kind { OBS_BOOL, OBS_INT, OBS_DOUBLE, OBS_TEXT, OBS_JSON };

struct obs_attr {
	const char *key;
	enum obs_attr_kind kind;
	int64_t i; /* of a bool, too */
	double d;
	const char *text;
};
/* clang-format off */
#define OBS_ATTR_MAKER(name, type, member, is) \
static inline struct obs_attr name(const char *key, type value) \
{ \
	struct obs_attr attr = {key, is, 0, 0.0, NULL}; \
	attr.member = value; \
	return attr; \
}
OBS_ATTR_MAKER(obs_bool, int, i, OBS_BOOL)
OBS_ATTR_MAKER(obs_int, int64_t, i, OBS_INT)
OBS_ATTR_MAKER(obs_double, double, d, OBS_DOUBLE)
OBS_ATTR_MAKER(obs_text, const char *, text, OBS_TEXT)
OBS_ATTR_MAKER(obs_json, const char *, text, OBS_JSON)
#undef OBS_ATTR_MAKER
/* clang-format on */

/* A span under way; the caller's, who may copy it. */
struct obs_span {
	struct obs_trace *trace; /* NULL when there is nothing to end */
	const char *name;	 /* borrowed until the span has ended */
	char id[17];
	int attempt;
	int64_t wall, monotonic; /* of its start, ns */
};

/* parent NULL: below what the trace was opened with. A span without any parent
 * is shown in the one that is open when it begins, if one is. */
struct obs_span obs_span_begin(struct obs_trace *trace,
			       const struct obs_span *parent, const char *name,
			       const struct obs_attr *attrs, size_t n);
void obs_span_end(struct obs_span *span, const struct obs_attr *attrs,
		  size_t n);
void obs_event(struct obs_trace *trace, const struct obs_span *parent,
	       const char *name, const struct obs_attr *attrs, size_t n);

/* Put the variables above into the environment, for programs that this one
 * starts, below span unless NULL. 0, or -1 with errno. */
int obs_trace_setenv(const struct obs_trace *trace,
		     const struct obs_span *span);

#ifdef __cplusplus
}
#endif

#endif
