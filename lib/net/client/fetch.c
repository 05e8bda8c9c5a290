#include "net/client/fetch.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/redact.h"
#include "net/client/url.h"

/* A request in flight longer than this no longer delays others. */
#define PATIENCE (NS_PER_SECOND / 4)

/* The delay before the first retry; it doubles, up to 64 times this. */
#define BACKOFF (100 * NS_PER_MS)

enum {
	REDIRECTS_MAX = 5,
	DOUBLINGS_MAX = 6,
	DESCRIPTORS_SPARED = 16, /* for files and descriptors of libcurl */
	DESCRIPTORS_EACH = 3,	 /* two addresses tried, one kept alive */
	IN_FLIGHT_MAX = 4096,
	URL_BYTES_MAX = 16 * 1024,
	WAIT_MS = 1000,
	WAIT_QUEUED_MS = 20, /* while requests are queued */
};

/* A request with its attempts and redirects. */
struct fetch_job {
	struct fetch_job *next;
	struct http_exchange exchange;
	struct fetch_reply reply;
	char *url;	    /* redirect target, or NULL */
	bool attempt_ended; /* the next start is a new attempt */
	int redirects;	    /* of this attempt */
	int64_t start;	    /* of this attempt */
	int64_t not_before; /* earliest time of the next one */
};

struct queue {
	struct fetch_job *first;
	struct fetch_job **end;
	size_t n;
};

struct fetcher {
	struct fetch_options options;
	struct http *pool;
	size_t in_flight_max;
	struct queue waiting;
	struct queue running;
	struct fetch_job *current; /* whose reply was returned last */
};

static void queue_push(struct queue *q, struct fetch_job *job)
{
	job->next = NULL;
	*q->end = job;
	q->end = &job->next;
	q->n++;
}

/* The job is in the queue. */
static void queue_remove(struct queue *q, struct fetch_job *job)
{
	struct fetch_job **at = &q->first;

	while (*at != NULL && *at != job)
		at = &(*at)->next;
	if (*at == NULL)
		return;
	*at = job->next;
	if (q->end == &job->next)
		q->end = at;
	q->n--;
}

static void job_free(struct fetcher *f, struct fetch_job *job)
{
	if (job == NULL)
		return;
	http_stop(f->pool, &job->exchange);
	buf_free(&job->exchange.body);
	free(job->url);
	free(job);
}

static void queue_free(struct fetcher *f, struct queue *q)
{
	while (q->first) {
		struct fetch_job *job = q->first;

		queue_remove(q, job);
		job_free(f, job);
	}
}

/* Starting. */

static void begin_attempt(struct fetcher *f, struct fetch_job *job)
{
	job->attempt_ended = false;
	job->start = clock_monotonic();
	job->redirects = 0;
	job->reply.attempts++;
	free(job->url);
	job->url = NULL;
	job->exchange.deadline = job->start + f->options.timeout;
	job->exchange.keyless = false;
}

static int start(struct fetcher *f, struct fetch_job *job)
{
	struct http_exchange *x = &job->exchange;

	if (job->attempt_ended)
		begin_attempt(f, job);
	x->url = job->url ? job->url : x->request->url;
	return http_start(f->pool, x, &job->reply.error);
}

/* Requests in flight that still count against the concurrency. */
static int64_t count_moving(const struct fetcher *f, int64_t now)
{
	int64_t n = 0;

	for (const struct fetch_job *job = f->running.first; job;
	     job = job->next)
		n += now - job->start < PATIENCE;
	return n;
}

/* Start as many as allowed. Returns a job that failed to start, or NULL. */
static struct fetch_job *start_waiting(struct fetcher *f)
{
	int64_t now = clock_monotonic();
	int64_t moving = count_moving(f, now);
	struct fetch_job *next;

	for (struct fetch_job *job = f->waiting.first; job; job = next) {
		next = job->next;
		if (moving >= f->options.concurrency ||
		    f->running.n >= f->in_flight_max)
			return NULL;
		if (job->not_before > now)
			continue;
		queue_remove(&f->waiting, job);
		if (start(f, job) < 0)
			return job;
		queue_push(&f->running, job);
		moving++;
	}
	return NULL;
}

/* Ending. */

/* A complete response: a partial one, which was not requested, could pass for
 * it. */
