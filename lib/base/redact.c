#include "base/redact.h"

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

void redact_secret(char *text, size_t n, const char *secret, bool cut)
{
	size_t length = secret ? strlen(secret) : 0;
	char *end = text + n;
	size_t tail = length < n ? length : n;

	if (length == 0 || n == 0)
		return;
	for (char *at = memmem(text, n, secret, length); at;
	     at = memmem(at, (size_t)(end - at), secret, length)) {
		memset(at, '*', length);
		at += length;
	}
	while (cut && tail > 0 && memcmp(end - tail, secret, tail) != 0)
		tail--;
	if (cut)
		memset(end - tail, '*', tail);
}

void redact_basic(char *text, size_t n)
{
	static const char scheme[] = "Basic ";
	char *end = text + n;
	char *word = text;

	while (n > 0) {
		word = memmem(word, (size_t)(end - word), scheme,
			      sizeof(scheme) - 1);
		if (word == NULL)
			return;
		word += sizeof(scheme) - 1;
		while (word < end && (*word == '/' || !is_end(*word)))
			*word++ = '*';
	}
}
