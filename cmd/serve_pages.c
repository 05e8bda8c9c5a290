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
#include "browser.h"
#include "common.h"
#include "net/server/confine.h"
#include "net/server/serve.h"
#include "net/server/serve_path.h"
#include "serve_loop.h"
#include "sink/timeline/page.h"

bool page_name(struct page_files *page, const char *dump)
{
	const char *name = file_name(dump);
	const char *dot = strrchr(name, '.');
	int stem = (int)strlen(dump);

	if (dot != NULL && dot != name)
		stem = (int)(dot - dump);
	*page = (struct page_files){.dump = dump};
	if (asprintf(&page->cache_path, "%.*s.trace_timeline_cache.json", stem,
		     dump) < 0)
		page->cache_path = NULL;
	if (asprintf(&page->html_path, "%.*s.trace_timeline_viewer.html", stem,
		     dump) < 0)
		page->html_path = NULL;
	return page->cache_path != NULL && page->html_path != NULL;
}

/* Open the directory of path; false if there is none. */
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

bool page_is_same_file(const struct page_files *a, const struct page_files *b)
{
	struct stat x, y;

	if (strcmp(file_name(a->html_path), file_name(b->html_path)) != 0 ||
	    strcmp(file_name(a->dump), file_name(b->dump)) == 0)
		return false;
	return stat_directory(a->dump, &x) && stat_directory(b->dump, &y) &&
	       x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

void page_free(struct page_files *page)
{
	free(page->cache_path);
	free(page->html_path);
}

static const struct serve_route page_route = {
	.type = "text/html; charset=utf-8", .policy = SERVE_PAGE_POLICY};
static const struct serve_route cache_route = {.type = "application/json"};

/* Open one file for its route. Pages of several dumps may have equal names:
 * then their number is prefixed. */
static void add_route(struct serve_route *route, struct serve_route like,
		      const char *path, size_t number)
{
	char *text;
	int n = number == 0
			? asprintf(&text, "/%s", file_name(path))
			: asprintf(&text, "/%zu/%s", number, file_name(path));

	if (n < 0)
		die_memory();
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

/* A page listing the pages of several dumps, in an unlinked file. */
static int make_index(const struct page_files *pages,
		      const struct serve_route *routes, size_t count)
{
	int fd = memfd_create("index", MFD_CLOEXEC);
	struct err err = {0};
	struct out out;

	if (fd < 0 || out_open(&out, fd, &err) < 0)
		die(STATUS_IO, "cannot make the list of pages");
	out_puts(&out, "<!DOCTYPE html><meta charset=\"utf-8\">"
		       "<title>timelines</title>\n"
		       "<p><a href=\"/all.html\">all in one page</a>\n<ul>\n");
	for (size_t i = 0; i < count; i++) {
		out_puts(&out, "<li><a href=\"");
		serve_path_put(&out, routes[2 * i].path);
		out_puts(&out, "\">");
		put_html(&out, pages[i].dump);
		out_puts(&out, "</a>\n");
	}
	out_puts(&out, "</ul>\n");
	if (out_close(&out, &err) < 0)
		die_err(&err);
	return fd;
}

/* The dumps of all pages combined, in an unlinked file. */
static int make_page_of_all(const struct page_files *files, size_t count)
{
	struct page page = {.name = file_name(files->dump),
			    .others = count - 1};
	struct err err = {0};
	int fd = io_unlinked(&err);
	struct out out;

	if (fd < 0 || out_open(&out, fd, &err) < 0)
		die_err(&err);
	for (size_t i = 0; i < count; i++)
		if (page_copy_dump(&page, &out, files[i].html_path, &err) < 0) {
			err_in(&err, files[i].html_path);
			die_err(&err);
		}
	page_end(&page, &out, NULL);
	if (out_close(&out, &err) < 0)
		die_err(&err);
	return fd;
}

/* The routes: page and cache of each dump, then the common ones. */
static size_t make_routes(struct serve_route *routes,
			  const struct page_files *pages, size_t count)
{
	size_t n = 2 * count;

	for (size_t i = 0; i < count; i++) {
		size_t number = count == 1 ? 0 : i + 1;

		add_route(&routes[2 * i], page_route, pages[i].html_path,
			  number);
		add_route(&routes[2 * i + 1], cache_route, pages[i].cache_path,
			  number);
	}
	routes[n] = page_route;
	routes[n].path = "/";
	if (count == 1) {
		routes[n].fd = routes[0].fd;
		return n + 1;
	}
	routes[n].fd = make_index(pages, routes, count);
	routes[n + 1] = page_route;
	routes[n + 1].path = "/all.html";
	routes[n + 1].fd = make_page_of_all(pages, count);
	return n + 2;
}

static void put_address(struct out *out, const struct server *server,
			const char *path)
{
	out_puts(out, serve_url(server));
	serve_path_put(out, path);
	out_putc(out, '\n');
}

static void print_addresses(const struct server *server,
			    const struct serve_route *routes, size_t count)
{
	struct err err = {0};
	struct out out;

	if (out_open(&out, STDOUT_FILENO, &err) < 0)
		die_err(&err);
	for (size_t i = 0; i < count; i++)
		put_address(&out, server, routes[2 * i].path);
	if (count > 1)
		put_address(&out, server, routes[2 * count + 1].path);
	if (out_close(&out, &err) < 0)
		die_stdout(out.failed);
	note("serving %zu timeline%s; Ctrl-C ends it", count,
	     count == 1 ? "" : "s");
}

/* Open the only page or the combined page in the browser. */
static void open_page(const struct server *server, bool single)
{
	char *address;

	if (asprintf(&address, "%s/%s", serve_url(server),
		     single ? "" : "all.html") < 0)
		die_memory();
	browser_open(address);
	free(address);
}

void serve_pages(const struct page_files *pages, size_t count,
		 const struct serving *serving)
{
	struct serve_route *routes = calloc(2 * count + 2, sizeof(*routes));
	struct server *server = NULL;
	struct err err = {0};
	int stop = stop_descriptor(false);
	size_t n;

	if (routes == NULL)
		die_memory();
	n = make_routes(routes, pages, count);
	if (serve_open(&server, serving->host, serving->port, routes, n, &err) <
	    0)
		die_err(&err);
	print_addresses(server, routes, count);
	if (serving->opens)
		open_page(server, count == 1);
	if (confine_to_serving(&err) < 0)
		detail("no seccomp filter: %s", err.text);
	if (serve_run(server, stop, &err) < 0)
		die_err(&err);
	serve_close(server);
	for (size_t i = 0; i < 2 * count; i++)
		free((char *)routes[i].path);
	for (size_t i = 0; i < n - (count == 1); i++)
		close(routes[i].fd);
	free(routes);
	close(stop);
}
