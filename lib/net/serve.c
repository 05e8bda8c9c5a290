#include "net/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "net/serve_host.h"

enum { HOST_MAX = 256, BACKLOG = 64 };

struct route {
	char *path;
	struct MHD_Response *response;
};

struct server {
	struct MHD_Daemon *daemon;
	struct route *routes;
	size_t count;
	struct MHD_Response *not_found, *not_allowed, *not_ours;
	char given[HOST_MAX]; /* the host as the caller named it */
	char own[HOST_MAX];   /* this machine's name */
	char url[HOST_MAX + 32];
};

/* Answering -------------------------------------------------------------- */

/* One byte of a percent-encoded path; -1 when it is malformed or NUL. */
static int decode(const char **p)
{
	unsigned value;
	char digits[3];
	const char *at = *p;

	if (*at != '%') {
		*p = at + 1;
		return (unsigned char)*at;
	}
	memcpy(digits, at + 1, 2);
	digits[2] = '\0';
	if (strspn(digits, "0123456789abcdefABCDEF") != 2)
		return -1;
	value = (unsigned)strtoul(digits, NULL, 16);
	*p = at + 3;
	return value == 0 ? -1 : (int)value;
}

static bool is_path(const char *encoded, const char *path)
{
	while (*encoded != '\0') {
		int c = decode(&encoded);

		if (c < 0 || c != (unsigned char)*path)
			return false;
		path++;
	}
	return *path == '\0';
}

/* Is the request meant for this server? */
static bool is_ours(const struct server *server,
		    struct MHD_Connection *connection)
{
	const char *host = MHD_lookup_connection_value(
		connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
	struct str own = str_of(server->own);
	struct str short_own = str_make(own.p, strcspn(own.p, "."));
	const struct str names[] = {str_of(server->given), own, short_own};

	/* Every browser sends one, so this is none. */
	return host == NULL ||
	       serve_host_accepts(str_of(host), names,
				  sizeof(names) / sizeof(*names));
}

static struct MHD_Response *page(const struct server *server, const char *url)
{
	for (size_t i = 0; i < server->count; i++)
		if (is_path(url, server->routes[i].path))
			return server->routes[i].response;
	return NULL;
}

/* Called when the head of a request is there, and again when all of it is;
 * an answer to the first call means that the connection closes after it. */
static enum MHD_Result answer(void *cls, struct MHD_Connection *connection,
			      const char *url, const char *method,
			      const char *version, const char *body,
			      size_t *body_size, void **request)
{
	const struct server *server = cls;
	struct MHD_Response *response;

	(void)version;
	(void)body;
	if (!is_ours(server, connection))
		return MHD_queue_response(connection, MHD_HTTP_FORBIDDEN,
					  server->not_ours);
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		return MHD_queue_response(connection,
					  MHD_HTTP_METHOD_NOT_ALLOWED,
					  server->not_allowed);
	if (*request == NULL || *body_size > 0) {
		*request = connection;
		*body_size = 0;
		return MHD_YES;
	}
	response = page(server, url);
	return MHD_queue_response(
		connection, response != NULL ? MHD_HTTP_OK : MHD_HTTP_NOT_FOUND,
		response != NULL ? response : server->not_found);
}

/* Paths are compared still encoded: an encoded NUL must not end one. */
static size_t leave_encoded(void *cls, struct MHD_Connection *connection,
			    char *s)
{
	(void)cls;
	(void)connection;
	return strlen(s);
}

/* Responses -------------------------------------------------------------- */

static bool add_headers(struct MHD_Response *response,
			const char *const (*headers)[2], size_t count)
{
	if (response == NULL)
		return false;
	for (size_t i = 0; i < count; i++)
		if (headers[i][1] != NULL &&
		    MHD_add_response_header(response, headers[i][0],
					    headers[i][1]) != MHD_YES)
			return false;
	return true;
}

static bool add_common_headers(struct MHD_Response *response, const char *type,
			       const char *policy)
{
	const char *const headers[][2] = {
		{"Content-Type", type},
		{"Content-Security-Policy", policy},
		{"Cache-Control", "no-store"},
		{"X-Content-Type-Options", "nosniff"},
		{"Referrer-Policy", "no-referrer"},
		{"Cross-Origin-Resource-Policy", "same-origin"},
	};

	return add_headers(response, headers,
			   sizeof(headers) / sizeof(*headers));
}

static struct MHD_Response *text_response(const char *text)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(
		strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT);

