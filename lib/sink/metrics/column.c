#include "sink/metrics/column.h"

#include <ctype.h>
#include <fnmatch.h>

#include "base/array.h"

static const struct catalogue_row *find(struct str name)
{
	struct str suffix;
	const struct catalogue_row *row = catalogue_find_sample(name, &suffix);

	return suffix.n > 0 ? NULL : row;
}

enum metric_rising column_rising(struct str name)
{
	const struct catalogue_row *row = find(name);

	return row == NULL ? RISING_NEUTRAL : (enum metric_rising)row->rising;
}

/* Units -------------------------------------------------------------- */

static const struct {
	const char *unit;
	const char *text; /* NULL: not a unit of measure */
} units[] = {
	{"seconds", "s"},      {"bytes", "B"},
	{"bytes/s", "B/s"},    {"percent", "%"},
	{"FLOP", "FLOP"},      {"celsius", "°C"},
	{"watts", "W"},	       {"count", NULL},
	{"flag", NULL},	       {"state", NULL},
	{"code", NULL},	       {"events", NULL},
	{"milliwatts", "mW"},  {"megahertz", "MHz"},
	{"millijoules", "mJ"}, {"unix_seconds", "Unix s"},
};

/* The unit as written, NULL if there is none. */
static const char *unit_text(const char *unit)
{
	if (*unit == '\0')
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (strcmp(unit, units[i].unit) == 0)
			return units[i].text;
	return unit;
}

/* Does a name contain the unit, even as "token" or "reqs"? */
static bool says(struct str name, const char *unit)
{
	char word[32];
	size_t n = strlen(unit);

	if (strcmp(unit, "requests") == 0)
		return str_has_nocase(name, "req");
	if (n >= sizeof(word))
		return false;
	for (size_t i = 0; i <= n; i++)
		word[i] = (char)tolower((unsigned char)unit[i]);
	if (n > 2 && word[n - 1] == 's')
		word[n - 1] = '\0';
	return str_has_nocase(name, word);
}

static void put_unit(struct buf *b, struct str name, bool rate, bool always)
{
	const struct catalogue_row *row = find(name);
	const char *unit = row == NULL ? "" : catalogue_str(row->unit);
	const char *text = unit_text(unit);

	if (text != NULL && (rate || always || !says(name, unit)))
		buf_puts(b, text);
	if (rate)
		buf_puts(b, "/s");
}

void column_put_unit(struct buf *b, struct str name, bool rate)
{
	put_unit(b, name, rate, false);
}

void column_put_plain_unit(struct buf *b, struct str name, bool rate)
{
	put_unit(b, name, rate, true);
}

/* Order -------------------------------------------------------------- */

/* What people look for first, by parts of names. */
static const char *const first[] = {
	"num_running_reqs",
	"num_requests_running",
	"num_queue_reqs",
	"num_requests_waiting",
	"num_waiting_reqs",
	"queue_req",
	"queue_depth",
	"queues_",
	"token_usage",
	"kv_cache_usage",
	"usage",
	"gen_throughput",
	"throughput",
	"cache_hit_rate",
	"time_to_first_token",
	"inter_token_latency",
	"time_per_output_token",
	"e2e_request_latency",
	"queue_time",
	"generation_tokens",
	"prompt_tokens",
	"retracted",
	"preemption",
	"paused",
	"aborted",
	"spec_",
};

/* And last: settings, and what every process has. */
static const char *const last[] = {
	"max_",	 "page_size", "num_pages", "context_len", "memory",  "startup",
	"_info", "python_",   "process_",  "_created",	  "weight_",
};

enum {
	N_FIRST = ARRAY_SIZE(first),
	N_LAST = ARRAY_SIZE(last),
	RANK_OTHER = N_FIRST, /* from the catalogue */
	RANK_UNKNOWN,
	RANK_LAST
};

unsigned int column_rank(struct str name)
{
	const struct catalogue_row *row = find(name);

	if (row != NULL && (row->type == PROM_INFO || row->op == OP_SAME))
		return RANK_LAST;
	for (size_t i = 0; i < N_LAST; i++)
		if (memmem(name.p, name.n, last[i], strlen(last[i])) != NULL)
			return RANK_LAST;
	for (unsigned int i = 0; i < N_FIRST; i++)
		if (memmem(name.p, name.n, first[i], strlen(first[i])) != NULL)
			return i;
	return row == NULL ? RANK_UNKNOWN : RANK_OTHER;
}

/* Names -------------------------------------------------------------- */

bool column_is_named(struct str name, struct str wanted)
{
	const char *colon = memchr(name.p, ':', name.n);
	const struct catalogue_row *row;

	if (str_eq(name, wanted))
		return true;
	if (colon != NULL && strcmp(colon + 1, wanted.p) == 0)
		return true;
	if (strpbrk(wanted.p, "*?[") != NULL)
		return fnmatch(wanted.p, name.p, 0) == 0;
	row = catalogue_find(wanted);
	return row != NULL && row == catalogue_find(name);
}
