/*
 * The body of an HTTP answer: how the head says it is framed and coded
 * (RFC 9112, section 6; RFC 9110, section 8.4), and its text, decoded as it
 * arrives.
 *
 * libcurl takes a compressed body that stops anywhere for a complete one, and
 * the first of two lengths that contradict each other for the right one. Here
 * both are errors: a text that came is the whole text.
 *
 * Ownership: an http_body is its exchange's; what the taker points to is
 * borrowed until http_body_free.
 */
#ifndef OBS_NET_CLIENT_HTTP_BODY_H
#define OBS_NET_CLIENT_HTTP_BODY_H

#include <stdbool.h>
#include <stdint.h>

#include "fmt/file/unpack.h"

/* Codings on top of each other: more than one is odd, and libcurl ends at 5. */
enum { HTTP_CODINGS_MAX = 4 };

/* What is asked for: others, also newer ones, are not decoded. */
#define HTTP_CODINGS "gzip, deflate"

struct http_body {
	struct unpack_taker taker; /* of the decoded text */
	struct err error;	   /* the first thing that went wrong */
	bool truncated;		   /* which is that it ends too early */
	/* Of the head of the last answer. */
	bool head_over;
	bool chunked;
	int64_t length;				      /* -1: not given */
	enum unpack_format codings[HTTP_CODINGS_MAX]; /* as applied */
	size_t n;
	struct unpacker *layers[HTTP_CODINGS_MAX]; /* made with the first byte */
};

struct http_body http_body_new(struct unpack_taker taker);
void http_body_free(struct http_body *b);

/* These three return 0, or a negative code with b->error filled. */

/* A line of a head, with its end, or of a trailer. */
int http_body_head(struct http_body *b, struct str line);
int http_body_put(struct http_body *b, struct str piece);
/* The exchange ended well. */
int http_body_end(struct http_body *b);

/* Is it certain, after http_body_end, that nothing was cut off? Without a
 * length, chunks or compression only the connection's end ends a body. */
bool http_body_end_known(const struct http_body *b);

#endif
