/* Figures of a profile in JSON: times are in seconds. */
#ifndef OBS_SINK_PROFILE_JSON_FIGURES_H
#define OBS_SINK_PROFILE_JSON_FIGURES_H

#include "fmt/json/json_write.h"
#include "profile/summary.h"
#include "sink/profile/profile_report.h"

enum { NS = 1000000000 };

void figure_ns(struct json_writer *j, const char *key, double ns);
void figure_time(struct json_writer *j, const char *key, int64_t ns);
void figure_ratio(struct json_writer *j, const char *key, double part,
		  double whole);
void figure_int(struct json_writer *j, const char *key, int64_t i);
void figure_tally(struct json_writer *j, const struct tally *t);
size_t size_least(size_t a, size_t b);
void figure_tally_max(struct json_writer *j, const char *key,
		      const struct tally *t);
/* Members of a device, alone and in its group. */
void figure_device(struct json_writer *j, const struct device_summary *d);
void figure_categories(struct json_writer *j, const struct tally *categories,
		       int64_t whole);

/* In json_devices.c: everything about a GPU. */
void profile_put_device(struct json_writer *j, const struct profile_summary *s,
			const struct device_summary *d,
			const struct profile_report *report);

#endif
