#include "repeats.h"

#include <sys/stat.h>

#include "common.h"

bool repeats_has_labelled(struct repeats *repeats, const char *path,
			  struct str labels)
{
	struct stat st;
	uint32_t ignored = 0;
	uint64_t hash;
	int added;

	if (opt_is_stdin(path) || stat(path, &st) != 0 ||
	    !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
		return false;
	hash = hash_mix((uint64_t)st.st_dev + 1, st.st_ino);
	if (labels.n > 0)
		hash = hash_bytes(labels.p, labels.n, hash);
	added = map_add(&repeats->files, hash, &ignored);
	if (added < 0)
		die_memory();
	if (added == 0)
		warn("%s: this %s is given twice; it is read once", path,
		     S_ISDIR(st.st_mode) ? "directory" : "file");
	return added == 0;
}

bool repeats_has(struct repeats *repeats, const char *path)
{
	return repeats_has_labelled(repeats, path, (struct str){0});
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

void repeats_drop_listed(struct opt_list *list)
{
	struct repeats repeats = {0};
	size_t left = 0;

	for (size_t i = 0; i < list->n; i++)
		if (!repeats_has(&repeats, list->v[i]))
			list->v[left++] = list->v[i];
	list->n = left;
	repeats_free(&repeats);
}
