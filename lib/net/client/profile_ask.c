#include "net/client/profile_ask.h"

#include <stdio.h>
#include <strings.h>

#include "fmt/json/json_small.h"

/* Bodies. */

static const char *const activities[] = {"CPU", "GPU",		 "MEM",
					 "RPD", "CUDA_PROFILER", "XPU"};

enum { N_ACTIVITIES = sizeof(activities) / sizeof(*activities) };
_Static_assert((int)N_ACTIVITIES == (int)PROFILE_ACTIVITIES_MAX,
	       "each has its place");

const char profile_activity_names[] = "CPU, GPU, MEM, RPD, CUDA_PROFILER, XPU";

static const char *find_activity(struct str name)
{
	for (size_t i = 0; i < N_ACTIVITIES; i++)
		if (strlen(activities[i]) == name.n &&
		    strncasecmp(activities[i], name.p, name.n) == 0)
			return activities[i];
	return NULL;
}

/* The part of *list before the next comma, which is taken off. */
static struct str next_part(struct str *list)
{
	const char *comma = memchr(list->p, ',', list->n);
	size_t n = comma ? (size_t)(comma - list->p) : list->n;
	struct str part = str_make(list->p, n);

	list->p += comma ? n + 1 : n;
	list->n -= comma ? n + 1 : n;
	return str_trim(part);
}

bool profile_add_activities(struct profile_fields *fields, struct str names)
{
	do {
		const char *name = find_activity(next_part(&names));
		size_t n = 0;

		if (name == NULL)
			return false;
		while (fields->activities[n] && fields->activities[n] != name)
			n++;
		fields->activities[n] = name;
	} while (names.n > 0);
	return true;
}

static void add_texts(struct json_small *body, const struct profile_fields *f,
		      const char *output_dir)
{
	const struct {
		const char *name, *text;
	} texts[] = {{"output_dir", output_dir},
		     {"profile_prefix", f->prefix},
		     {"profile_id", f->id}};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (texts[i].text)
			json_small_add_text(body, texts[i].name, texts[i].text);
}

static void add_switches(struct json_small *body,
			 const struct profile_fields *f)
{
	const struct {
		const char *name;
		bool given, value;
	} switches[] = {{"profile_by_stage", f->by_stage, true},
			{"with_stack", f->with_stack || f->no_stack,
			 f->with_stack},
			{"record_shapes", f->record_shapes || f->no_shapes,
			 f->record_shapes},
			{"merge_profiles", f->merge, true}};

	for (size_t i = 0; i < sizeof(switches) / sizeof(*switches); i++)
		if (switches[i].given)
			json_small_add_bool(body, switches[i].name,
					    switches[i].value);
}

static void add_lists(struct json_small *body, const struct profile_fields *f)
{
	struct str stages = str_of(f->stages ? f->stages : "");
	struct json_small *array = NULL;
	char text[PROFILE_STAGE_MAX];

	if (f->activities[0])
		array = json_small_add_array(body, "activities");
	for (size_t i = 0; f->activities[i]; i++)
		json_small_add_text(array, NULL, f->activities[i]);
	if (stages.n > 0)
		array = json_small_add_array(body, "profile_stages");
	while (stages.n > 0) {
		struct str stage = next_part(&stages);

		snprintf(text, sizeof(text), "%.*s", STR_ARG(stage));
		json_small_add_text(array, NULL, text);
	}
}

int profile_put_body(enum profile_action action, enum profile_engine engine,
		     const struct profile_fields *f, const char *output_dir,
		     struct buf *body, struct err *err)
{
	struct json_small *root;
	int rc;

	if (engine == PROFILE_VLLM)
		return 0;
	root = json_small_new_object();
	if (action == PROFILE_START) {
		add_texts(root, f, output_dir);
		if (f->num_steps > 0)
			json_small_add_number(root, "num_steps",
					      (double)f->num_steps);
		if (f->start_step >= 0)
			json_small_add_number(root, "start_step",
					      (double)f->start_step);
		add_switches(root, f);
		add_lists(root, f);
	}
	rc = json_small_print(root, false, body, err);
	json_small_free(root);
	return rc;
}

/* Verdicts. */

static const char *const names[] = {
	[PROFILE_NOT_SENT] = "not-sent",
	[PROFILE_STARTED] = "started",
	[PROFILE_STOPPED] = "stopped",
	[PROFILE_REACHABLE] = "reachable",
	[PROFILE_ALREADY_RUNNING] = "already-running",
	[PROFILE_NOT_RUNNING] = "not-running",
	[PROFILE_PARTLY] = "partly",
	[PROFILE_UNAUTHORISED] = "unauthorised",
	[PROFILE_REFUSED] = "refused",
	[PROFILE_NOT_CONFIGURED] = "not-configured",
	[PROFILE_UNREACHABLE] = "unreachable",
	[PROFILE_TIMEOUT] = "timeout",
	[PROFILE_FAILED] = "failed",
};

enum { ANY = -1 };

/* What an answer means: the first row that fits. A bare 500 says that the
 * engine was in the other state already: it has no other usual cause. */
