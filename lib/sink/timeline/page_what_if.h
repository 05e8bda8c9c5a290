/*
 * The estimated savings of remedies, as a member of the page's data on a dump.
 */
#ifndef OBS_SINK_TIMELINE_PAGE_WHAT_IF_H
#define OBS_SINK_TIMELINE_PAGE_WHAT_IF_H

#include "fmt/json/json_write.h"
#include "rollout/what_if/gather.h"
#include "sink/timeline/sink.h"

/* A page should appear immediately: with more requests nothing is estimated. */
enum { PAGE_REQUESTS_MAX = 4096 };

/* Write the member "whatIf" for the gathered rows, whose numbers are those of
 * the page's rows; nothing if there are no requests. base: the page's time 0,
 * in us. 0 or ERR_MEMORY. */
int page_put_what_if(struct json_writer *json,
		     const struct what_if_gather *gather, int64_t base,
		     struct err *err);

/* What a page omits from its dump; data.js's leftOut words it. */
void page_put_choice(struct json_writer *json,
		     const struct timeline_choice *choice);

/* Does the page have all samples of its dump? */
static inline bool page_is_whole(const struct timeline_choice *choice)
{
	return choice == NULL || (choice->filter == NULL && choice->top == 0 &&
				  choice->cut == CUT_NONE && choice->part == 0);
}

#endif
