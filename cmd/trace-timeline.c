/*
 * trace-timeline: rollout dumps as timelines.
 *
 * With only dumps as arguments, it writes a cache and a page next to each and
 * serves them; as a filter it writes one format to stdout or a file. The mode
 * is chosen first. Either way a dump is read row by row into one or two sinks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "browser.h"
#include "common.h"
#include "fmt/file/gzip_read.h"
#include "net/server/serve.h"
#include "profiles.h"
#include "repeats.h"
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
	struct opt_list gpus;
	struct metrics_wanted metrics;
} cfg = {.format = -1, .port = -1};

static const char *const DEFAULT_HOST = "127.0.0.1";
enum { DEFAULT_PORT = 9999 };

static const struct opt options[] = {
	OPT_GROUP("Output"),
	OPT_FORMAT(&cfg.format, timeline_formats, " html"),
	OPT_OUTPUT(&cfg.output),
	OPT_FLAG(0, "rebuild", &cfg.rebuild,
		 "rewrite the files next to a dump even if they are up to date"),
	OPT_LIST(0, "merge", "TRACE", &cfg.merge,
		 "add an engine's profile to the Chrome trace; further "
		 "operands ending in .trace.json or .json.gz are added too"),
	OPT_LIST(0, "metrics", "FILE", &cfg.metrics.files,
		 "show the engines' metrics: a stream of obs-scrape --interval, "
		 "an answer of Prometheus or an export of VictoriaMetrics; - "
		 "is standard input"),
	OPT_LIST(0, "metric", "GLOB", &cfg.metrics.globs,
		 "show these metrics, too"),
	OPT_LIST(0, "profile", "TRACE", &cfg.gpus,
		 "show in the page what the GPUs of an engine did, from its "
		 "profile"),
	OPT_WITH,
	OPT_STRICT,
	OPT_GROUP("Samples"),
	OPT_STR(0, "sample", "EXPR", &cfg.wanted.expression,
		"keep only samples matching all terms, such as \"status:truncated "
		"dur>30s reward<0.5 -source:math name:tool_call\""),
	OPT_INT(0, "top", "N", &cfg.wanted.top, 1, 1e9,
		"keep only the N samples that end last"),
	OPT_INT(0, "split", "N", &cfg.split, 1, 1e9,
		"write pages of N samples each: FILE.1.html, FILE.2.html, ..."),
	OPT_GROUP("Serving"),
	OPT_FLAG(0, "no-serve", &cfg.no_serve,
		 "write the files next to the dumps, print the pages' names "
		 "and exit"),
	OPT_FLAG(0, "open", &cfg.opens,
		 "open the page with the command in $BROWSER, or with xdg-open"),
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
		 "dumps. --merge adds profiles of engines, --metrics their "
		 "metrics; --with adds their request logs, or spans recorded "
		 "by trace-span.",
	.options = options,
	.examples = {"trace-timeline rollout_42.pt",
		     "trace-timeline --top 100 -o page.html rollout_42.pt",
		     "trace-timeline --format summary < rollout_42.jsonl"},
	.libraries = {{"libmicrohttpd", httpd_version}, {"zlib", gzip_version}},
};

/* What is to be done. ---------------------------------------------------- */

/* Decided from the whole command line before any dump is opened. */
struct plan {
	char **dumps; /* "-" is standard input */
	int count;
	bool beside; /* a cache and a page next to each; else one output */
	enum timeline_format format; /* of that output */
	const char *path;	     /* and its file; NULL or "-": stdout */
	struct engine_traces *profiles;
};

static bool is_stdio(const char *name)
{
	return name == NULL || strcmp(name, "-") == 0;
}

/* A page of dumps with other files is not kept next to them. */
static const char *find_added(void)
{
	return with.n > 0		 ? "--with"
	       : cfg.metrics.files.n > 0 ? "--metrics"
	       : cfg.gpus.n > 0		 ? "--profile"
					 : NULL;
}

/* Options for files next to the dumps, if there are none, and for a server. */
static void check_serving(const struct plan *plan)
{
	const char *added = find_added();
	const char *cause = cfg.output != NULL ? "--output"
			    : cfg.format >= 0  ? "--format"
					       : NULL;
	const char *server = cfg.port >= 0	? "--port"
			     : cfg.host != NULL ? "--host"
						: NULL;
	const char *given = cfg.no_serve  ? "--no-serve"
			    : cfg.rebuild ? "--rebuild"
					  : server;

	if (plan->beside && cfg.no_serve && server != NULL)
		die_usage("%s cannot be combined with --no-serve", server);
	if (plan->beside || given == NULL)
		return;
	if (cause != NULL)
		die_usage("%s cannot be combined with %s, which writes one "
			  "output",
			  given, cause);
	if (added != NULL)
		die_usage("%s writes one page: use --output FILE instead of %s",
			  added, given);
	die_usage("%s needs a dump that is a file", given);
}

