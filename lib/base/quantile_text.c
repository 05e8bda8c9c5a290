#include "base/quantile_text.h"

#include "base/num.h"

enum { TEXT_MAX = 64 };

/* Digits with at most one point: "0.5", "95", ".9"; no sign, no exponent. */
static bool is_plain_number(struct str text)
{
	size_t points = 0;

	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '.')
			points++;
		else if (text.p[i] < '0' || text.p[i] > '9')
			return false;
	}
	return points <= 1 && text.n > points && text.n < TEXT_MAX;
}

/* The number times a power of ten, rounded once: 0.57 is 57 percent, not
 * 56.99999999999999. */
static double scaled(struct str text, const char *exponent)
{
	char scientific[TEXT_MAX + 4];
	size_t n = strlen(exponent);
	double v = 0;

	memcpy(scientific, text.p, text.n);
	memcpy(scientific + text.n, exponent, n);
	num_parse_double(str_make(scientific, text.n + n), &v);
	return v;
}

bool quantile_parse(struct str text, struct quantile_value *value)
{
	bool percent = str_starts(text, "p");
	double v;

	if (percent)
		text = str_skip(text, 1);
	if (!is_plain_number(text) || !num_parse_double(text, &v) || v > 100)
		return false;
	if (percent || v > 1)
		*value = (struct quantile_value){scaled(text, "e-2"), v};
	else
		*value = (struct quantile_value){v, scaled(text, "e2")};
	return true;
}
