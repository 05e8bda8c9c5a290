#include "net/client/profile_ask.h"

#include <stdio.h>

#include "base/array.h"
#include "base/limits.h"
#include "fmt/json/json_read.h"
#include "fmt/json/json_write.h"
#include "fmt/value/value_python.h"

/* Bodies. */

const char *const profile_activities[PROFILE_ACTIVITIES_MAX + 1] = {
	"CPU", "GPU", "MEM", "RPD", "CUDA_PROFILER", "XPU"};

static const char *find_activity(struct str name)
{
	for (size_t i = 0; i < PROFILE_ACTIVITIES_MAX; i++)
		if (str_is_nocase(name, profile_activities[i]))
			return profile_activities[i];
	return NULL;
}

bool profile_add_activities(struct profile_fields *fields, struct str names)
{
	do {
		const char *name =
			find_activity(str_trim(str_cut(&names, ',')));
		size_t n = 0;

		if (name == NULL)
			return false;
		while (fields->activities[n] && fields->activities[n] != name)
			n++;
		fields->activities[n] = name;
	} while (names.n > 0);
	return true;
}

static void put_text_member(struct json_writer *w, const char *name,
			    const char *text)
{
	if (text == NULL)
		return;
	json_add_str(w, name, str_of(text));
}

static void put_switch(struct json_writer *w, const char *name, bool on,
		       bool off)
{
	if (!on && !off)
		return;
	json_add_bool(w, name, on);
}

static void put_lists(struct json_writer *w, const struct profile_fields *f)
{
	struct str stages = str_of(f->stages ? f->stages : "");

	if (f->activities[0] != NULL) {
		json_add_begin(w, "activities", '[');
		for (size_t i = 0; f->activities[i]; i++)
			json_str(w, str_of(f->activities[i]));
		json_end(w, ']');
	}
	if (stages.n == 0)
		return;
	json_add_begin(w, "profile_stages", '[');
	while (stages.n > 0) {
		struct str stage = str_trim(str_cut(&stages, ','));

		if (stage.n >= PROFILE_STAGE_MAX)
			stage.n = PROFILE_STAGE_MAX - 1;
		json_str(w, stage);
	}
	json_end(w, ']');
}

/* The fields given in the body of a start. */
static void put_fields(struct json_writer *w, const struct profile_fields *f,
		       const char *output_dir)
{
	put_text_member(w, "output_dir", output_dir);
	put_text_member(w, "profile_prefix", f->prefix);
	put_text_member(w, "profile_id", f->id);
	if (f->num_steps > 0)
		json_add_int(w, "num_steps", f->num_steps);
	if (f->start_step >= 0)
		json_add_int(w, "start_step", f->start_step);
	put_switch(w, "profile_by_stage", f->by_stage, false);
	put_switch(w, "with_stack", f->with_stack, f->no_stack);
	put_switch(w, "record_shapes", f->record_shapes, f->no_shapes);
	put_switch(w, "merge_profiles", f->merge, false);
	put_lists(w, f);
}

int profile_put_body(enum profile_action action, enum profile_engine engine,
		     const struct profile_fields *f, const char *output_dir,
		     struct buf *body, struct err *err)
{
	struct json_writer w;
	struct out out;

	if (engine == PROFILE_VLLM)
		return 0;
	if (out_open_buf(&out, body, err) < 0)
		return err->code;
	w = json_writer_on(&out);
	json_begin(&w, '{');
	if (action == PROFILE_START)
		put_fields(&w, f, output_dir);
	json_end(&w, '}');
	return out_close_buf(&out, body, err);
}

/* Verdicts. */

static const char *const names[] = {
	[PROFILE_NOT_SENT] = "not-sent",
	[PROFILE_STARTED] = "started",
	[PROFILE_STOPPED] = "stopped",
	[PROFILE_REACHABLE] = "reachable",
	[PROFILE_UNKNOWN] = "unknown",
	[PROFILE_ALREADY_RUNNING] = "already-running",
	[PROFILE_NOT_RUNNING] = "not-running",
	[PROFILE_PARTLY] = "partly",
	[PROFILE_UNAUTHORISED] = "unauthorized",
	[PROFILE_REFUSED] = "refused",
	[PROFILE_NOT_CONFIGURED] = "not-configured",
	[PROFILE_UNREACHABLE] = "unreachable",
	[PROFILE_TIMEOUT] = "timeout",
	[PROFILE_FAILED] = "failed",
};

