/*
 * The places that allocate, told apart by their callers, each with the number
 * of its first allocation.
 */
#ifndef OBS_TESTS_FAULT_PLACES_H
#define OBS_TESTS_FAULT_PLACES_H

#include <execinfo.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PLACES = 4096, CALLERS = 24 };

static struct {
	pthread_mutex_t lock;
	bool wanted;
	size_t n;
	long first[PLACES];	/* the number of the allocation */
	uint64_t stack[PLACES]; /* hash of the callers */
} places = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t places_hash(void)
{
	void *callers[CALLERS];
	int n = backtrace(callers, CALLERS);
	uint64_t hash = 14695981039346656037u; /* FNV-1a, by words */

	for (int i = 0; i < n; i++)
		hash = (hash ^ (uintptr_t)callers[i]) * 1099511628211u;
	return hash;
}

/* Of the sanitizer, where there is one. */
extern void __lsan_disable(void) __attribute__((weak));
extern void __lsan_enable(void) __attribute__((weak));

/* The first backtrace loads a library, which is not the program's leak. */
static void places_want(void)
{
	if (__lsan_disable != NULL)
		__lsan_disable();
	places_hash();
	if (__lsan_enable != NULL)
		__lsan_enable();
	places.wanted = true;
}

/* An allocation was made. */
static void places_note(long number)
{
	static _Thread_local bool inside; /* backtrace may allocate */
	uint64_t hash;
	size_t i = 0;

	if (!places.wanted || inside)
		return;
	inside = true;
	hash = places_hash();
	pthread_mutex_lock(&places.lock);
	while (i < places.n && places.stack[i] != hash)
		i++;
	if (i == places.n && i < PLACES) {
		places.first[i] = number;
		places.stack[i] = hash;
		places.n++;
	}
	pthread_mutex_unlock(&places.lock);
	inside = false;
}

#endif
