/*
 * Any bytes as an HTTP answer, head and body: what comes of it is the same
 * however the body is cut into pieces.
 */
#include <stdlib.h>

#include "base/buf.h"
#include "base/limits.h"
#include "net/client/http_body.h"

static int take(void *taker, struct str piece, struct err *err)
{
	struct buf *text = taker;

	buf_put(text, piece.p, piece.n);
	return text->failed ? buf_error(text, err) : 0;
}

/* Give the lines of the head to b; what follows the empty line is returned. */
static struct str put_head(struct http_body *b, struct str answer)
{
	while (answer.n > 0 && b->error.code == 0) {
		const char *lf = memchr(answer.p, '\n', answer.n);
		size_t n = lf ? (size_t)(lf - answer.p) + 1 : answer.n;
		struct str line = str_make(answer.p, n);

		answer = str_make(answer.p + n, answer.n - n);
		http_body_head(b, line);
		if (str_trim(line).n == 0)
			break;
	}
	return answer;
}

/* How it ends when the body comes in pieces of this size. */
static int read_answer(struct str answer, size_t size, struct buf *text)
{
	struct http_body b = http_body_new((struct unpack_taker){take, text});
	struct str body = put_head(&b, answer);
	int rc = b.error.code;

	while (body.n > 0 && rc == 0) {
		size_t n = body.n < size ? body.n : size;

		rc = http_body_put(&b, str_make(body.p, n));
		body = str_make(body.p + n, body.n - n);
	}
	if (rc == 0)
		rc = http_body_end(&b);
	if (rc != b.error.code || (rc < 0 && b.error.text[0] == '\0') ||
	    (b.truncated && rc != ERR_INPUT))
		abort();
	http_body_free(&b);
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct str answer = str_make((const char *)bytes, n);
	struct buf whole = buf_new(MIB);
	struct buf pieces = buf_new(MIB);
	int rc = read_answer(answer, n + 1, &whole);

	for (size_t size = 1; size < 8; size += 3) {
		buf_clear(&pieces);
		if (read_answer(answer, size, &pieces) != rc)
			abort();
		if (rc == 0 && !str_eq(buf_str(&whole), buf_str(&pieces)))
			abort();
	}
	buf_free(&whole);
	buf_free(&pieces);
	return 0;
}
