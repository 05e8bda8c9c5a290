#include "base/mapped.h"

#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LEAST = 8 * 1024 * 1024, PAGE = 64 * 1024 /* the largest there are */ };

struct str mapped_file(int fd)
{
	struct str none = {NULL, 0};
	struct stat st;
	void *p;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size < LEAST ||
	    (uintmax_t)st.st_size > SIZE_MAX || lseek(fd, 0, SEEK_CUR) != 0)
		return none;
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	return p == MAP_FAILED ? none : str_make(p, (size_t)st.st_size);
}

void mapped_leave(const char *p, const char *end)
{
	uintptr_t first = ((uintptr_t)p + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
	uintptr_t last = (uintptr_t)end & ~(uintptr_t)(PAGE - 1);

	if (first < last)
		(void)madvise((void *)first, last - first, MADV_DONTNEED);
}
