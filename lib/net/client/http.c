#include "net/client/http.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/limits.h"
#include "net/client/http_body.h"
#include "net/client/http_idle.h"

struct http {
	struct http_options options;
	CURLM *multi;
	size_t arriving; /* total bytes of bodies in flight */
	struct http_idle idle;
};

struct http_wire {
	struct http *pool;
	CURL *easy;
	struct curl_slist *headers;
	size_t header_bytes; /* received */
	struct http_body in;
	bool excess; /* longer than the announced body */
	char reason[CURL_ERROR_SIZE];
};

/* libcurl's callbacks while a response arrives. */

/* A piece of the body's text. */
static int take_text(void *taker, struct str piece, struct err *err)
{
	struct http_exchange *x = taker;
	struct http *pool = x->wire->pool;

	if (pool->arriving > LIMIT_INFLIGHT && x->body.n > LIMIT_INFLIGHT_EACH)
		return err_set(
			err, ERR_LIMIT,
			"too many large bodies at the same time, this "
			"one has more than %zu bytes" ERR_RAISE(LIMIT_INFLIGHT),
			x->body.n);
	buf_put(&x->body, piece.p, piece.n);
	if (x->body.failed)
		return buf_error(&x->body, err);
	pool->arriving += piece.n;
	return 0;
}

static size_t on_body(char *p, size_t size, size_t n, void *context)
{
	struct http_exchange *x = context;
	struct str piece = str_make(p, size * n);

	return http_body_put(&x->wire->in, piece) == 0 ? piece.n : 0;
}

static size_t on_header(char *p, size_t size, size_t n, void *context)
{
	struct http_exchange *x = context;
	struct http_wire *w = x->wire;
	struct str line = str_make(p, size * n);

	w->header_bytes += line.n;
	if (w->header_bytes > LIMIT_HEADERS) {
		err_limit(&w->in.error, LIMIT_HEADERS, "LIMIT_HEADERS");
		return 0;
	}
	return http_body_head(&w->in, line) == 0 ? line.n : 0;
}

/* The connection an exchange has just finished with, -1 if none. Under TLS,
 * readable bytes may be records without data. */
static int left_socket(CURL *easy, bool *plain)
{
	curl_socket_t fd = CURL_SOCKET_BAD;
	const char *scheme = NULL;

	curl_easy_getinfo(easy, CURLINFO_SCHEME, &scheme);
	curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &fd);
	*plain = scheme != NULL && strcasecmp(scheme, "http") == 0;
	return fd == CURL_SOCKET_BAD ? -1 : (int)fd;
}

/* If a body is longer than its Content-Length, libcurl passes on only that
 * much. Its log reports excess it already read; unread excess must be checked
 * for when the log says the connection is free, before another request uses
 * it. */
static int on_log(CURL *easy, curl_infotype type, char *text, size_t n,
		  void *context)
{
	struct http_exchange *x = context;
	struct http_wire *w = x->wire;
	struct str line = str_make(text, n);
	bool plain;
	char byte;
	int fd;

	if (type != CURLINFO_TEXT)
		return 0;
	w->excess |= str_starts(line, "Excess found");
	if (!str_starts(line, "Connection #"))
		return 0;
	fd = left_socket(easy, &plain);
	if (fd < 0)
		return 0;
	if (plain)
		w->excess |= recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
	http_idle_add(&w->pool->idle, fd);
	return 0;
}

static int on_close(void *context, curl_socket_t fd)
{
	struct http *pool = context;

	http_idle_close(&pool->idle, (int)fd);
	return close((int)fd);
}

/* Connected; the request is sent next. */
/* NOLINTNEXTLINE(readability-non-const-parameter): libcurl's type */
static int on_send(void *context, char *to, char *from, int to_port,
		   int from_port)
{
	struct http_exchange *x = context;

	(void)to, (void)from, (void)to_port;
	http_idle_use(&x->wire->pool->idle, from_port);
	x->sent = clock_monotonic();
	return CURL_PREREQFUNC_OK;
}

