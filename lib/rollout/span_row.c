#include <math.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/num.h"
#include "base/utf8.h"
#include "fmt/value/value_make.h"
#include "fmt/value/value_python.h"
#include "fmt/value/value_text.h"
#include "rollout/span_build.h"

enum { SOURCE_MAX = 64, STATUS_MAX = 64, LABEL_MAX = 256, KEY_MAX = 4096 };

/* Is v anything but None and ""? */
static bool says_something(struct value v)
{
	return v.kind != VALUE_ABSENT && v.kind != VALUE_NONE &&
	       !(v.kind == VALUE_STR && v.n == 0);
}

static bool key_names_source(struct value key)
{
	struct buf text;
	bool names;

	if (key.kind == VALUE_STR)
		return str_has_nocase(value_text(key), "source");
	text = buf_new(KEY_MAX);
	value_put_str(&text, key);
	names = str_has_nocase(buf_str(&text), "source");
	buf_free(&text);
	return names;
}

struct value sample_source(const struct sample *sample)
{
	struct value metadata = sample->metadata;
	struct value v = sample->source;

	if (!says_something(v))
		v = value_get(metadata, "source");
	if (!says_something(v))
		v = value_get(metadata, "source_name");
	if (says_something(v) || metadata.kind != VALUE_DICT)
		return says_something(v) ? v : value_none();
	for (uint32_t i = 0; i < metadata.items->n; i += 2)
		if (says_something(metadata.items->v[i + 1]) &&
		    key_names_source(metadata.items->v[i]))
			return metadata.items->v[i + 1];
	return value_none();
}

/* Code points in s; *cut is set to the bytes of the first max of them. */
static size_t code_points(struct str s, size_t max, size_t *cut)
{
	const char *p = s.p;
	const char *end = p + s.n;
	uint32_t point;
	size_t n = 0;

	*cut = s.n;
	while (p < end) {
		if (n++ == max)
			*cut = (size_t)(p - s.p);
		p += utf8_next(p, end, &point);
	}
	return n;
}

/* Set *to; text of more than max code points is truncated and marked. False if
 * out of memory. */
static bool cut_text(struct span_builder *b, struct value v, size_t max,
		     struct value *to)
{
	size_t length, cut;
	char *text;
	int n;

	v = sample_trace_shown(&b->trace, v);
	*to = v;
	if (v.kind != VALUE_STR || v.n <= max)
		return true;
	length = code_points(value_text(v), max, &cut);
	if (length <= max)
		return true;
	text = arena_alloc(b->arena, cut + 48);
	if (text == NULL)
		return false;
	memcpy(text, v.p, cut);
	n = snprintf(text + cut, 48, "...<truncated:%zu>", length);
	*to = value_str(str_make(text, cut + (size_t)n));
	return true;
}

/* Add the response_length of one set of attributes. */
static void add_response_length(struct span_builder *b, struct value attrs)
{
	struct value v = value_get(attrs, "response_length");
	struct row *row = b->row;
	struct value length;

	if (v.kind != VALUE_INT && v.kind != VALUE_BIGINT &&
	    v.kind != VALUE_BOOL && v.kind != VALUE_FLOAT)
		return;
	if (!value_to_int(b->arena, v, &length)) {
		sample_trace_skip(&b->trace, 0,
				  "a response_length that is not finite");
		return;
	}
	row->total_response_length =
		value_int_add(b->arena, row->total_response_length, length);
	if (row->max_response_length.kind == VALUE_ABSENT ||
	    value_int_cmp(row->max_response_length, length) < 0)
		row->max_response_length = length;
}

static void add_response_lengths(struct span_builder *b)
{
	const struct row *row = b->row;

	b->row->total_response_length = value_int(0);
	b->row->max_response_length = (struct value){.kind = VALUE_ABSENT};
	for (uint32_t i = 0; i < row->item_count; i++) {
		const struct item *item = &row->items[i];
		bool span = item->state == ITEM_CLOSED ||
			    item->state == ITEM_OPEN;
		struct value start = item->start_attrs;
		struct value end = item->end_attrs;

		if (!span) {
			add_response_length(b, start);
			end = value_get(start, "end_attrs");
			start = value_get(start, "start_attrs");
		}
		add_response_length(b, start);
		add_response_length(b, end);
	}
	if (row->max_response_length.kind == VALUE_ABSENT)
		b->row->max_response_length = value_int(0);
}

static void set_times(struct row *row)
{
	row->start = row->items[0].start;
	row->end = row->items[0].display_end;
	for (uint32_t i = 0; i < row->item_count; i++) {
		const struct item *item = &row->items[i];

		if (item->start < row->start)
			row->start = item->start;
		if (item->display_end > row->end)
			row->end = item->display_end;
		if (item->lane >= row->lane_count)
			row->lane_count = item->lane + 1;
	}
	row->duration = num_round6(fmax(0, row->end - row->start));
}

static void count_states(struct row *row)
{
	uint32_t *counts[] = {
		[ITEM_CLOSED] = &row->closed_count,
		[ITEM_OPEN] = &row->open_count,
		[ITEM_POINT] = &row->point_count,
		[ITEM_ORPHAN] = &row->orphan_count,
	};

	for (uint32_t i = 0; i < row->item_count; i++)
		++*counts[row->items[i].state];
}

int span_fill_row(struct span_builder *b, const struct sample *sample,
		  struct err *err)
{
	struct row *row = b->row;
	struct value attempt = b->trace.attempt;

	row->row_id = sample->position;
	row->is_aside = value_truth(sample->is_aside);
	row->sample_index =
		sample->index.kind == VALUE_ABSENT
			? value_int((int64_t)sample->position)
			: sample_trace_shown(&b->trace, sample->index);
	row->group_index = sample_trace_shown(&b->trace, sample->group_index);
	if (!cut_text(b, sample_source(sample), SOURCE_MAX, &row->source) ||
	    !cut_text(b, sample->status, STATUS_MAX, &row->status) ||
	    !cut_text(b, sample->label, LABEL_MAX, &row->label))
		return arena_error(b->arena, err);
	row->reward = sample_trace_shown(&b->trace, sample->reward);
	row->trace_id = sample_trace_shown(&b->trace, value_get(sample->trace,
								"trace_id"));
	row->sample_id = sample_trace_shown(&b->trace, value_get(sample->trace,
								 "sample_id"));
	row->attempt = value_int(0);
	if (value_truth(attempt) &&
	    !value_to_int(b->arena, attempt, &row->attempt))
		sample_trace_skip(&b->trace, 0,
				  "an attempt that is not an integer");
	set_times(row);
	count_states(row);
	add_response_lengths(b);
	return row->total_response_length.kind == VALUE_ABSENT
		       ? arena_error(b->arena, err)
		       : 0;
}
