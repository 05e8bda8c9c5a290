/*
 * URLs, split into their parts and rebuilt.
 *
 * The parser is strict on purpose (RFC 3986, http-like schemes only): what it
 * accepts means the same to every other parser, libcurl's included, which gets
 * a URL rebuilt from the parts. A blank, a backslash, a control byte, an IPv6
 * address without brackets is an error, never a guess. Zone identifiers of IPv6
 * addresses are kept as written, with % or %25.
 *
 * All slices point into the parsed text. Credentials are separate in `user`;
 * url_put omits them, so they cannot reach a message.
 */
#ifndef OBS_NET_CLIENT_URL_H
#define OBS_NET_CLIENT_URL_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

struct url {
	struct str scheme; /* as written, without "://"; n is 0: none */
	struct str user;   /* "name:password", still percent-encoded */
	struct str host;   /* IPv6 with its brackets */
	int port;	   /* 0: not given */
	struct str path;   /* path and query, from '/' or '?'; may be empty */
};

/* Split "[SCHEME://][USER@]HOST[:PORT][PATH][?QUERY]". A fragment is rejected.
 * Returns 0 or ERR_INPUT; errors do not quote credentials. */
int url_parse(struct str text, struct url *url, struct err *err);

/* Where the authority, [USER@]HOST[:PORT], begins and ends in text that may not
 * be a URL. */
void url_find_authority(struct str text, size_t *start, size_t *end);

/* Is this the scheme, in any case? */
bool url_scheme_is(const struct url *url, const char *scheme);

/* The port given, else the scheme's own (80 or 443), else 0. */
int url_port(const struct url *url);

/* Equal schemes, hosts and ports: a key may be sent there again. */
bool url_same_origin(const struct url *a, const struct url *b);

/* Append "SCHEME://HOST[:PORT]", in lower case, omitting a default port. */
void url_put_origin(struct buf *out, const struct url *url);

#endif
