/*
 * The cache of slime's own viewer (tools/trace_timeline_viewer.py, version 1,
 * read at 624b824a8), identical field by field, except that NaN and infinities
 * are null. Counts known only at the end follow the rows; the order of keys
 * does not matter.
 */
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "fmt/json/json_value.h"
#include "fmt/value/value_make.h"
#include "sink/timeline/fresh.h"
#include "sink/timeline/sink.h"

struct cache_sink {
	struct timeline_sink base; /* first: the functions cast back */
	struct json_writer json;
	uint64_t rows;
	double start; /* over all rows; NaN before the first */
	double end;
};

static const struct item_form {
	const char *type;
	const char *state;
} forms[] = {
	[ITEM_CLOSED] = {"span", "closed_span"},
	[ITEM_OPEN] = {"span", "open_span"},
	[ITEM_POINT] = {"event", "point_event"},
	[ITEM_ORPHAN] = {"orphan_end", "orphan_end"},
};

static void put_times(struct json_writer *w, const struct item *item)
{
	if (item->state == ITEM_POINT || item->state == ITEM_ORPHAN) {
		json_add_double(w, "ts", item->start);
		return;
	}
	json_add_double(w, "start_ts", item->start);
	json_add_double(w, "end_ts",
			item->state == ITEM_OPEN ? (double)NAN : item->end);
	json_add_double(w, "display_end_ts", item->display_end);
}

static void put_attrs(struct json_writer *w, const struct item *item)
{
	if (item->state == ITEM_POINT || item->state == ITEM_ORPHAN) {
		json_add_value(w, "attrs", item->start_attrs);
		return;
	}
	json_add_begin(w, "attrs", '{');
	json_add_value(w, "start_attrs", item->start_attrs);
	json_add_value(w, "end_attrs", item->end_attrs);
	json_end(w, '}');
}

static void put_item(struct json_writer *w, const struct item *item)
{
	struct value parent_name = item->parent == NULL ? value_none()
							: item->parent->name;

	json_begin(w, '{');
	json_add_text(w, "type", forms[item->state].type);
	json_add_text(w, "state", forms[item->state].state);
	json_add_value(w, "name", item->name);
	put_times(w, item);
	json_add_value(w, "attempt", item->attempt);
	json_add_value(w, "span_id", item->span_id);
	json_add_value(w, "parent_span_id", item->parent_id);
	json_add_value(w, "parent_span_name", parent_name);
	json_add_uint(w, "lane", item->lane);
	json_add_uint(w, "depth", item->depth);
	put_attrs(w, item);
	json_end(w, '}');
}

static void put_sample(struct json_writer *w, const struct row *row)
{
	json_add_uint(w, "row_id", row->row_id);
	json_add_value(w, "sample_index", row->sample_index);
	json_add_value(w, "group_index", row->group_index);
	json_add_value(w, "source", row->source);
	json_add_value(w, "status", row->status);
	json_add_value(w, "label", row->label);
	json_key(w, "reward");
	json_put_value(w, row->reward,
		       row->reward.kind == VALUE_DICT ? JSON_KEYS_STR
						      : JSON_KEYS_NATIVE);
	json_add_value(w, "trace_id", row->trace_id);
	json_add_value(w, "attempt", row->attempt);
}

static void put_counts(struct json_writer *w, const struct row *row)
{
	json_add_uint(w, "lane_count", row->lane_count);
	json_add_uint(w, "item_count", row->item_count);
	json_add_uint(w, "closed_span_count", row->closed_count);
	json_add_uint(w, "open_span_count", row->open_count);
	json_add_uint(w, "point_event_count", row->point_count);
	json_add_uint(w, "orphan_count", row->orphan_count);
	json_add_value(w, "total_response_length", row->total_response_length);
	json_add_value(w, "max_response_length", row->max_response_length);
}

static int cache_row(struct timeline_sink *sink, const struct row *row,
		     struct err *err)
{
	struct cache_sink *cache = (struct cache_sink *)sink;
	struct json_writer *w = &cache->json;

	if (cache->rows++ == 0 || row->start < cache->start)
		cache->start = row->start;
	if (cache->rows == 1 || row->end > cache->end)
		cache->end = row->end;
	w->size = 0;
	json_begin(w, '{');
	put_sample(w, row);
	json_add_double(w, "start", row->start);
	json_add_double(w, "end", row->end);
	json_add_double(w, "duration", row->duration);
	put_counts(w, row);
	json_add_begin(w, "items", '[');
	for (uint32_t i = 0; i < row->item_count; i++)
		put_item(w, &row->items[i]);
	json_end(w, ']');
	json_end(w, '}');
	sink->cuts = w->cuts;
	return w->passed != NULL ? err_passed(err, w->passed) : 0;
}

static int cache_end(struct timeline_sink *sink, struct err *err)
{
	struct cache_sink *cache = (struct cache_sink *)sink;
	struct json_writer *w = &cache->json;

	(void)err;
	json_end(w, ']');
	json_add_uint(w, "sample_count", cache->rows);
	json_add_double(w, "global_start", num_round6(cache->start));
	json_add_double(w, "global_end", num_round6(cache->end));
	json_end(w, '}');
	json_end_line(w);
	return 0;
}

static void cache_free(struct timeline_sink *sink)
{
	free(sink);
}

struct timeline_sink *cache_sink_new(struct out *out,
				     const struct timeline_about *about,
				     struct err *err)
{
	struct cache_sink *cache = calloc(1, sizeof(*cache));
	struct json_writer *w;

	if (cache == NULL)
		return err_no_memory(err);
	cache->base.row = cache_row;
	cache->base.end = cache_end;
	cache->base.free = cache_free;
	cache->start = (double)NAN;
	cache->end = (double)NAN;
	cache->json = json_writer_on(out);
	w = &cache->json;
	json_begin(w, '{');
	json_add_uint(w, "cache_version", CACHE_VERSION);
	json_add_text(w, "pt_path",
		      about->origin != NULL ? about->origin->path
					    : about->path);
	json_add_double(w, "generated_at", about->generated_at);
	json_add_begin(w, "rows", '[');
	return &cache->base;
}
