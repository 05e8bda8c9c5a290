/*
 * API keys: from a file or the environment, never from the command line.
 *
 * A key is the first line of its text, trimmed. It must be printable ASCII,
 * since it becomes part of a header line. Errors never quote any of it.
 */
#ifndef OBS_NET_CLIENT_KEY_H
#define OBS_NET_CLIENT_KEY_H

#include "base/buf.h"
#include "base/err.h"

/*
 * Append the key, NUL-terminated: of the first non-NULL file in files, else of
 * the first non-NULL text in texts; nothing if all are NULL. Returns 0;
 * ERR_INPUT if a key is empty or cannot be sent; another code if the file
 * cannot be read.
 */
int key_read(const char *const files[2], const char *const texts[2],
	     struct buf *key, struct err *err);

#endif
