#include "fmt/prom/prom_scan.h"

#include <math.h>
#include <stdint.h>

#include "base/num.h"
#include "base/utf8.h"
#include "fmt/prom/prom.h"
#include "fmt/prom/prom_text.h"

enum { FOUND_MAX = 24 /* bytes of the offending text in a message */ };
enum { IN_ANY = NAME_FIRST | NAME | LABEL_FIRST | LABEL | TEXT };

const unsigned char scan_classes[256] = {
	['a' ... 'z'] = IN_ANY,
	['A' ... 'Z'] = IN_ANY,
	['0' ... '9'] = NAME | LABEL | TEXT,
	['_'] = IN_ANY,
	[':'] = NAME_FIRST | NAME | TEXT,
	[' '] = BLANK | TEXT,
	['\t'] = BLANK,
	['!'] = TEXT,
	['#' ... '/'] = TEXT,
	[';' ... '@'] = TEXT,
	['['] = TEXT,
	[']' ... '^'] = TEXT,
	['`'] = TEXT,
	['{' ... '~'] = TEXT,
};

static bool is_plain(struct str s, unsigned char first, unsigned char rest)
{
	if (s.n == 0 || !in_class(s.p[0], first))
		return false;
	for (size_t i = 1; i < s.n; i++)
		if (!in_class(s.p[i], rest))
			return false;
	return true;
}

bool prom_plain_name(struct str s)
{
	return is_plain(s, NAME_FIRST, NAME);
}

bool prom_plain_label(struct str s)
{
	return is_plain(s, LABEL_FIRST, LABEL);
}

int scan_refuse(const struct cursor *c, struct err *err, const char *wanted)
{
	size_t column = (size_t)(c->p - c->start) + 1;
	size_t n = (size_t)(c->end - c->p);
	const char *dots = n > FOUND_MAX ? "..." : "";

	if (n == 0)
		return err_at(err, ERR_INPUT, ERR_LINE, 0,
			      "column %zu: %s, found the end of the line",
			      column, wanted);
	n = n > FOUND_MAX ? FOUND_MAX : n;
	return err_at(err, ERR_INPUT, ERR_LINE, 0,
		      "column %zu: %s, found \"%.*s%s\"", column, wanted,
		      (int)n, c->p, dots);
}

struct str scan_word(struct cursor *c)
{
	const char *first = c->p;

	while (!at_word_end(c))
		c->p++;
	return str_make(first, (size_t)(c->p - first));
}

int scan_utf8(const struct cursor *c, struct str text, struct err *err)
{
	struct cursor bad = *c;
	uint32_t point;

	for (const char *p = text.p, *end = p + text.n; p < end;) {
		if ((unsigned char)*p < 0x80) { /* as most are */
			p++;
			continue;
		}
		bad.p = p;
		p += utf8_next(p, end, &point);
		if (point == UTF8_BAD || (point >= 0xd800 && point < 0xe000))
			return scan_refuse(&bad, err, "expected UTF-8");
	}
	return 0;
}

int scan_value(struct cursor *c, double *value, struct err *err)
{
	const char *first = c->p;
	const char *wanted = "expected a number";

	c->p += num_scan_double(str_make(first, (size_t)(c->end - first)),
				value);
	if (c->p > first && at_word_end(c)) {
		if (!isinf(*value))
			return 0;
		wanted = "expected a number that a double can hold";
	} else {
		c->p = first;
		if (prom_number(scan_word(c), value))
			return 0;
	}
	c->p = first;
	return scan_refuse(c, err, wanted);
}
