#include "net/client/discover.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "base/limits.h"
#include "net/client/roster.h"

enum { STEPS_MAX = 4 };

/* How a kind of source is queried: its paths, the newest first. */
static const struct manner {
	const char *paths[STEPS_MAX];
	size_t lists;	  /* how many of them return a list; the others mean the
			   * address is itself a worker */
	const char *name; /* what the address should be */
	/* Or: how to parse a text. */
	int (*read)(struct target_list *list, const struct target_rules *rules,
		    struct str text, struct err *err);
} manners[] = {
	[SOURCE_OPERAND] = {.read = target_add_operand},
	[SOURCE_LINES] = {.read = target_add_lines},
	[SOURCE_FILE] = {.read = roster_read},
	[SOURCE_SD] = {.paths = {""}, .lists = 1},
	[SOURCE_ROUTER] = {.paths = {"/workers", "/list_workers",
				     "/server_info", "/get_server_info"},
			   .lists = 2,
			   .name = "a router or a worker"},
	[SOURCE_RAY] = {.paths = {"/nodes?view=summary", "/api/prometheus/sd"},
			.lists = 2,
			.name = "a Ray dashboard"},
};

/* A source being queried. */
struct inquiry {
	struct source *source;
	const struct target_rules *rules;
	const struct manner *manner;
	size_t step;
	bool answered;	     /* a path before the last returned other things, */
	struct err not_list; /* and why those are not a list; or empty */
	struct target_list address; /* one target: the next fetch */
	struct http_request request;
	struct target_list found;
};

static bool is_url(const char *where)
{
	return strstr(where, "://") || str_starts(str_of(where), "unix:");
}

struct source source_new(enum source_kind kind, const char *where,
			 const char *key)
{
	if (kind == SOURCE_OPERAND && strcmp(where, "-") == 0)
		kind = SOURCE_LINES;
	if (kind == SOURCE_SD && !is_url(where))
		kind = SOURCE_FILE;
	return (struct source){.kind = kind,
			       .where = where,
			       .key = key,
			       .targets = target_list_new()};
}

void source_free(struct source *source)
{
	target_list_free(&source->targets);
}

/* The source's final answer: keep what was found, unless that is nothing. */
static void conclude(struct inquiry *q)
{
	struct source *s = q->source;
	bool asked = q->address.n > 0; /* its address has no credentials */
	const char *name;

	if (s->error.code == 0 && q->found.n == 0 && q->found.skipped > 0)
		err_set(&s->error, ERR_INPUT,
			"no entry of its list has an address");
	else if (s->error.code == 0 && q->found.n == 0)
		err_set(&s->error, ERR_IO, "lists no workers");
	if (s->error.code == 0) {
		target_list_free(&s->targets);
		s->targets = q->found;
	} else {
		target_list_free(&q->found);
		name = asked ? q->address.v[0].address : s->where;
		err_in(&s->error, *name ? name : "''");
	}
	target_list_free(&q->address);
}

/* Build the request for the path of this step. */
static int aim(struct inquiry *q)
{
	struct err *err = &q->source->error;
	struct target_rules rules = {.path = q->manner->paths[q->step]};
	struct target_entry entry = {
		.listed = str_of(q->source->where),
		.is_base = q->source->kind != SOURCE_SD,
	};
	const struct target *t;

	target_list_free(&q->address);
	if (target_add(&q->address, &rules, &entry, err) < 0)
		return err->code;
	t = &q->address.v[0];
	if (t->problem)
		return err_set(err, ERR_INPUT, "%s", t->problem);
	if (!t->keyed)
		return err_set(err, ERR_INPUT, "not an http or https URL");
	q->request = (struct http_request){.url = t->url,
					   .socket = t->socket,
					   .user = t->user,
					   .key = q->source->key,
					   .accept = "application/json",
					   .owner = q};
	return 0;
}

static void ask(struct inquiry *q, struct fetcher *fetcher)
{
	if (aim(q) < 0 ||
	    fetch_add(fetcher, &q->request, &q->source->error) < 0)
		conclude(q);
}

