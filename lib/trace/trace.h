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
 * The trace file is JSONL, one event of slime's traces per line
 * (trace_utils.py of slime; obstools_trace(3) and trace-span(1) describe the
 * members). trace-timeline and obs-perfsum read it directly; trace-span
 * --collect turns it into samples.
 *
 * Nothing is buffered: each start, end and event is one write(2) with
 * O_APPEND before the call returns, so it survives a kill -9. Linux never
 * mixes the writes of one host to a file on a local file system, however long
 * they are; records of more than OBS_TRACE_ATOMIC bytes are also locked
 * (F_OFD_SETLKW). If a kill or a full disk truncates a record, the records
 * appended after it are not damaged.
 *
 * Tracing never fails the program: a trace that could not be opened is NULL,
 * which every function accepts and ignores; a record that could not be written
 * is counted; and errno is preserved. Except for close, all functions may be
 * called from several threads at once, and after fork in parent and child.
 * Memory is allocated only by open, close and obs_trace_setenv, and for a
 * record longer than OBS_TRACE_ATOMIC. Strings are borrowed until the call returns; they are
 * UTF-8, and other bytes become U+FFFD. The first span of a tree starts at the
 * wall-clock time; times below it use the monotonic clock, so a step of the
 * system clock does not change them.
 */
#ifndef OBSTOOLS_TRACE_H
#define OBSTOOLS_TRACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { OBS_TRACE_ATOMIC = 4096 };

/* The file, and what to record for. A NULL member is taken from the variable
 * next to it; "" means no value. */
struct obs_trace_options {
	const char *file;      /* OBS_TRACE_FILE */
	const char *trace_id;  /* OBS_TRACE_ID; random without a sample */
	const char *sample_id; /* OBS_TRACE_SAMPLE; may be a list: "4,5" */
	const char *group_id;  /* OBS_TRACE_GROUP */
	const char *parent_id; /* OBS_TRACE_PARENT: of spans without one */
	const char *attempt;   /* OBS_TRACE_ATTEMPT, else 0 */
};

struct obs_trace;

/* options may be NULL. Returns NULL with errno set if the file cannot be opened
 * or none is set. */
struct obs_trace *obs_trace_open(const struct obs_trace_options *options);
void obs_trace_close(struct obs_trace *trace);

/* Start the next attempt, to which later records belong. Returns its number. */
int obs_trace_next_attempt(struct obs_trace *trace);

/* The number of records that could not be written. */
uint64_t obs_trace_lost(const struct obs_trace *trace);

/* An attribute: obs_int("tokens", 5). Key and text are borrowed. NaN,
 * infinities and a NULL text become null; JSON is one value, not checked. */
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

/* A running span. The caller owns it and may copy it. */
struct obs_span {
	struct obs_trace *trace; /* NULL: nothing is recorded */
	const char *name;	 /* borrowed until the span has ended */
	char id[17];
	int attempt;
	int64_t wall, monotonic; /* of its start, ns */
};

/* If parent is NULL, the parent is that of the trace's options. A span without
 * any parent is shown inside the span that is open when it begins, if any. */
struct obs_span obs_span_begin(struct obs_trace *trace,
			       const struct obs_span *parent, const char *name,
			       const struct obs_attr *attrs, size_t n);
void obs_span_end(struct obs_span *span, const struct obs_attr *attrs,
		  size_t n);
void obs_event(struct obs_trace *trace, const struct obs_span *parent,
	       const char *name, const struct obs_attr *attrs, size_t n);

/* Set the variables above for programs that the caller starts. Their spans are
 * children of span, unless it is NULL. Returns 0, or -1 with errno set. */
int obs_trace_setenv(const struct obs_trace *trace,
		     const struct obs_span *span);

#ifdef __cplusplus
}
#endif

#endif
