#include "net/server/flight.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "fmt/file/gzip_write.h"
#include "fmt/prom/prom_check.h"
#include "net/client/scrape_request.h"
#include "net/server/child.h"

/* GZIP_ROOM: zlib writes in steps, the last of which may be short. */
enum { REASON_MAX = 512, GZIP_LEVEL = 1, GZIP_ROOM = 64 * 1024 };

struct waiter {
	struct httpd_request *request;
	int64_t deadline; /* of its scraper, or INT64_MAX */
	bool gzip;
	struct waiter *next;
};

/* The result of a run. */
struct answer {
	struct httpd_content *plain; /* NULL: there is no response */
	struct httpd_content *gzip;  /* NULL: send plain to all */
	int64_t until;		     /* when it expires */
};

struct flight {
	struct flight_options options;
	struct serve_handler handler;
	struct child child;
	int64_t deadline;      /* of the current run */
	const char *abandoned; /* why its response is dropped, or NULL */
	struct waiter *waiters;
	struct answer answer;
	struct httpd_content *no_memory; /* as a fallback */
};

/* Answers ---------------------------------------------------------------- */

static void drop_answer(struct answer *answer)
{
	httpd_content_drop(answer->plain);
	httpd_content_drop(answer->gzip);
	*answer = (struct answer){0};
}

static struct httpd_content *describe(struct httpd_content *content,
				      const char *type, const char *encoding)
{
	if (content != NULL && serve_describe(content, type) &&
	    httpd_content_header(content, "Content-Encoding", encoding) &&
	    httpd_content_header(content, "Vary", "Accept-Encoding"))
		return content;
	httpd_content_drop(content);
	return NULL;
}

/* A command's output may contain terminal controls, or not be UTF-8. */
static void put_shown(struct buf *out, struct str text)
{
	const char *end = text.p + text.n;
	char escaped[UTF8_ESCAPED_MAX];
	size_t used;

	for (const char *p = text.p; p < end; p += used) {
		uint32_t point;

		used = utf8_next(p, end, &point);
		if (utf8_is_printable(point))
			buf_put(out, p, used);
		else
			buf_put(out, escaped,
				utf8_escape(escaped, p, used, point));
	}
}

static struct answer rejection(unsigned status, const char *reason)
{
	struct buf text = buf_new((size_t)UTF8_ESCAPED_MAX * REASON_MAX);
	struct answer answer = {0};

	put_shown(&text, str_of(reason));
	buf_putc(&text, '\n');
	answer.plain = describe(httpd_content_of(status, &text),
				"text/plain; charset=utf-8", NULL);
	buf_free(&text);
	return answer;
}

/* The compressed form, even if it is not shorter: a client that requests it may
 * count on it. NULL if out of memory: then plain is sent. */
static struct httpd_content *compress(struct str text, const char *type)
{
	struct buf packed = buf_new(text.n + text.n / 1000 + GZIP_ROOM);
	struct httpd_content *content = NULL;
	struct gzip gzip;
	struct err err;

	if (gzip_open(&gzip, &packed, GZIP_LEVEL, &err) < 0)
		return NULL;
	out_put(&gzip.in, text.p, text.n);
	if (gzip_close(&gzip, &err) == 0)
		content =
			describe(httpd_content_of(200, &packed), type, "gzip");
	buf_free(&packed);
	return content;
}

/* Is it wanted compressed, now or possibly later? */
static bool wants_gzip(const struct flight *f)
{
	for (const struct waiter *w = f->waiters; w != NULL; w = w->next)
		if (w->gzip)
			return true;
	return f->options.max_age > 0;
}

/* A byte order mark would make the scraper lose the first line. */
static void cut_bom(struct buf *output)
{
	struct str rest = str_skip_bom(buf_str(output));

	if (rest.n == output->n)
		return;
	memmove(output->p, rest.p, rest.n);
	output->n = rest.n;
}

static struct answer success(struct flight *f, int64_t now)
{
	struct buf *output = &f->child.output;
	const char *type = prom_ends_in_eof(buf_str(output))
				   ? "application/openmetrics-text; "
				     "version=1.0.0; charset=utf-8"
				   : "text/plain; version=0.0.4; charset=utf-8";
	struct answer answer = {.until = now + f->options.max_age};

	cut_bom(output);
	if (output->n > 0 && wants_gzip(f))
		answer.gzip = compress(buf_str(output), type);
	answer.plain = describe(httpd_content_of(200, output), type, NULL);
	return answer;
}

/* Errors of a run. */
struct served_judgement {
	bool failed;		 /* there is no response */
	char reason[REASON_MAX]; /* even with a response; or "" */
};

