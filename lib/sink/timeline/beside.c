#include "sink/timeline/beside.h"

#include <math.h>
#include <stdio.h>

#include "base/limits.h"
#include "fmt/file/gzip_write.h"
#include "fmt/json/json_write.h"
#include "metrics/strips.h"
#include "profile/gpu_lanes.h"
#include "rollout/micros.h"

/* Metrics ------------------------------------------------------------------ */

/* Six digits are more than a screen shows. */
static void put_number(struct json_writer *w, double value)
{
	char text[32];
	int n = snprintf(text, sizeof(text), "%.6g", value);

	if (isfinite(value))
		json_verbatim(w, str_make(text, (size_t)n));
	else
		json_null(w);
}

/* Each time as the µs since the previous one. */
static void put_line(struct json_writer *w, const struct strip_line *line,
		     int64_t start)
{
	int64_t before = start;

	json_begin(w, '{');
	json_add_str(w, "worker", line->worker);
	json_add_begin(w, "at", '[');
	for (size_t i = 0; i < line->n; i++) {
		int64_t at = micros(line->v[i].time);

		json_int(w, at - before);
		before = at;
	}
	json_end(w, ']');
	json_add_begin(w, "value", '[');
	for (size_t i = 0; i < line->n; i++)
		put_number(w, line->v[i].value);
	json_end(w, ']');
	json_end(w, '}');
}

static void put_strip(struct json_writer *w, const struct strip *strip,
		      int64_t start)
{
	json_begin(w, '{');
	json_add_str(w, "key", strip->key);
	json_add_str(w, "title", strip->title);
	json_add_str(w, "unit", strip->unit);
	json_add_begin(w, "lines", '[');
	for (size_t i = 0; i < strip->n; i++)
		put_line(w, &strip->lines[i], start);
	json_end(w, ']');
	json_end(w, '}');
	json_end_line(w);
}

/* Profiles ----------------------------------------------------------------- */

static int64_t micros_of(int64_t ns)
{
	return ns / 1000 - (ns % 1000 < 0);
}

static void put_bins(struct json_writer *w, const char *key,
		     const uint16_t *bins)
{
	json_add_begin(w, key, '[');
	for (size_t i = 0; i < GPU_BINS; i++)
		json_uint(w, bins[i]);
	json_end(w, ']');
}

static void put_lane(struct json_writer *w, const struct gpu_lane *lane,
		     int64_t start)
{
	json_begin(w, '{');
	json_add_str(w, "device", lane->device);
	json_add_int(w, "from", micros_of(lane->from) - start);
	json_add_int(w, "to", micros_of(lane->to) - start);
	put_bins(w, "busy", lane->busy);
	put_bins(w, "collective", lane->collective);
	json_end(w, '}');
}

/* Start since the previous one, length, name, number joined. */
static void put_step(struct json_writer *w, const struct gpu_step *step,
		     int64_t before)
{
	json_begin(w, '[');
	json_int(w, micros_of(step->start) - before);
	json_int(w, micros_of(step->end) - micros_of(step->start));
	json_str(w, step->name);
	json_uint(w, step->count);
	json_end(w, ']');
}

static void put_profile(struct json_writer *w,
			const struct gpu_profile *profile, int64_t start)
{
	int64_t before = start;

	json_begin(w, '{');
	json_add_str(w, "profile", profile->path);
	json_key(w, "rank");
	if (profile->rank == PROFILE_NONE)
		json_null(w);
	else
		json_int(w, profile->rank);
	json_add_begin(w, "lanes", '[');
	for (size_t i = 0; i < profile->n; i++)
		put_lane(w, &profile->lanes[i], start);
	json_end(w, ']');
	json_add_begin(w, "steps", '[');
	for (size_t i = 0; i < profile->steps_n; i++) {
		put_step(w, &profile->steps[i], before);
		before = micros_of(profile->steps[i].start);
	}
	json_end(w, ']');
	json_end(w, '}');
	json_end_line(w);
}

/* All of it ---------------------------------------------------------------- */

static size_t count(const struct timeline_about *about)
{
	return (about->strips == NULL ? 0 : about->strips->n) +
	       (about->lanes == NULL ? 0 : about->lanes->n);
}

static void put_all(const struct timeline_about *about, struct out *out,
		    int64_t start)
{
	struct json_writer w = json_writer_on(out);

	for (size_t i = 0; about->strips != NULL && i < about->strips->n; i++)
		put_strip(&w, &about->strips->v[i], start);
	for (size_t i = 0; about->lanes != NULL && i < about->lanes->n; i++)
		put_profile(&w, &about->lanes->v[i], start);
}

int beside_put(const struct timeline_about *about, const struct page *page,
	       struct out *out, int64_t start, struct err *err)
{
	enum { LEVEL = 6 };
	struct buf packed = buf_new(LIMIT_KEPT);
	struct gzip gzip;
	int code;

	if (count(about) == 0)
		return 0;
	code = gzip_open(&gzip, &packed, LEVEL, err);
	if (code == 0) {
		put_all(about, &gzip.in, start);
		code = gzip_close(&gzip, err);
	}
	if (code == 0)
		page_put_stream(page, out, "beside", buf_str(&packed));
	buf_free(&packed);
	return code;
}
