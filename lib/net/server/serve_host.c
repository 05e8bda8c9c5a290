#include "net/server/serve_host.h"

#include <arpa/inet.h>

enum { LITERAL_MAX = 64 };

static bool same_name(struct str a, struct str b)
{
	return a.n > 0 && str_eq_nocase(a, b);
}

/* Is all of s an address of the family? */
static bool is_literal(int family, struct str s)
{
	char text[LITERAL_MAX];
	struct in6_addr address;

	if (s.n >= sizeof(text) || memchr(s.p, '\0', s.n) != NULL)
		return false;
	memcpy(text, s.p, s.n);
	text[s.n] = '\0';
	return inet_pton(family, text, &address) == 1;
}

static bool is_port(struct str s)
{
	if (s.n > 5)
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	return true;
}

/* "[ADDRESS]" or "[ADDRESS]:PORT", ignoring a zone after %. */
static bool is_bracketed(struct str header)
{
	const char *close = memchr(header.p, ']', header.n);
	struct str inside, rest;
	const char *zone;

	if (close == NULL)
		return false;
	inside = str_make(header.p + 1, (size_t)(close - header.p - 1));
	rest = str_make(close + 1, header.n - inside.n - 2);
	zone = memchr(inside.p, '%', inside.n);
	if (zone != NULL)
		inside.n = (size_t)(zone - inside.p);
	return is_literal(AF_INET6, inside) &&
	       (rest.n == 0 ||
		(rest.p[0] == ':' && is_port(str_skip(rest, 1))));
}

bool serve_host_accepts(struct str header, const struct str *names,
			size_t count)
{
	static const struct str localhost = STR("localhost");
	struct str name = header;
	const char *colon;

	if (header.n == 0)
		return false;
	if (header.p[0] == '[')
		return is_bracketed(header);
	colon = memchr(header.p, ':', header.n);
	if (colon != NULL) {
		name.n = (size_t)(colon - header.p);
		if (!is_port(str_make(colon + 1, header.n - name.n - 1)))
			return false;
	}
	if (same_name(name, localhost) || is_literal(AF_INET, name))
		return true;
	for (size_t i = 0; i < count; i++)
		if (same_name(name, names[i]))
			return true;
	return false;
}
