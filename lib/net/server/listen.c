#include "net/server/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/digits.h"
#include "base/num.h"
#include "base/str.h"

/* A full queue delays a client by a second, until it retries. */
enum { BACKLOG = 1024 };

/* Binding ---------------------------------------------------------------- */

static int bind_error(struct err *err, int errnum, const char *host,
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
 * A listening socket, or -1 with errno set. SO_REUSEADDR lets a restart reuse
 * the port at once; Linux still rejects a port with a listener.
 */
static int listen_at(int family, const struct sockaddr *at, socklen_t size)
{
	const int on = 1;
	int saved;
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
	    bind(fd, at, size) == 0 && listen(fd, BACKLOG) == 0)
		return fd;
	saved = errno;
	close(fd);
	errno = saved;
	return -1;
}

/* Listen on the first address that is local. */
static int listen_first(struct listener *l, const struct addrinfo *found,
			uint16_t port, struct err *err)
{
	int fd = -1;

	for (; found != NULL && fd < 0; found = found->ai_next) {
		fd = listen_at(found->ai_family, found->ai_addr,
			       found->ai_addrlen);
		if (fd < 0 && errno != EADDRNOTAVAIL && errno != EAFNOSUPPORT)
			break;
	}
	l->fd = fd;
	return fd < 0 ? bind_error(err, errno, l->host, port) : 0;
}

/* Naming ----------------------------------------------------------------- */

union tcp_address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static bool is_loopback(const union tcp_address *address)
{
	if (address->any.sa_family == AF_INET)
		return ntohl(address->v4.sin_addr.s_addr) >> 24 ==
		       IN_LOOPBACKNET;
	return IN6_IS_ADDR_LOOPBACK(&address->v6.sin6_addr);
}

static bool is_wildcard(const union tcp_address *address)
{
	if (address->any.sa_family == AF_INET)
		return address->v4.sin_addr.s_addr == htonl(INADDR_ANY);
	return IN6_IS_ADDR_UNSPECIFIED(&address->v6.sin6_addr);
}

/* The socket's address as a URL that can be opened: a wildcard becomes this
 * machine's name. */
static int name_bound(struct listener *l, struct err *err)
{
	union tcp_address address = {.v6 = {0}};
	socklen_t size = sizeof(address);
	char host[LISTEN_NAME_MAX], port[8];
	bool v6;

	if (getsockname(l->fd, &address.any, &size) != 0)
		return err_sys(err, errno, "getsockname");
	if (getnameinfo(&address.any, size, host, sizeof(host), port,
			sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV) != 0)
		return err_set(err, ERR_IO, "cannot name the address bound");
	v6 = address.any.sa_family == AF_INET6 && !is_wildcard(&address);
	if (is_wildcard(&address) && gethostname(host, sizeof(host) - 1) != 0)
		return err_sys(err, errno, "cannot name this machine");
	snprintf(l->url, sizeof(l->url), "http://%s%s%s:%s", v6 ? "[" : "",
		 host, v6 ? "]" : "", port);
	l->loopback = is_loopback(&address);
	return 0;
}

/* A host in URL form, [::1], is accepted without its brackets. */
static void take_host(struct listener *l, const char *host)
{
	size_t n = strlen(host);
	bool bracketed = n > 2 && host[0] == '[' && host[n - 1] == ']';

	snprintf(l->host, sizeof(l->host), "%.*s", (int)(bracketed ? n - 2 : n),
		 host + bracketed);
}

int listen_tcp(struct listener *l, const char *host, uint16_t port,
	       struct err *err)
{
	const struct addrinfo hints = {.ai_flags = AI_NUMERICSERV | AI_PASSIVE,
				       .ai_socktype = SOCK_STREAM};
	struct addrinfo *found;
	char service[8];
	int rc;