enum { ANY = -1 };

/* The meaning of a response: the first row that matches. A bare 500 means that
 * the engine was already in the other state: it has no other usual cause. */
static const struct rule {
	int action;
	int low, high;	  /* HTTP status */
	const char *word; /* in its text, in any case; NULL: any */
	enum profile_verdict verdict;
} rules[] = {
	{ANY, 401, 401, NULL, PROFILE_UNAUTHORISED},
	{ANY, 403, 403, NULL, PROFILE_UNAUTHORISED},
	{ANY, 206, 206, NULL, PROFILE_PARTLY},
	{PROFILE_START, 200, 299, NULL, PROFILE_STARTED},
	{PROFILE_STOP, 200, 299, NULL, PROFILE_STOPPED},
	{PROFILE_STATUS, 200, 299, NULL, PROFILE_REACHABLE},
	{PROFILE_STATUS, 404, 405, NULL, PROFILE_UNKNOWN},
	{ANY, 404, 405, NULL, PROFILE_NOT_CONFIGURED},
	{PROFILE_START, 400, 599, "already", PROFILE_ALREADY_RUNNING},
	{PROFILE_STOP, 400, 599, "not in progress", PROFILE_NOT_RUNNING},
	{PROFILE_STOP, 400, 599, "not running", PROFILE_NOT_RUNNING},
	{PROFILE_STOP, 400, 599, "not started", PROFILE_NOT_RUNNING},
	{PROFILE_STOP, 400, 599, "no profil", PROFILE_NOT_RUNNING},
	{PROFILE_START, 500, 500, "internal server error",
	 PROFILE_ALREADY_RUNNING},
	{PROFILE_STOP, 500, 500, "internal server error", PROFILE_NOT_RUNNING},
	{ANY, 400, 400, NULL, PROFILE_REFUSED},
	{ANY, 422, 422, NULL, PROFILE_REFUSED},
	{ANY, 0, 999, NULL, PROFILE_FAILED},
};

const char *profile_verdict_name(enum profile_verdict verdict)
{
	return names[verdict];
}

bool profile_is_done(enum profile_action action, enum profile_verdict verdict)
{
	static const enum profile_verdict wanted[] = {
		[PROFILE_START] = PROFILE_STARTED,
		[PROFILE_STOP] = PROFILE_STOPPED,
		[PROFILE_STATUS] = PROFILE_REACHABLE,
		[PROFILE_LIST] = PROFILE_NOT_SENT,
	};

	return verdict == wanted[action] ||
	       (action == PROFILE_STOP && verdict == PROFILE_NOT_RUNNING);
}

bool profile_may_run(enum profile_verdict verdict)
{
	return verdict == PROFILE_STARTED || verdict == PROFILE_TIMEOUT ||
	       verdict == PROFILE_PARTLY || verdict == PROFILE_FAILED;
}

/* The message of a response. */

/* p is NULL if the member is not text. */
static struct str text_member(struct value object, const char *name)
{
	struct value v = value_get(object, name);

	return v.kind == VALUE_STR ? value_text(v) : str_make(NULL, 0);
}

static bool number_member(struct value object, const char *name, double *number)
{
	return value_to_float(value_get(object, name), number);
}

/* The first element of a list; anything else is returned unchanged. */
static struct value first_of(struct value v)
{
	if (v.kind != VALUE_LIST)
		return v;
	return v.items->n > 0 ? v.items->v[0]
			      : (struct value){.kind = VALUE_ABSENT};
}

/* Where JSON responses have their message; it may be in a nested object. */
static struct str find_message(struct value root)
{
	static const char *const members[] = {"message", "error", "detail",
					      "msg"};
	struct str text = {NULL, 0};

	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		struct value inner = first_of(value_get(root, members[i]));

		text = text_member(root, members[i]);
		if (text.p == NULL)
			text = text_member(inner, "message");
		if (text.p == NULL)
			text = text_member(inner, "msg");
		if (text.p != NULL)
			break;
	}
	return text;
}

/* Collapse to one line with single blanks. */
static void put_line(char out[PROFILE_TEXT_MAX], struct str text)
{
	size_t n = strlen(out);

	text = str_trim(text);
	for (size_t i = 0; i < text.n && n + 1 < PROFILE_TEXT_MAX; i++) {
		bool blank = (unsigned char)text.p[i] <= ' ';

		if (!blank)
			out[n++] = text.p[i];
		else if (n > 0 && out[n - 1] != ' ')
			out[n++] = ' ';
	}
	out[n] = '\0';
}

