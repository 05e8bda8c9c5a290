#include "base/redact.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

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

static size_t remove_users(char *text, size_t n)
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

/* Does the name of a parameter contain a word for secrets? */
static bool is_secret(const char *name, size_t n)
{
	static const char *const words[] = {
		"auth", "credential", "key", "pass", "secret", "sig", "token"};

	for (size_t k = 0; k < sizeof(words) / sizeof(*words); k++) {
		size_t length = strlen(words[k]);

		for (size_t i = 0; i + length <= n; i++)
			if (strncasecmp(name + i, words[k], length) == 0)
				return true;
	}
	return false;
}

static bool ends_value(char c)
{
	return (unsigned char)c <= ' ' || strchr("&#'\"", c) != NULL;
}

/* How long a value is, without the punctuation of the sentence behind it. */
static size_t value_length(const char *text, size_t n)
{
	size_t length = 0;

	while (length < n && !ends_value(text[length]))
		length++;
	while (length > 0 && strchr(":;,)", text[length - 1]) != NULL)
		length--;
	return length;
}

static size_t hide_values(char *text, size_t n)
{
	size_t name = SIZE_MAX; /* where a parameter's name begins */
	size_t to = 0;

	for (size_t i = 0; i < n; i++) {
		char c = text[i];
		size_t value = 0;

		text[to++] = c;
		if (c == '=' && name < to && is_secret(text + name, to - name))
			value = value_length(text + i + 1, n - i - 1);
		if (value > 0)
			text[to++] = '*';
		i += value;
		if (c == '?' || c == '&')
			name = to;
		else if (c == '=' || ends_value(c))
			name = SIZE_MAX;
	}
	return to;
}

size_t redact_urls(char *text, size_t n)
{
	return hide_values(text, remove_users(text, n));
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
