/*
 * The cache of slime's own viewer (tools/trace_timeline_viewer.py, version 1,
 * read at 624b824a8), field by field the same, except that NaN and infinities
 * are null. The counts that are known last follow the rows; the order of keys
 * is free.
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
	double start; /* of all rows; NaN before the first */
	double end;
};

static void put(struct json_writer *w, const char *key, struct value v)
{
	json_key(w, key);
	json_put_value(w, v, JSON_KEYS_STR);
}

static void put_double(struct json_writer *w, const char *key, double d)
{
	json_key(w, key);
	json_double(w, d);
}

static void put_count(struct json_writer *w, const char *key, uint64_t n)
{
	json_key(w, key);
	json_uint(w, n);
}

static void put_text(struct json_writer *w, const char *key, const char *text)
{
	json_key(w, key);
	json_str(w, str_of(text));
}

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
		put_double(w, "ts", item->start);
		return;
	}
	put_double(w, "start_ts", item->start);
	put_double(w, "end_ts",
		   item->state == ITEM_OPEN ? (double)NAN : item->end);
	put_double(w, "display_end_ts", item->display_end);
}

static void put_attrs(struct json_writer *w, const struct item *item)
{
	if (item->state == ITEM_POINT || item->state == ITEM_ORPHAN) {
		put(w, "attrs", item->start_attrs);
		return;
	}
	json_key(w, "attrs");
	json_begin(w, '{');
	put(w, "start_attrs", item->start_attrs);
	put(w, "end_attrs", item->end_attrs);
	json_end(w, '}');
}

static void put_item(struct json_writer *w, const struct item *item)
{
	struct value parent_name = item->parent == NULL ? value_none()
							: item->parent->name;

	json_begin(w, '{');
	put_text(w, "type", forms[item->state].type);
	put_text(w, "state", forms[item->state].state);
	put(w, "name", item->name);
	put_times(w, item);
	put(w, "attempt", item->attempt);
	put(w, "span_id", item->span_id);
	put(w, "parent_span_id", item->parent_id);
	put(w, "parent_span_name", parent_name);
	put_count(w, "lane", item->lane);
	put_count(w, "depth", item->depth);
	put_attrs(w, item);
	json_end(w, '}');
}

static void put_sample(struct json_writer *w, const struct row *row)
{
	put_count(w, "row_id", row->row_id);
	put(w, "sample_index", row->sample_index);
	put(w, "group_index", row->group_index);
	put(w, "source", row->source);
	put(w, "status", row->status);
	put(w, "label", row->label);
	json_key(w, "reward");
	json_put_value(w, row->reward,
		       row->reward.kind == VALUE_DICT ? JSON_KEYS_STR
						      : JSON_KEYS_NATIVE);
	put(w, "trace_id", row->trace_id);
	put(w, "attempt", row->attempt);
}

static void put_counts(struct json_writer *w, const struct row *row)
{
	put_count(w, "lane_count", row->lane_count);
	put_count(w, "item_count", row->item_count);
	put_count(w, "closed_span_count", row->closed_count);
	put_count(w, "open_span_count", row->open_count);
	put_count(w, "point_event_count", row->point_count);
	put_count(w, "orphan_count", row->orphan_count);
	put(w, "total_response_length", row->total_response_length);
	put(w, "max_response_length", row->max_response_length);
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
	put_double(w, "start", row->start);
	put_double(w, "end", row->end);
	put_double(w, "duration", row->duration);
	put_counts(w, row);
	json_key(w, "items");
	json_begin(w, '[');
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
	put_count(w, "sample_count", cache->rows);
	put_double(w, "global_start", num_round6(cache->start));
	put_double(w, "global_end", num_round6(cache->end));
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

	if (cache == NULL) {
		err_memory(err);
		return NULL;
	}
	cache->base.row = cache_row;
	cache->base.end = cache_end;
	cache->base.free = cache_free;
	cache->start = (double)NAN;
	cache->end = (double)NAN;
	cache->json = json_writer_on(out);
	w = &cache->json;
	json_begin(w, '{');
	put_count(w, "cache_version", CACHE_VERSION);
	put_text(w, "pt_path",
		 about->origin != NULL ? about->origin->path : about->path);
	put_double(w, "generated_at", about->generated_at);
	json_key(w, "rows");
	json_begin(w, '[');
	return &cache->base;
}