/* A gateway's list of workers that failed: the first one's reason is shown
 * after the message, which only counts them. */
static void put_failed(char out[PROFILE_TEXT_MAX], struct value root)
{
	struct value failed = first_of(value_get(root, "failed"));
	struct str reason = text_member(failed, "error");
	char line[2 * PROFILE_TEXT_MAX];

	if (reason.p == NULL)
		return;
	snprintf(line, sizeof(line), "%s%s%.*s", out, out[0] ? ": " : "",
		 STR_ARG(reason));
	out[0] = '\0';
	put_line(out, str_of(line));
}

/* Does a JSON response report a failure, whatever its status? */
static bool says_failure(struct value root)
{
	struct value success = value_get(root, "success");
	struct str word = text_member(root, "success");
	struct str status = text_member(root, "status");

	return (success.kind == VALUE_BOOL && !success.b) ||
	       (success.kind == VALUE_INT && !value_truth(success)) ||
	       (word.p != NULL && str_has_nocase(word, "false")) ||
	       value_truth(value_get(root, "error")) ||
	       (status.p != NULL && (str_has_nocase(status, "error") ||
				     str_has_nocase(status, "fail")));
}

/* "Error: ...", "Failed to ..." in plain text. */
static bool begins_as_failure(struct str body)
{
	enum { WORD = 6 /* length of the longer word */ };
	struct str begin = str_make(body.p, body.n < WORD ? body.n : WORD);

	return str_has_nocase(begin, "failed") ||
	       (str_has_nocase(begin, "error") &&
		(body.p[0] == 'e' || body.p[0] == 'E'));
}

/* "Start profiling.", or JSON with success, a status or a message on profiling.
 * A server that answers anything with [], {} or its start page has none. */
static bool says_success(struct value root, struct str text)
{
	static const char *const words[] = {"profil", "success", "started",
					    "stopped", "accepted"};
	struct value success = value_get(root, "success");
	struct str status = text_member(root, "status");

	if ((success.kind == VALUE_BOOL && success.b) ||
	    (success.kind == VALUE_INT && value_truth(success)))
		return true;
	if (str_is_nocase(text, "ok") || str_is_nocase(status, "ok"))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (str_has_nocase(text, words[i]) ||
		    str_has_nocase(status, words[i]))
			return !str_has_nocase(text, "not ");
	return false;
}

/* The identity of SGLang at /server_info, and of vLLM at /version. */
static bool describes_engine(struct value root)
{
	struct value args = value_get(root, "server_args");
	double tp;

	return number_member(root, "tp_size", &tp) || args.kind == VALUE_DICT ||
	       text_member(root, "disaggregation_mode").p != NULL ||
	       text_member(root, "model_path").p != NULL ||
	       text_member(root, "version").p != NULL;
}

/* The content of a 2xx response: success, failure, or nothing that an engine
 * says. */
enum text_sense { TEXT_GOOD, TEXT_BAD, TEXT_ODD, TEXT_HTML };

static enum text_sense sense_of(enum profile_action action, struct value root,
				struct str body, struct str message)
{
	bool json = body.n > 0 && (body.p[0] == '{' || body.p[0] == '[');

	if (action == PROFILE_STATUS)
		return describes_engine(root) ? TEXT_GOOD : TEXT_ODD;
	if (says_failure(root) || begins_as_failure(body))
		return TEXT_BAD;
	/* vLLM's is empty. */
	if (body.n == 0 || says_success(root, json ? message : body))
		return TEXT_GOOD;
	return TEXT_ODD;
}

static enum text_sense put_text(enum profile_action action,
				char out[PROFILE_TEXT_MAX], struct str body)
{
	struct arena arena = arena_new(LIMIT_LIST);
	struct value root = {.kind = VALUE_ABSENT};
	struct str message;
	struct err ignored;
	enum text_sense sense;

	body = str_trim(body);
	if (body.n > 0 && body.p[0] == '<') {
		put_line(out, str_of("an HTML page, not an engine's answer"));
		return TEXT_HTML;
	}
	if (body.n > 0 && body.p[0] == '{')
		json_parse(body, &arena, &root, &ignored);
	message = find_message(root);
	sense = sense_of(action, root, body, message);
	put_line(out, message.p ? message : body);
	put_failed(out, root);
	arena_free(&arena);
	return sense;
}

