/*
 * trace-timeline: rollout dumps as timelines.
 *
 * Called with dumps alone it writes a cache and a page beside each and serves
 * them; called as a filter it writes one format to stdout or a file. Either
 * way a dump is read once, row by row, into one or two sinks.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "common.h"
#include "dump.h"
#include "fmt/gzip_read.h"
#include "fmt/torch_file.h"
#include "net/serve.h"
#include "output.h"
#include "profiles.h"
#include "serve_pages.h"
#include "sink/fresh.h"
#include "sink/sink.h"

enum format { FORMAT_HTML, FORMAT_CACHE, FORMAT_CHROME, FORMAT_SUMMARY };

static const char *const formats[] = {"html", "cache", "chrome", "summary",
				      NULL};
static struct timeline_sink *(*const new_sinks[])(
	struct out *out, const struct timeline_about *about,
	struct err *err) = {html_sink_new, cache_sink_new, chrome_sink_new,
			    summary_sink_new};

static struct {
	int format;
	const char *output;
	bool rebuild;
	bool no_serve;
	const char *host;
	int64_t port;
	struct opt_list merge;
	struct engine_traces *profiles; /* of merge */
} cfg = {.format = -1, .host = "127.0.0.1", .port = 9999};

static const struct opt options[] = {
	OPT_GROUP("Output"),
	OPT_FORMAT(&cfg.format, formats),
	OPT_OUTPUT(&cfg.output),
	OPT_FLAG(0, "rebuild", &cfg.rebuild,
		 "write the files beside a dump even when they are fresh"),
	OPT_LIST(0, "merge", "TRACE", &cfg.merge,
		 "add an engine's profile to the Chrome trace; operands that "
		 "end in .trace.json or .json.gz are further ones"),
	OPT_STRICT,
	OPT_GROUP("Serving"),
	OPT_FLAG(0, "no-serve", &cfg.no_serve,
		 "write the files beside the dumps, print the pages' names and "
		 "end"),
	OPT_STR(0, "host", "ADDRESS", &cfg.host,
		"listen on ADDRESS (127.0.0.1)"),
	OPT_INT(0, "port", "PORT", &cfg.port, 0, 65535,
		"listen on PORT (9999); 0 picks a free one"),
	OPT_COMMON,
};

static const struct program program = {
	.name = "trace-timeline",
	.synopsis = "[OPTION]... [DUMP]...",
	.about = "Turn rollout dumps into interactive timelines. With dumps "
		 "alone, write a cache and a page beside each and serve them "
		 "until interrupted; with --format or --output, or on standard "
		 "input, write one timeline; with --merge, beside the "
		 "profiles of engines.",
	.options = options,
	.examples = {"trace-timeline rollout_42.pt",
		     "trace-timeline -o page.html rollout_42.pt",
		     "trace-timeline --format summary < rollout_42.jsonl"},
	.libraries = {{"libarchive", torch_file_version},
		      {"libmicrohttpd", httpd_version},
		      {"zlib", gzip_version}},
};

/* A sink and the output it writes to. */
struct target {
	enum format format;
	struct output *output;
	struct timeline_sink *sink;
};

/* Give a row to every sink; what one cuts is a failure of the sample. */
static int put_row(const struct dump *dump, const struct target *targets,
		   size_t count, const struct row *row, struct err *err)
{
	uint64_t cuts = 0;

	for (size_t i = 0; i < count; i++) {
		struct timeline_sink *sink = targets[i].sink;
		uint64_t before = sink->cuts;

		if (sink->row(sink, row, err) < 0)
			return err->code;
		if (sink->cuts - before > cuts)
			cuts = sink->cuts - before;
	}
	if (cuts > 0)
		fail("%s: sample %" PRIu64 ": %" PRIu64
		     " values are too deep, too many or inside themselves and "
		     "are cut",
		     dump->name, row->row_id, cuts);
	return 0;
}

/* Give every row of the dump to the sinks. */
static int drive(struct dump *dump, const struct target *targets, size_t count,
		 struct sample *sample, struct err *err)
{
	struct arena arena = arena_new(LIMIT_SAMPLE);
	struct row row;
	int code = 0;

	do {
		arena_reset(&arena);
		code = span_build(sample, &arena, &row, err);
		if (row.skipped > 0)
			fail("%s: %s", dump->name, row.what);
		if (code > 0)
			code = put_row(dump, targets, count, &row, err);
	} while (code >= 0 && dump_next(dump, sample));
	arena_free(&arena);
	return code < 0 ? code : 0;
}

/* Read a dump into the targets. The first sample comes before the sinks, so
 * that they know the rollout's id where the dump begins with it. */
static int read_into(struct dump *dump, struct timeline_about *about,
		     struct target *targets, size_t count, struct err *err)
{
	struct sample sample;
	bool any = dump_next(dump, &sample);
	int code = 0;

	about->rollout_id = rollout_id(dump->rollout);
	for (size_t i = 0; i < count; i++) {
		struct out *out = &targets[i].output->file.out;

		targets[i].sink = new_sinks[targets[i].format](out, about, err);
		if (targets[i].sink == NULL)
			return err->code;
	}
	if (any)
		code = drive(dump, targets, count, &sample, err);
	about->rollout_id = rollout_id(dump->rollout);
	for (size_t i = 0; i < count && code == 0 && !dump->failed; i++)
		code = targets[i].sink->end(targets[i].sink, err);
	return code;
}

/* Read an open dump into its targets and close it; true when they hold all
 * of it. */
