#include "rollout/pd_times.h"

#include <math.h>

#include "fmt/value/value_python.h"
#include "rollout/span_attrs.h"

/* How deep below its request a PD span may be. */
enum { CLIMB_MAX = 64 };

/* Facts about an item that is a request. */
struct pd_request {
	bool own; /* has PD timings among its own attributes */
	double phases[PD_ROLES];
};

void pd_times_free(struct pd_times *times)
{
	for (size_t r = 0; r < PD_ROLES; r++) {
		stats_free(&times->phases[r]);
		for (size_t s = 0; s < PD_SEGMENTS; s++)
			stats_free(&times->segments[r][s]);
	}
}

static double duration_of(struct value attrs, const char *key)
{
	struct value v = value_plain(value_get(attrs, key));
	double seconds = 0;

	if (v.kind == VALUE_INT)
		seconds = (double)v.i;
	else if (v.kind == VALUE_FLOAT)
		seconds = v.f;
	return isfinite(seconds) && seconds > 0 ? seconds : 0;
}

double pd_segment_seconds(struct value attrs, size_t role, size_t segment)
{
	return duration_of(attrs, pd_roles[role].keys[segment]);
}

/* Add the segments in attrs to a request. False: no memory. */
static bool take_segments(struct pd_times *times, struct pd_request *request,
			  struct value attrs)
{
	for (size_t r = 0; r < PD_ROLES; r++) {
		for (size_t s = 0; s < PD_SEGMENTS; s++) {
			double seconds =
				duration_of(attrs, pd_roles[r].keys[s]);

			if (seconds == 0)
				continue;
			request->phases[r] += seconds;
			if (!stats_add(&times->segments[r][s], seconds))
				return false;
		}
	}
	return true;
}

/* A PD span of the newer form. */
static bool is_pd_span(const struct item *item)
{
	return item->state == ITEM_CLOSED && item->role == ROLE_NONE &&
	       is_pd_part(item->name);
}

/* The request above an item; NULL if there is none. */
static struct pd_request *request_above(struct pd_request *requests,
					const struct row *row,
					const struct item *item)
{
	item = item->parent;
	for (int steps = 0; item != NULL && steps < CLIMB_MAX; steps++) {
		if (item->is_request)
			return &requests[item - row->items];
		item = item->parent;
	}
	return NULL;
}

/* Requests in the older form have virtual lanes. */
static bool has_own(const struct item *item)
{
	return item->role != ROLE_NONE && item->parent != NULL &&
	       item->parent->is_request;
}

static bool take_row(struct pd_times *times, const struct row *row,
		     struct pd_request *requests)
{
	bool good = true;

	for (uint32_t i = 0; good && i < row->item_count; i++) {
		const struct item *item = &row->items[i];
		struct pd_request *request;

		if (!has_own(item))
			continue;
		request = &requests[item->parent - row->items];
		request->own = true;
		good = take_segments(times, request, item->end_attrs);
	}
	for (uint32_t i = 0; good && i < row->item_count; i++) {
		const struct item *item = &row->items[i];
		struct pd_request *request = NULL;

		if (is_pd_span(item))
			request = request_above(requests, row, item);
		if (request != NULL && !request->own)
			good = take_segments(times, request, item->end_attrs);
	}
	for (uint32_t i = 0; good && i < row->item_count; i++)
		for (size_t r = 0; good && r < PD_ROLES; r++)
			if (requests[i].phases[r] > 0)
				good = stats_add(&times->phases[r],
						 requests[i].phases[r]);
	return good;
}

int pd_times_add(struct pd_times *times, const struct row *row, struct arena *a,
		 struct err *err)
{
	struct pd_request *requests = NULL;
	bool any = false;

	for (uint32_t i = 0; !any && i < row->item_count; i++)
		any = has_own(&row->items[i]) || is_pd_span(&row->items[i]);
	if (!any)
		return 0;
	requests = arena_array(a, row->item_count, sizeof(*requests));
	if (requests == NULL || !take_row(times, row, requests))
		return arena_error(a, err);
	return 0;
}
