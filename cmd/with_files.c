#include "with_files.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "common.h"
#include "repeats.h"

void with_files_free(struct with_files *files)
{
	for (size_t i = 0; i < files->n; i++) {
		free(files->v[i].path);
		free(files->v[i].worker);
		free(files->v[i].folder);
	}
	free(files->v);
	*files = (struct with_files){0};
}

/* A file name may contain "=". */
static const char *worker_end(const char *text)
{
	return access(text, F_OK) == 0 ? NULL : strchr(text, '=');
}

const char *with_path(const char *text)
{
	const char *end = worker_end(text);

	return end == NULL ? text : end + 1;
}

static char *copy_of(const char *text, size_t n)
{
	char *copy = strndup(text, n);

	if (copy == NULL)
		die_memory();
	return copy;
}

/* "logs//" is "logs" */
static size_t folder_length(const char *path)
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	return n;
}

/* What one option names. */
struct listing {
	struct with_files *files;
	struct repeats *repeats;
	size_t given;
	const char *worker;
	size_t worker_n;
	size_t found, folders;
};

/* NULL if the file was added before. */
static struct with_file *add(struct listing *listing, const char *path)
{
	struct with_files *files = listing->files;
	struct with_file *file;

	listing->found++;
	if (repeats_has(listing->repeats, path))
		return NULL;
	if (!ARRAY_GROW(files->v, files->n, files->cap))
		die_memory();
	file = &files->v[files->n++];
	*file = (struct with_file){.path = copy_of(path, strlen(path)),
				   .given = listing->given};
	if (listing->worker_n > 0)
		file->worker = copy_of(listing->worker, listing->worker_n);
	return file;
}

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static bool is_regular(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static void add_listed(struct listing *listing, const char *name,
		       const char *folder)
{
	struct with_file *file = NULL;

	listing->folders += is_folder(name) ? 1 : 0;
	if (is_regular(name))
		file = add(listing, name);
	if (file == NULL)
		return;
	file->listed = true;
	file->folder = copy_of(folder, folder_length(folder));
}

/* The files of a directory, by name. */
static int add_folder(struct listing *listing, const char *path,
		      struct err *err)
{
	struct dirent **entries;
	int n = scandir(path, &entries, is_visible, by_name);

	if (n < 0) {
		err_sys(err, errno, "cannot read the directory");
		err_in(err, path);
		return err->code;
	}
	for (int i = 0; i < n; i++) {
		char *name;

		if (asprintf(&name, "%.*s/%s", (int)folder_length(path), path,
			     entries[i]->d_name) < 0)
			die_memory();
		add_listed(listing, name, path);
		free(name);
		free(entries[i]);
	}
	free(entries);
	return 0;
}

/* A file matched by a pattern is in a folder, too. */
static void add_matched(struct listing *listing, const char *path)
{
	struct with_file *file = add(listing, path);
	const char *slash = strrchr(path, '/');

	if (file != NULL && slash != NULL)
		file->folder = copy_of(path, (size_t)(slash - path));
}

static int add_pattern(struct listing *listing, const char *pattern,
		       struct err *err)
{
	glob_t found;
	int code = glob(pattern, 0, NULL, &found);

	if (code == GLOB_NOSPACE)
		die_memory();
	if (code != 0) {
		err_set(err, ERR_IO, "no file matches");
		err_in(err, pattern);
		return err->code;
	}
	for (size_t i = 0; code == 0 && i < found.gl_pathc; i++) {
		if (is_folder(found.gl_pathv[i]))
			code = add_folder(listing, found.gl_pathv[i], err);
		else
			add_matched(listing, found.gl_pathv[i]);
	}
	globfree(&found);
	return code;
}

static int add_path(struct listing *listing, const char *path, struct err *err)
{
	if (is_folder(path))
		return add_folder(listing, path, err);
	if (access(path, F_OK) != 0 && strpbrk(path, "*?[") != NULL)
		return add_pattern(listing, path, err);
	add(listing, path);
	return 0;
}

static int no_files(const struct listing *listing, const char *path,
		    struct err *err)
{
	size_t n = listing->folders;

	if (n == 0)
		err_set(err, ERR_INPUT, "the directory has no files");
	else
		err_set(err, ERR_INPUT,
			"the directory has no files, but %zu director%s; for "
			"their files, use --with '%.*s/*'",
			n, n == 1 ? "y" : "ies", (int)folder_length(path),
			path);
	return err_in(err, path);
}

static int add_given(struct with_files *files, struct repeats *repeats,
		     const char *text, size_t given, struct err *err)
{
	const char *path = with_path(text);
	struct listing listing = {
		.files = files,
		.repeats = repeats,
		.given = given,
		.worker = text,
		.worker_n = path == text ? 0 : (size_t)(path - text - 1)};
	int code = add_path(&listing, path, err);

	return code == 0 && listing.found == 0 ? no_files(&listing, path, err)
					       : code;
}

/* Does another folder have the same name? */
static bool is_ambiguous(const struct with_files *files, const char *folder)
{
	for (size_t i = 0; i < files->n; i++) {
		const char *other = files->v[i].folder;

		if (other != NULL && strcmp(other, folder) != 0 &&
		    strcmp(file_name(other), file_name(folder)) == 0)
			return true;
	}
	return false;
}

/* If there are several folders, each belongs to a worker. */
static void name_workers(struct with_files *files)
{
	const char *first = NULL;
	bool several = false;

	for (size_t i = 0; i < files->n; i++) {
		const char *folder = files->v[i].folder;

		if (folder == NULL)
			continue;
		several |= first != NULL && strcmp(first, folder) != 0;
		first = folder;
	}
	for (size_t i = 0; several && i < files->n; i++) {
		struct with_file *file = &files->v[i];
		const char *name;

		if (file->folder == NULL || file->worker != NULL)
			continue;
		name = is_ambiguous(files, file->folder)
			       ? file->folder
			       : file_name(file->folder);
		file->worker = copy_of(name, strlen(name));
	}
}

int with_files_list(struct with_files *files, const struct opt_list *given,
		    struct err *err)
{
	struct repeats repeats = {0};
	int code = 0;

	*files = (struct with_files){0};
	for (size_t i = 0; code == 0 && i < given->n; i++)
		code = add_given(files, &repeats, given->v[i], i, err);
	repeats_free(&repeats);
	name_workers(files);
	return code;
}
