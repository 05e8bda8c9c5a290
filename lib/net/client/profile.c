#include "net/client/profile.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/array.h"
#include "base/digits.h"
#include "base/limits.h"
#include "base/redact.h"

/* Limits on a worker's response and on the request. */
#define BODY_BYTES MIB

/* Identity. */

/* A role by how routers' names for it begin, in any case: "Prefill { ... }". */
static const char *normal_role(const char *listed)
{
	static const char *const roles[] = {"prefill", "decode", "regular",
					    "encode"};

	for (size_t i = 0; i < ARRAY_SIZE(roles); i++)
		if (strncasecmp(listed, roles[i], strlen(roles[i])) == 0)
			return roles[i];
	return listed;
}

static struct profile_worker worker_of(const struct target *t)
{
	struct profile_worker w = {.target = t, .role = normal_role(t->role)};
	const char *problem = t->problem;

	if (problem == NULL && strchr(t->url, '?') != NULL)
		problem = "the address has a query";
	if (problem == NULL)
		return w;
	w.verdict = PROFILE_UNREACHABLE;
	snprintf(w.text, sizeof(w.text), "%s", problem);
	return w;
}

/* The workers of the list whose address matches, or all. */
static int plan_workers(struct profile *p, const struct target_list *list,
			const regex_t *only, struct err *err)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct target *t = &list->v[i];
		int code = only ? regexec(only, t->address, 0, NULL, 0) : 0;

		if (code == REG_ESPACE)
			return err_memory(err);
		if (code == 0)
			p->v[p->n++] = worker_of(t);
	}
	return 0;
}

int profile_plan(struct profile *p, const struct target_list *list,
		 const char *only, struct err *err)
{
	regex_t pattern;
	int code = 0;

	p->arena = arena_new(LIMIT_LIST);
	p->v = calloc(list->n + 1, sizeof(*p->v));
	if (p->v == NULL)
		return err_memory(err);
	if (only == NULL)
		return plan_workers(p, list, NULL, err);
	code = regcomp(&pattern, only, REG_EXTENDED | REG_NOSUB);
	if (code == REG_ESPACE)
		return err_memory(err);
	if (code != 0)
		return err_set(err, ERR_INPUT, "not a regular expression: %s",
			       only);
	code = plan_workers(p, list, &pattern, err);
	regfree(&pattern);
	return code;
}

void profile_free(struct profile *p)
{
	arena_free(&p->arena);
	free(p->v);
}

void profile_keep_role(struct profile *p, const char *role)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->n; i++) {
		const char *own = p->v[i].role;

		if (strcmp(*own ? own : "regular", role) == 0)
			p->v[kept++] = p->v[i];
	}
	p->n = kept;
}

/* Trace directories. */

/* An address as a directory name: "10.0.0.5_30000". */
static void put_dir_name(struct buf *out, const char *address)
{
	static const char http[] = "http://";

	if (str_starts(str_of(address), http))
		address += strlen(http);
	for (; *address; address++) {
		bool plain = is_digit(*address) ||
			     (*address >= 'a' && *address <= 'z') ||
			     (*address >= 'A' && *address <= 'Z') ||
			     *address == '.' || *address == '-';

		/* A name with a leading dot would be hidden, or "..". */
		buf_putc(out, plain && !(*address == '.' && out->n > 0 &&
					 out->p[out->n - 1] == '/')
				      ? *address
				      : '_');
	}
}

static bool is_taken(const struct profile *p, size_t n, struct str dir)
{
	for (size_t i = 0; i < n; i++)
		if (str_is(dir, p->v[i].dir))
			return true;
	return false;
}

static void put_dir(const struct profile *p, size_t i, const char *dir,
		    struct buf *out)
{
	size_t plain;

	buf_puts(out, dir);
	if (!str_ends(buf_str(out), "/"))
		buf_putc(out, '/');
	put_dir_name(out, p->v[i].target->address);
	plain = out->n;
	for (int k = 2; is_taken(p, i, buf_str(out)) && !out->failed; k++) {
		out->n = plain;
		buf_printf(out, "-%d", k);
	}
}

