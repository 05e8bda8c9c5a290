#include "base/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

enum { HUGE = 2 * 1024 * 1024, LARGE = 2 * HUGE };

/* Advice only: a refusal changes nothing but the speed. */
static void advise(char *p, size_t n)
{
#ifdef MADV_HUGEPAGE
	(void)madvise(p, n & ~(size_t)(HUGE - 1), MADV_HUGEPAGE);
#else
	(void)p, (void)n;
#endif
}

void *pages_alloc(size_t n)
{
	void *p;

	if (n < LARGE)
		return malloc(n);
	if (posix_memalign(&p, HUGE, n) != 0)
		return NULL;
	advise(p, n);
	return p;
}

void pages_give_back(void)
{
#ifdef __GLIBC__
	(void)malloc_trim(0);
#endif
}
