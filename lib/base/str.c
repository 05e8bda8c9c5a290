#include "base/str.h"

bool str_starts(struct str s, const char *prefix)
{
	size_t n = strlen(prefix);

	return n == 0 || (s.n >= n && memcmp(s.p, prefix, n) == 0);
}

bool str_ends(struct str s, const char *suffix)
{
	size_t n = strlen(suffix);

	return n == 0 || (s.n >= n && memcmp(s.p + s.n - n, suffix, n) == 0);
}

bool str_skip_prefix(struct str *s, const char *prefix)
{
	bool starts = str_starts(*s, prefix);

	if (starts)
		*s = str_skip(*s, strlen(prefix));
	return starts;
}

bool str_drop_suffix(struct str *s, const char *suffix)
{
	bool ends = str_ends(*s, suffix);

	if (ends)
		s->n -= strlen(suffix);
	return ends;
}

struct str str_skip_bom(struct str s)
{
	str_skip_prefix(&s, "\xef\xbb\xbf");
	return s;
}

int str_cmp(struct str a, struct str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int order = n == 0 ? 0 : memcmp(a.p, b.p, n);

	if (order != 0)
		return order;
	return (a.n > b.n) - (a.n < b.n);
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static bool same_nocase(const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (lower(a[i]) != lower(b[i]))
			return false;
	return true;
}

bool str_eq_nocase(struct str a, struct str b)
{
	return a.n == b.n && same_nocase(a.p, b.p, a.n);
}

bool str_has_nocase(struct str s, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= s.n; i++)
		if (same_nocase(s.p + i, word, n))
			return true;
	return false;
}

const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? path : slash + 1;
}

size_t common_directories(const char *a, const char *b)
{
	size_t n = 0;

	for (size_t i = 0; a[i] != '\0' && a[i] == b[i]; i++)
		if (a[i] == '/' && a[i + 1] != '\0' && b[i + 1] != '\0')
			n = i + 1;
	return n;
}

struct str str_trim_blanks(struct str s)
{
	while (s.n > 0 && str_is_blank(s.p[0])) {
		s.p++;
		s.n--;
	}
	while (s.n > 0 && str_is_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

struct str str_cut(struct str *rest, char mark)
{
	const char *at = rest->n == 0 ? NULL : memchr(rest->p, mark, rest->n);
	struct str part = *rest;

	if (at != NULL)
		part.n = (size_t)(at - rest->p);
	rest->n -= part.n + (at != NULL);
	if (rest->p != NULL)
		rest->p += part.n + (at != NULL);
	return part;
}

struct str str_part(const char **list)
{
	size_t n = strcspn(*list, ",");
	struct str part = str_make(*list, n);

	*list += n + ((*list)[n] == ',');
	return part;
}