static bool has_next_step(const struct inquiry *q)
{
	return q->step + 1 < STEPS_MAX && q->manner->paths[q->step + 1];
}

/* The path does not exist, or lists nothing usable. */
static bool is_absent(const struct inquiry *q, const struct fetch_reply *reply)
{
	if (reply->status == 404 || reply->status == 405)
		return true;
	return q->source->kind == SOURCE_RAY && q->found.n == 0 &&
	       reply->error.code == 0;
}

static void read_answer(struct inquiry *q, const struct fetch_reply *reply)
{
	struct source *s = q->source;
	struct target_entry self = {.listed = str_of(s->where),
				    .is_base = true};

	s->error = reply->error;
	if (s->error.code < 0)
		return;
	if (q->step < q->manner->lists)
		roster_read(&q->found, q->rules, reply->body, &s->error);
	else
		target_add(&q->found, q->rules, &self, &s->error);
}

/* No path has targets. A reply that is not a list says more than a missing
 * path. */
static void end_without(struct inquiry *q)
{
	if (q->answered)
		q->source->error = q->not_list;
	else
		err_set(&q->source->error, ERR_IO, "does not look like %s",
			q->manner->name);
}

static void take_answer(struct inquiry *q, struct fetcher *fetcher,
			const struct fetch_reply *reply)
{
	read_answer(q, reply);
	if (reply->error.code == 0 && !q->answered) {
		q->answered = true;
		q->not_list = q->source->error;
	}
	if (!is_absent(q, reply) || !has_next_step(q)) {
		if (is_absent(q, reply) && q->step > 0)
			end_without(q);
		conclude(q);
		return;
	}
	q->source->error = (struct err){0};
	q->step++;
	ask(q, fetcher);
}

static int read_bytes(const char *where, struct buf *text, struct err *err)
{
	if (strcmp(where, "-") == 0)
		return io_read_all(STDIN_FILENO, text, err);
	return io_read_file(where, text, err);
}

static void read_source(struct inquiry *q)
{
	struct buf text = buf_new(LIMIT_LIST);
	struct source *s = q->source;

	if (s->kind == SOURCE_OPERAND)
		buf_puts(&text, s->where);
	else
		read_bytes(s->where, &text, &s->error);
	if (s->error.code == 0)
		q->manner->read(&q->found, q->rules, buf_str(&text), &s->error);
	buf_free(&text);
	conclude(q);
}

static void begin(struct inquiry *q, struct fetcher *fetcher)
{
	struct source *s = q->source;
	bool read_once = q->manner->read && strcmp(s->where, "-") == 0;

	s->error = (struct err){0};
	if (read_once && s->targets.n > 0)
		return;
	if (q->manner->read)
		read_source(q);
	else
		ask(q, fetcher);
}

static int ask_all(struct source *sources, size_t n,
		   const struct target_rules *rules, struct fetcher *fetcher,
		   struct err *err)
{
	struct inquiry *inquiries = calloc(n + 1, sizeof(*inquiries));
	const struct fetch_reply *reply;

	if (inquiries == NULL)
		return err_memory(err);
	for (size_t i = 0; i < n; i++) {
		inquiries[i] =
			(struct inquiry){.source = &sources[i],
					 .rules = rules,
					 .manner = &manners[sources[i].kind],
					 .address = target_list_new(),
					 .found = target_list_new()};
		begin(&inquiries[i], fetcher);
	}
	for (reply = fetch_next(fetcher); reply; reply = fetch_next(fetcher))
		take_answer(reply->request->owner, fetcher, reply);
	free(inquiries);
	return 0;
}

int discover(struct source *sources, size_t n, const struct target_rules *rules,
	     struct fetcher *fetcher, struct target_list *list, struct err *err)
{
	int rc = ask_all(sources, n, rules, fetcher, err);

	for (size_t i = 0; i < n && rc == 0; i++)
		rc = target_add_all(list, &sources[i].targets, err);
	return rc;
}
