#include "rollout/span_attrs.h"

#include <math.h>

#include "base/num.h"
#include "fmt/value/value_python.h"

bool is_generation(struct value name)
{
	return value_is_str(name, "sglang_generate") ||
	       value_is_str(name, "sglang_generate_stream");
}

bool is_request_end(const struct event *event)
{
	return event->kind == EVENT_END && event->has_attrs &&
	       (is_generation(event->name) ||
		event->request.kind == VALUE_DICT);
}

double item_queued(const struct item *item)
{
	struct value time =
		value_plain(value_get(item->end_attrs, "queue_time"));
	double duration = item->display_end - item->start;
	double queued = 0;

	if (item->state != ITEM_CLOSED || item->role != ROLE_NONE ||
	    !item->is_request)
		return 0;
	if (time.kind == VALUE_INT)
		queued = (double)time.i;
	else if (time.kind == VALUE_FLOAT)
		queued = time.f;
	if (!(queued > 0 && duration > 0))
		return 0;
	return queued < duration ? num_round6(queued) : duration;
}

/* NAME, or NAME_ and more. */
static bool is_kind_of(struct str key, const char *name)
{
	size_t n = strlen(name);

	return str_starts(key, name) && (key.n == n || key.p[n] == '_');
}

static bool has_error(struct value attrs)
{
	if (attrs.kind != VALUE_DICT)
		return false;
	for (uint32_t i = 0; i + 1 < attrs.items->n; i += 2) {
		struct value key = attrs.items->v[i];

		if (key.kind == VALUE_STR &&
		    (is_kind_of(value_text(key), "error") ||
		     is_kind_of(value_text(key), "exception")) &&
		    value_truth(attrs.items->v[i + 1]))
			return true;
	}
	return false;
}

bool item_has_error(const struct item *item)
{
	return has_error(item->start_attrs) || has_error(item->end_attrs);
}

/* The completion_tokens of a request; NaN if it is not one or has none. */
static double item_completed(const struct item *item)
{
	struct value v =
		value_plain(value_get(item->end_attrs, "completion_tokens"));
	double tokens;

	if (item->state != ITEM_CLOSED || item->role != ROLE_NONE ||
	    !item->is_request || v.kind == VALUE_BOOL ||
	    !value_number(v, &tokens) || !isfinite(tokens))
		return (double)NAN;
	return tokens;
}

double row_completed(const struct row *row)
{
	double tokens = (double)NAN;

	for (uint32_t i = 0; i < row->item_count; i++) {
		double one = item_completed(&row->items[i]);

		if (one >= 0)
			tokens = isnan(tokens) ? one : tokens + one;
	}
	return tokens;
}

uint64_t row_negative_tokens(const struct row *row)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < row->item_count; i++)
		n += item_completed(&row->items[i]) < 0;
	return n;
}