	*l = (struct listener){.fd = -1};
	take_host(l, host);
	if (l->host[0] == '\0')
		return err_set(err, ERR_INPUT,
			       "the host to listen on is empty");
	snprintf(service, sizeof(service), "%u", port);
	rc = getaddrinfo(l->host, service, &hints, &found);
	if (rc != 0)
		return err_set(err, ERR_IO, "cannot listen on %s: %s", host,
			       rc == EAI_SYSTEM ? strerror(errno)
						: gai_strerror(rc));
	rc = listen_first(l, found, port, err);
	freeaddrinfo(found);
	if (rc == 0)
		rc = name_bound(l, err);
	if (rc != 0)
		listen_close(l);
	return rc;
}

/* Unix sockets ----------------------------------------------------------- */

/* A socket without a listener, left by a killed program. */
static bool is_stale(const struct sockaddr_un *at)
{
	struct stat st;
	bool refused;
	int fd;

	if (lstat(at->sun_path, &st) != 0 || !S_ISSOCK(st.st_mode))
		return false;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return false;
	refused = connect(fd, (const struct sockaddr *)at, sizeof(*at)) != 0 &&
		  errno == ECONNREFUSED;
	close(fd);
	return refused;
}

static int listen_unix(struct listener *l, const char *path, struct err *err)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};

	*l = (struct listener){.fd = -1, .loopback = true};
	if (*path == '\0' || strlen(path) >= sizeof(at.sun_path))
		return err_set(err, ERR_INPUT,
			       "unix:%s: a socket's path has 1 to %zu bytes",
			       path, sizeof(at.sun_path) - 1);
	memcpy(at.sun_path, path, strlen(path));
	if (is_stale(&at))
		unlink(path);
	l->fd = listen_at(AF_UNIX, (const struct sockaddr *)&at, sizeof(at));
	if (l->fd < 0 && errno == EADDRINUSE)
		return err_set(err, ERR_IO,
			       "unix:%s is in use by another program, or is "
			       "not a socket",
			       path);
	if (l->fd < 0)
		return err_sys(err, errno, "cannot listen on unix:%s", path);
	snprintf(l->path, sizeof(l->path), "%s", path);
	snprintf(l->url, sizeof(l->url), "unix:%s", path);
	return 0;
}

/* Text ------------------------------------------------------------------- */

/* Split "HOST:PORT" or "PORT"; the brackets of an IPv6 address are removed. */
static bool split(const char *text, char host[LISTEN_NAME_MAX], int64_t *port)
{
	const char *colon = strrchr(text, ':');
	struct str name = str_of("127.0.0.1");

	if (colon != NULL)
		name = str_make(text, (size_t)(colon - text));
	if (name.n >= 2 && name.p[0] == '[' && name.p[name.n - 1] == ']')
		name = str_make(name.p + 1, name.n - 2);
	else if (name.n > 0 && memchr(name.p, ':', name.n) != NULL)
		return false;
	if (name.n == 0 || name.n >= LISTEN_NAME_MAX)
		return false;
	memcpy(host, name.p, name.n);
	host[name.n] = '\0';
	text = colon ? colon + 1 : text;
	return is_digit(*text) && num_parse_int(str_of(text), port) &&
	       *port <= UINT16_MAX;
}

int listen_text(struct listener *l, const char *text, struct err *err)
{
	static const char unix_prefix[] = "unix:";
	char host[LISTEN_NAME_MAX];
	int64_t port;

	*l = (struct listener){.fd = -1};
	if (str_starts(str_of(text), unix_prefix))
		return listen_unix(l, text + strlen(unix_prefix), err);
	if (!split(text, host, &port))
		return err_set(
			err, ERR_INPUT,
			"%s is not a valid address; give PORT, HOST:PORT, "
			"[ADDRESS]:PORT or unix:PATH",
			text);
	return listen_tcp(l, host, (uint16_t)port, err);
}

void listen_close(struct listener *l)
{
	if (l->fd >= 0)
		close(l->fd);
	if (l->path[0] != '\0')
		unlink(l->path);
	l->fd = -1;
	l->path[0] = '\0';
}
