#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common.h"
#include "dump.h"
#include "fmt/torch_file.h"
#include "sink/sink.h"

enum format { FORMAT_HTML, FORMAT_CACHE, FORMAT_CHROME, FORMAT_SUMMARY };

static const char *const formats[] = {"html", "cache", "chrome", "summary",
				      NULL};

typedef struct timeline_sink *sink_new(struct out *out,
				       const struct timeline_about *about,
				       struct err *err);

static sink_new *const new_sinks[] = {
	[FORMAT_HTML] = html_sink_new,
	[FORMAT_CACHE] = cache_sink_new,
	[FORMAT_CHROME] = chrome_sink_new,
	[FORMAT_SUMMARY] = summary_sink_new,
};

static struct {
	int format;
	const char *output;
	bool rebuild;
	bool no_serve;
	const char *host;
	int64_t port;
} cfg = {.format = -1, .host = "127.0.0.1", .port = 9999};

static const struct opt options[] = {
	OPT_GROUP("Output"),
	OPT_FORMAT(&cfg.format, formats),
	OPT_OUTPUT(&cfg.output),
	OPT_STRICT,
	OPT_COMMON,
};

static const struct program program = {
	.name = "trace-timeline",
	.synopsis = "[OPTION]... [DUMP]...",
	.about = "Turn a rollout dump into an interactive timeline.",
	.options = options,
	.examples = {"trace-timeline rollout_42.pt",
		     "trace-timeline -o page.html rollout_42.pt",
		     "trace-timeline --format summary < rollout_42.jsonl"},
	.libraries = {torch_file_version},
};

/* One walk over a dump's rows drives all sinks. */
static bool write_rows(struct dump *dump, struct timeline_about *about,
		       enum format format, struct out *out)
{
	struct timeline_sink *sink = NULL;
	struct arena arena = arena_new(SIZE_MAX);
	struct sample sample;
	struct err err = {0};
	struct row row;
	int built = 0;
	bool more = dump_next(dump, &sample);

	about->rollout_id = rollout_id(dump->rollout);
	sink = new_sinks[format](out, about, &err);
	if (sink == NULL)
		die_err(&err);
	for (; more; more = dump_next(dump, &sample)) {
		arena_reset(&arena);
		built = span_build(&sample, &arena, &row, &err);
		if (built < 0)
			break;
		if (row.skipped > 0)
			fail("%s: %s", dump->name, row.what);
		if (built == 1 && sink->row(sink, &row, &err) < 0)
			break;
	}
	about->rollout_id = rollout_id(dump->rollout);
	if (!dump->failed && sink->end(sink, &err) < 0)
		die_err(&err);
	sink->free(sink);
	arena_free(&arena);
	return !dump->failed;
}

int main(int argc, char **argv)
{
	int first = opt_parse(&program, argc, argv);
	const char *name = first < argc ? argv[first] : "-";
	struct timeline_about about = {.path = name, .name = name};
	struct dump dump;
	struct out out;
	struct err err = {0};

	opt_need_input(argc - first);
	if (out_open(&out, STDOUT_FILENO, &err) < 0)
		die_err(&err);
	if (dump_open(&dump, name)) {
		write_rows(&dump, &about, cfg.format < 0 ? 0 : cfg.format,
			   &out);
		dump_close(&dump);
	}
	if (out_close(&out, &err) < 0)
		die_stdout(out.failed);
	dump_set_status();
	return finish();
}
