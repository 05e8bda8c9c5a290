/*
 * Arrays that grow: a pointer, and how many elements there is room for. Both
 * are the owner's, who counts the elements and frees the array; NULL and 0
 * are an empty one.
 *
 *	if (!ARRAY_GROW(list->v, list->n, list->cap))
 *		return err_memory(err);
 *	list->v[list->n++] = element;
 *
 * An array that cannot grow stays as it was.
 */
#ifndef OBS_BASE_ARRAY_H
#define OBS_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Make room, where there is none, for an element behind the first n, and at
 * least as many again as there was room for. False without memory. The zeroed
 * one sets all elements that there is more room for to zero. */
#define ARRAY_GROW(v, n, cap)                                                  \
	((n) < (cap) || array_widen(&(v), &(cap), (n), sizeof(*(v))))
#define ARRAY_GROW_ZEROED(v, n, cap)                                           \
	((n) < (cap) || array_widen_zeroed(&(v), &(cap), (n), sizeof(*(v))))

/* The same for an array without room: `array` points to the pointer to its
 * elements, which have that size. */
bool array_widen(void *array, size_t *cap, size_t n, size_t size);
bool array_widen_zeroed(void *array, size_t *cap, size_t n, size_t size);

#endif
