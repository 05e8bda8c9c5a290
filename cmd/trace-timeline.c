/*
 * trace-timeline: rollout dumps as timelines.
 *
 * Called with dumps alone it writes a cache and a page beside each and serves
 * them; called as a filter it writes one format to stdout or a file. Either
 * way a dump is read once, row by row, into one or two sinks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "browser.h"
#include "common.h"
#include "fmt/file/gzip_read.h"
#include "fmt/file/torch_file.h"
#include "net/server/serve.h"
#include "profiles.h"
#include "timeline_files.h"
#include "timeline_write.h"

static struct {
	int format;
	const char *output;
	bool rebuild;
	struct wanted wanted;
	int64_t split;
	bool no_serve;
	bool opens;
	const char *host;
	int64_t port;
	struct opt_list merge;
	struct engine_traces *profiles; /* of merge */
} cfg = {.format = -1, .host = "127.0.0.1", .port = 9999};

static const struct opt options[] = {
	OPT_GROUP("Output"),
	OPT_FORMAT(&cfg.format, timeline_formats),
	OPT_OUTPUT(&cfg.output),
	OPT_FLAG(0, "rebuild", &cfg.rebuild,
		 "rewrite the files next to a dump even if they are fresh"),
	OPT_LIST(0, "merge", "TRACE", &cfg.merge,
		 "add an engine's profile to the Chrome trace; further "
		 "operands ending in .trace.json or .json.gz are added, too"),
	OPT_WITH,
	OPT_STRICT,
	OPT_GROUP("Samples"),
	OPT_STR(0, "sample", "EXPR", &cfg.wanted.expression,
		"only samples matching all terms, such as \"status:truncated "
		"dur>30s reward<0.5 -source:math name:tool_call\""),
	OPT_INT(0, "top", "N", &cfg.wanted.top, 1, 1e9,
		"only the N longest samples"),
	OPT_INT(0, "split", "N", &cfg.split, 1, 1e9,
		"write pages of N samples: FILE.1.html, FILE.2.html, ..."),
	OPT_GROUP("Serving"),
	OPT_FLAG(0, "no-serve", &cfg.no_serve,
		 "write the files next to the dumps, print the pages' names "
		 "and exit"),
	OPT_FLAG(0, "open", &cfg.opens,
		 "open the page in $BROWSER, or with xdg-open"),
	OPT_STR(0, "host", "ADDRESS", &cfg.host,
		"listen on ADDRESS (default 127.0.0.1)"),
	OPT_INT(0, "port", "PORT", &cfg.port, 0, 65535,
		"listen on PORT (default 9999); 0 picks a free one"),
	OPT_COMMON,
};

static const struct program program = {
	.name = "trace-timeline",
	.synopsis = "[OPTION]... [DUMP]...",
	.about = "Turn rollout dumps into interactive timelines. With dumps "
		 "alone, write a cache and a page next to each and serve them "
		 "until interrupted. With --format or --output, or from "
		 "standard input, write one timeline, or one page of all "
		 "dumps. --merge adds profiles of engines, --with adds spans "
		 "recorded by trace-span.",
	.options = options,
	.examples = {"trace-timeline rollout_42.pt",
		     "trace-timeline --top 100 -o page.html rollout_42.pt",
		     "trace-timeline --format summary < rollout_42.jsonl"},
	.libraries = {{"libarchive", torch_file_version},
		      {"libmicrohttpd", httpd_version},
		      {"zlib", gzip_version}},
};

/* One format of a dump, into the target. */
static void write_one(const char *name, struct timeline_target *target)
{
	struct origin origin = {0};
	bool is_file = strcmp(name, "-") != 0 && origin_read(&origin, name);
	struct dump dump;

	if (timeline_open(&dump, name, &cfg.wanted))
		timeline_write(&dump, is_file ? &origin : NULL, &cfg.wanted,
			       cfg.profiles, target, 1);
	origin_free(&origin);
}

/* What the page was made of, for who asks whether it is fresh: one dump that
 * is a file, and nothing else. */
