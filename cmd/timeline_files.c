#include "timeline_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "common.h"

static int finish_both(struct output *cache, struct output *html,
		       struct page *page, const struct origin *origin,
		       struct err *err)
{
	page_end(page, &html->file.out, origin);
	if (output_finish(cache, err) < 0)
		return err->code;
	return output_finish(html, err);
}

/* Write the cache and the page of an open dump. */
static bool write_files(const struct page_files *files, struct dump *dump,
			const struct origin *origin,
			const struct wanted *wanted)
{
	struct output cache = {0}, html = {0};
	struct page page = {.name = file_name(dump->name)};
	struct timeline_target targets[] = {
		{.format = FORMAT_CACHE, .output = &cache, .whole = true},
		{.format = FORMAT_HTML, .output = &html, .page = &page},
	};
	struct err err = {0};

	if (output_try(&cache, files->cache_path, &err) < 0 ||
	    output_try(&html, files->html_path, &err) < 0) {
		dump_fail(dump, &err);
		dump_close(dump);
	} else if (timeline_write(dump, origin, wanted, NULL, targets, 2) &&
		   finish_both(&cache, &html, &page, origin, &err) < 0) {
		dump_fail(dump, &err);
	}
	output_drop(&cache);
	output_drop(&html);
	return !dump->failed;
}

/* The dump is opened before its files, so that the error for a missing one
 * names it. */
static bool write_beside(const struct page_files *files,
			 const struct wanted *wanted, bool rebuild)
{
	char *choice = wanted_text(wanted);
	struct origin origin = {0};
	struct dump dump;
	bool known = !joined_has(files->dump) &&
		     origin_read(&origin, files->dump);
	bool done;

	origin.choice = choice;
	done = known && !rebuild &&
	       cache_is_fresh(files->cache_path, &origin) &&
	       page_is_fresh(files->html_path, &origin);
	if (done) {
		detail("%s: the page is up to date", files->dump);
		dump_count_read();
	} else if (timeline_open(&dump, files->dump, wanted))
		done = write_files(files, &dump,
				   origin.path != NULL ? &origin : NULL,
				   wanted);
	origin_free(&origin);
	free(choice);
	return done;
}

/* Two dumps whose files would have the same name. */
static void reject_equal_files(const struct page_files *pages, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < i; j++)
			if (page_is_same_file(&pages[i], &pages[j]))
				die_usage("%s and %s would both become %s",
					  pages[j].dump, pages[i].dump,
					  pages[i].html_path);
}

bool is_system_file(const char *name)
{
	char *dir = NULL;
	char *real = NULL;
	bool yes;

	if (asprintf(&dir, "%.*s.", (int)(file_name(name) - name), name) < 0)
		die_memory();
	real = realpath(dir, NULL);
	yes = real != NULL &&
	      (strcmp(real, "/dev") == 0 || strcmp(real, "/proc") == 0 ||
	       strncmp(real, "/proc/", 6) == 0);
	free(dir);
	free(real);
	return yes;
}

/* Files next to it would make no sense and never be found. */
static void check_writable(const char *name)
{
	if (is_system_file(name))
		die_usage("%s: no files are written next to it; write the page "
			  "with -o FILE",
			  name);
}

size_t files_write(struct page_files *pages, char **names, size_t count,
		   const struct wanted *wanted, bool rebuild)
{
	size_t ready = 0;

	for (size_t i = 0; i < count; i++)
		check_writable(names[i]);
	for (size_t i = 0; i < count; i++)
		if (!page_name(&pages[i], names[i]))
			die_memory();
	reject_equal_files(pages, count);
	for (size_t i = 0; i < count; i++)
		if (write_beside(&pages[i], wanted, rebuild))
			pages[ready++] = pages[i];
		else
			page_free(&pages[i]);
	return ready;
}
