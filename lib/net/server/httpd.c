#include "net/server/httpd.h"

#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/server/httpd_content.h"
#include "net/server/peers.h"

enum { EVENTS = 32, WAIT_MAX = 60 * 1000, REST = NS_PER_SECOND / 10 };

/* How long a connection is idle before one that waits may take its turn: longer
 * than a request takes to follow its connection. */
enum { IDLE_WHEN_FULL = NS_PER_SECOND / 4 };

struct httpd {
	struct MHD_Daemon *daemon;
	struct httpd_options options;
	const struct httpd_hooks *hooks;
	int listen_fd; /* -1 once it no longer listens */
	int epoll;     /* of the daemon's, and of waiting clients */
	struct peers peers;
	size_t waiting;
	bool resumed;	  /* a connection waits for the next step */
	bool came;	  /* a connection began in this step */
	int64_t rest_end; /* end of a pause, see below; 0: none */
};

/* Stages of a connection ------------------------------------------------- */

/* NULL if out of memory. */
static struct peer *peer_of(struct MHD_Connection *connection)
{
	return MHD_get_connection_info(connection,
				       MHD_CONNECTION_INFO_SOCKET_CONTEXT)
		->socket_context;
}

static void begin_stage(struct httpd *httpd, struct MHD_Connection *connection,
			bool busy, int64_t now)
{
	struct peer *peer = peer_of(connection);

	if (peer != NULL)
		peers_stage(&httpd->peers, peer, busy, now);
}

static int socket_of(struct MHD_Connection *connection)
{
	return MHD_get_connection_info(connection,
				       MHD_CONNECTION_INFO_CONNECTION_FD)
		->connect_fd;
}

static bool has_place(struct httpd *httpd, struct peer *peer)
{
	size_t places = httpd->options.places;

	return places == 0 ||
	       (peer != NULL && peers_admit(&httpd->peers, peer, places));
}

/* A connection was opened or closed. */
static void connection_changed(void *cls, struct MHD_Connection *connection,
			       void **peer,
			       enum MHD_ConnectionNotificationCode what)
{
	struct httpd *httpd = cls;

	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		*peer = peers_add(&httpd->peers, socket_of(connection),
				  clock_monotonic());
		has_place(httpd, *peer);
		httpd->came = true;
	} else if (*peer != NULL) {
		peers_remove(&httpd->peers, *peer);
	}
}

/* Requests --------------------------------------------------------------- */

/* The daemon does not watch suspended connections. A client that shuts down its
 * sending side counts as gone: it cannot be distinguished from a closed one. */
static void suspend(struct httpd_request *request)
{
	struct epoll_event event = {.events = EPOLLRDHUP, .data.ptr = request};
	struct httpd *httpd = request->httpd;

	request->waits = true;
	httpd->waiting++;
	epoll_ctl(httpd->epoll, EPOLL_CTL_ADD, request->fd, &event);
	begin_stage(httpd, request->connection, true, INT64_MAX);
	MHD_suspend_connection(request->connection);
}

static void resume(struct httpd_request *request)
{
	struct httpd *httpd = request->httpd;

	request->waits = false;
	httpd->waiting--;
	httpd->resumed = true;
	epoll_ctl(httpd->epoll, EPOLL_CTL_DEL, request->fd, NULL);
	MHD_resume_connection(request->connection);
}

static void lose(struct httpd_request *request)
{
	/* An answer may have been set since the event. */
	if (!request->waits)
		return;
	resume(request);
	request->httpd->hooks->gone(request->httpd->hooks->owner, request);
}

void httpd_answer(struct httpd_request *request, struct httpd_content *content)
{
	request->content = content;
	content->users++;
	if (request->waits)
		resume(request);
}

static enum MHD_Result send_content(struct httpd_request *request)
{
	/* Its client is gone. */
	if (request->content == NULL)
		return MHD_NO;
	begin_stage(request->httpd, request->connection, true,
		    clock_monotonic());
	return MHD_queue_response(request->connection, request->content->status,
				  request->content->response);
}

static struct httpd_request *new_request(struct httpd *httpd,
					 struct MHD_Connection *connection,
					 const char *method, const char *url)
{
	struct httpd_request *request = calloc(1, sizeof(*request));

	if (request == NULL)
		return NULL;
	*request = (struct httpd_request){.method = method,
					  .url = url,
					  .httpd = httpd,
					  .connection = connection,
					  .fd = socket_of(connection)};
	begin_stage(httpd, connection, true, clock_monotonic());
	return request;
}

/* Called once the head of a request is complete, again for each part of its
 * body and at its end, and when a suspended one is resumed. An answer to the
 * first call closes the connection after it. */
