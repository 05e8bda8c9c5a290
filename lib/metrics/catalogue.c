#include "metrics/catalogue.h"

#include "base/search.h"
#include "metrics/catalogue_table.h"

enum { NAME_MAX_BYTES = 255 }; /* longer than any row's name */

static const struct str total = STR("_total");

const char *catalogue_str(uint32_t text)
{
	return catalogue_text + text;
}

const char *catalogue_name(const struct catalogue_row *row)
{
	return catalogue_str(row->name);
}

const char *catalogue_bare(const struct catalogue_row *row)
{
	const char *name = catalogue_name(row);
	const char *colon = strchr(name, ':');

	return colon == NULL ? name : colon + 1;
}

bool catalogue_has(uint32_t text, struct str word)
{
	const char *at = catalogue_str(text);

	while (*at != '\0') {
		size_t n = strcspn(at, " ");

		if (str_eq(str_make(at, n), word))
			return true;
		at += n + (at[n] == ' ');
	}
	return false;
}

bool catalogue_lists(const char *const *labels, struct str name)
{
	while (*labels != NULL && !str_is(name, *labels))
		labels++;
	return *labels != NULL;
}

const struct catalogue_row *catalogue_now(const struct catalogue_row *row)
{
	return row->now < 0 ? row : &catalogue_rows[row->now];
}

uint32_t catalogue_size(void)
{
	return catalogue_n_rows;
}

const struct catalogue_row *catalogue_at(uint32_t number)
{
	return &catalogue_rows[number];
}

uint32_t catalogue_number(const struct catalogue_row *row)
{
	return (uint32_t)(row - catalogue_rows);
}

const char *catalogue_op_word(enum reduce_op op)
{
	static const char *const words[] = {
		[OP_DEFAULT] = "auto", [OP_SUM] = "sum",   [OP_MEAN] = "mean",
		[OP_MIN] = "min",      [OP_MAX] = "max",   [OP_COUNT] = "count",
		[OP_LAST] = "last",    [OP_SAME] = "same", [OP_NONE] = "none",
	};

	return words[op];
}

/* Looking up ---------------------------------------------------------- */

/* A name being normalised like the sort keys: '_' for ':'. */
struct spelling {
	char text[NAME_MAX_BYTES + 1];
	size_t n;
	bool colon; /* there was one */
};

static void spell(struct spelling *s, struct str part)
{
	for (size_t i = 0; i < part.n && s->n < NAME_MAX_BYTES; i++) {
		s->colon |= part.p[i] == ':';
		s->text[s->n++] = part.p[i] == ':' ? '_' : part.p[i];
	}
	s->text[s->n] = '\0';
}

/* Order of a row's name, with colons as underscores, and a name. */
static int compare(const char *name, const char *key)
{
	for (; *name != '\0' || *key != '\0'; name++, key++) {
		char c = *name == ':' ? '_' : *name;

		if (c != *key)
			return (unsigned char)c < (unsigned char)*key ? -1 : 1;
	}
	return 0;
}

static const struct catalogue_row *row_at(size_t place)
{
	return &catalogue_rows[catalogue_order[place]];
}

/* Among rows from that index on with the same spelling the first in the file,
 * but a current one rather than an older one spelled with a colon. */
static const struct catalogue_row *choose(size_t place,
					  const struct spelling *s)
{
	const struct catalogue_row *first = row_at(place);

	for (; !s->colon && place < catalogue_n_rows &&
	       compare(catalogue_name(row_at(place)), s->text) == 0;
	     place++)
		if (*catalogue_str(row_at(place)->gone) == '\0')
			return row_at(place);
	return first;
}

/* The row with exactly that spelling. */
static const struct catalogue_row *find_exactly(const struct spelling *s)
{
	size_t i;

	SEARCH_FIRST(i, 0, catalogue_n_rows,
		     compare(catalogue_name(row_at(i)), s->text) >= 0);
	if (i == catalogue_n_rows ||
	    compare(catalogue_name(row_at(i)), s->text) != 0)
		return NULL;
	return choose(i, s);
}

/* The same, allowing counters with or without _total. */
static const struct catalogue_row *find_spelling(struct spelling *s)
{
	const struct catalogue_row *row = find_exactly(s);

	if (row != NULL)
		return row;
	if (str_ends(str_make(s->text, s->n), total.p))
		s->text[s->n - total.n] = '\0';
	else
		spell(s, total);
	row = find_exactly(s);
	return row != NULL && row->type == PROM_COUNTER ? row : NULL;
}

static const struct catalogue_row *find_behind(const char *prefix,
					       struct str name)
{
	struct spelling s = {.n = 0};

	spell(&s, str_of(prefix));
	spell(&s, name);
	return find_spelling(&s);
}

/* A name without the engine's prefix: a current one rather than an older
 * one. */
static const struct catalogue_row *find_bare(struct str name)
{
	const struct catalogue_row *older = NULL;

	for (size_t i = 0; catalogue_prefixes[i] != NULL; i++) {
		const struct catalogue_row *row =
			find_behind(catalogue_prefixes[i], name);

		if (row != NULL && *catalogue_str(row->gone) == '\0')
			return row;
		older = older == NULL ? row : older;
	}
	return older;
}

const struct catalogue_row *catalogue_find(struct str name)
{
	const struct catalogue_row *row = NULL;

	if (name.n > NAME_MAX_BYTES)
		return NULL;
	row = find_behind("", name);
	for (size_t i = 0; row == NULL && catalogue_carriers[i] != NULL; i++) {
		if (str_skip_prefix(&name, catalogue_carriers[i]))
			row = find_behind("", name);
	}
	return row == NULL ? find_bare(name) : row;
}

/* Can a sample of the row's metric have the suffix? */
static bool takes(const struct catalogue_row *row, const char *suffix)
{
	return row->type == PROM_HISTOGRAM ||
	       (row->type == PROM_SUMMARY && strcmp(suffix, "_bucket") != 0);
}

const struct catalogue_row *catalogue_find_sample(struct str name,
						  struct str *suffix)
{
	static const char *const suffixes[] = {"_bucket", "_sum", "_count",
					       NULL};
	const struct catalogue_row *row = catalogue_find(name);

	*suffix = str_make(name.p + name.n, 0);
	for (size_t i = 0; row == NULL && suffixes[i] != NULL; i++) {
		size_t n = strlen(suffixes[i]);

		if (!str_ends(name, suffixes[i]))
			continue;
		row = catalogue_find(str_make(name.p, name.n - n));
		if (row == NULL || !takes(row, suffixes[i]))
			return NULL;
		*suffix = str_make(name.p + name.n - n, n);
	}
	return row;
}
