#include "net/server/serve_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"

const char *serve_path_of(const char *target, struct str *authority)
{
	static const char *const schemes[] = {"http://", "https://"};

	*authority = str_make(NULL, 0);
	for (size_t i = 0; i < ARRAY_SIZE(schemes); i++) {
		size_t n = strlen(schemes[i]);

		if (strncasecmp(target, schemes[i], n) != 0)
			continue;
		target += n;
		*authority = str_make(target, strcspn(target, "/"));
		target += authority->n;
		return *target ? target : "/";
	}
	return target;
}

void serve_path_put(struct out *out, const char *path)
{
	for (; *path != '\0'; path++) {
		unsigned char c = (unsigned char)*path;
		char code[4];

		if (c > 0x7e || c <= 0x20 || strchr("%?#\"<>&'\\", c) != NULL)
			out_put(out, code,
				(size_t)snprintf(code, sizeof(code), "%%%02X",
						 c));
		else
			out_putc(out, *path);
	}
}

/* Decode one byte of a percent-encoded path; -1 if malformed or NUL. */
static int decode(const char **p)
{
	unsigned value;
	char digits[3];
	const char *at = *p;

	if (*at != '%') {
		*p = at + 1;
		return (unsigned char)*at;
	}
	strncpy(digits, at + 1, 2);
	digits[2] = '\0';
	if (strspn(digits, "0123456789abcdefABCDEF") != 2)
		return -1;
	value = (unsigned)strtoul(digits, NULL, 16);
	*p = at + 3;
	return value == 0 ? -1 : (int)value;
}

bool serve_path_is(const char *encoded, const char *path)
{
	while (*encoded != '\0') {
		int c = decode(&encoded);

		if (c < 0 || c != (unsigned char)*path)
			return false;
		path++;
	}
	return *path == '\0';
}