static bool is_success(int status)
{
	return status >= 200 && status <= 299 && status != 206;
}

static const char *status_meaning(int status)
{
	switch (status) {
	case 206:
		return ": only part of the body";
	case 401:
	case 403:
		return ": the key is missing or wrong";
	default:
		return "";
	}
}

/* A server's own error text: its first line, shortened between characters.
 * Empty if there is none, or if it is a page for browsers. */
static struct str first_line(const struct http_exchange *x)
{
	enum { LONGEST = 120 };
	struct str text = str_trim(buf_str(&x->body));
	size_t n = 0;

	/* 404 already says "not found". */
	if (x->end != HTTP_WHOLE || x->status < 400 || x->status == 404 ||
	    str_starts(text, "<"))
		return str_make("", 0);
	while (n < text.n && n < LONGEST && text.p[n] != '\n')
		n++;
	while (n > 0 && n < text.n && ((unsigned char)text.p[n] & 0xc0) == 0x80)
		n--;
	return str_trim(str_make(text.p, n));
}

/* A server may quote what it was sent in its error text. */
static void hide_secrets(struct http_exchange *x)
{
	const char *user = x->request->user;
	const char *password = user ? strchr(user, ':') : NULL;

	if (x->status < 400 || x->body.n == 0)
		return;
	redact_secret(x->body.p, x->body.n, x->request->key, false);
	if (password)
		redact_secret(x->body.p, x->body.n, password + 1, false);
	if (user)
		redact_basic(x->body.p, x->body.n);
}

static void fill_reply(const struct fetcher *f, struct fetch_job *job)
{
	struct http_exchange *x = &job->exchange;
	struct fetch_reply *reply = &job->reply;
	struct str line;

	hide_secrets(x);
	reply->request = x->request;
	reply->error = x->error;
	reply->end = x->end;
	reply->sent = x->sent;
	reply->status = x->status;
	reply->type = x->type;
	reply->duration = clock_monotonic() - job->start;
	reply->end_known = x->end_known;
	reply->body = str_make("", 0);
	if (x->end == HTTP_WHOLE && x->body.n > 0)
		reply->body = buf_str(&x->body);
	line = first_line(x);
	if (x->status && !is_success(x->status) && x->end != HTTP_TIMEOUT)
		err_set(&reply->error, ERR_IO, "HTTP status %d%s%s%.*s",
			x->status, status_meaning(x->status),
			line.n > 0 ? ": " : "", STR_ARG(line));
	else if (x->end == HTTP_TIMEOUT)
		err_set(&reply->error, ERR_IO,
			"timeout after %g s, with %zu byte%s received",
			(double)f->options.timeout / NS_PER_SECOND, x->body.n,
			str_plural(x->body.n));
}

static bool other_origin_allowed(const struct fetcher *f,
				 const struct fetch_job *job)
{
	return f->options.other_origins &&
	       job->exchange.request->socket == NULL;
}

/* Follow a redirect to a URL rebuilt from its parts, since libcurl adds the
 * credentials it was given to the one it reports. */
static bool follow(struct fetch_job *job, const struct url *to)
{
	struct buf url = buf_new(URL_BYTES_MAX);

	url_put_origin(&url, to);
	buf_put(&url, to->path.p, to->path.n);
	buf_putc(&url, '\0');
	free(job->url);
	job->url = url.failed ? NULL : url.p;
	if (url.failed)
		buf_free(&url);
	job->redirects++;
	return job->url != NULL;
}

/* The redirect target without its fragment, which is not sent, and the original
 * URL. */
static int read_redirect(const struct http_exchange *x, struct url *from,
			 struct url *to, struct err *err)
{
	size_t n = strcspn(x->location, "#");
	struct err why;

	if (url_parse(str_make(x->location, n), to, &why) < 0)
		return err_set(err, ERR_INPUT, "cannot follow a redirect: %s",
			       why.text);
	return url_parse(str_of(x->request->url), from, err);
}

/* Returns whether to follow the response as a redirect; if it is one and may
 * not be followed, the reply says why. */
