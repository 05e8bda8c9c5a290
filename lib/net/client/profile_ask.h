/*
 * What an engine is asked when it shall profile itself, and what its answer
 * means.
 *
 * SGLang takes JSON at /start_profile and /stop_profile and answers with a
 * line of text; its failures are a bare 500, the reason being in its own log
 * only (http_server.py, tokenizer_control_mixin.py). The sidecar of its gRPC
 * server says the reason (grpc_server.py). vLLM takes no body and has the
 * routes only when it was started for it. Gateways answer JSON, 206 when some
 * or all of their workers failed (smg, worker/manager.rs).
 *
 * Nothing here sends anything: see net/client/profile.h.
 */
#ifndef OBS_NET_CLIENT_PROFILE_ASK_H
#define OBS_NET_CLIENT_PROFILE_ASK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "net/client/http.h"

enum profile_action {
	PROFILE_START,
	PROFILE_STOP,
	PROFILE_STATUS,
	PROFILE_LIST,
};

enum profile_engine { PROFILE_SGLANG, PROFILE_VLLM };

enum {
	PROFILE_ACTIVITIES_MAX = 6,
	PROFILE_TEXT_MAX = 256,
	PROFILE_STAGE_MAX = 64
};

/* The body of a start. What is unset, that is NULL, 0 or false, is left out,
 * and the engine's own defaults hold. */
struct profile_fields {
	const char *activities[PROFILE_ACTIVITIES_MAX + 1];
	int64_t num_steps;  /* forward passes; 0: until stopped */
	int64_t start_step; /* -1: unset */
	bool by_stage, merge;
	bool with_stack, no_stack;
	bool record_shapes, no_shapes;
	const char *prefix, *id;
	const char *stages; /* separated by commas, each cut at
			       PROFILE_STAGE_MAX - 1 bytes */
};

/* Add activities, separated by commas, in any case; one that is there is not
 * added again. False when a name is none that engines know: they would answer
 * 200 and record nothing. */
bool profile_add_activities(struct profile_fields *fields, struct str names);

/* What is accepted. */
extern const char *const profile_activities[]; /* NULL at the end */

/* Append the body of the action, nothing for vLLM. output_dir may be NULL.
 * 0 or ERR_MEMORY. */
int profile_put_body(enum profile_action action, enum profile_engine engine,
		     const struct profile_fields *fields,
		     const char *output_dir, struct buf *body, struct err *err);

enum profile_verdict {
	PROFILE_NOT_SENT, /* nothing was asked yet */
	PROFILE_STARTED,
	PROFILE_STOPPED,
	PROFILE_REACHABLE,
	PROFILE_UNKNOWN, /* it answers, but nothing shows that it is an engine */
	PROFILE_ALREADY_RUNNING,
	PROFILE_NOT_RUNNING, /* a stop found nothing to stop */
	PROFILE_PARTLY,	     /* a gateway could not do it on all workers */
	PROFILE_UNAUTHORISED,
	PROFILE_REFUSED, /* by validation */
	PROFILE_NOT_CONFIGURED,
	PROFILE_UNREACHABLE,
	PROFILE_TIMEOUT, /* it may or may not have been done */
	PROFILE_FAILED,	 /* anything else; it may have been done, too */
};

/* As output spells it: "already-running". */
const char *profile_verdict_name(enum profile_verdict verdict);

/* Is this what the action was to bring about? A stop that finds nothing to
 * stop is: engines stop by themselves after num_steps. */
bool profile_is_done(enum profile_action action, enum profile_verdict verdict);

/* After this verdict of a start, may the engine be profiling by our doing? */
bool profile_may_run(enum profile_verdict verdict);

/* An answer, or how there came none. */
struct profile_answer {
	bool sidecar; /* of a gRPC engine, which does not describe itself */
	enum http_end end;
	bool sent;
	int status;
	struct str body;
	const char *error; /* of fetch, when end is not HTTP_WHOLE */
};

/* The verdict on an answer; text is what it says, in one line. */
enum profile_verdict profile_judge(enum profile_action action,
				   const struct profile_answer *answer,
				   char text[PROFILE_TEXT_MAX]);

/* What /server_info tells of an engine. */
struct profile_engine_facts {
	const char *role; /* "prefill", "decode", "regular"; NULL: unknown */
	size_t ranks;	  /* that each write a trace; 0: unknown */
};

struct profile_engine_facts profile_read_facts(struct str body);

#endif
