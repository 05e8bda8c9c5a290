#include "repeats.h"

#include <sys/stat.h>

#include "common.h"

bool repeats_has(struct repeats *repeats, const char *path)
{
	struct stat st;
	uint32_t ignored = 0;
	int added;

	if (opt_is_stdin(path) || stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	added = map_add(&repeats->files,
			hash_mix((uint64_t)st.st_dev + 1, st.st_ino), &ignored);
	if (added < 0)
		die_memory();
	if (added == 0)
		warn("%s: this file is given twice; it is read once", path);
	return added == 0;
}

void repeats_free(struct repeats *repeats)
{
	map_free(&repeats->files);
}

int repeats_drop(int count, char **names)
{
	struct repeats repeats = {0};
	int left = 0;

	for (int i = 0; i < count; i++)
		if (!repeats_has(&repeats, names[i]))
			names[left++] = names[i];
	repeats_free(&repeats);
	return left;
}
