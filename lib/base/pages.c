#include "base/pages.h"

#include <stdint.h>
#include <sys/mman.h>

enum { PAGE = 4096, LARGE = 4 * 1024 * 1024 };

void pages_advise(void *p, size_t n)
{
	uintptr_t first = ((uintptr_t)p + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
	uintptr_t end = ((uintptr_t)p + n) & ~(uintptr_t)(PAGE - 1);

	if (n < LARGE)
		return;
#ifdef MADV_HUGEPAGE
	/* advice only: a refusal changes nothing but the speed */
	(void)madvise((void *)first, end - first, MADV_HUGEPAGE);
#endif
}