/* Nobody asked to see a page's source in a terminal. */
static void check_terminal(const struct plan *plan)
{
	const char *added = find_added();

	if (plan->beside || cfg.format >= 0 || plan->path != NULL)
		return;
	if (!isatty(STDOUT_FILENO))
		return;
	if (added != NULL)
		die_usage("%s writes one page: use --output FILE", added);
	die_usage("the page would be written to the terminal: use --output "
		  "FILE");
}

/* Parts are files next to one another. */
static void check_split(const struct plan *plan)
{
	struct stat status;

	if (cfg.split == 0)
		return;
	if (is_stdio(plan->path))
		die_usage("--split needs --output FILE");
	if (is_system_file(plan->path) ||
	    (stat(plan->path, &status) == 0 && !S_ISREG(status.st_mode)))
		die_usage("--split needs --output FILE; \"%s\" is not a "
			  "regular file",
			  plan->path);
}

static void check_plan(const struct plan *plan)
{
	bool is_page = plan->beside || plan->format == FORMAT_HTML;

	if (cfg.host != NULL && *cfg.host == '\0')
		die_usage("--host needs an address");
	check_serving(plan);
	check_split(plan);
	if (plan->count > 1 && plan->format == FORMAT_CHROME)
		die_usage("--format chrome takes one dump at a time");
	if (cfg.split > 0 && (!is_page || plan->count > 1))
		die_usage("--split is for the page of one dump");
	if (cfg.metrics.files.n > 0 && !is_page &&
	    plan->format != FORMAT_CHROME)
		die_usage("--metrics is for --format html and chrome");
	if (cfg.gpus.n > 0 && !is_page)
		die_usage("--profile is for --format html%s",
			  plan->format == FORMAT_CHROME ? "; use --merge" : "");
	if (cfg.metrics.files.n + cfg.gpus.n > 0 && cfg.split > 0)
		die_usage("%s cannot be combined with --split",
			  cfg.gpus.n > 0 ? "--profile" : "--metrics");
	if (cfg.opens && !plan->beside && (!is_page || is_stdio(plan->path)))
		die_usage("--open needs a page that is served or in a file");
	check_terminal(plan);
}

static void check_beside(const struct plan *plan)
{
	size_t stdins = plan->count == 0;

	for (int i = 0; i < plan->count; i++)
		stdins += opt_is_stdin(plan->dumps[i]);
	for (size_t i = 0; i < cfg.gpus.n; i++) {
		if (*cfg.gpus.v[i] == '\0')
			die_usage("--profile needs a file");
		if (opt_is_stdin(cfg.gpus.v[i]) && plan->count > 1)
			die_usage("--profile - is for one dump");
		stdins += opt_is_stdin(cfg.gpus.v[i]);
	}
	metrics_check(&cfg.metrics, stdins);
}

/* No input may be replaced. */
static void check_output(const struct plan *plan)
{
	const struct opt_list *lists[] = {&cfg.merge, &cfg.gpus,
					  &cfg.metrics.files};

	output_check_all(plan->path, (size_t)plan->count, plan->dumps);
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		for (size_t k = 0; k < lists[i]->n; k++)
			output_check(plan->path, lists[i]->v[k]);
}

static void read_expression(void)
{
	struct err err = {0};

	if (cfg.wanted.expression == NULL)
		return;
	cfg.wanted.filter = row_filter_new(str_of(cfg.wanted.expression), &err);
	if (cfg.wanted.filter == NULL)
		die_usage("--sample: %s", err.text);
}

static struct plan make_plan(int count, char **names)
{
	static char *input[] = {"-"};
	struct plan plan = {.dumps = names, .path = cfg.output};

	if (cfg.merge.n > 0 && cfg.format < 0)
		cfg.format = FORMAT_CHROME;
	if (cfg.merge.n > 0 && cfg.format != FORMAT_CHROME)
		die_usage("--merge is for --format chrome");
	if (cfg.merge.n > 0)
		plan.profiles = profiles_read(&cfg.merge, &count, names);
	opt_need_input(count);
	repeats_drop_listed(&cfg.metrics.files);
	repeats_drop_listed(&cfg.gpus);
	count = repeats_drop(count, names);
	count = joined_find(count, names);
	dump_check_with(count, names);
	plan.count = count;
	plan.format = cfg.format < 0 ? FORMAT_HTML
				     : (enum timeline_format)cfg.format;
	plan.beside = count > 0 && !is_stdio(names[0]) && cfg.format < 0 &&
		      cfg.output == NULL && find_added() == NULL;
	check_plan(&plan);
	check_beside(&plan);
	check_output(&plan);
	read_expression();
	if (count == 0) {
		plan.count = 1;
		plan.dumps = input;
	}
	return plan;
}

