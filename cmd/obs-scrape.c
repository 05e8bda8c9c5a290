/* obs-scrape: fetch many /metrics endpoints at once, as one exposition. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "common.h"
#include "fleet.h"
#include "fmt/prom/prom_text.h"
#include "label_options.h"
#include "metrics/relabel.h"
#include "net/client/discover.h"
#include "net/client/roster.h"
#include "net/client/url.h"
#include "output.h"
#include "scrape_clock.h"
#include "scrape_loads.h"

enum scrape_format { FORMAT_PROM, FORMAT_TSV, FORMAT_FILE_SD, FORMAT_DEFAULT };
static const char *const formats[] = {"prom", "tsv", "file_sd", NULL};

static struct opt_list routers, sd, rays, lists, labels;
static const char *addr_label = "worker_addr";
static bool no_addr_label, honor_labels, strict, up, list_only;
static const char *output;
static double interval, over;
static int64_t count;
static int format = FORMAT_DEFAULT;
static struct fleet fleet = {
	.fetch.concurrency = 32,
	.timeout = 5,
	.fetch.limit = "--max-bytes",
	.max_bytes = 256 * (int64_t)MIB,
	.rules = {.path = "/metrics", .sidecar_offset = 10000},
};

/* clang-format off */
static const struct opt options[] = {
	OPT_GROUP("Targets, besides the operands"),
	OPT_ROUTER(&routers, "router", "router-url",
		   "scrape the workers of router URL (default $OBS_ROUTER)"),
	OPT_LIST(0, "sd", "FILE|URL", &sd,
		 "scrape the targets in file_sd or http_sd JSON"),
	OPT_LIST(0, "ray-url", "URL", &rays,
		 "scrape the nodes of the Ray cluster whose dashboard is at URL"),
	OPT_LIST(0, "targets-from", "FILE", &lists,
		 "read targets from FILE, one per line; # starts a comment"),
	OPT_FLEET_SIDECARS(&fleet, "10000"),
	OPT_GROUP("Requests"),
	OPT_FLEET_REQUESTS(&fleet, " 5", " 32"),
	OPT_BYTES(0, "max-bytes", "SIZE", &fleet.max_bytes, 1, 0x1p40,
		  "reject a body of more than SIZE, decompressed (default 256M)"),
	OPT_FLAG(0, "cross-origin", &fleet.fetch.other_origins,
		 "follow redirects to other hosts, without the key"),
	OPT_GROUP("Samples"),
	OPT_LABEL(&labels),
	OPT_STR(0, "addr-label", "NAME", &addr_label,
		"label that holds a target's address (default worker_addr)"),
	OPT_FLAG(0, "no-addr-label", &no_addr_label,
		"do not add the label with the address"),
	OPT_FLAG(0, "honor-labels", &honor_labels,
		 "keep a target's own labels instead of renaming them"),
	OPT_FLAG(0, "up", &up,
		 "for each target, print the metrics 'up', "
		 "'scrape_duration_seconds' and 'scrape_samples_scraped'"),
	OPT_FLAG(0, "strict", &strict,
		 "drop the entire target if any line is malformed"),
	OPT_GROUP("Output"),
	OPT_SECONDS('i', "interval", "SECONDS", &interval, 0.001, 1e9,
		    "scrape every SECONDS, as a stream of snapshots"),
	OPT_INT('n', "count", "N", &count, 1, 0x1p62, "stop after N snapshots"),
	OPT_SECONDS(0, "over", "SECONDS", &over, 0.001, 1e9,
		    "print two snapshots SECONDS apart, for rates and quantiles "
		    "of that time; short for -i SECONDS -n 2"),
	OPT_FLAG(0, "list", &list_only, "print only the targets"),
	OPT_FORMAT(&format, formats, ": tsv with --list, else prom"),
	OPT_OUTPUT(&output),
	OPT_COMMON,
};
/* clang-format on */

static const struct program program = {
	.name = "obs-scrape",
	.synopsis = "[OPTION]... [TARGET]...",
	.about = "Fetch many /metrics endpoints at once and print them as one "
		 "exposition. A TARGET is a URL, HOST:PORT, grpc://HOST:PORT, "
		 "unix:PATH, or WORKER=URL if a worker's metrics are "
		 "elsewhere. If no targets are given and $OBS_ROUTER is not "
		 "set, they are read from stdin.",
	.options = options,
	.examples = {"obs-scrape --router http://localhost:3000 --up",
		     "obs-scrape --over 30 --sd targets.json | "
		     "obs-aggregate --rate --by worker_addr",
		     "obs-scrape --router http://localhost:3000 --list "
		     "-f file_sd >sd.json"},
	.libraries = {{"libcurl", http_version}},
};