static bool redirect(const struct fetcher *f, struct fetch_job *job)
{
	struct http_exchange *x = &job->exchange;
	struct err *err = &job->reply.error;
	struct url from, to;

	if (x->end != HTTP_WHOLE || !x->location || x->request->body.p)
		return false;
	if (read_redirect(x, &from, &to, err) < 0)
		return false;
	if (!url_same_origin(&from, &to)) {
		x->keyless = true;
		err_set(err, ERR_IO, "redirected to another origin: %.*s:%d",
			STR_ARG(to.host), url_port(&to));
		if (!other_origin_allowed(f, job))
			return false;
	}
	if (job->redirects >= REDIRECTS_MAX) {
		err_set(err, ERR_IO, "more than %d redirects", REDIRECTS_MAX);
		return false;
	}
	return follow(job, &to);
}

static bool worth_retrying(const struct http_exchange *x)
{
	if (x->request->body.p && x->sent)
		return x->status == 429 || x->status == 503;
	return x->status == 429 || x->status >= 500 || x->end == HTTP_FAILED ||
	       x->end == HTTP_TIMEOUT;
}

/* One exchange ended. Returns whether the request continues with another. */
static bool can_continue(const struct fetcher *f, struct fetch_job *job)
{
	int tries = job->reply.attempts;
	int doublings = tries < DOUBLINGS_MAX ? tries - 1 : DOUBLINGS_MAX;

	if (redirect(f, job)) {
		job->not_before = 0;
		return true;
	}
	if (tries > f->options.retries || !worth_retrying(&job->exchange))
		return false;
	job->attempt_ended = true;
	job->not_before = clock_monotonic() + (BACKOFF << doublings);
	return true;
}

/* Wait for one request to end. Returns NULL if none has ended yet. */
static struct fetch_job *wait_for_one(struct fetcher *f)
{
	int ms = f->waiting.n > 0 ? WAIT_QUEUED_MS : WAIT_MS;
	struct http_exchange *x = http_wait(f->pool, ms);
	struct fetch_job *job;

	if (x == NULL)
		return NULL;
	job = x->owner;
	queue_remove(&f->running, job);
	fill_reply(f, job);
	if (!can_continue(f, job))
		return job;
	queue_push(&f->waiting, job);
	return NULL;
}

/* The fetcher. */

/* How many requests may be in flight within the descriptor limit. */
static size_t count_slots(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 ||
	    limit.rlim_cur / DESCRIPTORS_EACH > IN_FLIGHT_MAX)
		return IN_FLIGHT_MAX;
	if (limit.rlim_cur < DESCRIPTORS_SPARED + DESCRIPTORS_EACH)
		return 1;
	return (limit.rlim_cur - DESCRIPTORS_SPARED) / DESCRIPTORS_EACH;
}

struct fetcher *fetch_open(const struct fetch_options *options, struct err *err)
{
	struct fetcher *f = calloc(1, sizeof(*f));

	if (f == NULL)
		return err_no_memory(err);
	f->options = *options;
	f->in_flight_max = count_slots();
	f->options.http.kept = f->in_flight_max;
	f->waiting.end = &f->waiting.first;
	f->running.end = &f->running.first;
	f->pool = http_open(&f->options.http, err);
	if (f->pool == NULL) {
		free(f);
		return NULL;
	}
	return f;
}

void fetch_close(struct fetcher *f)
{
	if (f == NULL)
		return;
	queue_free(f, &f->running);
	queue_free(f, &f->waiting);
	job_free(f, f->current);
	http_close(f->pool);
	free(f);
}

int fetch_add(struct fetcher *f, const struct http_request *request,
	      struct err *err)
{
	struct fetch_job *job = calloc(1, sizeof(*job));

	if (job == NULL)
		return err_memory(err);
	job->exchange.request = request;
	job->exchange.owner = job;
	job->exchange.body =
		buf_limited(f->options.max_bytes, f->options.limit);
	job->attempt_ended = true;
	job->reply.request = request;
	job->reply.type = "";
	queue_push(&f->waiting, job);
	return 0;
}

const struct fetch_reply *fetch_next(struct fetcher *f)
{
	struct fetch_job *job = NULL;

	job_free(f, f->current);
	f->current = NULL;
	while (job == NULL && f->waiting.n + f->running.n > 0) {
		if (f->options.interrupted && *f->options.interrupted)
			return NULL;
		job = start_waiting(f);
		if (job == NULL)
			job = wait_for_one(f);
	}
	f->current = job;
	return job ? &job->reply : NULL;
}
