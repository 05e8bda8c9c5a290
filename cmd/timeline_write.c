#include "timeline_write.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/limits.h"
#include "common.h"
#include "dump_remark.h"
#include "profiles.h"
#include "rollout/own_ends.h"

const struct timeline_writer timeline_formats[] = {
	[FORMAT_HTML] = {"html", html_sink_new},
	[FORMAT_CACHE] = {"cache", cache_sink_new},
	[FORMAT_CHROME] = {"chrome", chrome_sink_new},
	[FORMAT_SUMMARY] = {"summary", summary_sink_new},
	{0},
};

static const struct row_size page_most = {LIMIT_PAGE_ROWS, LIMIT_PAGE_ITEMS,
					  LIMIT_PAGE_ATTRS};

struct dump_reading {
	struct dump *dump;
	const struct wanted *wanted;
	struct timeline_about about;
	struct timeline_target *targets;
	size_t count;
	struct row_choice notes;
	struct own_ends ends;	     /* of all rows */
	uint64_t rows;		     /* in the dump */
	uint64_t matched;	     /* of them, after filtering */
	bool again;		     /* this is the second pass */
	struct interval when;	     /* of the rows */
	const struct sample *sample; /* whose row is written */
	const struct shown_beside *beside;
	struct strips strips;	/* of its metrics */
	struct gpu_lanes lanes; /* of its profiles */
	struct clock_check clock;
};

char *wanted_text(const struct wanted *wanted)
{
	char *text;

	if (wanted->top == 0 && wanted->expression == NULL)
		return NULL;
	if (asprintf(&text, "top=%" PRId64 " sample=%s", wanted->top,
		     wanted->expression ? wanted->expression : "") < 0)
		die_memory();
	return text;
}

char *part_name(const char *path, unsigned part)
{
	const char *name = file_name(path);
	const char *dot = strrchr(name, '.');
	char *text;

	if (dot == NULL || dot == name)
		dot = name + strlen(name);
	if (asprintf(&text, "%.*s.%u%s", (int)(dot - path), path, part, dot) <
	    0)
		return NULL;
	return text;
}

/* Sinks ------------------------------------------------------------------- */

static int open_sink(struct dump_reading *r, struct timeline_target *t,
		     struct err *err)
{
	struct timeline_about *about = &r->about;

	if (t->sink != NULL)
		t->sink->free(t->sink);
	about->page = t->page;
	about->choice = t->whole ? NULL : &t->choice;
	t->sum = (struct row_size){0};
	t->sink = timeline_formats[t->format].new_sink(&t->output->file.out,
						       about, err);
	return t->sink == NULL ? err->code : 0;
}

/* The rollout's time is known only at its end. */
static void read_beside(struct dump_reading *r)
{
	const struct shown_beside *beside = r->beside;

	if (beside->metrics != NULL && beside->metrics->files.n > 0 &&
	    r->about.strips == NULL) {
		metrics_read(beside->metrics, r->when, beside->again,
			     &r->strips);
		r->about.strips = &r->strips;
	}
	if (beside->gpus != NULL && beside->gpus->n > 0 &&
	    r->about.lanes == NULL) {
		gpu_profiles_read(beside->gpus, r->when, &r->lanes);
		r->about.lanes = &r->lanes;
	}
}

static int end_sink(struct dump_reading *r, struct timeline_target *t,
		    struct err *err)
{
	read_beside(r);
	r->about.page = t->page;
	r->about.choice = t->whole ? NULL : &t->choice;
	t->choice.of = r->rows;
	return t->sink->end(t->sink, err);
}

/* The sinks of the first pass: of those that wait only a page has one, to
 * measure; others would write their header. */
static int open_sinks(struct dump_reading *r, struct err *err)
{
	for (size_t i = 0; i < r->count; i++) {
		struct timeline_target *t = &r->targets[i];

		t->choice = (struct timeline_choice){0};
		t->full = false;
		t->waits = r->wanted->top > 0 && !t->whole;
		t->choice.filter = r->wanted->expression;
		t->choice.top = r->wanted->top;
		t->choice.part = t->parts != NULL;
		if (t->waits && t->format != FORMAT_HTML)
			continue;
		if (open_sink(r, t, err) < 0)
			return err->code;
		if (t->waits)
			html_sink_measure(t->sink);
	}
	return 0;
}

