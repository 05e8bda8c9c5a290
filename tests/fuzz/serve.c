/*
 * Any bytes as what a client sends to a server of ours: up to the first
 * newline a Host, then a path. An accepted Host is a name or an address and
 * nothing else, and a path is only what it decodes to.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "net/server/serve_host.h"
#include "net/server/serve_path.h"

#include "fuzz.h"

static void check_host(struct str host)
{
	static const struct str names[] = {STR("node-1"), STR("")};
	bool without_names = serve_host_accepts(host, NULL, 0);
	bool accepted = serve_host_accepts(host, names, 2);

	require(accepted || !without_names);
	if (!accepted)
		return;
	require(host.n > 0);
	/* What a zone is called is left aside. */
	for (size_t i = 0; i < host.n && host.p[i] != '%'; i++)
		require(strchr("/?#@\\\" \t", host.p[i]) == NULL);
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The plain way to decode; false where an escape is none. */
static bool decode(const char *p, char *out)
{
	for (; *p; p++) {
		int high = *p == '%' ? hex(p[1]) : 0;
		int low = *p == '%' && high >= 0 ? hex(p[2]) : 0;

		if (high < 0 || low < 0)
			return false;
		*out++ = *p == '%' ? (char)(high << 4 | low) : *p;
		if (out[-1] == '\0')
			return false;
		p += *p == '%' ? 2 : 0;
	}
	*out = '\0';
	return true;
}

static void check_path(const char *encoded)
{
	char *decoded = malloc(strlen(encoded) + 1);

	if (decoded == NULL)
		return;
	if (decode(encoded, decoded))
		require(serve_path_is(encoded, decoded));
	require(serve_path_is(encoded, "/metrics") ==
		(decode(encoded, decoded) && strcmp(decoded, "/metrics") == 0));
	free(decoded);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	const char *text = (const char *)bytes;
	const char *lf = n > 0 ? memchr(text, '\n', n) : NULL;
	size_t host = lf == NULL ? n : (size_t)(lf - text);
	char *path = lf == NULL ? NULL : strndup(lf + 1, n - host - 1);

	check_host(str_make(text, host));
	if (path != NULL)
		check_path(path);
	free(path);
	return 0;
}
