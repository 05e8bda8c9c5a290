/*
 * Whole numbers in the streams of a page: 7 bits per byte, the lowest first.
 */
#ifndef OBS_SINK_TIMELINE_VARINT_H
#define OBS_SINK_TIMELINE_VARINT_H

#include "base/io.h"

static inline void put_varint(struct out *out, uint64_t v)
{
	enum { LONGEST = 10 };
	char *p = out_room(out, LONGEST);
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		p[n++] = (char)(v | 0x80);
	p[n++] = (char)v;
	out->n += n;
}

/* 0, -1, 1, -2 ... as 0, 1, 2, 3 ... */
static inline uint64_t zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
}

#endif
