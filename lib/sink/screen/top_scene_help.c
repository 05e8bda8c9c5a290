#include "sink/screen/top_scene_help.h"

#include <stdio.h>

#include "base/array.h"
#include "metrics/rules.h"
#include "sink/board/board_column.h"

static const char *const keys[] = {
	"KEYS",
	"  up, down, PgUp, PgDn, Home, End   select a row, or scroll",
	"  Enter    show all metrics of an engine, with history",
	"  a        list the alarms that are on, and those that ended",
	"  s, S     sort by the next or the previous column; r reverses",
	"  1 to 9   sort by that column; 0 sorts by alarm",
	"  /        show only rows whose name, labels or alarms contain a text",
	"  f        fold rows by role, by node, by model, or not at all",
	"  F        fold rows by a label",
	"  c        hide or show columns",
	"  space    freeze the view; again: continue",
	"  [ ]      step back or forward by one snapshot; { } by ten",
	"  m        mark an engine; p profiles the marked engines",
	"  w        save the stream to a file; again: stop",
	"  Esc      go back; clear the filter",
	"  q        quit",
	"",
	"SIGNS",
	"  !        the alarm of this column is on",
	"  *        worst in its column: 30% off the median, or off the other of two",
	"  ~        reported by the engine, not counted",
	"",
	"COLUMNS (rates and percentiles cover the window)",
};

enum { KEYS = ARRAY_SIZE(keys), LINES = KEYS + BOARD_COLUMNS + 2 + ALARMS };

/* A line of the help; empty if the number is too large. */
static void put_line(char text[256], uint32_t i)
{
	if (i < KEYS)
		snprintf(text, 256, "%s", keys[i]);
	else if (i - KEYS < BOARD_COLUMNS)
		snprintf(text, 256, "  %-10s %s", board_columns[i - KEYS].title,
			 board_columns[i - KEYS].means);
	else if (i - KEYS == BOARD_COLUMNS + 1)
		snprintf(text, 256, "ALARMS");
	else if (i - KEYS > BOARD_COLUMNS + 1 && i < LINES)
		snprintf(text, 256, "  %-14s %s",
			 alarm_rules[i - KEYS - BOARD_COLUMNS - 2].name,
			 alarm_rules[i - KEYS - BOARD_COLUMNS - 2].means);
	else
		text[0] = '\0';
}

void scene_put_help(struct screen *screen, int line, int end, uint32_t skip)
{
	char text[256];

	for (; line < end; line++, skip++) {
		put_line(text, skip);
		screen_put(screen, line, 0, screen_columns(screen),
			   text[0] >= 'A' && text[0] <= 'Z' ? STYLE_STRONG
							    : STYLE_PLAIN,
			   str_of(text));
	}
}
