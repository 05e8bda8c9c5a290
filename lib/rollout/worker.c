#include "rollout/worker.h"

#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "base/array.h"
#include "base/digits.h"
#include "base/limits.h"
#include "base/redact.h"
#include "fmt/value/value_python.h"
#include "fmt/value/value_text.h"
#include "rollout/span_attrs.h"

/* A worker slower than the median one by this factor is slow. */
static const double slow_worker = 1.3;

enum { ADDRESSES = 8 };

const char *const worker_keys[] = {"worker_addr", "worker",	 "worker_url",
				   "engine",	  "engine_addr", "server",
				   "server_url",  "url",	 "dp_rank",
				   NULL};

void workers_want(struct rollout *rollout)
{
	for (size_t i = 0; worker_keys[i] != NULL; i++)
		rollout_want(rollout, str_of(worker_keys[i]));
}

/* The worker of one request --------------------------------------------- */

static bool says_nothing(struct value v)
{
	return v.kind == VALUE_ABSENT || v.kind == VALUE_NONE ||
	       v.kind == VALUE_SKIPPED || (v.kind == VALUE_STR && v.n == 0);
}

/* The first of n attributes that has a value, else VALUE_ABSENT. */
static struct value first_of(const char *const *keys, size_t n,
			     struct value end_attrs, struct value start_attrs,
			     const struct sample *sample)
{
	for (size_t i = 0; i < n; i++) {
		struct value v = value_plain(value_get(end_attrs, keys[i]));

		if (says_nothing(v))
			v = value_plain(value_get(start_attrs, keys[i]));
		if (!says_nothing(v))
			return v;
	}
	for (size_t i = 0; sample != NULL && i < n; i++) {
		struct value v = value_plain(sample_field(sample, keys[i]));

		if (!says_nothing(v))
			return v;
	}
	return (struct value){.kind = VALUE_ABSENT};
}

/* The length of a data parallel rank at the end: @N. */
static size_t rank_length(struct str s)
{
	size_t n = 0;

	while (n < s.n && is_digit(s.p[s.n - n - 1]))
		n++;
	return n > 0 && n < s.n && s.p[s.n - n - 1] == '@' ? n + 1 : 0;
}

static bool skip_nocase(struct str *s, const char *prefix)
{
	size_t n = strlen(prefix);

	if (s->n < n || strncasecmp(s->p, prefix, n) != 0)
		return false;
	*s = str_skip(*s, n);
	return true;
}

/* HOST:PORT of USER:PASSWORD@HOST:PORT, for text without a scheme. */
static struct str without_user(struct str s)
{
	const char *at = memrchr(s.p, '@', s.n);
	size_t user = at == NULL ? 0 : (size_t)(at - s.p);
	struct str address = str_skip(s, at == NULL ? 0 : user + 1);

	return memmem(s.p, s.n, "://", 3) == NULL && at != NULL &&
			       memchr(s.p, ':', user) != NULL &&
			       memchr(address.p, ':', address.n) != NULL
		       ? address
		       : s;
}

/* Host and port of an http URL; other text without credentials. */
static struct str without_path(struct str s)
{
	size_t n = 0;

	if (!skip_nocase(&s, "http://") && !skip_nocase(&s, "https://"))
		return without_user(s);
	while (n < s.n && strchr("/?#", s.p[n]) == NULL)
		n++;
	s.n = n;
	while (n > 0 && s.p[n - 1] != '@')
		n--;
	return str_skip(s, n);
}

/* Turn text into an address: of an http URL only its host and port, of any
 * other no credentials. */
static bool shorten(struct buf *text)
{
	struct str s, host;
	size_t rank;

	text->n = redact_urls(text->p, text->n);
	s = buf_str(text);
	rank = rank_length(s);
	host = without_path(str_make(s.p, s.n - rank));
	if (host.p != s.p) {
		memmove(text->p, host.p, host.n);
		memmove(text->p + host.n, s.p + s.n - rank, rank);
		text->n = host.n + rank;
	}
	return rank > 0;
}

bool worker_of(struct buf *text, struct value end_attrs,
	       struct value start_attrs, const struct sample *sample)
{
	struct value address = first_of(worker_keys, ADDRESSES, end_attrs,
					start_attrs, sample);
	struct value rank = first_of(&worker_keys[ADDRESSES], 1, end_attrs,
				     start_attrs, sample);
	bool ranked = false;

	buf_clear(text);
	if (address.kind != VALUE_ABSENT) {
		value_put_str(text, address);
		ranked = !text->failed && text->n > 0 && shorten(text);
	}
	if (rank.kind != VALUE_ABSENT && !ranked) {
		buf_puts(text, address.kind == VALUE_ABSENT ? "dp_rank " : "@");
		value_put_str(text, rank);
	}
	return address.kind != VALUE_ABSENT || rank.kind != VALUE_ABSENT;
}

/* All workers ----------------------------------------------------------- */

struct workers workers_new(void)
{
	return (struct workers){.texts = intern_new(LIMIT_KEPT),
				.scratch = buf_new(LIMIT_STRING)};
}