/* Building a request. Each part returns whether libcurl accepted it. */

static bool add_header(struct http_wire *w, const char *name, const char *value)
{
	struct buf line = buf_new(64 * KIB);
	struct curl_slist *grown = NULL;

	buf_printf(&line, "%s%s", name, value);
	buf_putc(&line, '\0');
	if (!line.failed)
		grown = curl_slist_append(w->headers, line.p);
	buf_free(&line);
	if (grown)
		w->headers = grown;
	return grown != NULL;
}

static bool set_headers(struct http_exchange *x)
{
	const struct http_request *r = x->request;
	struct http_wire *w = x->wire;
	bool all = add_header(w, "Accept-Encoding: ", HTTP_CODINGS);

	if (r->accept)
		all &= add_header(w, "Accept: ", r->accept);
	if (r->header)
		all &= add_header(w, "", r->header);
	if (r->key && !r->user && !x->keyless)
		all &= add_header(w, "Authorization: Bearer ", r->key);
	if (r->body.p)
		all &= add_header(w, "Content-Type:",
				  r->body.n > 0 ? " application/json" : "") &&
		       add_header(w, "Expect:", "");
	return all && curl_easy_setopt(w->easy, CURLOPT_HTTPHEADER,
				       w->headers) == CURLE_OK;
}

/* Set an option to the part of user up to its end, decoded. */
static bool set_decoded(CURL *easy, CURLoption option, struct str part)
{
	char *text = NULL;
	bool set;

	if (part.n > 0) /* a length of 0 would mean strlen */
		text = curl_easy_unescape(easy, part.p, (int)part.n, NULL);
	set = curl_easy_setopt(easy, option, text ? text : "") == CURLE_OK;
	curl_free(text);
	return set && (text || part.n == 0);
}

static bool set_user(struct http_exchange *x)
{
	CURL *easy = x->wire->easy;
	const char *user = x->request->user;
	const char *colon;

	if (user == NULL || x->keyless)
		return true;
	colon = strchrnul(user, ':');
	return set_decoded(easy, CURLOPT_USERNAME,
			   str_make(user, (size_t)(colon - user))) &&
	       set_decoded(easy, CURLOPT_PASSWORD,
			   str_of(*colon ? colon + 1 : colon));
}

static void set_callbacks(struct http_exchange *x)
{
	CURL *easy = x->wire->easy;

	curl_easy_setopt(easy, CURLOPT_PRIVATE, x);
	curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, x->wire->reason);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, x);
	curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(easy, CURLOPT_HEADERDATA, x);
	curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, on_close);
	curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, x->wire->pool);
	curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, on_send);
	curl_easy_setopt(easy, CURLOPT_PREREQDATA, x);
	curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, on_log);
	curl_easy_setopt(easy, CURLOPT_DEBUGDATA, x);
	curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L);
}

static void set_deadline(struct http_exchange *x)
{
	int64_t left = x->deadline - clock_monotonic();
	long ms = left > NS_PER_MS ? (long)(left / NS_PER_MS) : 1;

	curl_easy_setopt(x->wire->easy, CURLOPT_TIMEOUT_MS, ms);
	curl_easy_setopt(x->wire->easy, CURLOPT_CONNECTTIMEOUT_MS, ms);
}