/* State kept between snapshots. */
struct scraper {
	struct relabeler relabeler;
	struct source *sources;
	size_t n_sources;
	int stdins;		 /* sources that read standard input */
	struct label_set labels; /* of --label */
	struct output output;
	struct out *out;      /* of output */
	uint64_t written;     /* targets, over all snapshots */
	enum status failures; /* the status if there are none */
	bool warned;	      /* with equal labels */
	struct map loads;     /* targets that only serve loads */
	int64_t stamp;	      /* of the snapshot, ms since 1970 */
	char timeout_header[64];
};

/* Something failed, as named by err. */
static void report(struct scraper *s, const struct err *err)
{
	if (s->failures != STATUS_IO)
		s->failures = status_of_err(err);
	fail_err(err);
}

/* A possible cause for a target that gave no answer, or a negated one. */
static void add_hint(const struct target *t, const struct fetch_reply *reply,
		     struct err *err)
{
	size_t n = strlen(err->text);
	const char *hint = NULL;
	struct err ignored;
	struct url url;

	url_parse(str_of(t->url), &url, &ignored); /* it was built from parts */
	if (reply->status == 404)
		hint = "; is this a router? use --router; an SGLang engine "
		       "needs --enable-metrics";
	else if (reply->sent == 0 && !t->socket && url_port(&url) == 80)
		hint = "; port 80 was tried, engines often have 30000 or 8000";
	if (hint)
		snprintf(err->text + n, sizeof(err->text) - n, "%s", hint);
}

/* Report where it was tried, too, unless that is obvious. */
static void report_target(struct scraper *s, const struct target *t,
			  struct err *err)
{
	bool apart = t->url && !t->socket && !strstr(t->url, t->address);

	snprintf(err->source, sizeof(err->source), "%s%s%s", t->address,
		 apart ? " at " : "", apart ? t->url : "");
	report(s, err);
}

static void flush(struct scraper *s)
{
	out_flush(s->out);
	if (s->out->failed && s->output.is_stdout)
		die_stdout(s->out->failed);
}

/* A target's samples, flushed so that the next program can start on them. */
static void print(struct scraper *s, const struct buf *text)
{
	if (text->n == 0)
		return;
	out_put(s->out, text->p, text->n);
	flush(s);
}

/* Setting up. */

static void add_sources(struct scraper *s, enum source_kind kind,
			const struct opt_list *list, const char *key)
{
	bool reads = kind != SOURCE_ROUTER && kind != SOURCE_RAY;

	for (size_t i = 0; i < list->n; i++) {
		s->sources[s->n_sources++] = source_new(kind, list->v[i], key);
		s->stdins += reads && opt_is_stdin(list->v[i]);
	}
}

static void open_sources(struct scraper *s, char **operands, int n)
{
	struct opt_list named = {.v = (const char **)operands, .n = (size_t)n};
	static const char *from_stdin[] = {"-"};

	if (n + (int)(routers.n + sd.n + rays.n + lists.n) == 0)
		named = (struct opt_list){.v = from_stdin, .n = 1};
	s->sources = calloc(named.n + routers.n + sd.n + rays.n + lists.n,
			    sizeof(*s->sources));
	if (s->sources == NULL)
		die_memory();
	add_sources(s, SOURCE_OPERAND, &named, NULL);
	add_sources(s, SOURCE_LINES, &lists, NULL);
	add_sources(s, SOURCE_ROUTER, &routers, fleet.router_key);
	add_sources(s, SOURCE_SD, &sd, fleet.key);
	add_sources(s, SOURCE_RAY, &rays, fleet.key);
	if (s->stdins > 1)
		die_usage("standard input given twice");
}

/* --over is a stream of two. */
static void plan_over(void)
{
	if (over <= 0)
		return;
	if (interval > 0 || count > 0)
		die_usage("--over cannot be combined with --interval or "
			  "--count: it means --interval=SECONDS --count=2");
	interval = over;
	count = 2;
}