void workers_free(struct workers *workers)
{
	for (size_t i = 0; i < workers->cap; i++)
		stats_free(&workers->v[i].token_times);
	free(workers->v);
	intern_free(&workers->texts);
	buf_free(&workers->scratch);
	*workers = (struct workers){0};
}

int64_t workers_number(struct workers *w, const struct item *item,
		       const struct sample *sample, struct err *err)
{
	uint32_t number;

	if (!worker_of(&w->scratch, item->end_attrs, item->start_attrs, sample))
		return WORKER_UNKNOWN;
	if (w->scratch.failed)
		return buf_error(&w->scratch, err);
	number = intern_add(&w->texts, buf_str(&w->scratch));
	if (number == INTERN_FAILED)
		return intern_error(&w->texts, err);
	return ARRAY_GROW_ZEROED(w->v, number, w->cap) ? (int64_t)number
						       : err_memory(err);
}

/* Seconds per token of a closed request, without its queueing; NaN if its
 * tokens are unknown. */
static double token_time(const struct item *item)
{
	struct value said =
		value_plain(value_get(item->end_attrs, "completion_tokens"));
	double tokens;
	double time = item->display_end - item->start - item_queued(item);

	if (item->state != ITEM_CLOSED || said.kind == VALUE_BOOL ||
	    !value_number(said, &tokens) || !isfinite(tokens) || tokens <= 0)
		return (double)NAN;
	return time > 0 && isfinite(time) ? time / tokens : (double)NAN;
}

static int add_request(struct worker_speed *worker, const struct item *item,
		       struct err *err)
{
	double time = token_time(item);

	return isnan(time) || stats_add(&worker->token_times, time)
		       ? 0
		       : err_memory(err);
}

/* The time of the row's requests served by one worker. */
struct served {
	uint32_t worker;
	double time;
};

/* A row has few workers: a linear search is enough. More than this many are not
 * counted. */
enum { SERVED_MAX = 32 };

static void add_served(struct served *served, size_t *n, uint32_t worker,
		       double time)
{
	for (size_t i = 0; i < *n; i++) {
		if (served[i].worker == worker) {
			served[i].time += time;
			return;
		}
	}
	if (*n < SERVED_MAX)
		served[(*n)++] = (struct served){worker, time};
}

static int see_requests(struct workers *w, const struct sample *sample,
			const struct row *row, bool add, uint32_t *worker,
			struct err *err)
{
	struct served served[SERVED_MAX];
	const struct served *most = NULL;
	size_t n = 0;

	for (uint32_t i = 0; i < row->item_count; i++) {
		const struct item *item = &row->items[i];
		double time = item->display_end - item->start;
		int64_t number;

		if (item->role != ROLE_NONE || item->state > ITEM_OPEN ||
		    !item->is_request)
			continue;
		number = workers_number(w, item, sample, err);
		if (number < 0)
			return (int)number;
		if (number == WORKER_UNKNOWN)
			continue;
		if (add && add_request(&w->v[number], item, err) < 0)
			return err->code;
		add_served(served, &n, (uint32_t)number, time > 0 ? time : 0);
	}
	for (size_t i = 0; i < n; i++)
		if (most == NULL || served[i].time > most->time)
			most = &served[i];
	*worker = most == NULL ? WORKER_UNKNOWN : most->worker;
	return 0;
}

int workers_most(struct workers *w, const struct sample *sample,
		 const struct row *row, uint32_t *worker, struct err *err)
{
	return see_requests(w, sample, row, false, worker, err);
}

int workers_add(struct workers *w, const struct sample *sample,
		const struct row *row, uint32_t *worker, struct err *err)
{
	return see_requests(w, sample, row, true, worker, err);
}

/* Set *median to that of the token times of all workers, if they are two to
 * the better one, or of those that are not slow; NaN: there are none. */
static int median_worker(const struct workers *w, bool slow_too, double *median,
			 struct err *err)
{
	struct stats times = {0};
	int code = 0;

	for (uint32_t i = 0; code == 0 && i < w->texts.count; i++)
		if (!isnan(w->v[i].token_time) && (slow_too || !w->v[i].slow) &&
		    !stats_add(&times, w->v[i].token_time))
			code = err_memory(err);
	stats_sort(&times);
	*median = times.n == 0 ? NAN
		  : slow_too   ? stats_usual(&times)
			       : stats_median(&times);
	stats_free(&times);
	return code;
}

int workers_judge(struct workers *w, struct err *err)
{
	double median;

	for (uint32_t i = 0; i < w->texts.count; i++) {
		struct worker_speed *one = &w->v[i];

		stats_sort(&one->token_times);
		one->token_time = one->token_times.n > 0
					  ? stats_median(&one->token_times)
					  : NAN;
	}
	if (median_worker(w, true, &median, err) < 0)
		return err->code;
	for (uint32_t i = 0; i < w->texts.count; i++)
		w->v[i].slow = w->v[i].token_time > slow_worker * median;
	return median_worker(w, false, &w->usual, err);
}
