#include "metrics/naming.h"

#include <fnmatch.h>

static struct str without_prefix(struct str s, const char *prefix)
{
	size_t n = prefix == NULL ? 0 : strlen(prefix);

	/* A name consisting only of the prefix would become empty: keep it. */
	if (n == 0 || s.n == n || !str_starts(s, prefix))
		return s;
	return str_skip(s, n);
}

struct str naming_apply(const struct naming *how, struct arena *a,
			struct str source)
{
	const char *prefix = how->prefix == NULL ? "" : how->prefix;
	struct str rest = without_prefix(source, how->strip_prefix);
	size_t n = strlen(prefix);
	char *p = arena_alloc(a, n + rest.n + 1);

	if (p == NULL)
		return str_make(NULL, 0);
	memcpy(p, prefix, n);
	memcpy(p + n, rest.p, rest.n);
	p[n + rest.n] = '\0';
	for (size_t i = 0; how->sanitize && i < n + rest.n; i++)
		if (p[i] == ':')
			p[i] = '_';
	return str_make(p, n + rest.n);
}

bool naming_matches(const char *const *globs, size_t n, struct str source,
		    struct str name)
{
	for (size_t i = 0; i < n; i++)
		if (fnmatch(globs[i], source.p, 0) == 0 ||
		    fnmatch(globs[i], name.p, 0) == 0)
			return true;
	return false;
}

bool naming_wants(const struct naming *how, struct str source, struct str name)
{
	if (how->n_select > 0 &&
	    !naming_matches(how->select, how->n_select, source, name))
		return false;
	return !naming_matches(how->drop, how->n_drop, source, name);
}