/* Finish a part and start the next one. */
static int next_part(struct dump_reading *r, struct timeline_target *t,
		     struct err *err)
{
	char *path = part_name(t->parts, t->choice.part + 1);
	int code;

	if (path == NULL)
		return err_memory(err);
	t->choice.more = true;
	code = end_sink(r, t, err);
	if (code == 0) {
		page_end(t->page, &t->output->file.out, NULL);
		code = output_finish(t->output, err);
	}
	if (code == 0)
		code = output_try(t->output, path, err);
	free(path);
	*t->page = (struct page){.name = t->page->name};
	t->choice.more = false;
	t->choice.part++;
	return code < 0 ? code : open_sink(r, t, err);
}

/* The page is full and there is another row. */
static int make_room(struct dump_reading *r, struct timeline_target *t,
		     struct err *err)
{
	struct row_size most = page_most;

	if (t->parts != NULL && (uint64_t)t->split < most.rows)
		most.rows = (uint64_t)t->split;
	if (t->format != FORMAT_HTML || !row_size_is_full(&t->sum, &most))
		return 0;
	if (t->parts != NULL)
		return next_part(r, t, err);
	t->waits = r->dump->input->begin >= 0 && !r->again;
	t->full = !t->waits;
	if (t->waits)
		html_sink_measure(t->sink);
	t->choice.cut = t->waits ? CUT_TO_LATEST : CUT_TO_FIRST;
	return 0;
}

/* Rows -------------------------------------------------------------------- */

/* A sink that waits for the second pass only measures, if it can. */
static bool takes(const struct dump_reading *r, const struct timeline_target *t,
		  bool matches, const struct row *row)
{
	if (!t->whole && !matches)
		return false;
	if (r->again)
		return t->waits && !t->full &&
		       row_choice_has(&r->notes, row->row_id);
	return !t->full && (!t->waits || t->format == FORMAT_HTML);
}

/* Usage of a page by the rows so far. */
static uint64_t page_bytes(const struct timeline_target *t)
{
	return t->format == FORMAT_HTML ? html_sink_bytes(t->sink) : 0;
}

/* Pass a row to a target; *cuts grows by what the sink truncated, *bytes by its
 * size. */
static int put_target(struct dump_reading *r, struct timeline_target *t,
		      const struct row *row, uint64_t *cuts, uint64_t *bytes,
		      struct err *err)
{
	struct row_size size = {.rows = 1, .items = row->item_count};
	struct timeline_sink *sink;
	uint64_t cuts_before, bytes_before;

	if ((r->again || !t->waits) && make_room(r, t, err) < 0)
		return err->code;
	sink = t->sink;
	if (t->full)
		return 0;
	cuts_before = sink->cuts;
	bytes_before = page_bytes(t);
	if (t->format == FORMAT_HTML)
		html_sink_sample(sink, r->sample);
	if (sink->row(sink, row, err) < 0)
		return err->code;
	size.bytes = page_bytes(t) - bytes_before;
	row_size_add(&t->sum, &size);
	if (sink->cuts - cuts_before > *cuts)
		*cuts = sink->cuts - cuts_before;
	if (size.bytes > *bytes)
		*bytes = size.bytes;
	return 0;
}

/* Name a row beyond a limit, so that --sample can exclude it. */
static int name_row(const struct row *row, struct err *err)
{
	struct err why = *err;

	return why.code != ERR_LIMIT
		       ? why.code
		       : err_set(err, ERR_LIMIT, "sample %" PRIu64 ": %s",
				 row->row_id, why.text);
}

/* May a second pass write only some rows? One page may become too large. */
static bool may_choose(const struct dump_reading *r)
{
	for (size_t i = 0; i < r->count; i++) {
		const struct timeline_target *t = &r->targets[i];

		if (t->waits || (t->format == FORMAT_HTML && t->parts == NULL))
			return true;
	}
	return false;
}

