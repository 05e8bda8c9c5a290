#include "base/limit_text.h"

#include <math.h>

#include "base/num.h"

static bool read_number(struct limit_text *l, struct str text)
{
	bool signed_up = text.n > 0 && text.p[0] == '+';

	l->change = str_ends(text, "%");
	if (l->change)
		text = str_trim(str_make(text.p, text.n - 1));
	else if (signed_up)
		return false;
	if (!num_parse_double(text, &l->limit) || !isfinite(l->limit))
		return false;
	if (l->change)
		l->limit /= 100;
	return true;
}

bool limit_parse(const char *text, struct limit_text *limit)
{
	size_t n = strcspn(text, "<>");
	const char *number = text + n + 1;

	if (text[n] == '\0')
		return false;
	*limit = (struct limit_text){.name = str_trim(str_make(text, n)),
				     .above = text[n] == '>',
				     .equal = *number == '='};
	return limit->name.n > 0 &&
	       read_number(limit, str_trim(str_of(number + limit->equal)));
}

bool limit_is_broken(const struct limit_text *l, double value)
{
	if (l->equal && value == l->limit)
		return true;
	return l->above ? value > l->limit : value < l->limit;
}
