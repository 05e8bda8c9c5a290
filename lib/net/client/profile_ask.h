/*
 * The requests that make an engine profile itself, and the meaning of its
 * responses.
 *
 * SGLang takes JSON at /start_profile and /stop_profile and answers with a line
 * of text; failures are a bare 500, with the reason only in its log
 * (http_server.py, tokenizer_control_mixin.py). The sidecar of its gRPC server
 * reports the reason (grpc_server.py). vLLM takes no body and has the routes
 * only if started with profiling. Gateways answer JSON, 206 when some or all of
 * their workers failed (smg, worker/manager.rs).
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

/* The body of a start. Unset members (NULL, 0 or false) are omitted, and the
 * engine's own defaults apply. */
struct profile_fields {
	const char *activities[PROFILE_ACTIVITIES_MAX + 1];
	int64_t num_steps;  /* forward passes; 0: until stopped */
	int64_t start_step; /* -1: unset */
	bool by_stage, merge;
	bool with_stack, no_stack;
	bool record_shapes, no_shapes;
	const char *prefix, *id;
	const char *stages; /* comma-separated, each truncated to
			     * PROFILE_STAGE_MAX - 1 bytes */
};

/* Add comma-separated activities, in any case, without duplicates. False if
 * engines do not know a name: they would answer 200 and record nothing. */
bool profile_add_activities(struct profile_fields *fields, struct str names);

/* The accepted names. */
extern const char *const profile_activities[]; /* NULL at the end */

/* Append the body of the action, empty for vLLM. output_dir may be NULL. 0 or
 * ERR_MEMORY. */
int profile_put_body(enum profile_action action, enum profile_engine engine,
		     const struct profile_fields *fields,
		     const char *output_dir, struct buf *body, struct err *err);

enum profile_verdict {
	PROFILE_NOT_SENT, /* nothing was sent yet */
	PROFILE_STARTED,
	PROFILE_STOPPED,
	PROFILE_REACHABLE,
	PROFILE_UNKNOWN, /* it answers, but not like an engine */
	PROFILE_ALREADY_RUNNING,
	PROFILE_NOT_RUNNING, /* a stop found nothing to stop */
	PROFILE_PARTLY,	     /* a gateway failed for some workers */
	PROFILE_UNAUTHORISED,
	PROFILE_REFUSED, /* by validation */
	PROFILE_NOT_CONFIGURED,
	PROFILE_UNREACHABLE,
	PROFILE_TIMEOUT, /* may or may not have taken effect */
	PROFILE_FAILED,	 /* anything else; may have taken effect, too */
};

/* As output spells it: "already-running". */
const char *profile_verdict_name(enum profile_verdict verdict);

/* Did the action have its intended effect? Stopping an idle engine counts:
 * engines stop by themselves after num_steps. */
bool profile_is_done(enum profile_action action, enum profile_verdict verdict);

/* After this result of a start, may the engine be profiling because of it? */
bool profile_may_run(enum profile_verdict verdict);

/* A response, or why there is none. */
struct profile_answer {
	bool sidecar; /* a gRPC engine, which does not describe itself */
	enum http_end end;
	bool sent;
	int status;
	struct str body;
	const char *error; /* from fetch, unless end is HTTP_WHOLE */
};

/* The verdict on a response; text is its message, in one line. */
enum profile_verdict profile_judge(enum profile_action action,
				   const struct profile_answer *answer,
				   char text[PROFILE_TEXT_MAX]);

/* An engine's facts from /server_info. */
struct profile_engine_facts {
	const char *role; /* "prefill", "decode", "regular"; NULL: unknown */
	size_t ranks;	  /* that write one trace each; 0: unknown */
};

struct profile_engine_facts profile_read_facts(struct str body);

#endif
