/*
 * The display of obs-top, drawn from a view of a board: the fleet, its alarms,
 * a table of engines, one engine, help. Does not change what it draws; it
 * stores the resulting layout in the scene, for keys and the mouse.
 */
#ifndef OBS_SINK_SCREEN_TOP_SCENE_H
#define OBS_SINK_SCREEN_TOP_SCENE_H

#include "base/map.h"
#include "metrics/board_view.h"
#include "metrics/detail.h"
#include "sink/board/board_column.h"
#include "sink/screen/screen.h"

enum scene_page { PAGE_FLEET, PAGE_ENGINE, PAGE_ALARMS, PAGE_HELP };

struct scene {
	const struct board_view *view; /* NULL: there is no snapshot yet */
	const struct detail *detail;   /* for PAGE_ENGINE; may be NULL */
	const struct map *marked;      /* ids of rows */
	enum scene_page page;
	const char *source;  /* the input's name */
	const char *state;   /* "live", "replay", "frozen", "ended" */
	const char *message; /* replaces the hints; NULL: none */
	const char *prompt;  /* also a question; NULL: none */
	const char *typed;   /* the answer so far */
	const char *filter;  /* "": none */
	const char *by;	     /* NULL: one row per engine */
	int sort;
	bool reversed;
	bool hidden[BOARD_COLUMNS];
	double late;	 /* seconds since the last snapshot */
	uint32_t cursor; /* the chosen row */
	uint32_t top;	 /* the first visible row */
	uint32_t scroll; /* first line, on other pages */
	/* The layout: */
	int first_line; /* of the rows */
	uint32_t lines; /* for rows */
	int heading;	/* line of the headings; -1: none */
	struct scene_place {
		int sort; /* the sort key of a click on the heading */
		int column;
		int width;
	} places[BOARD_COLUMNS + 2];
	uint32_t n_places;
};

/* Draw everything. 0 or an error. */
int scene_draw(struct scene *scene, struct screen *screen, struct err *err);

/* Parts, for the files of this component: */
int scene_put_table(struct scene *scene, struct screen *screen, int line,
		    int end, struct err *err);
void scene_put_engine(struct scene *scene, struct screen *screen, int line,
		      int end);
void scene_put_alarm(const struct scene *scene, struct screen *screen,
		     const struct board_alarm *a, int line);
#endif
