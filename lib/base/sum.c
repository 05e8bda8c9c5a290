#include "base/sum.h"

#include <math.h>

static struct sum scale_down(struct sum s)
{
	if (s.scaled)
		return s;
	return (struct sum){s.high / SUM_SCALE, s.low / SUM_SCALE, true};
}

static struct sum plus(struct sum s, double v)
{
	double high = s.high + v;
	double part = high - s.high;

	s.low += (s.high - (high - part)) + (v - part);
	s.high = high;
	return s;
}

void sum_add(struct sum *s, double v)
{
	sum_merge(s, (struct sum){.high = v});
}

void sum_merge(struct sum *s, struct sum other)
{
	struct sum both;

	if (s->scaled || other.scaled ||
	    (isinf(s->high + other.high) && isfinite(other.high))) {
		*s = scale_down(*s);
		other = scale_down(other);
	}
	both = plus(*s, other.high);
	both.low += other.low;
	*s = both;
}

struct sum sum_settle(struct sum s)
{
	struct sum plain = {s.high * SUM_SCALE, s.low * SUM_SCALE, false};

	return s.scaled && isfinite(plain.high) && isfinite(plain.low) ? plain
								       : s;
}

double sum_total(struct sum s)
{
	return s.scaled ? (s.high + s.low) * SUM_SCALE : s.high + s.low;
}

double sum_mean(struct sum s, double n)
{
	double mean = (s.high + s.low) / n;

	return s.scaled ? mean * SUM_SCALE : mean;
}
