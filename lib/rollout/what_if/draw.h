/*
 * Reproducible random numbers: splitmix64, seeded by the caller.
 */
#ifndef OBS_ROLLOUT_WHAT_IF_DRAW_H
#define OBS_ROLLOUT_WHAT_IF_DRAW_H

#include <math.h>
#include <stdint.h>

struct draw {
	uint64_t state;
};

static inline uint64_t draw_bits(struct draw *draw)
{
	uint64_t z;

	draw->state += 0x9e3779b97f4a7c15u;
	z = draw->state;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* Above 0 and at most 1. */
static inline double draw_uniform(struct draw *draw)
{
	return ((double)(draw_bits(draw) >> 11) + 1) * 0x1p-53;
}

/* A number below n, which is above 0. */
static inline uint32_t draw_below(struct draw *draw, uint32_t n)
{
	return (uint32_t)(((draw_bits(draw) >> 32) * n) >> 32);
}

/* With mean 0 and standard deviation 1. */
static inline double draw_normal(struct draw *draw)
{
	double radius = sqrt(-2 * log(draw_uniform(draw)));

	return radius * cos(2 * M_PI * draw_uniform(draw));
}

#endif