int profile_set_dirs(struct profile *p, const char *dir, bool shared,
		     struct err *err)
{
	struct buf path = buf_new(64 * KIB);

	for (size_t i = 0; i < p->n; i++) {
		buf_clear(&path);
		if (shared)
			buf_puts(&path, dir);
		else
			put_dir(p, i, dir, &path);
		p->v[i].dir = path.failed
				      ? NULL
				      : arena_str(&p->arena, buf_str(&path)).p;
		if (p->v[i].dir == NULL)
			break;
	}
	buf_free(&path);
	return p->n == 0 || p->v[p->n - 1].dir ? 0 : err_memory(err);
}

/* Requests. */

/* The paths of an action; the second if the first does not exist. */
static const char *const paths[][2][2] = {
	[PROFILE_START] = {{"/start_profile"}, {"/start_profile"}},
	[PROFILE_STOP] = {{"/stop_profile"}, {"/stop_profile"}},
	[PROFILE_STATUS] = {{"/server_info", "/get_server_info"}, {"/version"}},
};

/* A worker in a round. */
struct ask {
	struct profile_worker *worker; /* NULL: not in it */
	size_t step;		       /* the path being tried */
	struct http_request request;
};

/* Settings of a whole round. */
struct round {
	struct profile *profile;
	enum profile_action action;
	struct fetcher *fetcher;
	struct ask *asks;
};

static int make_request(const struct round *round, struct ask *ask,
			struct err *err)
{
	struct profile *p = round->profile;
	const struct target *t = ask->worker->target;
	const char *path = paths[round->action][p->engine][ask->step];
	struct buf text = buf_new(BODY_BYTES);
	int rc = 0;

	buf_printf(&text, "%s%s", t->url, path);
	ask->request = (struct http_request){
		.url = arena_str(&p->arena, buf_str(&text)).p,
		.socket = t->socket,
		.user = t->user,
		.key = t->keyed ? p->key : NULL,
		.owner = ask,
	};
	buf_clear(&text);
	if (round->action != PROFILE_STATUS) {
		rc = profile_put_body(round->action, p->engine, &p->fields,
				      ask->worker->dir, &text, err);
		ask->request.body = arena_str(&p->arena, buf_str(&text));
	}
	if (rc == 0 && (text.failed || p->arena.failed))
		rc = text.failed ? buf_error(&text, err)
				 : arena_error(&p->arena, err);
	buf_free(&text);
	return rc;
}

static int send_one(const struct round *round, struct ask *ask, struct err *err)
{
	int rc = make_request(round, ask, err);

	return rc < 0 ? rc : fetch_add(round->fetcher, &ask->request, err);
}

static void read_facts(struct profile_worker *w, struct str body)
{
	struct profile_engine_facts facts = profile_read_facts(body);

	w->text[0] = '\0'; /* an entire configuration */
	if (facts.ranks)
		w->ranks = facts.ranks;
	if (facts.role && !*w->role)
		w->role = facts.role;
}

static void take_reply(const struct round *round,
		       const struct fetch_reply *reply)
{
	const struct ask *ask = reply->request->owner;
	struct profile_worker *w = ask->worker;
	const struct profile_answer answer = {
		.sidecar = !w->target->keyed,
		.end = reply->end,
		.sent = reply->sent != 0,
		.status = reply->status,
		.body = reply->body,
		.error = reply->error.text,
	};
	size_t n;

	w->status = reply->status;
	w->duration = reply->duration;
	if (w->sent == 0)
		w->sent = reply->sent;
	w->verdict = profile_judge(round->action, &answer, w->text);
	n = strlen(w->text);
	redact_secret(w->text, n, reply->request->key,
		      n + 1 == sizeof(w->text));
	if (w->verdict == PROFILE_REACHABLE && reply->error.code == 0)
		read_facts(w, reply->body);
}