static enum MHD_Result handle(void *cls, struct MHD_Connection *connection,
			      const char *url, const char *method,
			      const char *version, const char *body,
			      size_t *body_size, void **place)
{
	struct httpd *httpd = cls;
	const struct httpd_hooks *hooks = httpd->hooks;
	struct httpd_request *request = *place;

	(void)version;
	(void)body;
	if (request == NULL) {
		request = new_request(httpd, connection, method, url);
		if (request == NULL)
			return MHD_NO;
		*place = request;
		request->content = hooks->reject(hooks->owner, request);
		if (request->content == NULL)
			return MHD_YES;
		request->content->users++;
		return send_content(request);
	}
	if (*body_size > 0) {
		*body_size = 0;
		return MHD_YES;
	}
	if (!request->asked) {
		request->asked = true;
		hooks->ask(hooks->owner, request);
		if (request->content == NULL) {
			suspend(request);
			return MHD_YES;
		}
	}
	return send_content(request);
}

/* A request has ended, answered or not. */
static void request_over(void *cls, struct MHD_Connection *connection,
			 void **place, enum MHD_RequestTerminationCode why)
{
	struct httpd_request *request = *place;

	(void)why;
	if (request == NULL)
		return;
	begin_stage(cls, connection, false, clock_monotonic());
	httpd_content_drop(request->content);
	free(request);
	*place = NULL;
}

/* Paths are compared still encoded: an encoded NUL must not end one. */
static size_t leave_encoded(void *cls, struct MHD_Connection *connection,
			    char *s)
{
	(void)cls;
	(void)connection;
	return strlen(s);
}

/* The life of an httpd --------------------------------------------------- */

static int start_daemon(struct httpd *httpd, int listen_fd, struct err *err)
{
	const struct MHD_OptionItem options[] = {
		{MHD_OPTION_LISTEN_SOCKET, listen_fd, NULL},
		{MHD_OPTION_CONNECTION_LIMIT, httpd->options.connections, NULL},
		{MHD_OPTION_CONNECTION_TIMEOUT, HTTPD_IDLE, NULL},
		{MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, NULL},
		{MHD_OPTION_STRICT_FOR_CLIENT, 1, NULL},
		{MHD_OPTION_UNESCAPE_CALLBACK, (intptr_t)leave_encoded, NULL},
		{MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)request_over, httpd},
		{MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)connection_changed,
		 httpd},
		{MHD_OPTION_END, 0, NULL},
	};

	httpd->daemon = MHD_start_daemon(
		MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handle,
		httpd, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
	if (httpd->daemon == NULL)
		return err_set(err, ERR_IO, "cannot start the HTTP server");
	return 0;
}

/* Set which events wake the httpd's descriptor; none: silence it. */
static bool watch_daemon(struct httpd *httpd, int how, uint32_t events)
{
	const union MHD_DaemonInfo *info =
		MHD_get_daemon_info(httpd->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	struct epoll_event event = {.events = events};

	return info != NULL &&
	       epoll_ctl(httpd->epoll, how, info->epoll_fd, &event) == 0;
}

/* The daemon does not watch the socket while it has all connections there may
 * be; here, each that comes wakes the httpd. */
static bool watch(struct httpd *httpd)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLET};

	return watch_daemon(httpd, EPOLL_CTL_ADD, EPOLLIN) &&
	       epoll_ctl(httpd->epoll, EPOLL_CTL_ADD, httpd->listen_fd,
			 &event) == 0;
}

int httpd_start(struct httpd **httpd, int listen_fd,
		const struct httpd_options *options,
		const struct httpd_hooks *hooks, struct err *err)
{
	struct httpd *h = calloc(1, sizeof(*h));
	int rc = 0;

	if (h == NULL)
		return err_memory(err);
	h->options = *options;
	h->hooks = hooks;
	h->listen_fd = listen_fd;
	h->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (h->epoll < 0)
		rc = err_sys(err, errno, "epoll");
	if (rc == 0)
		rc = start_daemon(h, listen_fd, err);
	if (rc == 0 && !watch(h)) {
		rc = err_sys(err, errno, "epoll");
		MHD_quiesce_daemon(h->daemon); /* the socket stays open */
	}
	if (rc == 0)
		*httpd = h;
	else
		httpd_stop(h);
	return rc;
}

int httpd_fd(const struct httpd *httpd)
{
	return httpd->epoll;
}

/*
 * Pauses: the system may deny the next connection a descriptor or memory. If
 * others are open, the daemon waits for one to end; else it would retry at
 * once, for ever, and is paused for a while.
 */

/* Is a connection waiting? */
static bool is_called(const struct httpd *httpd)
{
	struct pollfd fd = {.fd = httpd->listen_fd, .events = POLLIN};

	return poll(&fd, 1, 0) == 1;
}

static void begin_rest(struct httpd *httpd)
{
	if (watch_daemon(httpd, EPOLL_CTL_MOD, 0))
		httpd->rest_end = clock_monotonic() + REST;
}

