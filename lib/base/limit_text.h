/*
 * A limit as people write it: NAME > 2, NAME <= 0.5, NAME > +10%. What is
 * written is what is unwanted.
 */
#ifndef OBS_BASE_LIMIT_TEXT_H
#define OBS_BASE_LIMIT_TEXT_H

#include <stdbool.h>

#include "base/str.h"

struct limit_text {
	struct str name; /* a part of the text */
	bool above;	 /* broken above the limit, else below it */
	bool equal;	 /* ... and at it */
	bool change;	 /* the limit is a relative change: 0.1 for 10% */
	double limit;
};

/* Read NAME, one of > < >= <=, and a number, or with % a change. False if it is
 * not like that. */
bool limit_parse(const char *text, struct limit_text *limit);

/* Is it broken by the value? NaN breaks none. */
bool limit_is_broken(const struct limit_text *limit, double value);

#endif
