#include "joined.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "common.h"
#include "options.h"

/* All pairs of operands. */
static struct pair {
	const char *behind;
	const char *name;
} * pairs;
static size_t pair_count, pair_cap;

/* The format of a file if it can be joined; NULL if not, or if it is a pipe,
 * whose beginning could not be read again. */
static const void *joinable(const char *name)
{
	struct err ignored = {0};
	struct input *input;
	const void *format = NULL;
	struct stat st;

	if (opt_is_stdin(name) || stat(name, &st) != 0 || !S_ISREG(st.st_mode))
		return NULL;
	input = input_open(name, &ignored);
	if (input != NULL)
		format = rollout_spans_files(input);
	input_close(input);
	return format;
}

static void join(const char *behind, const char *name)
{
	if (!ARRAY_GROW(pairs, pair_count, pair_cap))
		die_memory();
	pairs[pair_count++] = (struct pair){behind, name};
	detail("%s: read together with %s, as one input", name, behind);
}

int joined_find(int count, char **names)
{
	enum { FORMATS = 8 };
	const void *formats[FORMATS];
	const char *firsts[FORMATS];
	size_t known = 0;
	int left = 0;

	for (int i = 0; count > 1 && i < count; i++) {
		const void *format = joinable(names[i]);
		size_t k = 0;

		while (k < known && formats[k] != format)
			k++;
		if (format != NULL && k < known) {
			join(firsts[k], names[i]);
			continue;
		}
		if (format != NULL && known < FORMATS) {
			formats[known] = format;
			firsts[known++] = names[i];
		}
		names[left++] = names[i];
	}
	return count > 1 ? left : count;
}

bool joined_has(const char *name)
{
	for (size_t i = 0; i < pair_count; i++)
		if (strcmp(pairs[i].behind, name) == 0)
			return true;
	return false;
}

int joined_open(struct joined *joined, const char *name,
		struct rollout *rollout, struct err *err)
{
	size_t n = 0;

	if (!joined_has(name))
		return 0;
	if (joined->v == NULL)
		joined->v = calloc(pair_count, sizeof(*joined->v));
	if (joined->v == NULL)
		return err_memory(err);
	for (size_t i = 0; i < pair_count; i++) {
		struct joined_file *file = &joined->v[n];

		if (strcmp(pairs[i].behind, name) != 0)
			continue;
		file->name = pairs[i].name;
		if (file->input == NULL)
			file->input = input_open(file->name, err);
		else if (input_seek(file->input, 0, err) < 0)
			return err_in(err, file->name);
		if (file->input == NULL)
			return err_in(err, file->name);
		joined->n = ++n;
		if (rollout_add(rollout, file->input, file->name, err) < 0)
			return err->code;
	}
	return 0;
}

void joined_close(struct joined *joined)
{
	for (size_t i = 0; i < joined->n; i++)
		input_close(joined->v[i].input);
	free(joined->v);
	*joined = (struct joined){0};
}