	if (!add_common_headers(response, "text/plain; charset=utf-8",
				"default-src 'none'")) {
		if (response != NULL)
			MHD_destroy_response(response);
		return NULL;
	}
	return response;
}

static int file_response(struct MHD_Response **response,
			 const struct serve_route *route, struct err *err)
{
	struct stat st;
	int fd = fcntl(route->fd, F_DUPFD_CLOEXEC, 0);

	if (fd < 0)
		return err_sys(err, errno, "cannot serve %s", route->path);
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return err_set(err, ERR_IO, "cannot serve %s: no regular file",
			       route->path);
	}
	*response = MHD_create_response_from_fd64((uint64_t)st.st_size, fd);
	if (*response == NULL) {
		close(fd);
		return err_memory(err);
	}
	return add_common_headers(*response, route->type, route->policy)
		       ? 0
		       : err_memory(err);
}

static int add_routes(struct server *server, const struct serve_route *routes,
		      size_t count, struct err *err)
{
	server->routes = calloc(count, sizeof(*server->routes));
	if (server->routes == NULL && count > 0)
		return err_memory(err);
	for (size_t i = 0; i < count; i++) {
		struct route *route = &server->routes[server->count++];
		int rc = file_response(&route->response, &routes[i], err);

		if (rc != 0)
			return rc;
		route->path = strdup(routes[i].path);
		if (route->path == NULL)
			return err_memory(err);
	}
	return 0;
}

static int add_refusals(struct server *server, struct err *err)
{
	server->not_found = text_response("no such page\n");
	server->not_ours = text_response(
		"this name is not served here; use the address the server "
		"printed\n");
	server->not_allowed = text_response("only GET and HEAD\n");
	if (server->not_found == NULL || server->not_ours == NULL ||
	    server->not_allowed == NULL ||
	    MHD_add_response_header(server->not_allowed, "Allow",
				    "GET, HEAD") != MHD_YES)
		return err_memory(err);
	return 0;
}

/* Listening -------------------------------------------------------------- */

static int listen_error(struct err *err, int errnum, const char *host,
			uint16_t port)
{
	bool v6 = strchr(host, ':') != NULL;

	if (errnum == EADDRINUSE)
		return err_set(err, ERR_IO,
			       "%s%s%s:%u is in use by another program; choose "
			       "another port, or 0 for one that is free",
			       v6 ? "[" : "", host, v6 ? "]" : "", port);
	return err_sys(err, errnum, "cannot listen on %s%s%s:%u", v6 ? "[" : "",
		       host, v6 ? "]" : "", port);
}

/*
 * A listening socket, or -1 with errno set. SO_REUSEADDR lets a restart have
 * the port at once; on a port with a listener Linux refuses it even so.
 */
static int listen_at(const struct addrinfo *at)
{
	const int on = 1;
	int saved;
	int fd = socket(at->ai_family,
			at->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
	    bind(fd, at->ai_addr, at->ai_addrlen) == 0 &&
	    listen(fd, BACKLOG) == 0)
		return fd;
	saved = errno;
	close(fd);
	errno = saved;
	return -1;
}

/* Listen on the first address that this machine has. */
static int listen_on(const char *host, uint16_t port, int *fd, struct err *err)
{
	const struct addrinfo hints = {.ai_flags = AI_NUMERICSERV | AI_PASSIVE,
				       .ai_socktype = SOCK_STREAM};
	struct addrinfo *found, *at;
	char service[8];
	int rc;

	snprintf(service, sizeof(service), "%u", port);
	rc = getaddrinfo(host, service, &hints, &found);
	if (rc != 0)
		return err_set(err, ERR_IO, "cannot listen on %s: %s", host,
			       rc == EAI_SYSTEM ? strerror(errno)
						: gai_strerror(rc));
	*fd = -1;
	for (at = found; at != NULL && *fd < 0; at = at->ai_next) {
		*fd = listen_at(at);
		if (*fd < 0 && errno != EADDRNOTAVAIL && errno != EAFNOSUPPORT)
			break;
	}
	rc = errno;
	freeaddrinfo(found);
	return *fd < 0 ? listen_error(err, rc, host, port) : 0;
}

