/*
 * The files that trace-timeline writes beside a dump, and serving them.
 */
#ifndef OBS_CMD_SERVE_PAGES_H
#define OBS_CMD_SERVE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The files of one dump. */
struct page_files {
	const char *dump; /* as given; borrowed */
	char *cache_path; /* DIR/STEM.trace_timeline_cache.json */
	char *html_path;  /* DIR/STEM.trace_timeline_viewer.html */
};

/* Fill page for a dump; false when memory ran out. */
bool page_name(struct page_files *page, const char *dump);
/* Have the pages of two dumps the same name in the same directory? Not when
 * it is one dump given twice. */
bool page_is_same_file(const struct page_files *a, const struct page_files *b);
void page_free(struct page_files *page);

struct serving {
	const char *host;
	uint16_t port;
	bool opens; /* the browser, on the page of all */
};

/*
 * Serve the pages and caches, and nothing else, until SIGINT or SIGTERM. The
 * address of each page is a line on stdout; "/" is the page when there is one.
 * When there are several it is a list, and "/all.html", whose address is the
 * last line, is a page of all of them, kept in an unlinked file. Ends the
 * program when it cannot listen.
 */
void serve_pages(const struct page_files *pages, size_t count,
		 const struct serving *serving);

#endif