static const struct rule {
	int action;
	int low, high;	  /* HTTP status */
	const char *word; /* in its text, in any case; NULL: whatever */
	enum profile_verdict verdict;
} rules[] = {
	{ANY, 401, 401, NULL, PROFILE_UNAUTHORISED},
	{ANY, 403, 403, NULL, PROFILE_UNAUTHORISED},
	{ANY, 206, 206, NULL, PROFILE_PARTLY},
	{PROFILE_START, 200, 299, NULL, PROFILE_STARTED},
	{PROFILE_STOP, 200, 299, NULL, PROFILE_STOPPED},
	{PROFILE_STATUS, 200, 299, NULL, PROFILE_REACHABLE},
	{PROFILE_STATUS, 404, 405, NULL, PROFILE_REACHABLE},
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

/* What an answer says. */

static struct str text_member(const struct json_small *object, const char *name)
{
	return json_small_text(json_small_member(object, name));
}

/* Where JSON answers have their message; the object may be one inside. */
static struct str find_message(const struct json_small *root)
{
	static const char *const members[] = {"message", "error", "detail",
					      "msg"};
	const struct json_small *inner;
	struct str text;

	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++) {
		text = text_member(root, members[i]);
		if (text.p)
			return text;
		inner = json_small_member(root, members[i]);
		if (json_small_is_array(inner))
			inner = json_small_first(inner);
		text = text_member(inner, "message");
		if (text.p == NULL)
			text = text_member(inner, "msg");
		if (text.p)
			return text;
	}
	return str_make(NULL, 0);
}

/* One line, without blanks in a row. */
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
 * beside the message, which only counts them. */
static void put_failed(char out[PROFILE_TEXT_MAX],
		       const struct json_small *root)
{
	const struct json_small *failed =
		json_small_first(json_small_member(root, "failed"));
	struct str reason = text_member(failed, "error");
	char line[2 * PROFILE_TEXT_MAX];

	if (reason.p == NULL)
		return;
	snprintf(line, sizeof(line), "%s%s%.*s", out, out[0] ? ": " : "",
		 STR_ARG(reason));
	out[0] = '\0';
	put_line(out, str_of(line));
}

static void put_text(char out[PROFILE_TEXT_MAX], struct str body)
{
	struct json_small *root = NULL;
	struct str message = {NULL, 0};
	struct err ignored;

	body = str_trim(body);
	if (body.n > 0 && body.p[0] == '{')
		root = json_small_parse(body, &ignored);
	message = find_message(root);
	put_line(out, message.p ? message : body);
	put_failed(out, root);
	json_small_free(root);
}

enum profile_verdict profile_judge(enum profile_action action,
				   const struct profile_answer *a,
				   char text[PROFILE_TEXT_MAX])
{
	const struct rule *rule = rules;

	text[0] = '\0';
	if (a->end != HTTP_WHOLE) {
		put_line(text, str_of(a->error));
		return !a->sent			? PROFILE_UNREACHABLE
		       : a->end == HTTP_TIMEOUT ? PROFILE_TIMEOUT
						: PROFILE_FAILED;
	}
	put_text(text, a->body);
	if (text[0] == '\0' && a->status == 500)
		put_line(text, str_of("Internal Server Error"));
	if (text[0] == '\0' && a->status >= 300)
		snprintf(text, PROFILE_TEXT_MAX, "HTTP status %d", a->status);
	while (a->status < rule->low || a->status > rule->high ||
	       (rule->action != ANY && rule->action != (int)action) ||
	       (rule->word && !str_has_nocase(str_of(text), rule->word)))
		rule++;
	return rule->verdict;
}

/* Facts. */

/* A whole number from 1 on, or 1 where there is none. */
static size_t size_member(const struct json_small *object, const char *name)
{
	double number;

	if (!json_small_number(json_small_member(object, name), &number) ||
	    !(number >= 1 && number <= 1e6))
		return 1;
	return (size_t)number;
}

static bool is_told(const struct json_small *object)
{
	double number;

	return json_small_number(json_small_member(object, "tp_size"), &number);
}

/* With data-parallel attention the dp groups share the tp ranks; else each is
 * an engine of its own beside the others. */
static size_t count_ranks(const struct json_small *args)
{
	size_t ranks =
		size_member(args, "tp_size") * size_member(args, "pp_size");

	if (!json_small_is_true(json_small_member(args, "enable_dp_attention")))
		ranks *= size_member(args, "dp_size");
	return ranks;
}

struct profile_engine_facts profile_read_facts(struct str body)
{
	struct profile_engine_facts facts = {0};
	struct err ignored;
	struct json_small *root = json_small_parse(body, &ignored);
	const struct json_small *args = root;
	struct str mode;

	if (!is_told(args))
		args = json_small_member(root, "server_args");
	if (is_told(args))
		facts.ranks = count_ranks(args);
	mode = text_member(args, "disaggregation_mode");
	if (mode.p)
		facts.role = str_is(mode, "prefill")  ? "prefill"
			     : str_is(mode, "decode") ? "decode"
						      : "regular";
	json_small_free(root);
	return facts;
}
