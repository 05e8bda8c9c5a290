#include "trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/num.h"
#include "trace/append.h"
#include "trace/record.h"

enum { ATTEMPT_MAX = 1000 * 1000 * 1000 };

/* The seed of span ids, in a page that is zeroed after a fork so that a child's
 * ids differ from its parent's. */
struct id_state {
	_Atomic uint64_t seed; /* 0: not generated yet */
	_Atomic uint64_t count;
};

/* The members of names, and the variable of each. */
enum id_name { FILE_NAME, TRACE_NAME, SAMPLE_NAME, GROUP_NAME, PARENT_NAME };

static const char *const variables[] = {"OBS_TRACE_FILE", "OBS_TRACE_ID",
					"OBS_TRACE_SAMPLE", "OBS_TRACE_GROUP",
					"OBS_TRACE_PARENT"};

enum { NAMES = ARRAY_SIZE(variables) };

struct obs_trace {
	struct append file;
	atomic_int attempt;
	_Atomic uint64_t lost;
	struct id_state *state;
	struct buf ids; /* one per sample, each ended by a newline */
	size_t targets; /* samples, at least one */
	char *names[NAMES];
};

/* Ids -------------------------------------------------------------------- */

static uint64_t draw(void)
{
	uint64_t word = 0;

	if (getrandom(&word, sizeof(word), GRND_NONBLOCK) != sizeof(word))
		word = hash_mix((uint64_t)clock_monotonic(),
				(uint64_t)getpid());
	return word != 0 ? word : 1;
}

static struct id_state *new_state(void)
{
	struct id_state *state = mmap(NULL, sizeof(*state),
				      PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (state == MAP_FAILED)
		return NULL;
	madvise(state, sizeof(*state), MADV_WIPEONFORK);
	return state;
}

static void put_hex(char *at, uint64_t word)
{
	static const char digits[] = "0123456789abcdef";

	for (int shift = 60; shift >= 0; shift -= 4)
		*at++ = digits[word >> shift & 15];
}

void trace_record_new_id(struct obs_trace *trace, char id[17])
{
	struct id_state *state = trace->state;
	uint64_t seed = atomic_load(&state->seed);
	uint64_t fresh;

	if (seed == 0) {
		fresh = draw();
		if (atomic_compare_exchange_strong(&state->seed, &seed, fresh))
			seed = fresh;
	}
	put_hex(id, hash_mix(seed, atomic_fetch_add(&state->count, 1)));
	id[16] = '\0';
}

/* Opening ---------------------------------------------------------------- */

static bool take_names(struct obs_trace *trace,
		       const struct obs_trace_options *options)
{
	const char *given[NAMES] = {options->file, options->trace_id,
				    options->sample_id, options->group_id,
				    options->parent_id};

	for (size_t i = 0; i < NAMES; i++) {
		const char *name = given[i];

		if (name == NULL)
			name = getenv(variables[i]);
		trace->names[i] = strdup(name != NULL ? name : "");
		if (trace->names[i] == NULL)
			return false;
	}
	return true;
}

/* Records without a sample need a trace id to be distinguished. */
static bool make_trace_id(struct obs_trace *trace)
{
	char *id = calloc(1, 33);

	if (id == NULL)
		return false;
	put_hex(id, draw());
	put_hex(id + 16, draw());
	free(trace->names[TRACE_NAME]);
	trace->names[TRACE_NAME] = id;
	return true;
}

/* Is a list empty? It may consist of commas. */
static bool names_none(const char *list)
{
	return list[strspn(list, ",")] == '\0';
}

/* The identity members of every record, once per sample; a position empty in
 * both lists is skipped. */
static bool make_ids(struct obs_trace *trace)
{
	const char *sample = trace->names[SAMPLE_NAME];
	const char *id = trace->names[TRACE_NAME];

	trace->ids = buf_new(MIB);
	while (*sample != '\0' || *id != '\0') {
		struct str trace_id = str_part(&id);
		struct str sample_id = str_part(&sample);

		if (trace_id.n == 0 && sample_id.n == 0)
			continue;
		trace->targets++;
		if (trace_id.n > 0) {
			buf_puts(&trace->ids, ",\"trace_id\":\"");
			buf_put(&trace->ids, trace_id.p, trace_id.n);
			buf_putc(&trace->ids, '"');
		}
		buf_puts(&trace->ids, ",\"sample_id\":");
		trace_record_put_id(&trace->ids, sample_id);
		buf_puts(&trace->ids, ",\"group_id\":");
		trace_record_put_id(&trace->ids,
				    str_of(trace->names[GROUP_NAME]));
		buf_putc(&trace->ids, '\n');
	}
	return !trace->ids.failed;
}

static int attempt_of(const struct obs_trace_options *options)
{
	const char *text = options->attempt;
	int64_t attempt;

	if (text == NULL)
		text = getenv("OBS_TRACE_ATTEMPT");
	if (text == NULL || !num_parse_int(str_of(text), &attempt) ||
	    attempt < 0 || attempt > ATTEMPT_MAX)
		return 0;
	return (int)attempt;
}

/* Trace ids are copied unchanged: hex digits, or a plain word. */
static bool is_id_list(const char *text)
{
	for (; *text != '\0'; text++)
		if (*text <= ' ' || *text > '~' || *text == '"' ||
		    *text == '\\')
			return false;
	return true;
}

/* A started program may run in another directory. */
static void make_absolute(char **name)
{
	char *path = realpath(*name, NULL);

	if (path == NULL)
		return;
	free(*name);
	*name = path;
}

static bool fill(struct obs_trace *trace,
		 const struct obs_trace_options *options)
{
	if (!take_names(trace, options))
		return false;
	atomic_init(&trace->attempt, attempt_of(options));
	trace->state = new_state();
	if (trace->state == NULL)
		return false;
	if (names_none(trace->names[TRACE_NAME]) &&
	    names_none(trace->names[SAMPLE_NAME]) && !make_trace_id(trace))
		return false;
	errno = *trace->names[FILE_NAME] == '\0' ? ENOENT : EINVAL;
	if (*trace->names[FILE_NAME] == '\0' ||
	    !is_id_list(trace->names[TRACE_NAME]))
		return false;
	errno = ENOMEM;
	if (!make_ids(trace))
		return false;
	if (append_open(&trace->file, trace->names[FILE_NAME]) != 0)
		return false;
	make_absolute(&trace->names[FILE_NAME]);
	return true;
}

struct obs_trace *obs_trace_open(const struct obs_trace_options *options)
{
	static const struct obs_trace_options none;
	struct obs_trace *trace = calloc(1, sizeof(*trace));

