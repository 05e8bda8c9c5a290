/*
 * The command line of obs-top: the option table and the settings, which are
 * filled once and last until the program ends.
 */
#ifndef OBS_CMD_TOP_SETTINGS_H
#define OBS_CMD_TOP_SETTINGS_H

#include "alarm_options.h"
#include "sink/screen/screen.h"

enum top_mode { TOP_SCREEN, TOP_ONCE, TOP_EVENTS };
enum top_format { TOP_TEXT, TOP_JSON, TOP_TSV };

struct top_settings {
	struct aggregate_how how;
	struct alarm_fail_on fail_on;
	enum top_mode mode;
	enum top_format format;
	double window;
	const char *by; /* NULL: one row per engine */
	const char *filter;
	int sort;
	bool reversed;
	const bool *hidden; /* of the columns */
	struct screen_how screen;
	char **command; /* that prints the stream; NULL: standard input */
};

/* Parse the options. A usage error ends the program. */
void top_settings_read(struct top_settings *s, int argc, char **argv);

#endif
