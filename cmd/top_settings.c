#include "top_settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "fleet.h"
#include "sink/board/board_column.h"

static const char *const formats[] = {"text", "json", "tsv", NULL};

static struct opt_list routers;
static struct alarm_given given;
static double interval = 1, window = 10;
static bool once, events, ascii, no_color;
static int format = -1;
static const char *by, *filter = "", *sort_key;
static bool hidden[BOARD_COLUMNS];

/* "KEY,KEY": show only those. */
static const char *take_columns(const char *value)
{
	for (size_t i = 0; i < BOARD_COLUMNS; i++)
		hidden[i] = true;
	do {
		size_t n = strcspn(value, ",");
		size_t i = board_column_find(str_make(value, n));

		if (i == BOARD_COLUMNS)
			return "columns of --format=json, separated by commas, "
			       "such as running,queue,kv_usage";
		hidden[i] = false;
		value += n;
	} while (*value++ == ',');
	return NULL;
}

/* clang-format off */
static const struct opt options[] = {
	OPT_GROUP("Input"),
	OPT_ROUTER(&routers, "router", "router-url",
		   "watch the workers of router URL (default $OBS_ROUTER): run "
		   "obs-scrape --up --router=URL"),
	OPT_SECONDS('i', "interval", "SECONDS", &interval, 0.001, 1e9,
		    "with --router, scrape every SECONDS (default 1)"),
	OPT_GROUP("View"),
	OPT_SECONDS(0, "window", "SECONDS", &window, 0.001, 86400,
		    "compute rates and percentiles over SECONDS (default 10)"),
	OPT_STR(0, "by", "LABEL", &by,
		"fold engines into one row per role, node, model or value of "
		"LABEL"),
	OPT_STR(0, "filter", "TEXT", &filter,
		"show only engines whose name, labels or alarms contain TEXT"),
	OPT_STR(0, "sort", "KEY", &sort_key,
		"sort by alarm (the default), worker, role or a column, "
		"largest first; +KEY ascending, -KEY descending"),
	OPT_CALL(0, "columns", "KEY,...", take_columns,
		 "on the screen, show only these columns, named as in "
		 "--format=json"),
	OPT_FLAG(0, "ascii", &ascii,
		 "draw with ASCII characters only (default if the locale is "
		 "not UTF-8)"),
	OPT_FLAG(0, "no-color", &no_color,
		 "do not use colors (default if NO_COLOR is set)"),
	OPT_GROUP("Output without a screen"),
	OPT_FLAG(0, "once", &once,
		 "print one table of the first full window and exit"),
	OPT_FLAG(0, "events", &events,
		 "print a line when an alarm begins or ends, or an engine "
		 "joins or leaves"),
	OPT_FORMAT(&format, formats, " text"),
	OPT_GROUP("Alarms"),
	OPT_ALARMS(&given),
	OPT_COMMON,
};
/* clang-format on */

static const struct program program = {
	.name = "obs-top",
	.synopsis = "[OPTION]... [--] [COMMAND [ARG]...]",
	.about = "Show live what the inference engines of a fleet are doing, "
		 "which of them are in trouble, and since when. Reads the "
		 "stream of obs-scrape --interval from stdin or from COMMAND.",
	.options = options,
	.examples = {"obs-top --router http://localhost:3000",
		     "obs-scrape -i 1 localhost:30000 localhost:30001 | obs-top",
		     "obs-top --once --format json <stream.prom"},
	.prefix = true,
};

static void die_sort(void)
{
	char keys[512] = "";

	for (size_t i = 0; i < BOARD_COLUMNS; i++) {
		size_t n = strlen(keys);

		snprintf(keys + n, sizeof(keys) - n, ", %s",
			 board_columns[i].key);
	}
	die_usage("--sort=%s: no such column; sort by alarm, worker, role%s",
		  sort_key, keys);
}

static void read_sort(struct top_settings *s)
{
	const char *key = sort_key;
	bool signs = key != NULL && (*key == '+' || *key == '-');
	size_t i;

	s->sort = BOARD_BY_ALARM;
	if (key == NULL)
		return;
	s->reversed = *key == '+';
	key += signs;
	i = board_column_find(str_of(key));
	if (i < BOARD_COLUMNS) {
		s->sort = (int)board_columns[i].value;
		return;
	}
	s->reversed = *sort_key == '-'; /* names usually ascend */
	if (strcmp(key, "worker") == 0)
		s->sort = BOARD_BY_NAME;
	else if (strcmp(key, "role") == 0)
		s->sort = BOARD_BY_ROLE;
	else if (strcmp(key, "alarm") != 0)
		die_sort();
}

static void check_usage(int operands)
{
	if (once && events)
		die_usage("--once and --events cannot be combined");
	if (format >= 0 && !once && !events)
		die_usage("--format needs --once or --events");
	if (format == TOP_TSV && events)
		die_usage("--events writes text or json");
	if (events && by != NULL)
		die_usage("--by has no effect on --events");
	if (once && format == TOP_JSON && by != NULL)
		die_usage("--format=json has one entry per engine; use text or "
			  "tsv with --by");
	if (routers.n > 0 && operands > 0)
		die_usage("--router and a command cannot be combined");
	if (!once && !events && !isatty(STDOUT_FILENO))
		die_usage("stdout is not a terminal; use --once or --events");
}

/* The obs-scrape installed with this program, else any. */
static char *scraper(void)
{
	static char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 16);
	char *slash;

	path[n > 0 ? n : 0] = '\0';
	slash = strrchr(path, '/');
	if (slash == NULL)
		return "obs-scrape";
	memcpy(slash + 1, "obs-scrape", sizeof("obs-scrape"));
	return access(path, X_OK) == 0 ? path : "obs-scrape";
}

/* obs-scrape --up --interval=N --router=URL... */
static char **scrape_command(void)
{
	static char seconds[64];
	char **command = calloc(2 * routers.n + 4, sizeof(*command));
	size_t n = 0;

	if (command == NULL)
		die_memory();
	snprintf(seconds, sizeof(seconds), "--interval=%.9g", interval);
	command[n++] = scraper();
	command[n++] = "--up";
	command[n++] = seconds;
	for (size_t i = 0; i < routers.n; i++) {
		command[n++] = "--router";
		command[n++] = (char *)(uintptr_t)routers.v[i];
	}
	return command;
}

void top_settings_read(struct top_settings *s, int argc, char **argv)
{
	int first = opt_parse(&program, argc, argv);
	const char *color = getenv("NO_COLOR");

	check_usage(argc - first);
	if (argc == first && routers.n == 0 && isatty(STDIN_FILENO))
		fleet_default_router(&routers);
	if (argc == first && routers.n == 0)
		opt_need_input(0);
	*s = (struct top_settings){
		.mode = once	 ? TOP_ONCE
			: events ? TOP_EVENTS
				 : TOP_SCREEN,
		.format = format < 0 ? TOP_TEXT : (enum top_format)format,
		.window = window,
		.by = by,
		.filter = filter,
		.hidden = hidden,
		.screen = {.ascii = ascii,
			   .plain = no_color ||
				    (color != NULL && *color != '\0')},
		.command = routers.n > 0  ? scrape_command()
			   : argc > first ? argv + first
					  : NULL,
	};
	read_sort(s);
	alarm_options_read(&given, &s->fail_on, &s->how);
}