static bool write_dump(struct dump *dump, const struct origin *origin,
		       struct target *targets, size_t count)
{
	struct timeline_about about = {.path = dump->name,
				       .origin = origin,
				       .name = file_name(dump->name),
				       .generated_at = (double)time(NULL),
				       .profiles = cfg.profiles};
	struct err err = {0};

	if (read_into(dump, &about, targets, count, &err) < 0)
		dump_fail(dump, &err);
	for (size_t i = 0; i < count; i++)
		if (targets[i].sink != NULL)
			targets[i].sink->free(targets[i].sink);
	return dump_close(dump);
}

static void filter_dump(const char *name, struct target *target)
{
	struct origin origin = {0};
	bool is_file = strcmp(name, "-") != 0 && origin_read(&origin, name);
	struct dump dump;

	if (dump_open(&dump, name))
		write_dump(&dump, is_file ? &origin : NULL, target, 1);
	origin_free(&origin);
}

/* Filter: one format to one output. */
static void write_all(int count, char **names)
{
	enum format format = cfg.format < 0 ? FORMAT_HTML
					    : (enum format)cfg.format;
	struct output output;
	struct target target = {.format = format, .output = &output};

	if (count > 1 && (format == FORMAT_HTML || format == FORMAT_CHROME))
		die_usage("--format %s takes one dump at a time",
			  formats[format]);
	output_open(&output, cfg.output);
	filter_dump(count == 0 ? "-" : names[0], &target);
	for (int i = 1; i < count; i++)
		filter_dump(names[i], &target);
	if (dump_set_status())
		output_close(&output);
	else
		output_drop(&output);
}

/* Write the cache and the page of an open dump. */
static bool write_files(const struct page *page, struct dump *dump,
			const struct origin *origin)
{
	struct output cache = {0}, html = {0};
	struct target targets[] = {{.format = FORMAT_CACHE, .output = &cache},
				   {.format = FORMAT_HTML, .output = &html}};
	struct err err = {0};

	if (output_try(&cache, page->cache_path, &err) < 0 ||
	    output_try(&html, page->html_path, &err) < 0) {
		dump_fail(dump, &err);
		dump_close(dump);
	} else if (write_dump(dump, origin, targets, 2) &&
		   (output_finish(&cache, &err) < 0 ||
		    output_finish(&html, &err) < 0)) {
		dump_fail(dump, &err);
	}
	output_drop(&cache);
	output_drop(&html);
	return !dump->failed;
}

/* Write the cache and the page beside a dump unless they are fresh. The dump
 * is opened first: one that is not there is to be named, not its files. */
static bool write_beside(const struct page *page)
{
	struct origin origin;
	struct dump dump;
	bool fresh = origin_read(&origin, page->dump) && !cfg.rebuild &&
		     cache_is_fresh(page->cache_path, &origin) &&
		     page_is_fresh(page->html_path, &origin);
	bool done = fresh;

	if (fresh)
		detail("%s: the page is fresh", page->dump);
	else if (dump_open(&dump, page->dump))
		done = write_files(page, &dump,
				   origin.path != NULL ? &origin : NULL);
	origin_free(&origin);
	return done;
}

/* Two dumps whose files would have the same names. */
static void refuse_equal_pages(const struct page *pages, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < i; j++)
			if (page_is_same_file(&pages[i], &pages[j]))
				die_usage("%s and %s would both become %s",
					  pages[j].dump, pages[i].dump,
					  pages[i].html_path);
}

static void write_and_serve(size_t count, char **names)
{
	struct page *pages = calloc(count, sizeof(*pages));
	size_t ready = 0;

	if (pages == NULL)
		die(STATUS_IO, "out of memory");
	for (size_t i = 0; i < count; i++)
		if (!page_name(&pages[i], names[i]))
			die(STATUS_IO, "out of memory");
	refuse_equal_pages(pages, count);
	for (size_t i = 0; i < count; i++)
		if (write_beside(&pages[i]))
			pages[ready++] = pages[i];
		else
			page_free(&pages[i]);
	dump_set_status();
	for (size_t i = 0; i < ready && cfg.no_serve; i++)
		printf("%s\n", pages[i].html_path);
	if (ready > 0 && !cfg.no_serve)
		serve_pages(pages, ready, cfg.host, (uint16_t)cfg.port);
	for (size_t i = 0; i < ready; i++)
		page_free(&pages[i]);
	free(pages);
}

/* With --merge: read the profiles. Returns how many dumps are left. */
static int read_profiles(int count, char **names)
{
	if (cfg.format < 0)
		cfg.format = FORMAT_CHROME;
	if (cfg.format != FORMAT_CHROME)
		die_usage("--merge is for --format chrome");
	cfg.profiles = profiles_read(&cfg.merge, &count, names);
	return count;
}

int main(int argc, char **argv)
{
	int first = opt_parse(&program, argc, argv);
	int count = argc - first;
	char **names = argv + first;

	if (cfg.merge.n > 0)
		count = read_profiles(count, names);
	opt_need_input(count);
	if (*cfg.host == '\0')
		die_usage("--host needs an address");
	if (cfg.no_serve && count == 0)
		die_usage("--no-serve needs a dump");
	if (count == 0 || cfg.format >= 0 || cfg.output != NULL ||
	    strcmp(names[0], "-") == 0)
		write_all(count, names);
	else
		write_and_serve((size_t)count, names);
	engine_traces_free(cfg.profiles);
	return finish();
}
