/* Totals from the JSON of profile-summary: times are in seconds there, and
 * doubles hold the nanoseconds of any profile. */
#include <math.h>

#include "base/limits.h"
#include "fmt/json/json_read.h"
#include "profile/profile_totals.h"

/* The current value, and whether a part had the wrong kind. */
struct saved_reading {
	struct profile_totals *t;
	struct err *err;
	bool odd;
	int64_t times; /* the sum of all, so that no part of it overflows */
};

/* Members --------------------------------------------------------------- */

static double number_of(struct saved_reading *r, struct value v)
{
	if (v.kind == VALUE_INT)
		return (double)v.i;
	if (v.kind == VALUE_FLOAT && isfinite(v.f))
		return v.f;
	r->odd = true;
	return 0;
}

static double number_in(struct saved_reading *r, struct value dict,
			const char *key)
{
	return number_of(r, value_get(dict, key));
}

static int64_t to_ns(struct saved_reading *r, double seconds)
{
	int64_t ns = fabs(seconds) < 9e9 ? llround(seconds * 1e9) : -1;

	if (ns >= 0 && !__builtin_add_overflow(r->times, ns, &r->times))
		return ns;
	r->odd = true;
	return 0;
}

static int64_t time_in(struct saved_reading *r, struct value dict,
		       const char *key)
{
	return to_ns(r, number_in(r, dict, key));
}

static uint64_t count_in(struct saved_reading *r, struct value dict,
			 const char *key)
{
	double n = number_in(r, dict, key);

	if (n >= 0 && n < 0x1p63)
		return (uint64_t)n;
	r->odd = true;
	return 0;
}

/* The elements of a list, which must exist. */
static uint32_t list_in(struct saved_reading *r, struct value dict,
			const char *key, struct value **v)
{
	struct value list = value_get(dict, key);

	if (list.kind != VALUE_LIST) {
		r->odd = true;
		return 0;
	}
	*v = list.items->v;
	return list.items->n;
}

/* Parts ----------------------------------------------------------------- */

static int read_device(struct saved_reading *r, struct value d)
{
	struct profile_totals *t = r->t;
	struct value causes = value_get(value_get(d, "gaps"), "causes");
	struct value *top = NULL;
	uint32_t n = list_in(r, d, "top", &top);
	int code = 0;

	t->span += (double)time_in(r, d, "span");
	t->busy += (double)time_in(r, d, "busy");
	t->compute += (double)time_in(r, d, "compute");
	t->communication += (double)time_in(r, d, "communication");
	t->exposed_communication +=
		(double)time_in(r, d, "exposed_communication");
	t->copy += (double)time_in(r, d, "copy");
	t->exposed_copy += (double)time_in(r, d, "exposed_copy");
	for (int c = 0; c < GAP_CAUSES; c++)
		t->causes[c] += (double)time_in(
			r, value_get(causes, gap_cause_names[c]), "time");
	for (uint32_t i = 0; code == 0 && i < n; i++) {
		struct value full = value_get(top[i], "full");

		r->odd |= full.kind != VALUE_STR;
		if (full.kind == VALUE_STR)
			code = profile_totals_add_kernel(
				t, value_text(full),
				count_in(r, top[i], "count"),
				time_in(r, top[i], "time"), r->err);
	}
	return code;
}

/* Per-step values, which older JSON lacks. */
static int read_values(struct saved_reading *r, struct value step,
		       const char *key, struct stats *stats)
{
	struct value list = value_get(value_get(step, "values"), key);

	for (uint32_t i = 0; list.kind == VALUE_LIST && i < list.items->n;
	     i++) {
		int64_t ns = to_ns(r, number_of(r, list.items->v[i]));

		if (!stats_add(stats, (double)ns))
			return err_memory(r->err);
	}
	return 0;
}

static void read_categories(struct saved_reading *r, struct value step,
			    struct step_totals *sum)
{
	struct value *v = NULL;
	uint32_t n = list_in(r, step, "categories", &v);

