/*
 * Arrays that grow: a pointer, and how many elements there is room for. Both
 * are the owner's, who counts the elements and frees the array; NULL and 0
 * are an empty one.
 *
 *	list->v = array_room(list->v, &list->cap, list->n, sizeof(*list->v));
 *	if (list->n == list->cap)
 *		return err_memory(err);
 *	list->v[list->n++] = element;
 *
 * An array that cannot grow stays as it was, which its capacity tells.
 */
#ifndef OBS_BASE_ARRAY_H
#define OBS_BASE_ARRAY_H

#include <stddef.h>

/* Make room, where there is none, for an element behind the first n and at
 * least as many again as there was room for; returns where the array is now.
 * size: of an element. */
void *array_widen(void *v, size_t *cap, size_t n, size_t size);

static inline void *array_room(void *v, size_t *cap, size_t n, size_t size)
{
	return n < *cap ? v : array_widen(v, cap, n, size);
}

/* The same, and all elements that there is more room for are zero. */
void *array_room_zeroed(void *v, size_t *cap, size_t n, size_t size);

#endif