static void end_page(struct out *out, int count, char **names)
{
	struct origin origin = {0};
	bool known = count == 1 && with.n == 0 && cfg.merge.n == 0 &&
		     strcmp(names[0], "-") != 0 &&
		     origin_read(&origin, names[0]);
	char *choice = wanted_text(&cfg.wanted);

	origin.choice = choice;
	page_end(out, known ? &origin : NULL);
	origin_free(&origin);
	free(choice);
}

static void refuse_misuse(int count, enum timeline_format format)
{
	if (count > 1 && format == FORMAT_CHROME)
		die_usage("--format chrome takes one dump at a time");
	if (cfg.split > 0 && (format != FORMAT_HTML || count > 1))
		die_usage("--split is for the page of one dump");
	if (cfg.opens && (format != FORMAT_HTML || cfg.output == NULL ||
			  strcmp(cfg.output, "-") == 0))
		die_usage("--open needs a page that is served or in a file");
}

/* Filter: one format to one output. */
static void write_all(int count, char **names)
{
	static char *input[] = {"-"};
	enum timeline_format format =
		cfg.format < 0 ? FORMAT_HTML : (enum timeline_format)cfg.format;
	char *first = NULL;
	struct output output;
	struct page page = {0};
	struct timeline_target target = {.format = format,
					 .output = &output,
					 .page = &page,
					 .split = cfg.split};

	refuse_misuse(count, format);
	if (count == 0) {
		count = 1;
		names = input;
	}
	page.name = file_name(names[0]);
	page.others = (size_t)count - 1;
	if (cfg.split > 0) {
		target.parts = cfg.output;
		first = part_name(cfg.output, 1);
	}
	output_open(&output, first != NULL ? first : cfg.output);
	for (int i = 0; i < count; i++)
		write_one(names[i], &target);
	if (!dump_set_status()) {
		output_drop(&output);
	} else {
		if (format == FORMAT_HTML)
			end_page(&output.file.out, count, names);
		output_close(&output);
		if (cfg.opens)
			browser_open_file(first != NULL ? first : cfg.output);
	}
	free(first);
}

static void write_and_serve(size_t count, char **names)
{
	const struct serving serving = {cfg.host, (uint16_t)cfg.port,
					cfg.opens};
	struct page_files *pages = calloc(count, sizeof(*pages));
	size_t ready;

	if (pages == NULL)
		die_memory();
	ready = files_write(pages, names, count, &cfg.wanted, cfg.rebuild);
	dump_set_status();
	for (size_t i = 0; i < ready && cfg.no_serve; i++)
		printf("%s\n", pages[i].html_path);
	if (ready > 0 && cfg.no_serve && cfg.opens)
		browser_open_file(pages[0].html_path);
	if (ready > 0 && !cfg.no_serve)
		serve_pages(pages, ready, &serving);
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

static void read_expression(void)
{
	struct err err = {0};

	cfg.wanted.filter = row_filter_new(str_of(cfg.wanted.expression), &err);
	if (cfg.wanted.filter == NULL)
		die_usage("--sample: %s", err.text);
}

static int run(int argc, char **argv)
{
	int first = opt_parse(&program, argc, argv);
	int count = argc - first;
	char **names = argv + first;

	if (cfg.merge.n > 0)
		count = read_profiles(count, names);
	opt_need_input(count);
	dump_check_with(count, names);
	if (*cfg.host == '\0')
		die_usage("--host needs an address");
	if (cfg.no_serve && count == 0)
		die_usage("--no-serve needs a dump");
	if (cfg.split > 0 && (cfg.output == NULL || !strcmp(cfg.output, "-")))
		die_usage("--split needs --output FILE");
	if (cfg.wanted.expression != NULL)
		read_expression();
	if (count == 0 || cfg.format >= 0 || cfg.output != NULL || with.n > 0 ||
	    strcmp(names[0], "-") == 0)
		write_all(count, names);
	else
		write_and_serve((size_t)count, names);
	engine_traces_free(cfg.profiles);
	row_filter_free(cfg.wanted.filter);
	return finish();
}

int main(int argc, char **argv)
{
	return run_on_stack(run, argc, argv);
}
