/*
 * The spans of an OTLP file, kept until its end; private to otlp*.c.
 *
 * otlp.c reads records into spans, otlp_attrs.c their attributes, otlp_rows.c
 * groups spans into rows, otlp_request.c finds the requests and their
 * durations, and otlp_sample.c makes samples of rows.
 */
#ifndef OBS_ROLLOUT_FOREIGN_OTLP_PARTS_H
#define OBS_ROLLOUT_FOREIGN_OTLP_PARTS_H

#include "base/intern.h"
#include "rollout/foreign/keep.h"
#include "rollout/foreign/otlp_ids.h"

enum { OTLP_NONE = -1, OTLP_GUESSES = 16 };

/* Predefined texts, by their numbers among otlp.texts. The first are stages
 * whose durations are read, the first of each below its request. */
enum otlp_text {
	STAGE_PREFILL_WAITING,
	STAGE_DECODE_WAITING,
	STAGE_PREFILL_BOOTSTRAP,
	STAGE_PREFILL_FORWARD,
	STAGE_PREFILL_TRANSFER,
	STAGE_DECODE_BOOTSTRAP,
	STAGE_DECODE_TRANSFERRED,
	STAGE_DECODE_FORWARD,
	STAGES,
	NAME_PREFILL = STAGES,
	NAME_DECODE,
	NAME_PROMPT,
	NAME_RESPONSE,
	NAME_GENERATE,
	NAME_ROLLOUT_GENERATE,
	SCOPE_ENV_MANAGER,
	OTLP_TEXTS
};

/* For a request root: the first span of each stage below it. */
struct otlp_stages {
	int32_t first[STAGES];
};

/* Rare parts of spans. */
struct otlp_rare {
	struct value events;  /* JSON, or absent */
	struct value message; /* from its status, a text or absent */
};

struct otlp_span {
	int64_t start, end;	      /* ns since 1970; end 0: open */
	struct value attrs;	      /* a dict, or absent */
	const struct otlp_rare *rare; /* NULL: none of these */
	uint32_t name;		 /* a text, without parts unique to each span */
	uint32_t scope, service; /* texts, or INTERN_FAILED: none */
	uint32_t trace;		 /* number of its trace */
	uint32_t id, parent_id;	 /* numbers of ids, or INTERN_FAILED */
	int32_t parent;		 /* its index, or OTLP_NONE; likewise: */
	int32_t prompt;		 /* the nearest process_new_prompt above */
	int32_t sample;		 /* the sample span it belongs to */
	int32_t above;		 /* the nearest request root above */
	int32_t row;		 /* OTLP_NONE: shared by several */
	int32_t stages;		 /* of a request root, in otlp.stages */
	bool is_error : 1;
	bool is_prompt : 1;
	bool has_responses : 1; /* a prompt: sample spans are below it */
	bool is_sample : 1;
	bool is_shared : 1; /* between a sample span and its prompt */
	bool is_generation : 1;
	bool is_root : 1;   /* of a request, or one side of it */
	bool has_below : 1; /* another generation span of its row is below it */
};

/* A row: a sample span with everything below, or the rest of a trace. */
struct otlp_row {
	int32_t sample; /* OTLP_NONE: the rest of a trace */
	uint32_t trace;
	uint32_t first; /* index of its first own span */
	bool has_generation;
	bool is_rest;	   /* of a trace with sample spans */
	uint32_t begin, n; /* its own spans, in otlp.members */
};

struct otlp {
	struct foreign base; /* first: the format's functions cast back */
	struct intern texts;
	uint32_t last_names[OTLP_GUESSES]; /* by position in its list: */
	uint32_t last_keys[OTLP_GUESSES];  /* probably the next text there */
	struct otlp_ids traces;
	struct otlp_ids ids;
	struct intern sides;  /* of disaggregated requests */
	int32_t *side_places; /* by their numbers */
	size_t side_cap;
	struct otlp_span *spans;
	size_t n, cap;
	struct otlp_stages *stages;
	size_t stages_n, stages_cap;
	struct otlp_row *rows;
	size_t row_count, row_cap;
	int32_t *order;	   /* indices, parents before children */
	uint32_t *members; /* indices by row */
	struct buf key;
	bool open;
	bool some_prompt;     /* some span has a prompt's name */
	bool some_side;	      /* or that of one side of a PD request */
	bool some_generation; /* some trace of the file has one */
};

/* The number of a text at that position in a list; INTERN_FAILED: no memory. */
uint32_t otlp_number(struct otlp *o, struct str text, uint32_t *last,
		     uint32_t position);

/* The text with a number, or the id; VALUE_ABSENT: none. An id may be made in
 * the arena. */
struct value otlp_text_value(const struct otlp *o, uint32_t text);
struct value otlp_id_value(const struct otlp *o, uint32_t id,
			   struct arena *arena);

/* Find the rows. 0 or an error. */
int otlp_find_rows(struct otlp *o, struct err *err);

/* Find the generation spans, and which spans are below which. 0 or an error. */
int otlp_find_requests(struct otlp *o, struct err *err);

/* The input for the perf/ figures of a request; absent if the span is not one.
 * Adds known values to attrs, too. */
struct value otlp_request(struct otlp *o, struct carrier *c, int32_t place,
			  struct value attrs);

/* The last finish reason of a generation span, or absent. */
struct value otlp_finish_reason(const struct otlp_span *span,
				struct carrier *c);

/* Row i as a sample; as in struct foreign_format. */
int otlp_sample(struct foreign *f, uint64_t i, struct carrier *c,
		struct err *err);

#endif