	if (trace == NULL)
		return NULL;
	trace->file.fd = -1;
	if (fill(trace, options != NULL ? options : &none))
		return trace;
	obs_trace_close(trace);
	return NULL;
}

void obs_trace_close(struct obs_trace *trace)
{
	int errnum = errno;

	if (trace == NULL)
		return;
	if (trace->file.fd >= 0)
		close(trace->file.fd);
	if (trace->state != NULL)
		munmap(trace->state, sizeof(*trace->state));
	for (size_t i = 0; i < NAMES; i++)
		free(trace->names[i]);
	buf_free(&trace->ids);
	free(trace);
	errno = errnum;
}

/* Recording -------------------------------------------------------------- */

static void put_lines(struct buf *b, const struct obs_trace *trace,
		      const struct trace_record *record)
{
	struct str left = buf_str(&trace->ids);

	while (left.n > 0)
		trace_record_put(b, record, str_cut(&left, '\n'));
}

void trace_record(struct obs_trace *trace, const struct trace_record *record)
{
	char here[OBS_TRACE_ATOMIC];
	struct buf lines = {
		.p = here, .cap = sizeof(here), .max = sizeof(here)};
	struct buf longer = buf_new(LIMIT_STRING);
	int errnum = errno;

	put_lines(&lines, trace, record);
	if (lines.failed) {
		put_lines(&longer, trace, record);
		lines = longer;
	}
	if (lines.failed || !append_lines(&trace->file, buf_str(&lines)))
		atomic_fetch_add(&trace->lost, trace->targets);
	if (lines.p != here)
		buf_free(&lines);
	errno = errnum;
}

int obs_trace_next_attempt(struct obs_trace *trace)
{
	return trace == NULL ? 0 : atomic_fetch_add(&trace->attempt, 1) + 1;
}

uint64_t obs_trace_lost(const struct obs_trace *trace)
{
	return trace == NULL ? 0 : atomic_load(&trace->lost);
}

/* The current wall time, from a span's start plus the monotonic clock. */
static int64_t now_in(const struct obs_span *span)
{
	return span->wall + clock_monotonic() - span->monotonic;
}

static bool has_begun(const struct obs_span *span)
{
	return span != NULL && span->trace != NULL;
}

struct obs_span obs_span_begin(struct obs_trace *trace,
			       const struct obs_span *parent, const char *name,
			       const struct obs_attr *attrs, size_t n)
{
	struct obs_span span = {.trace = trace, .name = name};
	struct trace_record record = {
		.type = "span_start", .name = name, .attrs = attrs, .n = n};

	if (trace == NULL)
		return span;
	span.attempt = atomic_load(&trace->attempt);
	span.monotonic = clock_monotonic();
	span.wall = has_begun(parent)
			    ? parent->wall + span.monotonic - parent->monotonic
			    : clock_wall();
	trace_record_new_id(trace, span.id);
	record.ts = span.wall;
	record.attempt = span.attempt;
	record.span_id = span.id;
	record.parent_id = has_begun(parent) ? parent->id
					     : trace->names[PARENT_NAME];
	trace_record(trace, &record);
	return span;
}

void obs_span_end(struct obs_span *span, const struct obs_attr *attrs, size_t n)
{
	struct trace_record record = {
		.type = "span_end", .parent_id = "", .attrs = attrs, .n = n};

	if (!has_begun(span))
		return;
	record.name = span->name;
	record.ts = now_in(span);
	record.attempt = span->attempt;
	record.span_id = span->id;
	trace_record(span->trace, &record);
	span->trace = NULL;
}

void obs_event(struct obs_trace *trace, const struct obs_span *parent,
	       const char *name, const struct obs_attr *attrs, size_t n)
{
	struct trace_record record = {.type = "event",
				      .name = name,
				      .span_id = "",
				      .attrs = attrs,
				      .n = n};

	if (trace == NULL)
		return;
	record.ts = has_begun(parent) ? now_in(parent) : clock_wall();
	record.attempt = atomic_load(&trace->attempt);
	record.parent_id = has_begun(parent) ? parent->id
					     : trace->names[PARENT_NAME];
	trace_record(trace, &record);
}

int obs_trace_setenv(const struct obs_trace *trace, const struct obs_span *span)
{
	char attempt[NUM_INT_MAX + 1];

	if (trace == NULL)
		return 0;
	for (size_t i = 0; i < NAMES; i++) {
		const char *value = trace->names[i];

		if (i == PARENT_NAME && has_begun(span))
			value = span->id;
		if (setenv(variables[i], value, 1) != 0)
			return -1;
	}
	attempt[num_put_int(attempt, atomic_load(&trace->attempt))] = '\0';
	return setenv("OBS_TRACE_ATTEMPT", attempt, 1);
}
