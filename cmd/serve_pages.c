#include "serve_pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/str.h"
#include "common.h"
#include "net/serve.h"
#include "serve_loop.h"

bool page_name(struct page *page, const char *dump)
{
	const char *name = file_name(dump);
	const char *dot = strrchr(name, '.');
	int stem = (int)strlen(dump);

	if (dot != NULL && dot != name)
		stem = (int)(dot - dump);
	*page = (struct page){.dump = dump};
	if (asprintf(&page->cache_path, "%.*s.trace_timeline_cache.json", stem,
		     dump) < 0)
		page->cache_path = NULL;
	if (asprintf(&page->html_path, "%.*s.trace_timeline_viewer.html", stem,
		     dump) < 0)
		page->html_path = NULL;
	return page->cache_path != NULL && page->html_path != NULL;
}

/* The directory that path lies in; false when there is none. */
static bool stat_directory(const char *path, struct stat *st)
{
	int length = (int)(file_name(path) - path);
	char *dir;
	bool found;

	if (asprintf(&dir, "%.*s.", length, path) < 0)
		return false;
	found = stat(dir, st) == 0;
	free(dir);
	return found;
}

bool page_is_same_file(const struct page *a, const struct page *b)
{
	struct stat x, y;

	if (strcmp(file_name(a->html_path), file_name(b->html_path)) != 0 ||
	    strcmp(file_name(a->dump), file_name(b->dump)) == 0)
		return false;
	return stat_directory(a->dump, &x) && stat_directory(b->dump, &y) &&
	       x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

void page_free(struct page *page)
{
	free(page->cache_path);
	free(page->html_path);
}

static const struct serve_route page_route = {
	.type = "text/html; charset=utf-8", .policy = SERVE_PAGE_POLICY};
static const struct serve_route cache_route = {.type = "application/json"};

/* Open one file for its route. Pages of several dumps may have equal names:
 * then each has its number before. */
static void add_route(struct serve_route *route, struct serve_route like,
		      const char *path, size_t number)
{
	char *text;
	int n = number == 0
			? asprintf(&text, "/%s", file_name(path))
			: asprintf(&text, "/%zu/%s", number, file_name(path));

	if (n < 0)
		die(STATUS_IO, "out of memory");
	*route = like;
	route->path = text;
	route->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (route->fd < 0)
		die(STATUS_IO, "%s: cannot open: %s", path, strerror(errno));
}

static void put_html(struct out *out, const char *text)
{
	for (; *text != '\0'; text++) {
		char entity[8];

		if (strchr("<>&\"'", *text) == NULL)
			out_putc(out, *text);
		else
			out_put(out, entity,
				(size_t)snprintf(entity, sizeof(entity),
						 "&#%d;", *text));
	}
}

static void put_percent(struct out *out, const char *path)
{
	for (; *path != '\0'; path++) {
		unsigned char c = (unsigned char)*path;
		char code[4];

		if (c > 0x7f || strchr("%?# \"<>&'\\", c) != NULL || c < 0x20)
			out_put(out, code,
				(size_t)snprintf(code, sizeof(code), "%%%02X",
						 c));
		else
			out_putc(out, *path);
	}
}

/* A page that lists the pages of several dumps, in a file without a name. */
static int make_index(const struct page *pages,
		      const struct serve_route *routes, size_t count)
{
	int fd = memfd_create("index", MFD_CLOEXEC);
	struct err err = {0};
	struct out out;

	if (fd < 0 || out_open(&out, fd, &err) < 0)
		die(STATUS_IO, "cannot make the list of pages");
	out_puts(&out, "<!DOCTYPE html><meta charset=\"utf-8\">"
		       "<title>timelines</title><ul>\n");
	for (size_t i = 0; i < count; i++) {
		out_puts(&out, "<li><a href=\"");
		put_percent(&out, routes[2 * i].path);
		out_puts(&out, "\">");
		put_html(&out, pages[i].dump);
		out_puts(&out, "</a>\n");
	}
	out_puts(&out, "</ul>\n");
	if (out_close(&out, &err) < 0)
		die_err(&err);
	return fd;
}

static void print_addresses(const struct server *server,
			    const struct serve_route *routes, size_t count)
{
	struct err err = {0};
	struct out out;

	if (out_open(&out, STDOUT_FILENO, &err) < 0)
		die_err(&err);
	for (size_t i = 0; i < count; i++) {
		out_puts(&out, serve_url(server));
		put_percent(&out, routes[2 * i].path);
		out_putc(&out, '\n');
	}
	if (out_close(&out, &err) < 0)
		die_stdout(out.failed);
	note("serving %zu timeline%s; Ctrl-C ends it", count,
	     count == 1 ? "" : "s");
}

void serve_pages(const struct page *pages, size_t count, const char *host,
		 uint16_t port)
{
	size_t n = 2 * count + 1;
	struct serve_route *routes = calloc(n, sizeof(*routes));
	struct server *server = NULL;
	struct err err = {0};
	int stop = stop_descriptor(false);

	if (routes == NULL)
		die(STATUS_IO, "out of memory");
	for (size_t i = 0; i < count; i++) {
		size_t number = count == 1 ? 0 : i + 1;

		add_route(&routes[2 * i], page_route, pages[i].html_path,
			  number);
		add_route(&routes[2 * i + 1], cache_route, pages[i].cache_path,
			  number);
	}
	routes[n - 1] = page_route;
	routes[n - 1].path = "/";
	routes[n - 1].fd = count == 1 ? routes[0].fd
				      : make_index(pages, routes, count);
	if (serve_open(&server, host, port, routes, n, &err) < 0)
		die_err(&err);
	print_addresses(server, routes, count);
	if (serve_run(server, stop, &err) < 0)
		die_err(&err);
	serve_close(server);
	for (size_t i = 0; i < n - 1; i++) {
		free((char *)routes[i].path);
		close(routes[i].fd);
	}
	if (count > 1)
		close(routes[n - 1].fd);
	free(routes);
	close(stop);
}