static void blame(struct served_judgement *v, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void blame(struct served_judgement *v, const char *format, ...)
{
	va_list args;

	v->failed = true;
	va_start(args, format);
	vsnprintf(v->reason, sizeof(v->reason), format, args);
	va_end(args);
}

/* Is the output of a successful command an exposition? Invalid lines do not
 * spoil the others. */
static void judge_output(const struct flight *f, struct served_judgement *v)
{
	struct str text = buf_str(&f->child.output);
	struct str last = child_last_line(&f->child);
	const char *colon = last.n > 0 ? ": " : "";
	const char *other = prom_check_other(text);
	struct prom_check check;
	struct err err;

	if (prom_check(text, &check, &err) < 0)
		blame(v, "%s", err.text);
	else if (check.stream)
		blame(v, "the command printed a stream of snapshots, not one "
			 "exposition");
	else if (other)
		blame(v, "the command printed %s, not metrics", other);
	else if (check.samples == 0 && check.bad > 0)
		blame(v, "the command printed no metrics: line %lld: %s",
		      (long long)check.first.at, check.first.text);
	else if (check.samples == 0 && !f->options.allow_empty)
		blame(v, "the command printed no sample%s%.*s", colon,
		      STR_ARG(last));
	else if (check.bad > 0)
		snprintf(v->reason, sizeof(v->reason),
			 "invalid lines of the output: %llu; the first is line "
			 "%lld: %s",
			 (unsigned long long)check.bad,
			 (long long)check.first.at, check.first.text);
}

static void judge(const struct flight *f, struct served_judgement *v)
{
	const struct child *c = &f->child;
	struct str last = child_last_line(c);
	const char *colon = last.n > 0 ? ": " : "";
	bool partly = f->options.allow_partly && c->status == 1;

	if (c->end == CHILD_OVERFULL)
		blame(v,
		      "the command printed more than %zu bytes; raise "
		      "it with --max-body",
		      f->options.max_body);
	else if (c->end == CHILD_SIGNALED)
		blame(v, "the command was killed by signal %d%s%.*s", c->status,
		      colon, STR_ARG(last));
	else if (c->status != 0 && !partly)
		blame(v, "the command ended with status %d%s%.*s", c->status,
		      colon, STR_ARG(last));
	else
		judge_output(f, v);
}

/* Waiters ---------------------------------------------------------------- */

static void give(struct flight *f, const struct waiter *waiter,
		 const struct answer *answer)
{
	struct httpd_content *content = answer->plain;

	if (waiter->gzip && answer->gzip != NULL)
		content = answer->gzip;
	httpd_answer(waiter->request, content ? content : f->no_memory);
}

static void give_all(struct flight *f, const struct answer *answer)
{
	while (f->waiters != NULL) {
		struct waiter *waiter = f->waiters;

		f->waiters = waiter->next;
		give(f, waiter, answer);
		free(waiter);
	}
}

static void reject_all(struct flight *f, unsigned status, const char *reason)
{
	struct answer answer = rejection(status, reason);

	give_all(f, &answer);
	drop_answer(&answer);
}

/* End a run whose result is not needed. */
static void abandon(struct flight *f, int64_t now, const char *why)
{
	if (f->child.pid == 0 || f->abandoned != NULL)
		return;
	f->abandoned = why;
	child_stop(&f->child, now);
}

static void start(struct flight *f, int64_t now)
{
	struct err err;

	f->abandoned = NULL;
	f->deadline = now + f->options.timeout;
	if (child_start(&f->child, f->options.command, &err) == 0)
		return;
	reject_all(f, err.code == ERR_IO ? 503 : 500, err.text);
	f->options.report(err.text, str_make(NULL, 0));
}

static struct waiter read_request(struct httpd_request *request, int64_t now)
{
	const char *limit =
		httpd_header(request, "X-Prometheus-Scrape-Timeout-Seconds");
	const char *coding = httpd_header(request, "Accept-Encoding");
	struct waiter waiter = {.request = request, .deadline = INT64_MAX};
	int64_t time = scrape_request_timeout(str_of(limit ? limit : ""));

	if (time != INT64_MAX)
		waiter.deadline = now + time;
	waiter.gzip = scrape_request_takes_gzip(str_of(coding ? coding : ""));
	return waiter;
}

static void ask(void *owner, struct httpd_request *request)
{
	struct flight *f = owner;
	int64_t now = clock_monotonic();
	struct waiter read = read_request(request, now);
	struct waiter *waiter;

	if (f->answer.plain != NULL && now < f->answer.until) {
		give(f, &read, &f->answer);
		return;
	}
	waiter = malloc(sizeof(*waiter));
	if (waiter == NULL) {
		httpd_answer(request, f->no_memory);
		return;
	}
	read.next = f->waiters;
	*waiter = read;
	f->waiters = waiter;
	/* One that is being stopped must end first. */
	if (f->child.pid == 0)
		start(f, now);
}

static void gone(void *owner, struct httpd_request *request)
{
	struct flight *f = owner;
	struct waiter **place = &f->waiters;
	struct waiter *waiter;

	while (*place != NULL && (*place)->request != request)
		place = &(*place)->next;
	waiter = *place;
	if (waiter == NULL)
		return;
	*place = waiter->next;
	free(waiter);
	if (f->waiters == NULL)
		abandon(f, clock_monotonic(),
			"the command was stopped: its client disconnected");
}

/* Time ------------------------------------------------------------------- */

/* Answer requests whose scraper's timeout is reached. */
static void reject_late(struct flight *f, int64_t now)
{
	static const char reason[] =
		"the command took longer than the scraper waits";
	struct answer answer = rejection(504, reason);
	struct waiter **place = &f->waiters;

	while (*place != NULL) {
		struct waiter *waiter = *place;

		if (now < waiter->deadline) {
			place = &waiter->next;
			continue;
		}
		*place = waiter->next;
		give(f, waiter, &answer);
		free(waiter);
	}
	drop_answer(&answer);
	if (f->waiters == NULL)
		abandon(f, now, reason);
}

static int64_t earliest_deadline(const struct flight *f)
{
	int64_t earliest = INT64_MAX;

	for (const struct waiter *w = f->waiters; w != NULL; w = w->next)
		if (w->deadline < earliest)
			earliest = w->deadline;
	return earliest;
}

static void run_ended(struct flight *f, int64_t now)
{
	const struct child *c = &f->child;
	const char *complaint = f->abandoned;
	struct served_judgement verdict = {0};

	child_reap_others();
	if (complaint == NULL) {
		judge(f, &verdict);
		if (verdict.reason[0])
			complaint = verdict.reason;
		drop_answer(&f->answer);
		f->answer = verdict.failed ? rejection(500, verdict.reason)
					   : success(f, now);
		give_all(f, &f->answer);
		if (verdict.failed || f->options.max_age == 0)
			drop_answer(&f->answer);
	}
	f->options.report(complaint, str_make(c->tail, c->tail_n));
	buf_free(&f->child.output);
	if (f->waiters != NULL)
		start(f, now);
}

static void time_up(struct flight *f, int64_t now)
{
	char reason[REASON_MAX];

	snprintf(reason, sizeof(reason), "the command took longer than %g s",
		 (double)f->options.timeout / (double)NS_PER_SECOND);
	reject_all(f, 504, reason);
	abandon(f, now, "the command took too long and was stopped");
}

void flight_step(struct flight *f, int64_t now)
{
	if (child_step(&f->child, now))
		run_ended(f, now);
	if (f->child.pid == 0)
		child_reap_others();
	else if (f->abandoned == NULL && now >= f->deadline)
		time_up(f, now);
	if (now >= earliest_deadline(f))
		reject_late(f, now);
	if (f->answer.plain != NULL && now >= f->answer.until)
		drop_answer(&f->answer);
}

int64_t flight_due(const struct flight *f)
{
	const int64_t times[] = {
		child_due(&f->child),
		f->child.pid && !f->abandoned ? f->deadline : INT64_MAX,
		earliest_deadline(f),
		f->answer.plain ? f->answer.until : INT64_MAX,
	};
	int64_t due = INT64_MAX;

	for (size_t i = 0; i < ARRAY_SIZE(times); i++)
		if (times[i] < due)
			due = times[i];
	return due;
}

void flight_poll(const struct flight *f, struct pollfd fds[2])
{
	child_poll(&f->child, fds);
}

bool flight_runs(const struct flight *f)
{
	return f->child.pid != 0;
}

const struct serve_handler *flight_handler(struct flight *f)
{
	return &f->handler;
}

struct flight *flight_new(const struct flight_options *options)
{
	struct flight *f = calloc(1, sizeof(*f));

	if (f == NULL)
		return NULL;
	f->options = *options;
	f->handler = (struct serve_handler){ask, gone, f};
	f->child = child_new(options->max_body);
	f->no_memory = httpd_content_text(500, "out of memory\n");
	if (f->no_memory == NULL) {
		free(f);
		return NULL;
	}
	return f;
}

void flight_free(struct flight *f)
{
	child_free(&f->child);
	drop_answer(&f->answer);
	httpd_content_drop(f->no_memory);
	free(f);
}
