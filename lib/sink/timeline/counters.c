#include "sink/timeline/counters.h"

#include <stdio.h>

#include "rollout/micros.h"

int64_t counters_earliest(const struct strips *strips)
{
	int64_t earliest = INT64_MAX;

	for (size_t i = 0; i < strips->n; i++)
		for (size_t k = 0; k < strips->v[i].n; k++) {
			const struct strip_line *line = &strips->v[i].lines[k];
			int64_t us = micros(line->v[0].time);

			earliest = us < earliest ? us : earliest;
		}
	return earliest;
}

static void put_process(struct json_writer *w, uint64_t pid,
			const struct strip *strip)
{
	char name[256];

	snprintf(name, sizeof(name), "engines: %.*s", STR_ARG(strip->title));
	json_begin(w, '{');
	json_add_str(w, "ph", str_of("M"));
	json_add_uint(w, "pid", pid);
	json_add_str(w, "name", str_of("process_name"));
	json_add_begin(w, "args", '{');
	json_add_str(w, "name", str_of(name));
	json_end(w, '}');
	json_end(w, '}');
}

static void put_point(struct json_writer *w, uint64_t pid,
		      const struct strip *strip, const struct strip_line *line,
		      const struct strip_point *point, int64_t earliest)
{
	static const struct str engine = STR("engine"), value = STR("value");

	json_begin(w, '{');
	json_add_str(w, "ph", str_of("C"));
	json_add_uint(w, "pid", pid);
	json_add_int(w, "ts", micros(point->time) - earliest);
	json_add_str(w, "name", line->worker.n > 0 ? line->worker : engine);
	json_add_begin(w, "args", '{');
	json_key_str(w, strip->unit.n > 0 ? strip->unit : value);
	json_double(w, point->value);
	json_end(w, '}');
	json_end(w, '}');
}

void counters_write(const struct strips *strips, struct json_writer *w,
		    uint64_t first_pid, int64_t earliest)
{
	for (size_t i = 0; i < strips->n; i++) {
		const struct strip *strip = &strips->v[i];
		uint64_t pid = first_pid + i;

		put_process(w, pid, strip);
		for (size_t k = 0; k < strip->n; k++)
			for (size_t j = 0; j < strip->lines[k].n; j++)
				put_point(w, pid, strip, &strip->lines[k],
					  &strip->lines[k].v[j], earliest);
	}
}
