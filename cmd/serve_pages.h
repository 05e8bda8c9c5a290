/*
 * The files that trace-timeline writes next to a dump, and serving them.
 */
#ifndef OBS_CMD_SERVE_PAGES_H
#define OBS_CMD_SERVE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The files of one dump. */
struct page_files {
	const char *dump; /* as on the command line; borrowed */
	char *cache_path; /* DIR/STEM.trace_timeline_cache.json */
	char *html_path;  /* DIR/STEM.trace_timeline_viewer.html */
};

/* Fill page for a dump; false if out of memory. */
bool page_name(struct page_files *page, const char *dump);
/* Would two dumps have the same page file? False if both are the same dump. */
bool page_is_same_file(const struct page_files *a, const struct page_files *b);
void page_free(struct page_files *page);

struct serving {
	const char *host;
	uint16_t port;
	bool opens; /* open the browser on the combined page */
};

/*
 * Serve only the pages and caches, until SIGINT or SIGTERM. The address of each
 * page is a line on stdout; "/" is the page if there is only one. For several
 * it is a list, and "/all.html", whose address is the last line, combines them
 * in one page, kept in an unlinked file. Ends the program if it cannot listen.
 */
void serve_pages(const struct page_files *pages, size_t count,
		 const struct serving *serving);

#endif
