/*
 * Huge pages for large memory that is used from its first byte to its last:
 * faults, and misses of the translation of addresses, are fewer by hundreds.
 */
#ifndef OBS_BASE_PAGES_H
#define OBS_BASE_PAGES_H

#include <stddef.h>

/* n bytes, to be freed with free; NULL if out of memory. A large block begins at
 * a huge page and lies in such pages, if the system has them; a page that is
 * never touched costs no memory. */
void *pages_alloc(size_t n);

/* Return freed memory to the system, including what lies between blocks in use,
 * which the C library would keep. For after many small blocks were freed. */
void pages_give_back(void);

#endif
