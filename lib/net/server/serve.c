#include "net/server/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/str.h"
#include "net/server/serve_host.h"
#include "net/server/serve_path.h"

/* SPARE: connections accepted only to report that there are too many. */
enum { HOST_MAX = 256, SPARE = 32 };

struct route {
	char *path;
	struct httpd_content *content; /* or NULL */
	const struct serve_handler *handler;
};

/* Answers that are the same for everyone. */
enum rejection {
	NOT_FOUND,
	TWO_HOSTS,
	NOT_OURS,
	NOT_ALLOWED,
	TOO_MANY,
	ENDING,
	REJECTIONS
};

struct server {
	struct httpd *httpd;
	struct httpd_hooks hooks;
	struct serve_options options;
	struct listener listener;
	struct route *routes;
	size_t count;
	struct httpd_content *rejections[REJECTIONS];
	bool draining;
	char own[HOST_MAX]; /* this machine's name */
};

/* Answering -------------------------------------------------------------- */

/* Is the request meant for this server? */
static bool is_ours(const struct server *server,
		    const struct httpd_request *request)
{
	const char *host = httpd_header(request, "Host");
	struct str authority;
	struct str own = str_of(server->own);
	struct str short_own = str_make(own.p, strcspn(own.p, "."));
	const struct str names[] = {str_of(server->listener.host), own,
				    short_own};
	const size_t count = ARRAY_SIZE(names);

	/* If the user listens on other addresses than loopback, clients may use
	 * any name for this machine. */
	if (!server->listener.loopback || server->listener.path[0] != '\0')
		return true;
	serve_path_of(request->url, &authority);
	if (authority.p != NULL && !serve_host_accepts(authority, names, count))
		return false;
	/* Every browser sends one, so this is not a browser. */
	return host == NULL || serve_host_accepts(str_of(host), names, count);
}

static struct httpd_content *reject(void *owner,
				    const struct httpd_request *request)
{
	struct server *server = owner;

	if (server->draining)
		return server->rejections[ENDING];
	if (!httpd_has_place(request))
		return server->rejections[TOO_MANY];
	/* RFC 9112, 3.2: a proxy in front may have used the other one. */
	if (httpd_count_header(request, "Host") > 1)
		return server->rejections[TWO_HOSTS];
	if (!is_ours(server, request))
		return server->rejections[NOT_OURS];
	if (strcmp(request->method, "GET") != 0 &&
	    strcmp(request->method, "HEAD") != 0)
		return server->rejections[NOT_ALLOWED];
	return NULL;
}

static void ask(void *owner, struct httpd_request *request)
{
	struct server *server = owner;
	const struct route *route = server->routes;
	const struct route *end = route + server->count;
	struct str authority;
	const char *path = serve_path_of(request->url, &authority);

	while (route < end && !serve_path_is(path, route->path))
		route++;
	request->route = route;
	if (route == end)
		httpd_answer(request, server->rejections[NOT_FOUND]);
	else if (route->handler != NULL)
		route->handler->ask(route->handler->owner, request);
	else
		httpd_answer(request, route->content);
}

static void gone(void *owner, struct httpd_request *request)
{
	const struct route *route = request->route;

	(void)owner;
	route->handler->gone(route->handler->owner, request);
}

/* Content ---------------------------------------------------------------- */

bool serve_describe(struct httpd_content *content, const char *type)
{
	static const char *const headers[][2] = {
		{"Cache-Control", "no-store"},
		{"X-Content-Type-Options", "nosniff"},
		{"Referrer-Policy", "no-referrer"},
		{"Cross-Origin-Resource-Policy", "same-origin"},
	};

	if (!httpd_content_header(content, "Content-Type", type))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(headers); i++)
		if (!httpd_content_header(content, headers[i][0],
					  headers[i][1]))
			return false;
	return true;
}

static int add_file(struct route *route, const struct serve_route *from,
		    struct err *err)
{
	struct stat st;
	int fd = fcntl(from->fd, F_DUPFD_CLOEXEC, 0);

	if (fd < 0)
		return err_sys(err, errno, "cannot serve %s", from->path);
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return err_set(err, ERR_IO,
			       "cannot serve %s: not a regular "
			       "file",
			       from->path);
	}
	route->content = httpd_content_file(fd, (uint64_t)st.st_size);
	if (route->content == NULL) {
		close(fd);
		return err_memory(err);
	}
	if (!serve_describe(route->content, from->type) ||
	    !httpd_content_header(route->content, "Content-Security-Policy",
				  from->policy))
		return err_memory(err);
	return 0;
}

static int add_route(struct route *route, const struct serve_route *from,
		     struct err *err)
{
	char *path = strdup(from->path);

	if (path == NULL)
		return err_memory(err);
	route->handler = from->handler;
	route->path = path;
	return from->handler == NULL ? add_file(route, from, err) : 0;
}

