/*
 * A dump in a page: compressed streams, read by viewer/data.js:
 *
 *	about    one JSON object: the dump, and what the page leaves out of it
 *	items    numbers, row by row and in each row column by column
 *	rows     JSON lines: an object a row
 *	strings  JSON lines: every name and id once, in order of their numbers
 *	waits    numbers: what the samples waited for, see waiting.h
 *	sizes    numbers: how long the texts of attrs are, row by row
 *	attrs    JSON texts end to end; drawing needs neither these nor sizes
 */
#include "sink/timeline/sink.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/intern.h"
#include "base/limits.h"
#include "fmt/file/gzip_write.h"
#include "fmt/json/json_value.h"
#include "fmt/value/value_text.h"
#include "rollout/micros.h"
#include "rollout/pd_times.h"
#include "rollout/span_attrs.h"
#include "rollout/stragglers.h"
#include "rollout/worker.h"
#include "sink/timeline/beside.h"
#include "sink/timeline/page.h"
#include "sink/timeline/page_perf.h"
#include "sink/timeline/page_what_if.h"
#include "sink/timeline/page_workers.h"
#include "sink/timeline/seen_names.h"
#include "sink/timeline/varint.h"
#include "sink/timeline/waiting.h"
#include "sink/timeline/widths.h"

enum stream { ABOUT, ITEMS, ROWS, STRINGS, WAITS, SIZES, ATTRS, STREAMS };

/* A row's items as columns of varints; data.js has the same names. */
enum column {
	KIND, /* state, role and flags: see kind_of */
	NAME,
	LANE,
	START,	   /* zigzag: µs since the previous item, for the first: the
		    * row */
	LENGTH,	   /* zigzag: µs until its shown end */
	PARENT,	   /* index in the row + 1, 0: none or unknown */
	PARENT_ID, /* string + 1 of an unknown parent, else 0 */
	SPAN_ID,   /* string + 1 for orphans, else 0 */
	ATTEMPT,
	QUEUE, /* µs at its start that it was queued */
	DRAWN, /* of the columns before; those from here on are sizes */
	START_ATTRS = DRAWN, /* bytes in the attrs stream */
	END_ATTRS,
	COLUMNS
};

_Static_assert((int)COLUMNS == (int)WIDTH_COLUMNS, "each column has its width");

struct html {
	struct timeline_sink sink;
	struct out *out;
	const struct timeline_about *about;
	struct intern strings;
	struct workers workers;
	struct waiting waiting;
	struct what_if_gather gather;
	struct buf packed[STREAMS];
	struct gzip gzip[STREAMS];
	struct out swallowed; /* attributes that are measured alone */
	struct buf scratch;   /* a value's text, to be interned */
	struct err failure;   /* why a text or a value of the row is missing */
	uint64_t *cells;      /* COLUMNS times the items of one row */
	size_t cell_cap;
	uint64_t row_count, item_count;
	uint64_t size; /* of the row's values, see json_value.h */
	int64_t base;  /* µs at which the last row began */
	int64_t start, end;
	struct widths widths;
	struct seen_names names;
	uint64_t bytes;		     /* of attributes of the rows so far */
	bool measures;		     /* only count rows */
	const struct sample *sample; /* of the next row */
};

/* The string number of a value as text; meaningless if h->failure is set. */
static uint32_t text_id(struct html *h, struct value v)
{
	struct str text;
	uint32_t number;

	buf_clear(&h->scratch);
	if (v.kind != VALUE_STR)
		value_put_str(&h->scratch, v);
	if (h->scratch.failed) {
		buf_error(&h->scratch, &h->failure);
		return INTERN_FAILED;
	}
	text = v.kind == VALUE_STR ? value_text(v) : buf_str(&h->scratch);
	number = intern_add(&h->strings, text);
	if (number == INTERN_FAILED)
		intern_error(&h->strings, &h->failure);
	return number;
}

/* A writer for values of the row; call end_values afterwards. */
static struct json_writer values_on(struct html *h, struct out *out)
{
	struct json_writer w = json_writer_on(out);

	w.marks_large = true;
	w.size = h->size;
	return w;
}

static void end_values(struct html *h, const struct json_writer *w)
{
	h->size = w->size;
	h->sink.cuts += w->cuts;
	if (w->passed != NULL)
		err_passed(&h->failure, w->passed);
}

