#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"

enum { LEAST = 16, FEW = 2, MANY_BYTES = 2 * 1024 * 1024 };

static bool widen(void *array, size_t *cap, size_t n, size_t size, size_t least)
{
	size_t wider = *cap < least / 2 ? least : *cap * 2;
	void *v, *had;

	if (wider <= n)
		wider = n + 1;
	if (n >= SIZE_MAX / 2 || wider > PTRDIFF_MAX / size)
		return false;
	memcpy(&had, array, sizeof(had)); /* a pointer of any type */
	v = realloc(had, wider * size);
	if (v == NULL)
		return false;
	memcpy(array, &v, sizeof(v));
	*cap = wider;
	/* cppcheck-suppress memleak ; array points to it */
	return true;
}

bool array_widen(void *array, size_t *cap, size_t n, size_t size)
{
	return widen(array, cap, n, size, LEAST);
}

bool array_widen_few(void *array, size_t *cap, size_t n, size_t size)
{
	return widen(array, cap, n, size, FEW);
}

bool array_widen_zeroed(void *array, size_t *cap, size_t n, size_t size)
{
	size_t had = *cap;
	char *v;

	if (!array_widen(array, cap, n, size))
		return false;
	memcpy(&v, array, sizeof(v));
	memset(v + had * size, 0, (*cap - had) * size);
	return true;
}

bool array_widen_pages(void *array, size_t *cap, size_t n, size_t size)
{
	char *v, *had;

	if (n < *cap || *cap < MANY_BYTES / size || *cap > SIZE_MAX / 4 / size)
		return array_widen(array, cap, n, size);
	v = pages_alloc(*cap * 4 * size);
	if (v == NULL)
		return false;
	memcpy(&had, array, sizeof(had));
	memcpy(v, had, *cap * size);
	free(had);
	memcpy(array, &v, sizeof(v));
	*cap *= 4;
	/* cppcheck-suppress memleak ; array points to it */
	return true;
}