static void check_options(int operands)
{
	plan_over();
	if (count && interval <= 0)
		die_usage("--count needs --interval");
	if (interval > 0 && list_only)
		die_usage("--list cannot be combined with --interval or "
			  "--over");
	if (interval > 0 && output && !count)
		die_usage("--output needs an end: give --count");
	if (format == FORMAT_DEFAULT)
		format = list_only ? FORMAT_TSV : FORMAT_PROM;
	if (operands + (int)(routers.n + sd.n + rays.n + lists.n) == 0)
		fleet_default_router(&routers);
	if (routers.n + sd.n + rays.n + lists.n == 0)
		opt_need_input(operands);
	if (list_only != (format != FORMAT_PROM))
		die_usage("--format=%s is %s --list", formats[format],
			  list_only ? "not for" : "for");
	if (!prom_plain_label(str_of(addr_label)) ||
	    str_is(str_of(addr_label), "le") ||
	    str_is(str_of(addr_label), "quantile"))
		die_usage("--addr-label=%s: expected a label name, not le or "
			  "quantile",
			  addr_label);
	if (no_addr_label)
		addr_label = NULL;
}

/* One snapshot. */

/* Warn of targets with equal labels once. */
static void check_labels(struct scraper *s, struct target_list *list)
{
	const struct target *pair[2];
	struct err err;

	if (s->warned)
		return;
	if (target_find_alike(list, pair, &err) < 0)
		die_err(&err);
	s->warned = pair[0] != NULL;
	if (s->warned)
		warn("%s and %s have the same labels: their series cannot be "
		     "distinguished; give each a name of its own as "
		     "WORKER=URL",
		     pair[0]->url, pair[1]->url);
}

/* All current targets, without duplicates. */
static struct target_list resolve(struct scraper *s)
{
	struct target_list list = target_list_new();
	struct err err;
	size_t listed;

	if (discover(s->sources, s->n_sources, &fleet.rules, fleet.fetcher,
		     &list, &err) < 0)
		die_err(&err);
	for (size_t i = 0; i < s->n_sources; i++)
		if (s->sources[i].error.code)
			report(s, &s->sources[i].error);
	if (list.skipped)
		note("entries without an address, which are skipped: %zu",
		     list.skipped);
	listed = list.n;
	if (target_fold(&list, &err) < 0 ||
	    target_set_labels(&list, addr_label, s->labels.v, s->labels.n,
			      &err) < 0)
		die_err(&err);
	detail("targets listed: %zu, different: %zu", listed, list.n);
	check_labels(s, &list);
	return list;
}

static void ask(struct scraper *s, struct scraped *scraped,
		const struct target *t)
{
	struct err err = {0};

	scraped->target = t;
	scraped->request = (struct http_request){
		.url = t->url,
		.socket = t->socket,
		.user = t->user,
		.key = t->keyed ? fleet.worker_key : NULL,
		.accept = "text/plain;version=0.0.4,*/*;q=0.1",
		.header = s->timeout_header,
		.owner = scraped,
	};
	if (t->problem)
		err_set(&err, ERR_INPUT, "%s", t->problem);
	else
		fetch_add(fleet.fetcher, &scraped->request, &err);
	if (err.code)
		report_target(s, t, &err);
}

/* A target is printed completely or not at all; a bad line is skipped. */
static void take(struct scraper *s, const struct fetch_reply *reply)
{
	const struct scraped *scraped = reply->request->owner;
	const struct target *t = scraped->target;
	const struct relabel_rules how = {.labels = t->labels,
					  .n = t->label_n,
					  .honor = honor_labels,
					  .strict = strict,
					  .stamped = interval > 0,
					  .stamp = s->stamp};
	const struct relabel_body body = {reply->body, reply->type,
					  reply->end_known};
	double seconds = (double)reply->duration / NS_PER_SECOND;
	struct relabeler *r = &s->relabeler;
	struct relabel_counts counts = {0};
	struct err err = reply->error;

	if (err.code && scraped->load_url == NULL)
		add_hint(t, reply, &err);
	buf_clear(&r->text);
	if (err.code == 0)
		relabel_copy(r, &body, &how, &counts, &err);
	if (err.code && scraped->load_url != NULL) {
		err = scraped->error;
		buf_clear(&r->text);
	} else if (scraped->load_url != NULL) {
		loads_report(&s->loads, t);
	}
	if (err.code)
		report_target(s, t, &err);
	else if (counts.bad)
		fail("%s: skipped %llu malformed line%s, the first of them "
		     "line %lld: %s",
		     t->address, (unsigned long long)counts.bad,
		     str_plural(counts.bad), (long long)counts.first.at,
		     counts.first.text);
	else if (counts.samples == 0)
		note("%s: no samples", t->address);
	if (err.code == 0 && counts.odd)
		warn("%s: samples with undefined escapes, kept as is: %llu",
		     t->address, (unsigned long long)counts.odd);
	s->written += err.code == 0;
	detail("%s: samples: %llu, seconds: %.3g", t->address,
	       (unsigned long long)counts.samples, seconds);
	if (up && relabel_add_up(r, err.code == 0, seconds, counts.samples,
				 &how, &err) < 0)
		die_err(&err);
	print(s, &r->text);
}