/* Write the attributes and return their length; 0 if there are none. */
static uint64_t put_attrs(struct html *h, struct out *out, struct value attrs)
{
	struct json_writer w = values_on(h, out);
	uint64_t before = out_tell(out);

	if (attrs.kind == VALUE_ABSENT ||
	    (attrs.kind == VALUE_DICT && attrs.items->n == 0))
		return 0;
	json_put_value(&w, attrs, JSON_KEYS_STR);
	end_values(h, &w);
	h->bytes += out_tell(out) - before;
	return out_tell(out) - before;
}

static uint64_t kind_of(const struct item *item)
{
	return (uint64_t)item->state | (uint64_t)item->role << 2 |
	       (uint64_t)!item_is_timed(item) << 4 |
	       (uint64_t)item_has_error(item) << 5 |
	       (uint64_t)item->is_request << 6;
}

static uint64_t parent_cell(const struct row *row, const struct item *item)
{
	return item->parent ? (uint64_t)(item->parent - row->items) + 1 : 0;
}

/* Ids of spans that are referred to by index are omitted: they would be a third
 * of the page and carry no information. */
static uint64_t id_cell(struct html *h, struct value id, bool wanted)
{
	if (!wanted || id.kind == VALUE_ABSENT || id.kind == VALUE_NONE)
		return 0;
	return (uint64_t)text_id(h, id) + 1;
}

/* Extend the total span of time by an item's. */
static void widen(struct html *h, int64_t start, int64_t end)
{
	h->start = start < h->start ? start : h->start;
	h->end = end > h->end ? end : h->end;
}

static int failure(const struct html *h, struct err *err)
{
	if (h->failure.code != ERR_NONE)
		*err = h->failure;
	return h->failure.code;
}

/* Fill the cells of item i; *at is the previous one's time, in µs. */
static int put_cells(struct html *h, const struct row *row, uint32_t i,
		     int64_t *at, struct err *err)
{
	const struct item *item = &row->items[i];
	struct out *attrs = &h->gzip[ATTRS].in;
	uint32_t name = text_id(h, item->name);
	uint32_t attempt = text_id(h, item->attempt);
	uint64_t kind = kind_of(item);
	bool timeless = (kind >> 4 & 1) != 0;
	int64_t start = timeless ? *at : micros(item->start);
	int64_t end = timeless ? *at : micros(item->display_end);
	uint64_t cells[COLUMNS] = {
		[KIND] = kind,
		[NAME] = name,
		[LANE] = item->lane,
		[START] = zigzag(start - *at),
		[LENGTH] = item_is_span(item) ? zigzag(end - start) : 0,
		[PARENT] = parent_cell(row, item),
		[PARENT_ID] = id_cell(h, item->parent_id, !item->parent),
		[SPAN_ID] =
			id_cell(h, item->span_id, item->state == ITEM_ORPHAN),
		[ATTEMPT] = attempt,
		[QUEUE] = (uint64_t)micros(item_queued(item)),
		[START_ATTRS] = put_attrs(h, attrs, item->start_attrs),
		[END_ATTRS] = put_attrs(h, attrs, item->end_attrs),
	};

	*at = start;
	if (!timeless)
		widen(h, start, end);
	widths_note(&h->widths, cells, start, end);
	for (size_t c = 0; c < COLUMNS; c++)
		h->cells[c * row->item_count + i] = cells[c];
	if (failure(h, err) < 0)
		return err->code;
	return seen_names_note(&h->names, item, i, name, attempt, err);
}

static int make_cells(struct html *h, size_t items, struct err *err)
{
	return items < h->cell_cap ||
			       array_widen(&h->cells, &h->cell_cap, items,
					   COLUMNS * sizeof(*h->cells))
		       ? 0
		       : err_memory(err);
}

static int put_items(struct html *h, const struct row *row, struct err *err)
{
	struct out *out = &h->gzip[ITEMS].in;
	size_t drawn = (size_t)row->item_count * DRAWN;
	int64_t at = isfinite(row->start) ? micros(row->start) : h->base;
	size_t cells = (size_t)row->item_count * COLUMNS;
	int code = make_cells(h, row->item_count, err);

	put_varint(out, zigzag(at - h->base));
	h->base = at;
	for (uint32_t i = 0; code == 0 && i < row->item_count; i++)
		code = put_cells(h, row, i, &at, err);
	for (size_t c = 0; code == 0 && c < cells; c++)
		put_varint(c < drawn ? out : &h->gzip[SIZES].in, h->cells[c]);
	return code;
}

