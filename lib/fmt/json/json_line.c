/*
 * Lines of JSONL: their ends, and objects on one after something that is not
 * JSON.
 */
#include "fmt/json/json_line.h"

#include <string.h>

#include "fmt/json/json_token.h"

void json_token_keep_line(struct json_tokens *t)
{
	buf_clear(&t->kept);
	t->kept_from = t->p;
}

struct str json_token_line(struct json_tokens *t)
{
	struct str here = str_make(t->kept_from, 0);

	if (t->kept_from == NULL)
		return str_make("", 0);
	here.n = (size_t)(t->p - t->kept_from);
	t->kept_from = NULL;
	if (t->kept.n == 0 && !t->kept.failed)
		return here;
	buf_put(&t->kept, here.p, here.n);
	return t->kept.failed ? str_make("", 0) : buf_str(&t->kept);
}

int json_token_end_line(struct json_tokens *t)
{
	int rc;

	for (;; t->p++) {
		rc = t->p == t->end ? json_token_refill(t) : 0;
		if (rc != 0)
			return rc == JSON_TOKEN_END ? 0 : rc;
		if (*t->p == '\n')
			return 0;
		if (*t->p != ' ' && *t->p != '\t' && *t->p != '\r')
			break;
	}
	return json_token_unexpected(t, (unsigned char)*t->p,
				     "the end of the line");
}

int json_token_skip_line(struct json_tokens *t)
{
	int rc = 0;

	while (rc == 0) {
		size_t left = (size_t)(t->end - t->p);
		const char *newline = left > 0 ? memchr(t->p, '\n', left)
					       : NULL;

		t->p = newline != NULL ? newline : t->end;
		if (newline != NULL)
			return 0;
		rc = json_token_refill(t);
	}
	return rc == JSON_TOKEN_END ? 0 : rc;
}

bool json_ends_object(struct str rest)
{
	rest = str_trim(rest);
	return rest.n == 0 || rest.p[0] == '{';
}

size_t json_next_object(struct str line, size_t at, uint64_t work)
{
	static const uint64_t often = 16; /* maximum rescans of a line */

	if (work > often * line.n + MIB)
		return line.n;
	while (++at < line.n) {
		const char *p = memchr(line.p + at, '{', line.n - at);
		struct str rest;

		if (p == NULL)
			return line.n;
		at = (size_t)(p - line.p);
		rest = str_trim(str_make(p + 1, line.n - at - 1));
		if (rest.n > 0 && rest.p[0] == '"')
			return at;
	}
	return line.n;
}
