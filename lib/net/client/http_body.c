#include "net/client/http_body.h"

#include <strings.h>

#include "base/num.h"

struct http_body http_body_new(struct unpack_taker taker)
{
	return (struct http_body){.taker = taker, .length = -1};
}

static void free_layers(struct http_body *b)
{
	for (size_t i = 0; i < HTTP_CODINGS_MAX; i++) {
		unpack_close(b->layers[i]);
		b->layers[i] = NULL;
	}
}

void http_body_free(struct http_body *b)
{
	free_layers(b);
}

/* The head. */

/* The value of the header with that name, if line is one. */
static bool has_name(struct str line, const char *name, struct str *value)
{
	size_t n = strlen(name);

	if (line.n <= n || line.p[n] != ':' ||
	    strncasecmp(line.p, name, n) != 0)
		return false;
	*value = str_trim(str_skip(line, n + 1));
	return true;
}

static int read_length(struct http_body *b, struct str value)
{
	do {
		struct str part = str_trim(str_cut(&value, ','));
		int64_t length;

		if (part.n == 0 || *part.p < '0' || *part.p > '9' ||
		    !num_parse_int(part, &length))
			return err_set(&b->error, ERR_INPUT,
				       "Content-Length is not a number: %.*s",
				       STR_ARG(part));
		if (b->length >= 0 && b->length != length)
			return err_set(&b->error, ERR_INPUT,
				       "Content-Length headers contradict each "
				       "other: %lld and %lld bytes",
				       (long long)b->length, (long long)length);
		b->length = length;
	} while (value.n > 0);
	return 0;
}

static int read_coding(struct http_body *b, struct str value)
{
	enum unpack_format format = UNPACK_GZIP;

	if (value.n == 0 || str_is_nocase(value, "identity"))
		return 0;
	if (str_is_nocase(value, "deflate"))
		format = UNPACK_DEFLATE;
	else if (!str_is_nocase(value, "gzip") &&
		 !str_is_nocase(value, "x-gzip"))
		return err_set(&b->error, ERR_INPUT,
			       "the body has Content-Encoding %.*s, but only "
			       "%s were requested",
			       STR_ARG(value), HTTP_CODINGS);
	if (b->n == HTTP_CODINGS_MAX)
		return err_set(&b->error, ERR_INPUT,
			       "Content-Encoding lists more than %d codings",
			       HTTP_CODINGS_MAX);
	b->codings[b->n++] = format;
	return 0;
}

/* Only chunked was requested, and libcurl would not detect another's end. */
static int read_transfer(struct http_body *b, struct str value)
{
	if (str_is_nocase(value, "chunked"))
		b->chunked = true;
	else if (value.n > 0 && !str_is_nocase(value, "identity"))
		return err_set(&b->error, ERR_INPUT,
			       "the body has Transfer-Encoding %.*s, but only "
			       "chunked is supported",
			       STR_ARG(value));
	return 0;
}

static int read_each(struct http_body *b, struct str list,
		     int (*read)(struct http_body *b, struct str value))
{
	int rc = 0;

	while (list.n > 0 && rc == 0)
		rc = read(b, str_trim(str_cut(&list, ',')));
	return rc;
}

/* "HTTP/1.1 103 ..." precedes the final response and has no body. */
static bool is_interim(struct str line)
{
	const char *blank = memchr(line.p, ' ', line.n);

	return blank && blank + 1 < line.p + line.n && blank[1] == '1';
}

int http_body_head(struct http_body *b, struct str line)
{
	struct str value;

	if (str_starts(line, "HTTP/")) {
		free_layers(b);
		*b = http_body_new(b->taker);
		b->head_over = is_interim(line);
		return 0;
	}
	b->head_over |= str_trim(line).n == 0;
	if (b->head_over)
		return 0;
	if (has_name(line, "Content-Length", &value))
		return read_length(b, value);
	if (has_name(line, "Content-Encoding", &value))
		return read_each(b, value, read_coding);
	if (has_name(line, "Transfer-Encoding", &value))
		return read_each(b, value, read_transfer);
	return 0;
}

/* The body. */

static int feed(void *unpacker, struct str piece, struct err *err)
{
	return unpack_put(unpacker, piece, err);
}

/* The last coding applied is the first to undo. */
static int make_layers(struct http_body *b)
{
	struct unpack_taker taker = b->taker;

	for (size_t i = 0; i < b->n; i++) {
		b->layers[i] = unpack_open(b->codings[i], taker);
		if (b->layers[i] == NULL)
			return err_memory(&b->error);
		taker = (struct unpack_taker){feed, b->layers[i]};
	}
	return 0;
}

int http_body_put(struct http_body *b, struct str piece)
{
	struct unpack_taker *to = &b->taker;

	if (b->n == 0)
		return to->take(to->taker, piece, &b->error);
	if (b->layers[0] == NULL && make_layers(b) < 0)
		return b->error.code;
	return unpack_put(b->layers[b->n - 1], piece, &b->error);
}

int http_body_end(struct http_body *b)
{
	for (size_t i = b->n; i > 0 && b->layers[0]; i--) {
		if (unpack_end(b->layers[i - 1], &b->error) < 0) {
			b->truncated = true;
			return b->error.code;
		}
	}
	return 0;
}

bool http_body_end_known(const struct http_body *b)
{
	if (b->n > 0) /* the framing shows the end of an empty body */
		return b->layers[0] != NULL;
	return b->length >= 0 || b->chunked;
}
