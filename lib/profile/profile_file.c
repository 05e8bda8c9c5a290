#include "profile/profile_file.h"

#include <string.h>

#include "base/digits.h"
#include "base/num.h"

static struct str without(struct str name, const char *suffix)
{
	if (str_ends(name, suffix))
		name.n -= strlen(suffix);
	return name;
}

/* Remove "-KEY-DIGITS" from the end; returns its number. */
static bool take_last(struct str *name, const char *key, int64_t *number)
{
	size_t digits = 0, n = strlen(key);

	while (digits < name->n && name->p[name->n - digits - 1] >= '0' &&
	       name->p[name->n - digits - 1] <= '9')
		digits++;
	if (digits == 0 || name->n < digits + n ||
	    memcmp(name->p + name->n - digits - n, key, n) != 0)
		return false;
	if (!num_parse_int(str_make(name->p + name->n - digits, digits),
			   number))
		return false;
	name->n -= digits + n;
	return true;
}

/* Remove "-KEY-DIGITS" from the front. */
static bool take_first(struct str *text, const char *key, int64_t *number)
{
	size_t n = strlen(key), end = n;

	if (!str_starts(*text, key))
		return false;
	while (end < text->n && is_digit(text->p[end]))
		end++;
	if (!num_parse_int(str_make(text->p + n, end - n), number))
		return false;
	*text = str_make(text->p + end, text->n - end);
	return true;
}

/* ID-TP-r[-DP-r][-PP-r][-EP-r][-STAGE]. Another suffix is not a stage: then
 * only the rank is known. */
static bool read_sglang(struct str name, struct profile_file *file)
{
	struct str rest = name;
	int64_t ignored;

	while (rest.n > 0 &&
	       (rest.p == name.p || !take_first(&rest, "-TP-", &file->rank)))
		rest = str_skip(rest, 1);
	if (file->rank == PROFILE_FILE_NO_RANK)
		return false;
	file->id = name;
	file->id.n = (size_t)(rest.p - name.p);
	while (file->id.n > 0 && !str_ends(file->id, "-TP-"))
		file->id.n--;
	file->id.n -= strlen("-TP-");
	take_first(&rest, "-DP-", &ignored);
	take_first(&rest, "-PP-", &ignored);
	take_first(&rest, "-EP-", &ignored);
	file->stage = str_make(rest.p, 0);
	if (rest.n > 1 && rest.p[0] == '-' &&
	    memchr(rest.p + 1, '-', rest.n - 1) == NULL)
		file->stage = str_skip(rest, 1);
	else if (rest.n > 0)
		file->id = name;
	return true;
}

/* IDrank[-_]r[.DIGITS] */
static bool read_rank(struct str name, struct profile_file *file)
{
	struct str rest = name;
	int64_t ignored;

	take_last(&rest, ".", &ignored);
	if (!take_last(&rest, "rank", &file->rank) &&
	    !take_last(&rest, "rank-", &file->rank) &&
	    !take_last(&rest, "rank_", &file->rank))
		return false;
	file->id = rest;
	file->ranks = true;
	return true;
}

struct profile_file profile_file_read(struct str name)
{
	struct profile_file file = {.rank = PROFILE_FILE_NO_RANK};

	name = without(name, ".gz");
	name = without(name, ".json");
	name = without(name, ".trace");
	name = without(name, ".pt");
	file.known = read_sglang(name, &file);
	if (file.known)
		return file;
	file = (struct profile_file){.rank = PROFILE_FILE_NO_RANK};
	file.known = read_rank(name, &file);
	if (file.known)
		return file;
	return (struct profile_file){.rank = PROFILE_FILE_NO_RANK, .id = name};
}

/* dp0_pp0_tp1_ becomes dp_pp_tp: these numbers differ between ranks. */
static void put_common(struct buf *b, struct str id)
{
	static const char *const words[] = {"dcp", "dp", "pp", "tp", "ep"};
	struct buf text = buf_new(id.n + 1);

	for (size_t i = 0; i < id.n;) {
		size_t n = 0;

		for (size_t w = 0; w < 5 && n == 0; w++)
			if (str_starts(str_skip(id, i), words[w]))
				n = strlen(words[w]);
		buf_put(&text, id.p + i, n > 0 ? n : 1);
		i += n > 0 ? n : 1;
		while (n > 0 && i < id.n && is_digit(id.p[i]))
			i++;
	}
	id = buf_str(&text);
	while (id.n > 0 && strchr("_-.", id.p[0]) != NULL)
		id = str_skip(id, 1);
	while (id.n > 0 && strchr("_-.", id.p[id.n - 1]) != NULL)
		id.n--;
	buf_put(b, id.p, id.n);
	buf_free(&text);
}

void profile_file_put_group(struct buf *b, const struct profile_file *file)
{
	if (file->ranks)
		put_common(b, file->id);
	else
		buf_put(b, file->id.p, file->id.n);
	if (file->stage.n == 0)
		return;
	buf_putc(b, '-');
	buf_put(b, file->stage.p, file->stage.n);
}
