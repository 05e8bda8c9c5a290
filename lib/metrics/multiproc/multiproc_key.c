#include "base/array.h"
#include "base/limits.h"
#include "fmt/prom/prom_text.h"
#include "metrics/labels.h"
#include "metrics/multiproc/multiproc_parts.h"

/* Tables -------------------------------------------------------------- */

/* The slot of the item with that name, holding NULL if it is new; NULL: no
 * memory. */
static void **table_slot(struct multiproc_table *t, struct str name,
			 uint32_t *number)
{
	uint32_t before = t->names.count;

	*number = intern_add(&t->names, name);
	if (*number == INTERN_FAILED)
		return NULL;
	if (!ARRAY_GROW(t->items, *number, t->cap))
		return NULL;
	if (*number == before)
		t->items[*number] = NULL;
	return &t->items[*number];
}

/* Escapes ------------------------------------------------------------- */

/* A copy of plain text in canonical escapes, in the scratch arena; p is NULL if
 * out of memory. */
static struct str escape(struct multiproc *m, struct str plain)
{
	buf_clear(&m->text);
	prom_escape(&m->text, plain);
	if (m->text.failed)
		return str_make(NULL, 0);
	return arena_str(&m->scratch, buf_str(&m->text));
}

/* The same for HELP, where quotes are not escaped, in the arena. */
static struct str escape_help(struct multiproc *m, struct str plain)
{
	buf_clear(&m->text);
	for (size_t i = 0; i < plain.n; i++) {
		char c = plain.p[i];

		if (c == '\\' || c == '\n')
			buf_putc(&m->text, '\\');
		buf_putc(&m->text, c == '\n' ? 'n' : c);
	}
	if (m->text.failed)
		return str_make(NULL, 0);
	return arena_str(&m->arena, buf_str(&m->text));
}

static bool escape_key(struct multiproc *m, struct mpdb_key *key)
{
	key->family = escape(m, key->family);
	key->sample = escape(m, key->sample);
	if (key->family.p == NULL || key->sample.p == NULL)
		return false;
	for (size_t i = 0; i < key->n_labels; i++) {
		struct prom_label *label = &key->labels[i];

		label->name = escape(m, label->name);
		label->value = escape(m, label->value);
		if (label->name.p == NULL || label->value.p == NULL)
			return false;
	}
	return true;
}

/* Why an item could not be added. */
static int failure(const struct multiproc *m, struct err *err)
{
	if (m->text.failed)
		return buf_error(&m->text, err);
	if (m->families.names.text.full)
		return intern_error(&m->families.names, err);
	if (m->series.names.text.full)
		return intern_error(&m->series.names, err);
	return arena_error(m->scratch.full ? &m->scratch : &m->arena, err);
}

/* Families, series, parts --------------------------------------------- */

/* The family of a key; a new one gets its type from the file's name. NULL: no
 * memory. */
static struct multiproc_family *family_of(struct multiproc *m,
					  const struct mpdb_key *key,
					  const struct mpdb_name *name)
{
	uint32_t number;
	void **slot = table_slot(&m->families, key->family, &number);
	struct multiproc_family *family;

	if (slot == NULL || *slot != NULL)
		return slot == NULL ? NULL : *slot;
	family = arena_array(&m->arena, 1, sizeof(*family));
	if (family == NULL)
		return NULL;
	family->name = intern_text(&m->families.names, number);
	family->help = escape_help(m, key->help);
	family->number = number;
	family->type = name->type;
	family->mode = name->mode;
	if (family->help.p == NULL)
		return NULL;
	*slot = family;
	return family;
}

/* The table key of a series: the numbers of the family and of the sample name's
 * bytes, that name, the labels. */
static struct str series_name(struct multiproc *m, uint32_t family,
			      struct str name, struct str labels)
{
	uint32_t head[2] = {family, (uint32_t)name.n};

	buf_clear(&m->text);
	buf_put(&m->text, head, sizeof(head));
	buf_put(&m->text, name.p, name.n);
	buf_put(&m->text, labels.p, labels.n);
	return m->text.failed ? str_make(NULL, 0) : buf_str(&m->text);
}

static void append_series(struct multiproc_family *family,
			  struct multiproc_series *series)
{
	if (family->last == NULL)
		family->series = series;
	else
		family->last->next = series;
	family->last = series;
}

/* The series with that name and label text; NULL: no memory. */
static struct multiproc_series *series_of(struct multiproc *m,
					  struct multiproc_family *family,
					  struct str name, struct str labels)
{
	size_t head = 2 * sizeof(uint32_t);
	struct str text = series_name(m, family->number, name, labels);
	struct multiproc_series *series;
	uint32_t number;
	void **slot;

	slot = text.p == NULL ? NULL : table_slot(&m->series, text, &number);
	if (slot == NULL || *slot != NULL)
		return slot == NULL ? NULL : *slot;
	series = arena_array(&m->arena, 1, sizeof(*series));
	if (series == NULL)
		return NULL;
	text = intern_text(&m->series.names, number);
	series->number = number;
	series->name = str_make(text.p + head, name.n);
	series->labels = str_make(text.p + head + name.n, labels.n);
	append_series(family, series);
	*slot = series;
	return series;
}