/* If metrics are off the load may be available. Returns whether it was
 * requested: then its reply is the target's. */
static bool ask_for_load(struct scraper *s, const struct fetch_reply *reply)
{
	struct scraped *scraped = reply->request->owner;
	struct err err;

	if (scraped->load_url != NULL ||
	    !loads_may_help(scraped->target, reply))
		return false;
	scraped->load_url = loads_url(scraped->target);
	scraped->error = reply->error;
	add_hint(scraped->target, reply, &scraped->error);
	scraped->request.url = scraped->load_url;
	if (fetch_add(fleet.fetcher, &scraped->request, &err) == 0)
		return true;
	report(s, &err);
	return false;
}

static void fetch_all(struct scraper *s, const struct target_list *list)
{
	struct scraped *scraped = calloc(list->n + 1, sizeof(*scraped));
	const struct fetch_reply *reply;

	if (scraped == NULL)
		die_memory();
	for (size_t i = 0; i < list->n; i++)
		ask(s, &scraped[i], &list->v[i]);
	for (reply = fetch_next(fleet.fetcher); reply;
	     reply = fetch_next(fleet.fetcher))
		if (!ask_for_load(s, reply))
			take(s, reply);
	for (size_t i = 0; i < list->n; i++)
		free(scraped[i].load_url);
	free(scraped);
}

static void scrape(struct scraper *s)
{
	struct target_list list = resolve(s);

	snprintf(s->timeout_header, sizeof(s->timeout_header),
		 "X-Prometheus-Scrape-Timeout-Seconds: %g", fleet.timeout);
	s->stamp = clock_wall() / NS_PER_MS;
	relabel_begin_snapshot(&s->relabeler);
	fetch_all(s, &list);
	if (interval > 0)
		out_puts(s->out, "# EOF\n");
	flush(s);
	target_list_free(&list);
}

static void scrape_stream(struct scraper *s)
{
	struct scrape_clock clock = scrape_clock_new(interval);

	out_puts(s->out, "# obs-scrape stream\n");
	scrape(s);
	for (int64_t n = 1; n != count; n++) {
		scrape_clock_wait(&clock, s->out);
		scrape(s);
	}
}

/* Instead of scraping, print the URLs. */
static void print_targets(struct scraper *s)
{
	bool file_sd = format == FORMAT_FILE_SD;
	struct target_list list = resolve(s);
	struct buf text = buf_new(LIMIT_LIST);
	struct err err;
	int rc;

	for (size_t i = 0; i < list.n; i++) {
		const struct target *t = &list.v[i];

		s->written++;
		if (!t->problem && !(file_sd && !roster_can_write(t)))
			continue;
		s->written--;
		err_set(&err, ERR_INPUT, "%s",
			t->problem ? t->problem : "file_sd cannot express it");
		report_target(s, t, &err);
	}
	rc = file_sd ? roster_write(&list, &text, &err)
		     : roster_write_lines(&list, &text, &err);
	if (rc < 0)
		die_err(&err);
	if (s->written > 0)
		print(s, &text);
	buf_free(&text);
	target_list_free(&list);
}

static void close_scraper(struct scraper *s)
{
	for (size_t i = 0; i < s->n_sources; i++)
		source_free(&s->sources[i]);
	fleet_close(&fleet);
	relabel_free(&s->relabeler);
	map_free(&s->loads);
	free(s->sources);
	label_set_free(&s->labels);
}

int main(int argc, char **argv)
{
	int first = opt_parse(&program, argc, argv);
	struct scraper s = {.relabeler = relabel_new(),
			    .loads = map_new(false)};

	check_options(argc - first);
	s.labels = read_label_options(&labels);
	fleet_open(&fleet);
	open_sources(&s, argv + first, argc - first);
	output_open(&s.output, output);
	s.out = &s.output.file.out;
	sigpipe_ignore(); /* a TLS peer may close the connection */
	if (list_only)
		print_targets(&s);
	else if (interval > 0)
		scrape_stream(&s);
	else
		scrape(&s);
	if (s.written == 0 && !up)
		output_drop(&s.output);
	else
		output_close(&s.output);
	if (s.written == 0)
		status_raise(s.failures ? s.failures : STATUS_IO);
	close_scraper(&s);
	return finish();
}