/* Its completion tokens and worker, null if unknown. */
static void put_work(struct html *h, struct json_writer *w,
		     const struct row *row, uint32_t worker)
{
	json_add_double(w, "answer", sample_tokens(h->sample, row));
	json_key(w, "worker");
	page_put_worker(w, &h->workers, worker);
}

/* A time that a double represents exactly, for the page. */
static int64_t segment_micros(const struct item *item, size_t segment)
{
	static const double most = 1e9;
	double seconds = pd_segment_seconds(item->end_attrs,
					    item->role - ROLE_PREFILL, segment);

	return micros(seconds < most ? seconds : most);
}

/* The duration of each segment of PD halves, for lanes.js: lists of an item's
 * index and of µs. Halves have the last lanes. */
static void put_halves(struct json_writer *w, const struct row *row)
{
	if (row->item_count == 0 ||
	    row->items[row->item_count - 1].role == ROLE_NONE)
		return;
	json_add_begin(w, "halves", '[');
	for (uint32_t i = 0; i < row->item_count; i++) {
		if (row->items[i].role == ROLE_NONE)
			continue;
		json_begin(w, '[');
		json_uint(w, i);
		for (size_t s = 0; s < PD_SEGMENTS; s++)
			json_int(w, segment_micros(&row->items[i], s));
		json_end(w, ']');
	}
	json_end(w, ']');
}

static void put_row(struct html *h, const struct row *row, uint32_t worker)
{
	const struct {
		const char *key;
		struct value value;
	} fields[] = {
		{"index", row->sample_index},
		{"group", row->group_index},
		{"source", row->source},
		{"status", row->status},
		{"label", row->label},
		{"reward", row->reward},
		{"trace", row->trace_id},
		{"sample", row->sample_id},
		{"attempt", row->attempt},
		{"tokens", row->total_response_length},
		{"longest", row->max_response_length},
	};
	struct json_writer w = values_on(h, &h->gzip[ROWS].in);

	json_begin(&w, '{');
	json_add_uint(&w, "row", row->row_id);
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		json_add_value(&w, fields[i].key, fields[i].value);
	put_work(h, &w, row, worker);
	if (row->is_aside)
		json_add_bool(&w, "aside", true);
	json_add_uint(&w, "lanes", row->lane_count);
	json_add_uint(&w, "items", row->item_count);
	put_halves(&w, row);
	page_put_workers(&w, &h->workers, h->sample, row, worker, &h->failure);
	if (h->failure.code == ERR_NONE)
		page_put_perf(&w, h->sample, row, &h->failure);
	json_end(&w, '}');
	json_end_line(&w);
	end_values(h, &w);
}

static int measure(struct html *h, const struct row *row, struct err *err)
{
	for (uint32_t i = 0; i < row->item_count; i++) {
		put_attrs(h, &h->swallowed, row->items[i].start_attrs);
		put_attrs(h, &h->swallowed, row->items[i].end_attrs);
	}
	return failure(h, err);
}

/* For remedies, which only complete rollouts have. */
static int gather(struct html *h, const struct row *row, struct err *err)
{
	if (!page_is_whole(h->about->choice) || row->is_aside ||
	    h->gather.answers.n > PAGE_REQUESTS_MAX)
		return 0;
	return what_if_gather_add(&h->gather, h->sample, row,
				  (uint32_t)h->row_count, err);
}

static int html_row(struct timeline_sink *sink, const struct row *row,
		    struct err *err)
{
	struct html *h = (struct html *)sink;
	uint32_t worker;

	h->size = 0;
	if (h->measures)
		return measure(h, row, err);
	if (workers_add(&h->workers, h->sample, row, &worker, err) < 0 ||
	    waiting_add(&h->waiting, row, h->row_count, err) < 0 ||
	    gather(h, row, err) < 0)
		return err->code;
	h->row_count++;
	h->item_count += row->item_count;
	put_row(h, row, worker);
	return failure(h, err) < 0 ? err->code : put_items(h, row, err);
}

void html_sink_measure(struct timeline_sink *sink)
{
	((struct html *)sink)->measures = true;
}

void html_sink_sample(struct timeline_sink *sink, const struct sample *sample)
{
	((struct html *)sink)->sample = sample;
}

uint64_t html_sink_bytes(const struct timeline_sink *sink)
{
	return ((const struct html *)sink)->bytes;
}

static int swallow(void *taker, const char *p, size_t n)
{
	(void)taker, (void)p, (void)n;
	return 0;
}

