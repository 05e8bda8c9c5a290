/*
 * The command line of obs-aggregate: the option table and the settings, which
 * are filled once and last until the program ends.
 */
#ifndef OBS_CMD_AGGREGATE_SETTINGS_H
#define OBS_CMD_AGGREGATE_SETTINGS_H

#include "alarm_options.h"
#include "fmt/prom/prom_read.h"

enum aggregate_input { INPUT_AUTO, INPUT_TEXT, INPUT_OPENMETRICS };

struct aggregate_settings {
	struct aggregate_how how;
	struct label_set added;	 /* to every sample */
	struct arena texts;	 /* of command-line labels */
	const char *state_path;	 /* NULL: none */
	const char *output_path; /* NULL: stdout */
	const char *sort_key;	 /* NULL: by the labels */
	const char *explained;	 /* a metric to explain; NULL: none */
	struct alarm_fail_on fail_on;
	int format; /* index into aggregate_formats; -1: unset */
	enum aggregate_input input;
	bool strict;
};

/* Parse the options; returns the index of the first operand. A usage error ends
 * the program. */
int aggregate_settings_read(struct aggregate_settings *s, int argc,
			    char **argv);

#endif
