/*
 * The spans of an OTLP file while they wait for its end; private to otlp*.c.
 *
 * otlp.c reads records into spans, otlp_rows.c says which spans are a row,
 * otlp_request.c which of them are requests and what they took.
 */
#ifndef OBS_ROLLOUT_FOREIGN_OTLP_PARTS_H
#define OBS_ROLLOUT_FOREIGN_OTLP_PARTS_H

#include "base/intern.h"
#include "rollout/foreign/foreign.h"

enum { OTLP_NONE = -1 };

/* Stages whose durations are read, the first of each below its request. */
enum otlp_stage {
	STAGE_PREFILL_WAITING,
	STAGE_DECODE_WAITING,
	STAGE_PREFILL_BOOTSTRAP,
	STAGE_PREFILL_FORWARD,
	STAGE_PREFILL_TRANSFER,
	STAGE_DECODE_BOOTSTRAP,
	STAGE_DECODE_TRANSFERRED,
	STAGE_DECODE_FORWARD,
	STAGES
};

struct otlp_span {
	struct value span;	    /* as it was read */
	struct value scope;	    /* name of its scope */
	struct value service;	    /* service.name of its resource */
	struct value attrs;	    /* a dict */
	struct value name;	    /* without what is each span's own */
	struct value id, parent_id; /* texts in lower case, or absent */
	uint32_t trace;		    /* number of its trace */
	uint32_t number;	    /* of its id in the trace, if it has one */
	int64_t start, end;	    /* ns since 1970; end 0: open */
	int32_t parent;		    /* its place, or OTLP_NONE */
	int32_t prompt;		    /* the nearest process_new_prompt above */
	int32_t sample;		    /* the sample span that it belongs to */
	int32_t above;		    /* the nearest request root above */
	int32_t row;		    /* OTLP_NONE: shared by several */
	int32_t first[STAGES];	    /* below a request root */
	bool is_prompt;
	bool has_responses; /* a prompt: sample spans are below it */
	bool is_sample;
	bool is_shared; /* between a sample span and its prompt */
	bool is_generation;
	bool is_root;	/* of a request, of one side of it */
	bool has_below; /* another generation span of its row is below */
};

/* A row: a sample span with what is below, or the rest of a trace. */
struct otlp_row {
	int32_t sample; /* OTLP_NONE: the rest of a trace */
	uint32_t trace;
	uint32_t first; /* place of its first own span */
	bool has_generation;
	bool is_rest;	   /* of a trace that has sample spans */
	uint32_t begin, n; /* its own spans, in otlp.members */
};

struct otlp {
	struct foreign base; /* first: the format's functions cast back */
	struct intern traces;
	struct intern ids;    /* "TRACE ID" */
	struct intern sides;  /* of requests split over two engines */
	int32_t *side_places; /* by their numbers */
	size_t side_cap;
	struct otlp_span *spans;
	size_t n, cap;
	struct otlp_row *rows;
	size_t row_count, row_cap;
	int32_t *order;	   /* places, parents before children */
	uint32_t *members; /* places by row */
	struct buf key;
	bool open;
	bool some_generation; /* a trace of the file has one */
};

/* Camel or snake case: writers differ. */
struct value otlp_member(struct value v, const char *camel, const char *snake);

/* Whole ns from a text or a number; 0 when it is neither. */
int64_t otlp_time(struct value v);

/* The attributes of a span, an event or a resource as a dict; absent when
 * memory ran out. */
struct value otlp_attrs(struct arena *a, struct value v);

/* Find the rows. 0 or an error. */
int otlp_find_rows(struct otlp *o, struct err *err);

/* Say which spans are generation spans and which are below which. 0 or an
 * error. */
int otlp_find_requests(struct otlp *o, struct err *err);

/* What feeds the perf/ figures of a request; absent for a span that is none.
 * Puts what is known among attrs, too. */
struct value otlp_request(struct otlp *o, struct carrier *c, int32_t place,
			  struct value attrs);

/* The last finish reason of a generation span, or absent. */
struct value otlp_finish_reason(const struct otlp_span *span,
				struct carrier *c);

#endif