/* Is a pause in progress? */
static bool rests(struct httpd *httpd)
{
	if (httpd->rest_end > clock_monotonic())
		return true;
	if (httpd->rest_end != 0)
		watch_daemon(httpd, EPOLL_CTL_MOD, EPOLLIN);
	httpd->rest_end = 0;
	return false;
}

/* With as many connections as there may be, a further one waits until the one
 * that has been idle the longest is closed: nanoseconds until then. */
static int64_t patience_with_idle(const struct httpd *httpd)
{
	const struct peer *idle = peers_idle(&httpd->peers);

	if (httpd->peers.count < httpd->options.connections || idle == NULL ||
	    !is_called(httpd))
		return INT64_MAX;
	return idle->since + IDLE_WHEN_FULL - clock_monotonic();
}

static void cut(struct httpd *httpd, struct peer *peer)
{
	shutdown(peer->fd, SHUT_RDWR);
	peers_stage(&httpd->peers, peer, peer->busy, INT64_MAX);
}

/* Nanoseconds until the slowest peer's stage times out. */
static int64_t patience(const struct httpd *httpd)
{
	const struct peer *slowest = peers_slowest(&httpd->peers);

	if (httpd->options.client_time == 0 || slowest == NULL ||
	    slowest->since == INT64_MAX)
		return INT64_MAX;
	return slowest->since + httpd->options.client_time - clock_monotonic();
}

int httpd_wait(const struct httpd *httpd)
{
	int64_t stage = patience(httpd), idle = patience_with_idle(httpd);
	int64_t wait = WAIT_MAX;
	MHD_UNSIGNED_LONG_LONG left;

	if (idle < stage)
		stage = idle;
	if (httpd->rest_end != 0)
		stage = httpd->rest_end - clock_monotonic();
	if (httpd->resumed || stage <= 0)
		return 0;
	if (MHD_get_timeout(httpd->daemon, &left) == MHD_YES)
		wait = left < WAIT_MAX ? (int64_t)left : WAIT_MAX;
	else if (stage == INT64_MAX)
		return -1;
	stage = stage / NS_PER_MS + 1;
	return (int)(stage < wait ? stage : wait);
}

/* The daemon then finds them closed. Returns whether one made way for another,
 * which it accepts in the next step. */
static bool cut_slow_peers(struct httpd *httpd)
{
	bool makes_way;

	while (patience(httpd) <= 0)
		cut(httpd, peers_slowest(&httpd->peers));
	makes_way = patience_with_idle(httpd) <= 0;
	if (makes_way)
		cut(httpd, peers_idle(&httpd->peers));
	return makes_way;
}

int httpd_step(struct httpd *httpd, struct err *err)
{
	struct epoll_event events[EVENTS];
	int n = epoll_wait(httpd->epoll, events, EVENTS, 0);
	bool called, makes_way;

	for (int i = 0; i < n; i++)
		if (events[i].data.ptr != NULL)
			lose(events[i].data.ptr);
	makes_way = cut_slow_peers(httpd);
	if (rests(httpd))
		return 0;
	called = httpd->peers.count == 0 && is_called(httpd);
	httpd->came = false;
	httpd->resumed = makes_way;
	if (MHD_run(httpd->daemon) != MHD_YES)
		return err_set(err, ERR_IO, "the HTTP server failed");
	if (called && !httpd->came && is_called(httpd))
		begin_rest(httpd);
	return 0;
}

void httpd_quiesce(struct httpd *httpd)
{
	int fd;

	/* Those already connected still count. */
	MHD_run(httpd->daemon);
	httpd->listen_fd = -1;
	fd = MHD_quiesce_daemon(httpd->daemon);
	if (fd >= 0)
		close(fd);
}

bool httpd_has_place(const struct httpd_request *request)
{
	return has_place(request->httpd, peer_of(request->connection));
}

size_t httpd_busy(const struct httpd *httpd)
{
	return httpd->peers.busy;
}

/* The daemon must not end while connections are suspended. */
static void cut_all(struct httpd *httpd)
{
	struct err err;

	for (struct peer *p = httpd->peers.first; p != NULL; p = p->after)
		shutdown(p->fd, SHUT_RDWR);
	while (httpd->waiting > 0 && httpd_step(httpd, &err) == 0)
		;
	MHD_run(httpd->daemon);
}

void httpd_stop(struct httpd *httpd)
{
	if (httpd == NULL)
		return;
	if (httpd->daemon != NULL) {
		cut_all(httpd);
		MHD_stop_daemon(httpd->daemon);
	}
	if (httpd->epoll >= 0)
		close(httpd->epoll);
	free(httpd);
}

const char *httpd_version(void)
{
	return MHD_get_version();
}
