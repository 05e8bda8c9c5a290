/*
 * Huge pages for large memory that is used from its first byte to its last:
 * faults, and misses of the translation of addresses, are fewer by hundreds.
 */
#ifndef OBS_BASE_PAGES_H
#define OBS_BASE_PAGES_H

#include <stddef.h>

/* Advise the system of the n bytes at p, which came from malloc. Nothing
 * happens if they are few, or if the system has no such pages. */
void pages_advise(void *p, size_t n);

#endif
