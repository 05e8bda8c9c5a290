/*
 * The size of fixed arrays, and growable ones: a pointer and a capacity. The owner holds both, counts the
 * elements and frees the array; NULL and 0 are an empty array.
 *
 *	if (!ARRAY_GROW(list->v, list->n, list->cap))
 *		return err_memory(err);
 *	list->v[list->n++] = element;
 *
 * If growing fails, the array is unchanged.
 */
#ifndef OBS_BASE_ARRAY_H
#define OBS_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof(*(array)))

/* Make room for an element after the first n, at least doubling the capacity if
 * it is used up. False if out of memory. The zeroed variant clears the new
 * elements. */
#define ARRAY_GROW(v, n, cap)                                                  \
	((n) < (cap) || array_widen(&(v), &(cap), (n), sizeof(*(v))))
#define ARRAY_GROW_ZEROED(v, n, cap)                                           \
	((n) < (cap) || array_widen_zeroed(&(v), &(cap), (n), sizeof(*(v))))

/* The same for one of many arrays that are mostly short: room for two at
 * first. */
#define ARRAY_GROW_FEW(v, n, cap)                                              \
	((n) < (cap) || array_widen_few(&(v), &(cap), (n), sizeof(*(v))))

/* The same for one that may take tens of MB: in huge pages, with much room, of
 * which what is not used costs no memory. */
#define ARRAY_GROW_PAGES(v, n, cap)                                            \
	((n) < (cap) || array_widen_pages(&(v), &(cap), (n), sizeof(*(v))))

/* The same for an empty array: `array` points to the pointer to its elements,
 * which are of that size. */
bool array_widen(void *array, size_t *cap, size_t n, size_t size);
bool array_widen_few(void *array, size_t *cap, size_t n, size_t size);
bool array_widen_zeroed(void *array, size_t *cap, size_t n, size_t size);
bool array_widen_pages(void *array, size_t *cap, size_t n, size_t size);

#endif
