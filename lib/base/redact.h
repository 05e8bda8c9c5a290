/*
 * Passwords in URLs, which must not reach a message or a label.
 */
#ifndef OBS_BASE_REDACT_H
#define OBS_BASE_REDACT_H

#include <stddef.h>

/* Remove USER:PASSWORD@ behind each SCHEME:// in a text, in place. A rank, as in
 * http://HOST:PORT@3, stays. Returns the length that is left. */
size_t redact_urls(char *text, size_t n);

#endif
