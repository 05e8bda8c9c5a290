/*
 * A limit as users write it: NAME > 2, NAME <= 0.5, NAME > +10%. It states the
 * unwanted condition.
 */
#ifndef OBS_BASE_LIMIT_TEXT_H
#define OBS_BASE_LIMIT_TEXT_H

#include <stdbool.h>

#include "base/str.h"

struct limit_text {
	struct str name; /* a part of the text */
	bool above;	 /* exceeded above the limit, else below it */
	bool equal;	 /* ... and at it */
	bool change;	 /* the limit is a relative change: 0.1 for 10% */
	double limit;
};

/* Parse NAME, one of > < >= <=, and a number, or with % a change. False if the
 * text does not match. */
bool limit_parse(const char *text, struct limit_text *limit);

/* Does the value break it? NaN never does. */
bool limit_is_broken(const struct limit_text *limit, double value);

#endif
