#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 16 };

void *array_widen(void *v, size_t *cap, size_t n, size_t size)
{
	size_t wider = *cap < LEAST / 2 ? LEAST : *cap * 2;
	void *moved;

	if (wider <= n)
		wider = n + 1;
	if (n >= SIZE_MAX / 2 || wider > PTRDIFF_MAX / size)
		return v;
	moved = realloc(v, wider * size);
	if (moved == NULL)
		return v;
	*cap = wider;
	return moved;
}

void *array_room_zeroed(void *v, size_t *cap, size_t n, size_t size)
{
	size_t had = *cap;
	char *at = array_room(v, cap, n, size);

	if (*cap > had)
		memset(at + had * size, 0, (*cap - had) * size);
	return at;
}