static int put_row(struct dump_reading *r, const struct row *row,
		   struct err *err)
{
	struct row_filter *filter = r->wanted->filter;
	bool matches = filter == NULL ||
		       row_filter_accepts(filter, row, r->sample);
	struct row_note note = {.row_id = row->row_id,
				.own_end = NAN,
				.end = row->end,
				.size = {1, row->item_count, 0}};
	uint64_t cuts = 0;

	if (filter != NULL && row_filter_error(filter, err) < 0)
		return name_row(row, err);
	interval_add(&r->when, row->start);
	interval_add(&r->when, row->end);
	if (!r->again && clock_check_add(&r->clock, row, err) < 0)
		return err->code;
	r->rows += !r->again;
	r->matched += matches && !r->again;
	for (size_t i = 0; i < r->count; i++)
		if (takes(r, &r->targets[i], matches, row) &&
		    put_target(r, &r->targets[i], row, &cuts, &note.size.bytes,
			       err) < 0)
			return name_row(row, err);
	if (cuts > 0 && (!r->again || r->targets->format != FORMAT_HTML))
		fail("%s: sample %" PRIu64 ": %" PRIu64
		     " value%s cut, because they contain themselves or have no "
		     "form in JSON and a text of more than 1 MiB",
		     r->dump->name, row->row_id, cuts, str_plural(cuts));
	if (r->again || !may_choose(r))
		return 0;
	if (own_ends_add(&r->ends, row, err) < 0)
		return err->code;
	return matches ? row_choice_note(&r->notes, &note, err) : 0;
}

/* Pass every row of the dump to the sinks. */
static int drive(struct dump_reading *r, struct sample *sample, struct err *err)
{
	struct arena arena = arena_new(LIMIT_SAMPLE);
	struct row row;
	int code = 0;

	r->sample = sample;
	do {
		arena_reset(&arena);
		code = span_build(sample, &arena, &row, err);
		if (row.skipped > 0 && !r->again)
			fail("%s: %s", r->dump->name, row.what);
		if (code > 0)
			code = put_row(r, &row, err);
	} while (code >= 0 && dump_next(r->dump, sample));
	r->sample = NULL;
	arena_free(&arena);
	return code < 0 ? code : 0;
}

/* Read the dump once. The first sample is read before opening the sinks, so
 * that they know the rollout's id if the dump begins with it; if that fails, it
 * is reported and there are none. */
static int read_once(struct dump_reading *r, struct err *err)
{
	struct sample sample;
	bool any = dump_next(r->dump, &sample);
	int code = 0;

	if (r->dump->failed)
		return 0;
	r->about.rollout_id = rollout_id(r->dump->rollout);
	r->about.row_name = rollout_row_name(r->dump->rollout);
	if (!r->again && open_sinks(r, err) < 0)
		return err->code;
	for (size_t i = 0; r->again && i < r->count; i++)
		if (r->targets[i].waits &&
		    open_sink(r, &r->targets[i], err) < 0)
			return err->code;
	if (any)
		code = drive(r, &sample, err);
	r->about.rollout_id = rollout_id(r->dump->rollout);
	for (size_t i = 0; i < r->count && code == 0 && !r->dump->failed; i++)
		if (r->targets[i].waits == r->again)
			code = end_sink(r, &r->targets[i], err);
	return code;
}

/* Choose the rows that end last for the sinks that wait. */
static int choose(struct dump_reading *r, struct err *err)
{
	struct row_size most = {UINT64_MAX, UINT64_MAX, UINT64_MAX};
	uint64_t top = r->wanted->top > 0 ? (uint64_t)r->wanted->top
					  : UINT64_MAX;
	bool pages = false;

	for (size_t i = 0; i < r->count; i++)
		pages |= r->targets[i].waits && !r->targets[i].parts &&
			 r->targets[i].format == FORMAT_HTML;
	if (pages)
		most = page_most;
	if (top < most.rows)
		most.rows = top;
	if (own_ends_find(&r->ends, &r->notes, err) < 0)
		return err->code;
	row_choice_keep(&r->notes, &most);
	for (size_t i = 0; i < r->count; i++)
		if (r->notes.n < top && r->notes.n < r->matched)
			r->targets[i].choice.cut = CUT_TO_LATEST;
	return 0;
}

