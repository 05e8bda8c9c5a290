/*
 * Binary search.
 *
 * SEARCH_FIRST sets i, a size_t, to the first index of [from, to) that has a
 * property, or to `to` if none has it. The property is an expression of i; all
 * indices after the first that has it have it, too:
 *
 *	SEARCH_FIRST(i, 0, list->n, list->v[i].time >= time);
 */
#ifndef OBS_BASE_SEARCH_H
#define OBS_BASE_SEARCH_H

#include <stddef.h>

#define SEARCH_FIRST(i, from, to, property)                                    \
	do {                                                                   \
		size_t search_low = (from), search_high = (to);                \
                                                                               \
		while (search_low < search_high) {                             \
			(i) = search_low + (search_high - search_low) / 2;     \
			if (property)                                          \
				search_high = (i);                             \
			else                                                   \
				search_low = (i) + 1;                          \
		}                                                              \
		(i) = search_low;                                              \
	} while (0)

#endif
