/*
 * Keys and passwords, which must not reach a message or a label.
 */
#ifndef OBS_BASE_REDACT_H
#define OBS_BASE_REDACT_H

#include <stdbool.h>
#include <stddef.h>

/* Remove USER:PASSWORD@ behind each SCHEME:// in a text, in place, and make *
 * the value of each ?NAME=VALUE or &NAME=VALUE with a name like access_token or
 * X-Amz-Signature. A rank, as in http://HOST:PORT@3, stays. Returns the length
 * that is left. */
size_t redact_urls(char *text, size_t n);

/* Overwrite a secret in a text with stars, in place; in a text that was cut
 * short, also the beginning of one at its end. NULL and "" are no secret. */
void redact_secret(char *text, size_t n, const char *secret, bool cut);

/* Overwrite the word behind each "Basic ": user and password in base64. */
void redact_basic(char *text, size_t n);

#endif