/* Options shared by all exchanges of a pool. */
static void set_policy(const struct http_options *o, CURL *easy)
{
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	/* Do not wait for the thread of a name server that hangs. */
	curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
			 (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
	curl_easy_setopt(easy, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
	curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 128L * 1024);
	curl_easy_setopt(easy, CURLOPT_USERAGENT, "obstools/" OBS_VERSION);
	if (!o->proxy_env)
		curl_easy_setopt(easy, CURLOPT_PROXY, "");
	if (o->cacert)
		curl_easy_setopt(easy, CURLOPT_CAINFO, o->cacert);
	if (o->insecure) {
		curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
		curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
	}
}

static bool set_request(struct http_exchange *x)
{
	const struct http_request *r = x->request;
	CURL *easy = x->wire->easy;

	if (curl_easy_setopt(easy, CURLOPT_URL, x->url) != CURLE_OK)
		return false;
	if (r->socket && curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH,
					  r->socket) != CURLE_OK)
		return false;
	/* It has no port to identify it to http_idle, and is cheap. */
	curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, r->socket ? 1L : 0L);
	if (r->body.p) {
		curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
				 (curl_off_t)r->body.n);
		curl_easy_setopt(easy, CURLOPT_POSTFIELDS, r->body.p);
	}
	return set_user(x) && set_headers(x);
}

static void clear_answer(struct http_exchange *x)
{
	buf_clear(&x->body);
	x->error = (struct err){0};
	x->status = 0;
	x->sent = 0;
	x->type[0] = '\0';
	x->end_known = false;
	free(x->location);
	x->location = NULL;
}

int http_start(struct http *pool, struct http_exchange *x, struct err *err)
{
	clear_answer(x);
	http_idle_check(&pool->idle);
	x->wire = calloc(1, sizeof(*x->wire));
	if (x->wire == NULL)
		return err_memory(err);
	x->wire->pool = pool;
	x->wire->in = http_body_new((struct unpack_taker){take_text, x});
	x->wire->easy = curl_easy_init();
	if (x->wire->easy) {
		set_policy(&pool->options, x->wire->easy);
		set_callbacks(x);
		set_deadline(x);
		if (set_request(x) &&
		    curl_multi_add_handle(pool->multi, x->wire->easy) == 0)
			return 0;
	}
	http_stop(pool, x);
	return err_memory(err);
}

static void release_wire(struct http *pool, struct http_exchange *x)
{
	if (x->wire == NULL)
		return;
	pool->arriving -= x->body.n;
	if (x->wire->easy)
		curl_multi_remove_handle(pool->multi, x->wire->easy);
	curl_easy_cleanup(x->wire->easy);
	curl_slist_free_all(x->wire->headers);
	http_body_free(&x->wire->in);
	free(x->wire);
	x->wire = NULL;
}

void http_stop(struct http *pool, struct http_exchange *x)
{
	release_wire(pool, x);
	free(x->location);
	x->location = NULL;
}

/* How an exchange ended. */

/* Our texts for libcurl's codes; others use libcurl's. */
static const struct reason {
	CURLcode code;
	enum http_end end;
	const char *text;
} reasons[] = {
	{CURLE_OPERATION_TIMEDOUT, HTTP_TIMEOUT, "timeout"},
	{CURLE_COULDNT_RESOLVE_HOST, HTTP_FAILED,
	 "the host name cannot be resolved"},
	{CURLE_PARTIAL_FILE, HTTP_FAILED,
	 "truncated: the body ended too early"},
	{CURLE_GOT_NOTHING, HTTP_FAILED, "the server closed without an answer"},
	{CURLE_WEIRD_SERVER_REPLY, HTTP_REFUSED, "the answer is not HTTP"},
	{CURLE_UNSUPPORTED_PROTOCOL, HTTP_REFUSED, "the answer is not HTTP"},
	{CURLE_OUT_OF_MEMORY, HTTP_FAILED,
	 "out of memory, or a header of more than the 100 KB that libcurl allows"},
#if LIBCURL_VERSION_NUM >= 0x080600
	{CURLE_TOO_LARGE, HTTP_FAILED,
	 "a header of more than the 100 KB that libcurl allows"},
#endif
};