/* One output. ------------------------------------------------------------ */

/* Read one dump into the target. */
static void write_one(const struct plan *plan, int i,
		      struct timeline_target *target)
{
	const char *name = plan->dumps[i];
	const struct shown_beside beside = {.profiles = plan->profiles,
					    .metrics = &cfg.metrics,
					    .gpus = &cfg.gpus,
					    .again = i + 1 < plan->count};
	struct origin origin = {0};
	bool is_file = !is_stdio(name) && !joined_has(name) &&
		       origin_read(&origin, name);
	struct dump dump;

	if (timeline_open(&dump, name, &cfg.wanted)) {
		if (plan->profiles != NULL)
			dump_need_clock(&dump, "--merge");
		if (cfg.metrics.files.n > 0)
			dump_need_clock(&dump, "--metrics");
		if (cfg.gpus.n > 0)
			dump_need_clock(&dump, "--profile");
		timeline_write(&dump, is_file ? &origin : NULL, &cfg.wanted,
			       &beside, target, 1);
	}
	origin_free(&origin);
}

/* The page's origin, to check whether it is up to date: only for a single dump
 * that is a file. */
static void end_page(const struct plan *plan, struct page *page,
		     struct out *out)
{
	struct origin origin = {0};
	bool known = plan->count == 1 && with.n == 0 && cfg.merge.n == 0 &&
		     cfg.metrics.files.n == 0 && cfg.gpus.n == 0 &&
		     !is_stdio(plan->dumps[0]) && !joined_has(plan->dumps[0]) &&
		     origin_read(&origin, plan->dumps[0]);
	char *choice = wanted_text(&cfg.wanted);

	origin.choice = choice;
	page_end(page, out, known ? &origin : NULL);
	origin_free(&origin);
	free(choice);
}

/* Pages of an earlier run that had more. */
static void warn_of_older(const char *path, unsigned part)
{
	char *name = part_name(path, part);

	while (name != NULL && access(name, F_OK) == 0) {
		warn("%s is a page of an earlier run, not of this one; remove "
		     "it",
		     name);
		free(name);
		name = part_name(path, ++part);
	}
	free(name);
}

static void write_output(const struct plan *plan)
{
	char *part = cfg.split > 0 ? part_name(plan->path, 1) : NULL;
	const char *path = part != NULL ? part : plan->path;
	struct output output;
	struct page page = {.name = file_name(plan->dumps[0]),
			    .others = (size_t)plan->count - 1};
	struct timeline_target target = {.format = plan->format,
					 .output = &output,
					 .page = &page,
					 .parts = part ? plan->path : NULL,
					 .split = cfg.split};

	if (cfg.split > 0 && part == NULL)
		die_memory();
	output_open(&output, path);
	for (int i = 0; i < plan->count; i++)
		write_one(plan, i, &target);
	if (!dump_set_status()) {
		output_drop(&output);
	} else {
		if (plan->format == FORMAT_HTML)
			end_page(plan, &page, &output.file.out);
		output_close(&output);
		if (part != NULL)
			warn_of_older(plan->path, target.choice.part + 1);
		if (cfg.opens)
			browser_open_file(path);
	}
	free(part);
}

/* Files next to the dumps. ----------------------------------------------- */

static void print_pages(const struct page_files *pages, size_t count)
{
	for (size_t i = 0; i < count; i++)
		printf("%s\n", pages[i].html_path);
	if (count > 0 && cfg.opens)
		browser_open_file(pages[0].html_path);
}

static void write_beside(const struct plan *plan)
{
	const struct serving serving = {
		cfg.host == NULL ? DEFAULT_HOST : cfg.host,
		(uint16_t)(cfg.port < 0 ? DEFAULT_PORT : cfg.port), cfg.opens};
	size_t count = (size_t)plan->count;
	struct page_files *pages = calloc(count, sizeof(*pages));
	size_t ready;

	if (pages == NULL)
		die_memory();
	ready = files_write(pages, plan->dumps, count, &cfg.wanted,
			    cfg.rebuild);
	dump_set_status();
	if (cfg.no_serve)
		print_pages(pages, ready);
	else if (ready > 0)
		serve_pages(pages, ready, &serving);
	for (size_t i = 0; i < ready; i++)
		page_free(&pages[i]);
	free(pages);
}

static int run(int argc, char **argv)
{
	int first = opt_parse(&program, argc, argv);
	struct plan plan = make_plan(argc - first, argv + first);

	if (plan.beside)
		write_beside(&plan);
	else
		write_output(&plan);
	engine_traces_free(plan.profiles);
	row_filter_free(cfg.wanted.filter);
	return finish();
}

int main(int argc, char **argv)
{
	return run_on_stack(run, argc, argv);
}
