#include "profile_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/str.h"
#include "repeats.h"

static void add(struct profile_files *files, const char *directory,
		const char *name)
{
	size_t n = strlen(directory) + strlen(name) + 2;
	const char *slash =
		*directory == '\0' || str_ends(str_of(directory), "/") ? ""
								       : "/";

	if (!ARRAY_GROW(files->v, files->n, files->cap))
		die_memory();
	files->v[files->n] = malloc(n);
	if (files->v[files->n] == NULL)
		die_memory();
	snprintf(files->v[files->n++], n, "%s%s%s", directory, slash, name);
}

static bool is_trace(const char *name)
{
	struct str s = str_of(name);

	return (str_ends(s, ".json") || str_ends(s, ".json.gz")) &&
	       !str_starts(s, "merged-") && name[0] != '.';
}

static int compare(const void *x, const void *y)
{
	return strcmp(*(char *const *)x, *(char *const *)y);
}

static void add_directory(struct profile_files *files, const char *path,
			  enum status *worst)
{
	DIR *directory = opendir(path);
	size_t before = files->n;
	struct dirent *entry;

	if (directory == NULL) {
		fail("%s: cannot read the directory: %s", path,
		     strerror(errno));
		*worst = STATUS_IO;
		return;
	}
	for (entry = readdir(directory); entry != NULL;
	     entry = readdir(directory))
		if (is_trace(entry->d_name))
			add(files, path, entry->d_name);
	closedir(directory);
	if (files->n == before) {
		fail("%s: the directory has no *.json or *.json.gz", path);
		*worst = *worst < STATUS_INPUT ? STATUS_INPUT : *worst;
		return;
	}
	qsort(files->v + before, files->n - before, sizeof(*files->v), compare);
}

/* A file may be in a directory that is given as well. */
static void drop_repeats(struct profile_files *files)
{
	struct repeats repeats = {0};
	size_t left = 0;

	for (size_t i = 0; i < files->n; i++)
		if (repeats_has(&repeats, files->v[i]))
			free(files->v[i]);
		else
			files->v[left++] = files->v[i];
	files->n = left;
	repeats_free(&repeats);
}

void profile_files_find(struct profile_files *files, int count, char **names,
			enum status *worst)
{
	struct repeats directories = {0};
	struct stat about;

	if (count == 0)
		add(files, "", "-");
	for (int i = 0; i < count; i++)
		if (stat(names[i], &about) != 0 || !S_ISDIR(about.st_mode))
			add(files, "", names[i]);
		else if (!repeats_has(&directories, names[i]))
			add_directory(files, names[i], worst);
	repeats_free(&directories);
	drop_repeats(files);
}

void profile_files_free(struct profile_files *files)
{
	for (size_t i = 0; i < files->n; i++)
		free(files->v[i]);
	free(files->v);
}
