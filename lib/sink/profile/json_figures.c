#include "sink/profile/json_figures.h"

#include <math.h>

void figure_ns(struct json_writer *j, const char *key, double ns)
{
	json_add_double(j, key, ns / NS);
}

void figure_time(struct json_writer *j, const char *key, int64_t ns)
{
	figure_ns(j, key, (double)ns);
}

/* null if the divisor is 0. */
void figure_ratio(struct json_writer *j, const char *key, double part,
		  double whole)
{
	json_add_double(j, key, whole == 0 ? NAN : part / whole);
}

void figure_int(struct json_writer *j, const char *key, int64_t i)
{
	json_key(j, key);
	if (i < 0)
		json_null(j);
	else
		json_int(j, i);
}

void figure_tally(struct json_writer *j, const struct tally *t)
{
	json_add_uint(j, "count", t->count);
	figure_time(j, "time", t->time);
}

size_t size_least(size_t a, size_t b)
{
	return a < b ? a : b;
}

void figure_tally_max(struct json_writer *j, const char *key,
		      const struct tally *t)
{
	json_add_begin(j, key, '{');
	figure_tally(j, t);
	figure_time(j, "max", t->max);
	json_end(j, '}');
}

/* Categories that have kernels, most time first, then by name. */
static size_t order_categories(const struct tally *categories, int *order)
{
	size_t n = 0;

	for (int c = 0; c < KERNEL_CATEGORIES; c++) {
		size_t at = n;

		if (categories[c].count == 0)
			continue;
		while (at > 0) {
			const struct tally *other = &categories[order[at - 1]];
			int names = str_cmp(
				str_of(kernel_category_names[c]),
				str_of(kernel_category_names[order[at - 1]]));

			if (other->time > categories[c].time ||
			    (other->time == categories[c].time && names > 0))
				break;
			order[at] = order[at - 1];
			at--;
		}
		order[at] = c;
		n++;
	}
	return n;
}

void figure_categories(struct json_writer *j, const struct tally *categories,
		       int64_t whole)
{
	int order[KERNEL_CATEGORIES];
	size_t n = order_categories(categories, order);

	json_add_begin(j, "categories", '[');
	for (size_t i = 0; i < n; i++) {
		const struct tally *t = &categories[order[i]];

		json_begin(j, '{');
		json_add_str(j, "name",
			     str_of(kernel_category_names[order[i]]));
		figure_tally(j, t);
		figure_ratio(j, "share", (double)t->time, (double)whole);
		json_end(j, '}');
	}
	json_end(j, ']');
}

void figure_device(struct json_writer *j, const struct device_summary *d)
{
	figure_time(j, "span", device_span(d));
	figure_time(j, "busy", d->busy);
	figure_time(j, "idle", device_idle(d));
	figure_ratio(j, "utilisation", (double)d->busy, (double)device_span(d));
	figure_time(j, "compute", d->compute);
	figure_time(j, "communication", d->communication);
	figure_time(j, "exposed_communication", d->exposed_communication);
}
