/*
 * The columns of a board: their headings and cells, for tables and the screen.
 */
#ifndef OBS_SINK_BOARD_BOARD_COLUMN_H
#define OBS_SINK_BOARD_BOARD_COLUMN_H

#include "metrics/board_view.h"

struct board_column {
	const char *title;
	const char *key;   /* in JSON and TSV */
	const char *means; /* for --help */
	enum board_value value;
	uint8_t width; /* of its cells, at least that of the title */
	uint8_t rank;  /* the greatest are dropped first */
	bool drawn;    /* a sparkline is useful */
};

/* In display order, after worker and role. */
enum { BOARD_COLUMNS = 13 };
extern const struct board_column board_columns[BOARD_COLUMNS];

/* The column with that key; BOARD_COLUMNS: none. */
size_t board_column_find(struct str key);

enum { BOARD_CELL_MAX = 32 };

/* Mark for a rate of tokens known only from the engine's gauge. */
static const char BOARD_REPORTED = '~';

/* A value as text, "" if it is unknown; running requests with their limit.
 * Returns its length. */
size_t board_cell(char out[BOARD_CELL_MAX], const struct board_column *column,
		  const double values[BOARD_VALUES]);

/* "1,820"; "48.2k"; "2.7"; "42 s", "17 m", "3 h"; "-" for NaN. */
size_t board_put_count(char out[BOARD_CELL_MAX], double value);
size_t board_put_short(char out[BOARD_CELL_MAX], double value);
size_t board_put_tenths(char out[BOARD_CELL_MAX], double value);
size_t board_put_time(char out[BOARD_CELL_MAX], double seconds);

#endif