static int read_twice(struct dump_reading *r, struct err *err)
{
	bool waits = false;

	if (read_once(r, err) < 0)
		return err->code;
	for (size_t i = 0; i < r->count; i++)
		waits |= r->targets[i].waits;
	if (!waits || r->dump->failed)
		return 0;
	if (choose(r, err) < 0)
		return err->code;
	r->again = true;
	return dump_rewind(r->dump) ? read_once(r, err) : 0;
}

/* Report what a target omits from the dump. */
static void say_choice(const struct dump_reading *r,
		       const struct timeline_target *t)
{
	uint64_t kept = t->sum.rows;
	const char *which = t->choice.cut == CUT_TO_FIRST ? "come first"
							  : "end last";

	if (t->choice.cut != CUT_NONE)
		fail("%s: too large for a page, which holds the %" PRIu64
		     " of %" PRIu64
		     " samples that %s; use --sample, --top or --split to choose "
		     "others",
		     r->dump->name, kept, r->rows, which);
	else if (t->parts != NULL)
		note("%s: %" PRIu64 " of %" PRIu64 " sample%s in %u page%s",
		     r->dump->name, r->again ? r->notes.n : r->matched, r->rows,
		     str_plural(r->rows), t->choice.part,
		     str_plural(t->choice.part));
	else if (!t->whole && kept < r->rows)
		note("%s: %" PRIu64 " of %" PRIu64 " sample%s", r->dump->name,
		     kept, r->rows, str_plural(r->rows));
}

/* Samples without times make an empty timeline. */
static void check_rows(const struct dump_reading *r)
{
	enum rollout_remark remark = rollout_remark(r->dump->rollout);

	if (r->rows > 0 || remark == ROLLOUT_EMPTY)
		return;
	status_raise(STATUS_PARTLY);
	if (remark != ROLLOUT_UNTRACED && remark != ROLLOUT_NESTED)
		fail("%s: no event of the samples has a time: the timeline is "
		     "empty",
		     r->dump->name);
}

bool timeline_open(struct dump *dump, const char *name,
		   const struct wanted *wanted)
{
	bool open = wanted->top > 0 ? dump_open_rewindable(dump, name)
				    : dump_open(dump, name);

	if (open)
		rollout_need_times(dump->rollout);
	return open;
}

bool timeline_write(struct dump *dump, const struct origin *origin,
		    const struct wanted *wanted,
		    const struct shown_beside *beside,
		    struct timeline_target *targets, size_t count)
{
	static const struct shown_beside nothing;
	struct dump_reading r = {
		.dump = dump,
		.wanted = wanted,
		.about = {.path = dump->name,
			  .origin = origin,
			  .name = file_name(dump->name),
			  .generated_at = (double)time(NULL),
			  .profiles = beside ? beside->profiles : NULL},
		.beside = beside ? beside : &nothing,
		.targets = targets,
		.count = count,
		.when = INTERVAL_NONE,
		.ends = own_ends_new(),
	};
	struct err err = {0};

	for (size_t i = 0; i < count; i++)
		targets[i].sink = NULL;
	if (read_twice(&r, &err) < 0)
		dump_fail(dump, &err);
	for (size_t i = 0; i < count; i++) {
		if (!dump->failed)
			say_choice(&r, &targets[i]);
		if (targets[i].sink != NULL)
			targets[i].sink->free(targets[i].sink);
	}
	if (!dump->failed)
		check_rows(&r);
	if (!dump->failed && !dump->mixed)
		dump_remark_clock(dump->name, &r.clock);
	clock_check_free(&r.clock);
	row_choice_free(&r.notes);
	own_ends_free(&r.ends);
	strips_free(&r.strips);
	gpu_lanes_free(&r.lanes);
	if (r.about.profiles != NULL && !dump->failed)
		profiles_check_clocks(r.about.profiles, r.when);
	return dump_close(dump);
}
