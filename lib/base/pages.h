/*
 * Huge pages for large memory that is used from its first byte to its last:
 * faults, and misses of the translation of addresses, are fewer by hundreds.
 */
#ifndef OBS_BASE_PAGES_H
#define OBS_BASE_PAGES_H

#include <stddef.h>

/* n bytes, to be freed with free; NULL if there is no memory. Many begin at a
 * huge page and lie in such pages, if the system has them: one that is not
 * touched costs no memory. */
void *pages_alloc(size_t n);

#endif