struct multiproc_part *multiproc_part_of(struct multiproc *m,
					 struct multiproc_series *series,
					 uint64_t bits)
{
	uint32_t number = (uint32_t)m->part_numbers.n;
	uint64_t hash = hash_mix(series->number, bits);
	struct multiproc_part *part;
	int added;

	if (!ARRAY_GROW(m->parts, number, m->parts_cap))
		return NULL;
	added = map_add(&m->part_numbers, hash, &number);
	if (added <= 0)
		return added < 0 ? NULL : m->parts[number];
	part = arena_array(&m->arena, 1, sizeof(*part));
	m->parts[number] = part;
	if (part == NULL)
		return NULL;
	part->of.bits = bits;
	if (series->last == NULL)
		series->parts = part;
	else
		series->last->next = part;
	series->last = part;
	series->n_parts++;
	return part;
}

/* Keys ---------------------------------------------------------------- */

/* Remove the label of that name; false if there is none. */
static bool take_label(struct mpdb_key *key, const char *name,
		       struct str *value)
{
	for (size_t i = 0; i < key->n_labels; i++) {
		if (!str_is(key->labels[i].name, name))
			continue;
		*value = key->labels[i].value;
		key->labels[i] = key->labels[--key->n_labels];
		return true;
	}
	return false;
}

static struct multiproc_series *find_series(struct multiproc *m,
					    struct multiproc_family *family,
					    struct mpdb_key *key,
					    struct str name)
{
	struct str labels;

	labels_sort(key->labels, key->n_labels, NULL);
	labels = labels_text(&m->scratch, key->labels, key->n_labels);
	return labels.p == NULL ? NULL : series_of(m, family, name, labels);
}

/* FAMILY_suffix, in the scratch arena; p is NULL if out of memory. */
static struct str suffixed(struct multiproc *m, struct str name,
			   const char *suffix)
{
	buf_clear(&m->text);
	buf_put(&m->text, name.p, name.n);
	buf_puts(&m->text, suffix);
	if (m->text.failed)
		return str_make(NULL, 0);
	return arena_str(&m->scratch, buf_str(&m->text));
}

/* Point made at the bucket of that le, and its series at the total of all
 * buckets. */
static int point_at_bucket(struct multiproc *m, struct multiproc_key *made,
			   struct mpdb_key *key, struct str le, struct err *err)
{
	struct str bucket = suffixed(m, made->family->name, "_bucket");
	struct str count = suffixed(m, made->family->name, "_count");
	double bound;

	if (!prom_bound(le, &bound))
		return err_set(err, ERR_INPUT, "le is not a number");
	if (bucket.p == NULL || count.p == NULL)
		return failure(m, err);
	made->series = find_series(m, made->family, key, bucket);
	if (made->series == NULL)
		return failure(m, err);
	bound += 0.0; /* -0 is 0 */
	made->bucket = multiproc_part_of(
		m, made->series,
		(struct multiproc_part){.of.bound = bound}.of.bits);
	made->series->count = find_series(m, made->family, key, count);
	if (made->bucket == NULL || made->series->count == NULL)
		return failure(m, err);
	return 0;
}

static int point_at_series(struct multiproc *m, struct multiproc_key *made,
			   struct mpdb_key *key, struct err *err)
{
	struct str value;

	if (made->family->type == PROM_HISTOGRAM &&
	    take_label(key, "le", &value))
		return point_at_bucket(m, made, key, value, err);
	if (made->family->type == PROM_GAUGE)
		take_label(key, "pid", &value);
	made->series = find_series(m, made->family, key, key->sample);
	return made->series == NULL ? failure(m, err) : 0;
}

/* Is the family of the type given by the file's name? */
static int check_type(const struct multiproc_family *family,
		      const struct mpdb_name *name, struct err *err)
{
	if (family->type == name->type)
		return 0;
	return err_set(err, ERR_INPUT,
		       "%.*s is a %s in an earlier file, skipped here",
		       STR_ARG(family->name), prom_type_word(family->type));
}

static int make_key(struct multiproc *m, const struct mpdb_name *name,
		    struct multiproc_key *made, struct err *err)
{
	struct mpdb_key key;
	int code;

	arena_reset(&m->scratch);
	code = mpdb_key_read(made->text, &m->scratch, &key, err);
	if (code < 0)
		return code;
	if (!escape_key(m, &key))
		return failure(m, err);
	made->family = family_of(m, &key, name);
	if (made->family == NULL)
		return failure(m, err);
	code = check_type(made->family, name, err);
	return code < 0 ? code : point_at_series(m, made, &key, err);
}

/* The key with that text; an unusable one is not kept. */
static int key_of(struct multiproc *m, const struct mpdb_name *name,
		  struct str text, struct multiproc_key **key, struct err *err)
{
	struct multiproc_key made = {0};
	uint32_t number;
	void **slot = table_slot(&m->keys, text, &number);
	int code;

	if (slot == NULL)
		return intern_error(&m->keys.names, err);
	if (*slot == NULL) {
		made.text = intern_text(&m->keys.names, number);
		code = make_key(m, name, &made, err);
		if (code < 0)
			return code;
		*slot = arena_alloc(&m->arena, sizeof(made));
		if (*slot == NULL)
			return arena_error(&m->arena, err);
		memcpy(*slot, &made, sizeof(made));
	}
	*key = *slot;
	return 0;
}

int multiproc_key_find(struct multiproc *m, const struct mpdb_name *name,
		       struct str text, struct multiproc_key *last,
		       struct multiproc_key **key, struct err *err)
{
	int code = 0;

	/* Processes of one program mostly store their keys in one order. */
	*key = last == NULL ? NULL : last->follows;
	if (*key == NULL || !str_eq((*key)->text, text))
		code = key_of(m, name, text, key, err);
	if (code < 0)
		return code;
	if (last != NULL)
		last->follows = *key;
	return check_type((*key)->family, name, err);
}