	for (uint32_t i = 0; i < n; i++)
		for (int c = 0; c < KERNEL_CATEGORIES; c++) {
			if (!value_is_str(value_get(v[i], "name"),
					  kernel_category_names[c]))
				continue;
			sum->categories[c].count += count_in(r, v[i], "count");
			sum->categories[c].time += time_in(r, v[i], "time");
		}
}

static int read_step(struct saved_reading *r, struct value step)
{
	struct step_totals *sum = NULL;
	struct value batch = value_get(step, "batch");

	for (int k = 0; k < STEP_KINDS; k++)
		if (value_is_str(value_get(step, "kind"), step_kind_names[k]))
			sum = &r->t->kinds[k];
	if (sum == NULL) {
		r->odd = true;
		return 0;
	}
	sum->count += count_in(r, step, "count");
	sum->kernels += count_in(r, step, "kernels");
	sum->launches += count_in(r, step, "launches");
	sum->host_total += time_in(r, value_get(step, "host"), "total");
	sum->gpu_total += time_in(r, value_get(step, "gpu"), "total");
	if (batch.kind != VALUE_INT || sum->batch == STEP_UNKNOWN ||
	    __builtin_add_overflow(sum->batch, batch.i, &sum->batch))
		sum->batch = STEP_UNKNOWN;
	read_categories(r, step, sum);
	if (read_values(r, step, "host", &sum->host) < 0 ||
	    read_values(r, step, "gpu", &sum->gpu) < 0)
		return r->err->code;
	return read_values(r, step, "period", &sum->period);
}

static int read_trace(struct saved_reading *r, struct value trace)
{
	struct value *devices = NULL, *steps = NULL;
	uint32_t device_n = list_in(r, trace, "devices", &devices);
	uint32_t step_n = list_in(r, trace, "steps", &steps);
	int code = 0;

	r->t->traces++;
	for (uint32_t i = 0; code == 0 && i < device_n; i++)
		code = read_device(r, devices[i]);
	for (uint32_t i = 0; code == 0 && i < step_n; i++)
		code = read_step(r, steps[i]);
	return code;
}

static void read_group(struct saved_reading *r, struct value group)
{
	struct value *members = NULL;
	uint32_t n = list_in(r, group, "members", &members);

	if (count_in(r, group, "matched") == 0)
		return;
	for (uint32_t i = 0; i < n; i++) {
		r->t->waited += (double)time_in(r, members[i], "waited");
		r->t->group_span += (double)time_in(r, members[i], "span");
	}
}

static int read_all(struct saved_reading *r, struct value top)
{
	struct value *traces = NULL, *groups = NULL;
	uint32_t trace_n = list_in(r, top, "traces", &traces);
	uint32_t group_n = list_in(r, top, "groups", &groups);
	int code = 0;

	for (uint32_t i = 0; code == 0 && i < trace_n; i++)
		code = read_trace(r, traces[i]);
	for (uint32_t i = 0; i < group_n; i++)
		read_group(r, groups[i]);
	if (code == 0 && (r->odd || r->t->traces == 0))
		return err_set(r->err, ERR_INPUT,
			       "not the JSON of profile-summary: a member is "
			       "missing or of another kind");
	return code;
}

/* The file -------------------------------------------------------------- */

bool profile_totals_detect(struct str head)
{
	struct str s = str_trim(head);

	if (s.n == 0 || s.p[0] != '{')
		return false;
	s = str_trim(str_skip(s, 1));
	return str_starts(s, "\"traces\"") || str_starts(s, "\"groups\"");
}

int profile_totals_read(struct profile_totals *t, struct str json,
			struct err *err)
{
	struct saved_reading r = {.t = t, .err = err};
	struct arena arena = arena_new(LIMIT_KEPT);
	struct value top;
	int code;

	*t = (struct profile_totals){.saved = true};
	code = json_parse(json, &arena, &top, err);
	if (code == 0)
		code = read_all(&r, top);
	profile_totals_sort(t);
	arena_free(&arena);
	return code;
}