/* Reachable, but what is it? */
static enum profile_verdict unknown(const struct profile_answer *a,
				    enum text_sense sense,
				    char text[PROFILE_TEXT_MAX])
{
	char line[2 * PROFILE_TEXT_MAX];
	const char *what = sense == TEXT_HTML ? "an HTML page"
			   : *text	      ? text
					      : "an empty answer";

	snprintf(line, sizeof(line),
		 "not known to be an engine: HTTP status %d, %s", a->status,
		 what);
	text[0] = '\0';
	put_line(text, str_of(line));
	return PROFILE_UNKNOWN;
}

/* A 2xx with no text of an engine. */
static enum profile_verdict not_good(enum profile_action action,
				     const struct profile_answer *a,
				     enum text_sense sense,
				     char text[PROFILE_TEXT_MAX])
{
	char line[2 * PROFILE_TEXT_MAX];

	if (action == PROFILE_STATUS)
		return unknown(a, sense, text);
	if (sense == TEXT_ODD) {
		snprintf(line, sizeof(line), "not an engine's answer: %s",
			 text);
		text[0] = '\0';
		put_line(text, str_of(line));
	}
	return PROFILE_FAILED;
}

enum profile_verdict profile_judge(enum profile_action action,
				   const struct profile_answer *a,
				   char text[PROFILE_TEXT_MAX])
{
	const struct rule *rule = rules;
	enum text_sense sense;

	text[0] = '\0';
	if (a->end == HTTP_TIMEOUT ||
	    (a->end != HTTP_WHOLE && (a->status < 300 || a->status >= 500))) {
		put_line(text, str_of(a->error));
		return !a->sent			? PROFILE_UNREACHABLE
		       : a->end == HTTP_TIMEOUT ? PROFILE_TIMEOUT
						: PROFILE_FAILED;
	}
	sense = put_text(action, text, a->body);
	if (sense != TEXT_GOOD && a->status >= 200 && a->status <= 299 &&
	    a->status != 206)
		return not_good(action, a, sense, text);
	if (text[0] == '\0' && a->status == 500)
		put_line(text, str_of("Internal Server Error"));
	while (a->status < rule->low || a->status > rule->high ||
	       (rule->action != ANY && rule->action != (int)action) ||
	       (rule->word && !str_has_nocase(str_of(text), rule->word)))
		rule++;
	if (rule->verdict == PROFILE_UNKNOWN) {
		if (a->sidecar && sense != TEXT_HTML)
			return PROFILE_REACHABLE;
		return unknown(a, sense, text);
	}
	if (text[0] == '\0' && a->status >= 300)
		snprintf(text, PROFILE_TEXT_MAX, "HTTP status %d", a->status);
	return rule->verdict;
}

/* Facts. */

/* A whole number from 1 on, or 1 if there is none. */
static size_t size_member(struct value object, const char *name)
{
	double number;

	if (!number_member(object, name, &number) ||
	    !(number >= 1 && number <= 1e6))
		return 1;
	return (size_t)number;
}

/* With data-parallel attention, the dp groups share the tp ranks; else each is
 * a separate engine. */
static size_t count_ranks(struct value args)
{
	struct value shared = value_get(args, "enable_dp_attention");
	size_t ranks =
		size_member(args, "tp_size") * size_member(args, "pp_size");

	if (shared.kind != VALUE_BOOL || !shared.b)
		ranks *= size_member(args, "dp_size");
	return ranks;
}

struct profile_engine_facts profile_read_facts(struct str body)
{
	struct profile_engine_facts facts = {0};
	struct arena arena = arena_new(LIMIT_LIST);
	struct value args = {.kind = VALUE_ABSENT};
	struct err ignored;
	struct str mode;
	double tp;

	json_parse(body, &arena, &args, &ignored);
	if (!number_member(args, "tp_size", &tp))
		args = value_get(args, "server_args");
	if (number_member(args, "tp_size", &tp))
		facts.ranks = count_ranks(args);
	mode = text_member(args, "disaggregation_mode");
	if (mode.p)
		facts.role = str_is(mode, "prefill")  ? "prefill"
			     : str_is(mode, "decode") ? "decode"
						      : "regular";
	arena_free(&arena);
	return facts;
}