/* The path does not exist: is there an older one to try? */
static bool can_continue(const struct round *round, struct ask *ask)
{
	const char *const *path = paths[round->action][round->profile->engine];

	if (ask->worker->status != 404 || ask->step > 0 || !path[1])
		return false;
	ask->step++;
	return true;
}

static bool is_askable(const struct profile_worker *w, profile_choice *choice)
{
	return !w->target->problem && !strchr(w->target->url, '?') &&
	       (choice == NULL || choice(w));
}

/* Until a worker answers, its state is unknown: the round may be
 * interrupted. */
static int begin_one(const struct round *round, size_t i, struct err *err)
{
	struct profile_worker *w = &round->profile->v[i];

	round->asks[i].worker = w;
	w->verdict = PROFILE_TIMEOUT;
	w->status = 0;
	w->sent = w->duration = 0;
	snprintf(w->text, sizeof(w->text), "interrupted before it answered");
	return send_one(round, &round->asks[i], err);
}

static int hold(const struct round *round, profile_choice *choice,
		struct err *err)
{
	const struct fetch_reply *reply;
	int rc = 0;

	for (size_t i = 0; i < round->profile->n && rc == 0; i++)
		if (is_askable(&round->profile->v[i], choice))
			rc = begin_one(round, i, err);
	reply = rc == 0 ? fetch_next(round->fetcher) : NULL;
	while (reply && rc == 0) {
		struct ask *ask = reply->request->owner;

		take_reply(round, reply);
		if (can_continue(round, ask))
			rc = send_one(round, ask, err);
		reply = fetch_next(round->fetcher);
	}
	return rc;
}

static void measure(struct profile *p)
{
	int64_t first = 0, last = 0;

	for (size_t i = 0; i < p->n; i++) {
		int64_t sent = p->v[i].sent;

		if (sent && (first == 0 || sent < first))
			first = sent;
		if (sent > last)
			last = sent;
	}
	p->first_sent = first;
	p->spread = last - first;
}

int profile_send(struct profile *p, enum profile_action action,
		 profile_choice *choice, struct err *err)
{
	struct round round = {.profile = p, .action = action};
	struct fetch_options options = p->fetch;
	int rc;

	options.max_bytes = LIMIT_ANSWER;
	options.limit = "LIMIT_ANSWER";
	round.asks = calloc(p->n + 1, sizeof(*round.asks));
	if (round.asks == NULL)
		return err_memory(err);
	round.fetcher = fetch_open(&options, err);
	rc = round.fetcher ? hold(&round, choice, err) : err->code;
	fetch_close(round.fetcher);
	free(round.asks);
	if (choice == NULL)
		measure(p);
	return rc;
}

int profile_learn(struct profile *p, struct err *err)
{
	return profile_send(p, PROFILE_STATUS, NULL, err);
}

void profile_forget(struct profile *p)
{
	for (size_t i = 0; i < p->n; i++) {
		struct profile_worker *w = &p->v[i];

		if (!is_askable(w, NULL))
			continue;
		w->verdict = PROFILE_NOT_SENT;
		w->text[0] = '\0';
		w->status = 0;
		w->sent = w->duration = 0;
	}
	p->first_sent = p->spread = 0;
}

int profile_put_requests(const struct profile *p, enum profile_action action,
			 struct buf *out, struct err *err)
{
	bool post = action != PROFILE_STATUS;

	for (size_t i = 0; i < p->n; i++) {
		const struct profile_worker *w = &p->v[i];
		size_t before;

		if (!is_askable(w, NULL))
			continue;
		buf_printf(out, "%s %s%s\n", post ? "POST" : "GET",
			   w->target->url, paths[action][p->engine][0]);
		if (w->target->keyed && p->key)
			buf_puts(out, "Authorization: Bearer (the key)\n");
		before = out->n;
		if (post && p->engine == PROFILE_SGLANG) {
			buf_puts(out, "Content-Type: application/json\n\n");
			profile_put_body(action, p->engine, &p->fields, w->dir,
					 out, err);
		}
		buf_puts(out, out->n > before ? "\n\n" : "\n");
	}
	return out->failed ? buf_error(out, err) : 0;
}
