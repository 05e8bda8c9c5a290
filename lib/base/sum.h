/*
 * A sum nearly independent of the order of its terms: two doubles, the second
 * of which holds the rounding error of the first (Knuth's two-sum).
 */
#ifndef OBS_BASE_SUM_H
#define OBS_BASE_SUM_H

struct sum {
	double high, low;
};

static inline void sum_add(struct sum *s, double v)
{
	double high = s->high + v;
	double part = high - s->high;

	s->low += (s->high - (high - part)) + (v - part);
	s->high = high;
}

static inline double sum_total(struct sum s)
{
	return s.high + s.low;
}

static inline void sum_merge(struct sum *s, struct sum other)
{
	sum_add(s, other.high);
	s->low += other.low;
}

#endif