static int add_routes(struct server *server, const struct serve_route *routes,
		      size_t count, struct err *err)
{
	server->routes = calloc(count + 1, sizeof(*server->routes));
	if (server->routes == NULL)
		return err_memory(err);
	for (size_t i = 0; i < count; i++) {
		server->count++;
		if (add_route(&server->routes[i], &routes[i], err) < 0)
			return err->code;
	}
	return 0;
}

static int add_rejections(struct server *server, struct err *err)
{
	static const struct {
		unsigned status;
		const char *text;
		const char *header, *value;
	} table[REJECTIONS] = {
		[NOT_FOUND] = {404, "no such page\n", "Connection", NULL},
		[TWO_HOSTS] = {400, "more than one Host header\n", "Connection",
			       "close"},
		[NOT_OURS] = {403,
			      "this name is not served here; use the address "
			      "the server printed\n",
			      "Connection", "close"},
		[NOT_ALLOWED] = {405, "only GET and HEAD\n", "Allow",
				 "GET, HEAD"},
		[TOO_MANY] = {503, "too many connections\n", "Connection",
			      "close"},
		[ENDING] = {503, "the server is shutting down\n", "Connection",
			    "close"},
	};

	for (int i = 0; i < REJECTIONS; i++) {
		struct httpd_content *content =
			httpd_content_text(table[i].status, table[i].text);

		server->rejections[i] = content;
		if (content == NULL ||
		    !serve_describe(content, "text/plain; charset=utf-8") ||
		    !httpd_content_header(content, "Content-Security-Policy",
					  "default-src 'none'") ||
		    !httpd_content_header(content, table[i].header,
					  table[i].value))
			return err_memory(err);
	}
	return 0;
}

/* The life of a server --------------------------------------------------- */

static int start_httpd(struct server *server, struct err *err)
{
	unsigned most = server->options.connections;
	const struct httpd_options options = {
		.connections = most > 0 ? most + SPARE : SERVE_CONNECTIONS,
		.places = most,
		.client_time = server->options.client_time};

	server->hooks = (struct httpd_hooks){reject, ask, gone, server};
	if (httpd_start(&server->httpd, server->listener.fd, &options,
			&server->hooks, err) < 0)
		return err->code;
	server->listener.fd = -1; /* owned by the httpd from here on */
	return 0;
}

int serve_start(struct server **server, struct listener *listener,
		const struct serve_options *options,
		const struct serve_route *routes, size_t count, struct err *err)
{
	struct server *s = calloc(1, sizeof(*s));
	int rc;

	if (s == NULL) {
		listen_close(listener);
		return err_memory(err);
	}
	s->options = *options;
	s->listener = *listener;
	if (gethostname(s->own, sizeof(s->own) - 1) != 0)
		s->own[0] = '\0';
	rc = add_routes(s, routes, count, err);
	if (rc == 0)
		rc = add_rejections(s, err);
	if (rc == 0)
		rc = start_httpd(s, err);
	if (rc == 0)
		*server = s;
	else
		serve_close(s);
	return rc;
}

int serve_open(struct server **server, const char *host, uint16_t port,
	       const struct serve_route *routes, size_t count, struct err *err)
{
	static const struct serve_options defaults;
	struct listener listener;

	if (listen_tcp(&listener, host, port, err) < 0)
		return err->code;
	return serve_start(server, &listener, &defaults, routes, count, err);
}

const char *serve_url(const struct server *server)
{
	return server->listener.url;
}

struct httpd *serve_httpd(struct server *server)
{
	return server->httpd;
}

int serve_run(struct server *server, int stop_fd, struct err *err)
{
	struct pollfd fds[] = {{.fd = stop_fd, .events = POLLIN},
			       {.fd = httpd_fd(server->httpd),
				.events = POLLIN}};

	for (;;) {
		if (poll(fds, 2, httpd_wait(server->httpd)) < 0 &&
		    errno != EINTR)
			return err_sys(err, errno, "poll");
		if (fds[0].revents != 0)
			return 0;
		if (httpd_step(server->httpd, err) < 0)
			return err->code;
	}
}

void serve_drain(struct server *server)
{
	if (server->draining)
		return;
	httpd_quiesce(server->httpd);
	server->draining = true;
	listen_close(&server->listener);
}

void serve_close(struct server *server)
{
	if (server == NULL)
		return;
	httpd_stop(server->httpd);
	listen_close(&server->listener);
	for (size_t i = 0; i < server->count; i++) {
		httpd_content_drop(server->routes[i].content);
		free(server->routes[i].path);
	}
	for (int i = 0; i < REJECTIONS; i++)
		httpd_content_drop(server->rejections[i]);
	free(server->routes);
	free(server);
}
