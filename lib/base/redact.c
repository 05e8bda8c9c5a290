#include "base/redact.h"

#include <stdbool.h>
#include <string.h>

/* Does it end HOST:PORT of a URL in a text? */
static bool is_end(char c)
{
	return (unsigned char)c <= ' ' || strchr("/?#'\"", c) != NULL;
}

static bool is_digit(const char *text, size_t n, size_t i)
{
	return i < n && text[i] >= '0' && text[i] <= '9';
}

/* What follows an '@': a data parallel rank, only digits, and not a host? */
static bool is_rank(const char *text, size_t n)
{
	size_t i = 0;

	while (is_digit(text, n, i))
		i++;
	if (i == 0 || i == n || is_end(text[i]))
		return i > 0;
	return strchr(",;)", text[i]) != NULL ||
	       (text[i] == ':' && !is_digit(text, n, i + 1));
}

/* How many bytes at the beginning are USER:PASSWORD@. */
static size_t user_length(const char *text, size_t n)
{
	size_t length = 0;

	for (size_t i = 0; i < n && !is_end(text[i]); i++)
		if (text[i] == '@' && !is_rank(text + i + 1, n - i - 1))
			length = i + 1;
	return length;
}

size_t redact_urls(char *text, size_t n)
{
	char *from = text;

	for (;;) {
		size_t left = n - (size_t)(from - text), user;
		char *slashes = memmem(from, left, "://", 3);

		if (slashes == NULL)
			return n;
		from = slashes + 3;
		left = n - (size_t)(from - text);
		user = user_length(from, left);
		memmove(from, from + user, left - user);
		n -= user;
	}
}
