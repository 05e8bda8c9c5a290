#include "metrics/guess.h"

#include "base/array.h"

/* Suffixes that mark a fraction. */
static const char *const fractions[] = {
	"_usage_perc", "_utilization", "_utilization_perc",
	"_hit_rate",   "_accept_rate", "_acceptance_rate",
	"_ratio",      "_percent",     "_percentage",
	"_fraction",
};

enum { FRACTIONS = ARRAY_SIZE(fractions) };

enum reduce_op guess_gauge_op(struct str name)
{
	for (size_t i = 0; i < FRACTIONS; i++)
		if (str_ends(name, fractions[i]))
			return OP_MEAN;
	return OP_SUM;
}