/* Where the socket is bound, as a URL. */
static int name_url(struct server *server, int fd, struct err *err)
{
	struct sockaddr_storage address;
	socklen_t size = sizeof(address);
	char host[HOST_MAX], port[8];
	bool v6;

	if (getsockname(fd, (struct sockaddr *)&address, &size) != 0)
		return err_sys(err, errno, "getsockname");
	if (getnameinfo((struct sockaddr *)&address, size, host, sizeof(host),
			port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV) != 0)
		return err_set(err, ERR_IO, "cannot name the address bound");
	v6 = address.ss_family == AF_INET6;
	snprintf(server->url, sizeof(server->url), "http://%s%s%s:%s",
		 v6 ? "[" : "", host, v6 ? "]" : "", port);
	return 0;
}

static int start_daemon(struct server *server, int fd, struct err *err)
{
	const struct MHD_OptionItem options[] = {
		{MHD_OPTION_LISTEN_SOCKET, fd, NULL},
		{MHD_OPTION_CONNECTION_LIMIT, SERVE_CONNECTIONS, NULL},
		{MHD_OPTION_CONNECTION_TIMEOUT, SERVE_IDLE, NULL},
		{MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, NULL},
		{MHD_OPTION_STRICT_FOR_CLIENT, 1, NULL},
		{MHD_OPTION_UNESCAPE_CALLBACK, (intptr_t)leave_encoded, NULL},
		{MHD_OPTION_END, 0, NULL},
	};

	server->daemon = MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, answer,
					  server, MHD_OPTION_ARRAY, options,
					  MHD_OPTION_END);
	if (server->daemon != NULL)
		return 0;
	close(fd);
	return err_set(err, ERR_IO, "cannot start the HTTP server");
}

int serve_open(struct server **server, const char *host, uint16_t port,
	       const struct serve_route *routes, size_t count, struct err *err)
{
	struct server *s = calloc(1, sizeof(*s));
	int fd, rc;

	if (s == NULL)
		return err_memory(err);
	snprintf(s->given, sizeof(s->given), "%s", host);
	if (gethostname(s->own, sizeof(s->own) - 1) != 0)
		s->own[0] = '\0';
	rc = add_routes(s, routes, count, err);
	if (rc == 0)
		rc = add_refusals(s, err);
	if (rc == 0)
		rc = listen_on(host, port, &fd, err);
	if (rc == 0)
		rc = start_daemon(s, fd, err);
	if (rc == 0)
		rc = name_url(s, fd, err);
	if (rc == 0)
		*server = s;
	else
		serve_close(s);
	return rc;
}

const char *serve_url(const struct server *server)
{
	return server->url;
}

/* Milliseconds until a connection times out, -1 for never. */
static int patience(struct server *server)
{
	MHD_UNSIGNED_LONG_LONG left;

	if (MHD_get_timeout(server->daemon, &left) != MHD_YES)
		return -1;
	return left > 60 * 1000 ? 60 * 1000 : (int)left;
}

int serve_run(struct server *server, int stop_fd, struct err *err)
{
	const union MHD_DaemonInfo *epoll =
		MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	struct pollfd fds[] = {{.fd = stop_fd, .events = POLLIN},
			       {.events = POLLIN}};

	if (epoll == NULL)
		return err_set(err, ERR_IO, "no epoll");
	fds[1].fd = epoll->epoll_fd;
	for (;;) {
		if (poll(fds, 2, patience(server)) < 0 && errno != EINTR)
			return err_sys(err, errno, "poll");
		if (fds[0].revents != 0)
			return 0;
		if (MHD_run(server->daemon) != MHD_YES)
			return err_set(err, ERR_IO, "the HTTP server broke");
	}
}

static void destroy(struct MHD_Response *response)
{
	if (response != NULL)
		MHD_destroy_response(response);
}

void serve_close(struct server *server)
{
	if (server == NULL)
		return;
	if (server->daemon != NULL)
		MHD_stop_daemon(server->daemon);
	for (size_t i = 0; i < server->count; i++) {
		destroy(server->routes[i].response);
		free(server->routes[i].path);
	}
	destroy(server->not_found);
	destroy(server->not_ours);
	destroy(server->not_allowed);
	free(server->routes);
	free(server);
}

const char *serve_version(void)
{
	return MHD_get_version();
}
