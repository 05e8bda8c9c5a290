#include "metrics/guess.h"

/* Endings by which a fraction gives itself away. */
static const struct {
	const char *suffix;
	enum metric_rising rising;
} fractions[] = {
	{"_usage_perc", RISING_WORSE},
	{"_utilization", RISING_BETTER},
	{"_utilization_perc", RISING_WORSE},
	{"_hit_rate", RISING_BETTER},
	{"_accept_rate", RISING_BETTER},
	{"_acceptance_rate", RISING_BETTER},
	{"_ratio", RISING_WORSE},
	{"_percent", RISING_WORSE},
	{"_percentage", RISING_WORSE},
	{"_fraction", RISING_WORSE},
};

enum { FRACTIONS = sizeof(fractions) / sizeof(fractions[0]) };

enum reduce_op guess_gauge_op(struct str name)
{
	for (size_t i = 0; i < FRACTIONS; i++)
		if (str_ends(name, fractions[i].suffix))
			return OP_MEAN;
	return OP_SUM;
}

enum metric_rising guess_rising(struct str name)
{
	for (size_t i = 0; i < FRACTIONS; i++)
		if (str_ends(name, fractions[i].suffix))
			return fractions[i].rising;
	if (str_ends(name, "_tokens_total") || str_ends(name, "_throughput"))
		return RISING_BETTER;
	return RISING_NEUTRAL;
}
