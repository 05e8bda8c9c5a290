/*
 * A board at one time, for display: one row per engine, or per group of
 * engines, filtered and sorted; which alarms were on, and which values are
 * outliers. Does not change the board.
 */
#ifndef OBS_METRICS_BOARD_VIEW_H
#define OBS_METRICS_BOARD_VIEW_H

#include "metrics/board.h"

/* Sort keys of rows, besides an enum board_value. */
enum {
	BOARD_BY_ALARM = BOARD_VALUES, /* most severe first */
	BOARD_BY_NAME,
	BOARD_BY_ROLE,
	BOARD_SORTS
};

struct board_view_how {
	uint64_t frame;
	const char *by;	   /* "role", "node", "model" or a label; NULL: none */
	struct str filter; /* part of a name, label or alarm */
	int sort;
	bool reversed;
};

struct board_row {
	struct str name;  /* short, plain text; not escaped */
	struct str whole; /* the same, in full */
	struct str role;
	uint64_t id;			   /* the same in every view */
	const struct board_engine *engine; /* NULL: a group */
	uint32_t members;		   /* first engine of the group */
	uint32_t n;			   /* engines */
	uint32_t up;
	double values[BOARD_VALUES];
	uint32_t alarms; /* that are on, as bits by enum alarm_kind */
	unsigned gravity;
};

struct board_view {
	const struct board *board;
	struct board_frame frame;
	uint64_t number; /* of the frame */
	struct board_row *rows;
	uint32_t n;
	const struct board_engine **members; /* of all rows, row by row */
	const struct board_alarm **alarms;   /* most severe first */
	uint32_t n_alarms;
	/* The median over rows, the better of two; NaN: too few are known. */
	double usual[BOARD_VALUES];
	double worst[BOARD_VALUES];
	struct arena text;
};

/* Requires a frame. Free the view in any case. 0 or an error. */
int board_view_make(struct board_view *v, const struct board *b,
		    const struct board_view_how *how, struct err *err);
void board_view_free(struct board_view *v);

/* How a value differs from the others. */
enum board_mark { MARK_NONE, MARK_WORST, MARK_ALARM };

enum board_mark board_mark_of(const struct board_view *v,
			      const struct board_row *row,
			      enum board_value value);

/* The last n values of a row up to the view's frame; NaN before the first that
 * is kept. */
void board_history(const struct board_view *v, const struct board_row *row,
		   enum board_value value, size_t n, double *values);

/* Plain text of canonical escapes; p is NULL if out of memory. */
struct str board_plain(struct arena *a, struct str canonical);

/* An engine's short name, as in its row; the host in its name; or the value of
 * one of its labels, empty if it has none. */
struct str board_node(struct str name);
struct str board_label(struct str labels, const char *label);

#endif
