/*
 * Numbers in prometheus_client's format, in values and in le: Python's
 * repr, but with an exponent from 10^6 on, like Go (floatToGoString in
 * the client's utils.py). 1.0, 0.25, 1e+06, 1.5e+06, -0.0, +Inf, NaN.
 */
#ifndef OBS_FMT_PROM_PROM_CLIENT_H
#define OBS_FMT_PROM_PROM_CLIENT_H

#include <stddef.h>

#include "fmt/prom/prom_text.h"

/* Print v; returns the length. */
size_t prom_client_put(char out[PROM_NUMBER_MAX], double v);

#endif