static int put_about(struct html *h, struct err *err)
{
	struct json_writer w = json_writer_on(&h->gzip[ABOUT].in);
	bool empty = h->start > h->end;

	json_begin(&w, '{');
	json_add_str(&w, "path", str_of(h->about->path));
	json_add_str(&w, "name", str_of(h->about->name));
	json_add_value(&w, "rollout", h->about->rollout_id);
	json_add_text(&w, "row", h->about->row_name);
	json_add_double(&w, "generated", h->about->generated_at);
	json_add_uint(&w, "rows", h->row_count);
	json_add_uint(&w, "items", h->item_count);
	json_add_int(&w, "start", empty ? 0 : h->start);
	json_add_int(&w, "end", empty ? 0 : h->end);
	widths_put(&h->widths, &w, h->start);
	seen_names_put(&h->names, &w);
	page_put_speeds(&w, &h->workers);
	page_put_metrics(&w);
	page_put_choice(&w, h->about->choice);
	if (page_is_whole(h->about->choice) &&
	    page_put_what_if(&w, &h->gather, h->start, err) < 0)
		return err->code;
	json_end(&w, '}');
	end_values(h, &w);
	return failure(h, err);
}

static void put_strings(struct html *h)
{
	struct json_writer w = json_writer_on(&h->gzip[STRINGS].in);

	for (uint32_t i = 0; i < h->strings.count; i++) {
		json_str(&w, intern_text(&h->strings, i));
		json_end_line(&w);
	}
}

static int html_end(struct timeline_sink *sink, struct err *err)
{
	static const char *const names[STREAMS] = {
		[ABOUT] = "about",     [ITEMS] = "items", [ROWS] = "rows",
		[STRINGS] = "strings", [WAITS] = "waits", [SIZES] = "sizes",
		[ATTRS] = "attrs",
	};
	struct html *h = (struct html *)sink;
	struct page *page = h->about->page;
	int code;

	if (workers_judge(&h->workers, err) < 0 ||
	    waiting_put(&h->waiting, &h->gzip[WAITS].in, err) < 0)
		return err->code;
	if (put_about(h, err) < 0)
		return err->code;
	put_strings(h);
	code = failure(h, err);
	for (size_t i = 0; code == 0 && i < STREAMS; i++)
		code = gzip_close(&h->gzip[i], err);
	if (code < 0)
		return code;
	page_begin(page, h->out);
	for (size_t i = 0; i < STREAMS; i++) {
		if (i == SIZES)
			page_put_code(page, h->out);
		page_put_stream(page, h->out, names[i], buf_str(&h->packed[i]));
	}
	code = beside_put(h->about, page, h->out, h->start, err);
	page->dumps++;
	return code;
}

static void html_free(struct timeline_sink *sink)
{
	struct html *h = (struct html *)sink;
	struct err ignored;

	for (size_t i = 0; i < STREAMS; i++) {
		gzip_close(&h->gzip[i], &ignored);
		buf_free(&h->packed[i]);
	}
	out_close(&h->swallowed, &ignored);
	intern_free(&h->strings);
	workers_free(&h->workers);
	waiting_free(&h->waiting);
	what_if_gather_free(&h->gather);
	buf_free(&h->scratch);
	seen_names_free(&h->names);
	free(h->cells);
	free(h);
}

struct timeline_sink *html_sink_new(struct out *out,
				    const struct timeline_about *about,
				    struct err *err)
{
	/* Pages are a tenth smaller than at level 2; 9 hardly helps. */
	enum { LEVEL = 6 };
	struct html *h = calloc(1, sizeof(*h));
	int code;

	if (h == NULL)
		return err_no_memory(err);
	h->sink = (struct timeline_sink){
		.row = html_row, .end = html_end, .free = html_free};
	h->out = out;
	h->about = about;
	h->strings = intern_new(LIMIT_KEPT);
	h->workers = workers_new();
	h->waiting = waiting_new();
	h->gather = what_if_gather_new();
	h->scratch = buf_new(LIMIT_STRING);
	h->start = INT64_MAX;
	h->end = INT64_MIN;
	h->widths = widths_new();
	code = out_open_taker(&h->swallowed, swallow, NULL, err);
	for (size_t i = 0; code == 0 && i < STREAMS; i++) {
		h->packed[i] = buf_new(LIMIT_KEPT);
		code = gzip_open(&h->gzip[i], &h->packed[i], LEVEL, err);
	}
	if (code == 0)
		return &h->sink;
	html_free(&h->sink);
	return NULL;
}
