/*
 * API keys: from a file or the environment, never from the command line.
 *
 * A key is the first line of its text, without blanks around it. It must be
 * printable ASCII, since it becomes part of a header line. Errors never quote
 * any of it.
 */
#ifndef OBS_NET_CLIENT_KEY_H
#define OBS_NET_CLIENT_KEY_H

#include "base/buf.h"
#include "base/err.h"

/*
 * Append the key with a NUL: of the first file in files that is not NULL, else
 * of the first text in texts that is not. Nothing is appended when all are
 * NULL. Returns 0; ERR_INPUT for a key that is empty or cannot be sent;
 * another code when the file cannot be read.
 */
int key_read(const char *const files[2], const char *const texts[2],
	     struct buf *key, struct err *err);

#endif
