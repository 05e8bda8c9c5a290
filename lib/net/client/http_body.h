/*
 * The body of an HTTP response: its framing and codings, from the head
 * (RFC 9112, section 6; RFC 9110, section 8.4), and its text, decoded as it
 * arrives.
 *
 * libcurl accepts a compressed body that is truncated, and the first of two
 * contradicting lengths. Here both are errors: the text is complete or fails.
 *
 * Ownership: an http_body belongs to its exchange; the taker's context is
 * borrowed until http_body_free.
 */
#ifndef OBS_NET_CLIENT_HTTP_BODY_H
#define OBS_NET_CLIENT_HTTP_BODY_H

#include <stdbool.h>
#include <stdint.h>

#include "fmt/file/unpack.h"

/* Nested codings: more than one is odd, and libcurl stops at 5. */
enum { HTTP_CODINGS_MAX = 4 };

/* What is requested: other codings are not decoded. */
#define HTTP_CODINGS "gzip, deflate"

struct http_body {
	struct unpack_taker taker; /* of the decoded text */
	struct err error;	   /* the first error */
	bool truncated;		   /* which is that it is truncated */
	/* From the head of the last response. */
	bool head_over;
	bool chunked;
	int64_t length;				      /* -1: not given */
	enum unpack_format codings[HTTP_CODINGS_MAX]; /* as applied */
	size_t n;
	struct unpacker *layers[HTTP_CODINGS_MAX]; /* NULL before any byte */
};

struct http_body http_body_new(struct unpack_taker taker);
void http_body_free(struct http_body *b);

/* These three return 0, or a negative code with b->error filled. */

/* A line of a head or a trailer, including its end. */
int http_body_head(struct http_body *b, struct str line);
int http_body_put(struct http_body *b, struct str piece);
/* The exchange ended without errors. */
int http_body_end(struct http_body *b);

/* Is it certain, after http_body_end, that nothing is missing? Without a
 * length, chunks or compression, only closing the connection ends a body. */
bool http_body_end_known(const struct http_body *b);

#endif