static void explain(struct http_exchange *x, CURLcode code)
{
	const struct http_wire *w = x->wire;
	long errnum = 0;

	x->end = HTTP_FAILED;
	curl_easy_getinfo(w->easy, CURLINFO_OS_ERRNO, &errnum);
	if (code == CURLE_COULDNT_CONNECT && errnum) {
		err_sys(&x->error, (int)errnum, "cannot connect");
		return;
	}
	err_set(&x->error, ERR_IO, "%s",
		w->reason[0] ? w->reason : curl_easy_strerror(code));
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++) {
		if (reasons[i].code != code)
			continue;
		x->end = reasons[i].end;
		err_set(&x->error, ERR_IO, "%s", reasons[i].text);
	}
}

/* A response has ended: is its body complete? */
static void check_body(const struct http_exchange *x)
{
	struct http_body *in = &x->wire->in;
	bool good = x->status >= 200 && x->status <= 299;

	if (http_body_end(in) < 0)
		return;
	if (x->wire->excess && in->length >= 0 && !in->chunked)
		err_set(&in->error, ERR_INPUT,
			"the body is longer than its Content-Length, %lld "
			"bytes",
			(long long)in->length);
	else if (good && unpack_is_gzip(buf_str(&x->body)))
		err_set(&in->error, ERR_INPUT, "%s",
			in->n ? "the body is compressed twice, more often than "
				"its Content-Encoding says"
			      : "the body is gzip data, but has no "
				"Content-Encoding that says so");
}

static void conclude(struct http_exchange *x, CURLcode code)
{
	const char *type = NULL, *location = NULL;
	struct http_wire *w = x->wire;
	long status = 0;

	curl_easy_getinfo(w->easy, CURLINFO_RESPONSE_CODE, &status);
	curl_easy_getinfo(w->easy, CURLINFO_CONTENT_TYPE, &type);
	curl_easy_getinfo(w->easy, CURLINFO_REDIRECT_URL, &location);
	x->status = (int)status;
	snprintf(x->type, sizeof(x->type), "%s", type ? type : "");
	x->location = location ? strdup(location) : NULL;
	x->end = HTTP_WHOLE;
	if (code == CURLE_OK)
		check_body(x);
	else
		explain(x, code);
	x->end_known = http_body_end_known(&w->in);
	if (w->in.error.code == 0)
		return;
	x->error = w->in.error;
	x->end = w->in.truncated ? HTTP_FAILED : HTTP_REFUSED;
}

/* The next exchange that has already ended, or NULL. */
static struct http_exchange *next_ended(struct http *pool)
{
	struct http_exchange *x = NULL;
	CURLMsg *message;
	int left;

	message = curl_multi_info_read(pool->multi, &left);
	if (message == NULL)
		return NULL;
	curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &x);
	conclude(x, message->data.result);
	release_wire(pool, x);
	return x;
}

struct http_exchange *http_wait(struct http *pool, int ms)
{
	struct http_exchange *x = next_ended(pool);
	int running;

	if (x)
		return x;
	curl_multi_perform(pool->multi, &running);
	x = next_ended(pool);
	if (x)
		return x;
	curl_multi_poll(pool->multi, NULL, 0, ms, NULL);
	curl_multi_perform(pool->multi, &running);
	return next_ended(pool);
}

struct http *http_open(const struct http_options *options, struct err *err)
{
	struct http *pool = calloc(1, sizeof(*pool));

	if (pool && curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK) {
		pool->options = *options;
		pool->multi = curl_multi_init();
	}
	if (pool == NULL || pool->multi == NULL) {
		free(pool);
		err_memory(err);
		return NULL;
	}
	curl_multi_setopt(pool->multi, CURLMOPT_MAXCONNECTS,
			  (long)options->kept);
	return pool;
}

void http_close(struct http *pool)
{
	if (pool == NULL)
		return;
	curl_multi_cleanup(pool->multi);
	curl_global_cleanup();
	http_idle_free(&pool->idle);
	free(pool);
}

const char *http_version(void)
{
	return curl_version() + strlen("libcurl/");
}
