#include "metrics/family.h"

#include <stdlib.h>

#include "base/array.h"
#include "fmt/prom/prom_text.h"
#include "metrics/labels.h"

/* Suffixes that refer to another family, of these types, and the role of their
 * samples. */
static const struct suffix {
	struct str text;
	unsigned int types; /* bits 1 << enum prom_type */
	enum metric_role role;
} suffixes[] = {
	{STR("_bucket"), 1 << PROM_HISTOGRAM | 1 << PROM_GAUGEHISTOGRAM,
	 ROLE_BUCKET},
	{STR("_sum"),
	 1 << PROM_HISTOGRAM | 1 << PROM_SUMMARY | 1 << PROM_GAUGEHISTOGRAM,
	 ROLE_SUM},
	{STR("_count"),
	 1 << PROM_HISTOGRAM | 1 << PROM_SUMMARY | 1 << PROM_GAUGEHISTOGRAM,
	 ROLE_COUNT},
	{STR("_gsum"), 1 << PROM_GAUGEHISTOGRAM, ROLE_SUM},
	{STR("_gcount"), 1 << PROM_GAUGEHISTOGRAM, ROLE_COUNT},
};

enum { SUFFIXES = ARRAY_SIZE(suffixes) };

struct names names_new(struct arena *a, const struct naming *naming,
		       struct report *report)
{
	return (struct names){.arena = a,
			      .naming = naming,
			      .report = report,
			      .by_source = map_new(true),
			      .by_hash = map_new(true),
			      .by_name = map_new(true)};
}

void names_free(struct names *names)
{
	free(names->metrics);
	free(names->families);
	free(names->parts);
	map_free(&names->by_source);
	map_free(&names->by_hash);
	map_free(&names->by_name);
	*names = names_new(names->arena, names->naming, names->report);
}

void names_clear(struct names *names)
{
	names->n_metrics = 0;
	names->n_families = 0;
	names->n_parts = 0;
	names->clash.n = 0;
	names->recent = NULL;
	map_clear(&names->by_source);
	map_clear(&names->by_hash);
	map_clear(&names->by_name);
}

int names_begin_part(struct names *names, const char *source, struct err *err)
{
	if (!ARRAY_GROW(names->parts, names->n_parts, names->parts_cap))
		return err_memory(err);
	names->parts[names->n_parts++] = source;
	return 0;
}

static bool ends(struct str s, struct str suffix)
{
	return s.n > suffix.n &&
	       memcmp(s.p + s.n - suffix.n, suffix.p, suffix.n) == 0;
}

static struct str without(struct str s, struct str suffix)
{
	return str_make(s.p, s.n - suffix.n);
}

/* Families ------------------------------------------------------------ */

/* Has a TYPE line set the family's type? */
static bool is_known(const struct family *f)
{
	return f->typed && f->type != PROM_UNTYPED;
}

static uint64_t name_hash(struct str name)
{
	return hash_bytes(name.p, name.n, 3);
}

struct family *names_find(const struct names *names, struct str name)
{
	uint64_t key = name_hash(name);
	uint32_t number;

	while (map_find(&names->by_name, key, &number)) {
		if (str_eq(names->families[number]->name, name))
			return names->families[number];
		key = hash_mix(key, 1);
	}
	return NULL;
}

/* The key for adding a new name: the first that is free. */
static uint64_t free_key(const struct map *map, struct str name)
{
	uint64_t key = name_hash(name);

	while (map_find(map, key, NULL))
		key = hash_mix(key, 1);
	return key;
}

static struct family *add_family(struct names *names, struct str source,
				 struct str name)
{
	struct family *f = arena_array(names->arena, 1, sizeof(*f));
	uint32_t number = names->n_families;

	if (f == NULL ||
	    !ARRAY_GROW(names->families, number, names->families_cap) ||
	    map_add(&names->by_name, free_key(&names->by_name, name), &number) <
		    0)
		return NULL;
	f->source = arena_str(names->arena, source);
	f->name = name;
	f->number = number;
	f->metrics = NO_NUMBER;
	f->type_part = f->clash_part = f->help_part = NO_NUMBER;
	names->families[names->n_families++] = f;
	return f->source.p == NULL ? NULL : f;
}

struct family *names_family(struct names *names, struct str source)
{
	struct str name = naming_apply(names->naming, names->arena, source);
	struct family *f = name.p == NULL ? NULL : names_find(names, name);

	if (f == NULL && name.p != NULL)
		f = add_family(names, source, name);
	return f;
}

/* Metrics and where they belong --------------------------------------- */

static enum metric_role own_role(const struct family *f)
{
	return f->type == PROM_SUMMARY ? ROLE_QUANTILE : ROLE_VALUE;
}

/* In a family of its own: buckets stay buckets, whatever TYPE says. */
static enum metric_role role_in_own(const struct family *f, bool bucket)
{
	return bucket ? ROLE_BUCKET : own_role(f);
}

/* A typed family that the suffix of name refers to. */
static struct family *suffix_family(const struct names *names, struct str name,
				    enum metric_role *role)
{
	for (size_t i = 0; i < SUFFIXES; i++) {
		struct family *f = NULL;

		if (ends(name, suffixes[i].text))
			f = names_find(names, without(name, suffixes[i].text));
		if (f == NULL || (suffixes[i].types & 1u << f->type) == 0)
			continue;
		*role = suffixes[i].role;
		return f;
	}
	return NULL;
}

static void unlink_metric(struct names *names, struct metric *m)
{
	uint32_t *at = &names->families[m->family]->metrics;

	while (*at != m->number)
		at = &names->metrics[*at]->next;
	*at = m->next;
}

/* Append m to the family's metrics. */
static void link_metric(struct names *names, struct metric *m, struct family *f,
			enum metric_role role)
{
	uint32_t *at = &f->metrics;

	while (*at != NO_NUMBER)
		at = &names->metrics[*at]->next;
	*at = m->number;
	m->next = NO_NUMBER;
	m->family = f->number;
	m->role = role;
}

struct family *names_find_suffixed(const struct names *names, struct str name,
				   struct str suffix)
{
	char *p = arena_alloc(names->arena, name.n + suffix.n);

	if (p == NULL)
		return NULL;
	memcpy(p, name.p, name.n);
	memcpy(p + name.n, suffix.p, suffix.n);
	return names_find(names, str_make(p, name.n + suffix.n));
}

/* Independent metrics join the family that now has the type. */
static void adopt(struct names *names, struct family *f)
{
	for (uint32_t i = f->metrics; i != NO_NUMBER;
	     i = names->metrics[i]->next)
		if (str_eq(names->metrics[i]->name, f->name))
			names->metrics[i]->role = own_role(f);
	for (size_t i = 0; i < SUFFIXES; i++) {
		struct family *other = NULL;

		if ((suffixes[i].types & 1u << f->type) != 0)
			other = names_find_suffixed(names, f->name,
						    suffixes[i].text);
		while (other != NULL && !is_known(other) &&
		       other->metrics != NO_NUMBER) {
			struct metric *m = names->metrics[other->metrics];

			unlink_metric(names, m);
			link_metric(names, m, f, suffixes[i].role);
		}
	}
}

/* Can a family of that type have a metric in that role? */
static bool fits(enum prom_type type, enum metric_role role)
{
	if (role == ROLE_VALUE || role == ROLE_QUANTILE)
		return true;
	for (size_t i = 0; i < SUFFIXES; i++)
		if (suffixes[i].role == role &&
		    (suffixes[i].types & 1u << type) != 0)
			return true;
	return false;
}

/* Metrics that no longer belong to the family get their own. */
static int expel(struct names *names, struct family *f)
{
	uint32_t next;

	for (uint32_t i = f->metrics; i != NO_NUMBER; i = next) {
		struct metric *m = names->metrics[i];
		struct family *own;

		next = m->next;
		if (fits(f->type, m->role))
			continue;
		own = names_find(names, m->name);
		if (own == NULL)
			own = add_family(names, m->source, m->name);
		if (own == NULL)
			return ERR_MEMORY;
		unlink_metric(names, m);
		link_metric(names, m, own, role_in_own(own, m->bounded));
	}
	return 0;
}

/* The metric with the family's name that belongs to another one, or NULL. */
static struct metric *lost_metric(const struct names *names,
				  const struct family *f)
{
	uint32_t number;
	struct metric *m;

	if (!map_find(&names->by_hash, name_hash(f->name), &number))
		return NULL;
	m = names->metrics[number];
	if (!str_eq(m->name, f->name) || names->families[m->family] == f)
		return NULL;
	return m;
}

bool names_is_part(const struct names *names, const struct family *f)
{
	return f->metrics == NO_NUMBER && lost_metric(names, f) != NULL;
}

/* A family with its own TYPE is not part of another, unless it has buckets. */
static void reclaim(struct names *names, struct family *f)
{
	struct metric *m = lost_metric(names, f);

	if (m == NULL)
		return;
	if (m->bounded) {
		names_report_mistyped(names, f, names->families[m->family]);
		return;
	}
	unlink_metric(names, m);
	link_metric(names, m, f, own_role(f));
}

int names_retype(struct names *names, struct family *f)
{
	reclaim(names, f);
	adopt(names, f);
	return expel(names, f);
}

/* Is the sample X_bucket{le="..."}? */
static bool is_bucket(struct str name, const struct prom_line *line)
{
	return ends(line->name, suffixes[0].text) &&
	       ends(name, suffixes[0].text) &&
	       labels_have_number(line->labels, line->n_labels, "le");
}

/* Infer the type of an untyped family from its samples. */
static void infer_type(struct names *names, struct family *f,
		       enum prom_type type)
{
	f->type = type;
	f->typed = false;
	adopt(names, f);
}

/* The histogram X implied by a sample X_bucket, unless X has samples or is
 * known to be something else. NULL: none, or no memory. */
static struct family *infer_histogram(struct names *names,
				      const struct prom_line *line)
{
	struct str stem = without(line->name, suffixes[0].text);
	struct family *f = names_family(names, stem);

	if (f == NULL || is_known(f) || f->metrics != NO_NUMBER)
		return NULL;
	infer_type(names, f, PROM_HISTOGRAM);
	return f;
}

/* The other family that a metric of this name belongs to; f is the one with its
 * name, or NULL. NULL: none. */
static struct family *whole_of(struct names *names, const struct family *f,
			       struct str name, const struct prom_line *line,
			       enum metric_role *role)
{
	struct family *other = suffix_family(names, name, role);
	bool bucket = is_bucket(name, line);
	bool known = f != NULL && is_known(f);

	/* Buckets stay buckets, and so do the sum and count next to buckets
	 * without a TYPE. */
	if (known && !bucket &&
	    (other == NULL || other->typed || other->type != PROM_HISTOGRAM))
		return NULL;
	if (other == NULL && bucket) {
		other = infer_histogram(names, line);
		*role = ROLE_BUCKET;
	}
	if (known && other != NULL)
		names_report_mistyped(names, f, other);
	return other;
}

/* The family that a metric of this name belongs to, created if needed. */
static struct family *family_of(struct names *names, struct str name,
				const struct prom_line *line,
				enum metric_role *role)
{
	struct family *f = names_find(names, name);
	struct family *other = whole_of(names, f, name, line, role);

	if (other != NULL)
		return other;
	if (f == NULL)
		f = add_family(names, line->name, name);
	if (f != NULL && f->type == PROM_UNTYPED &&
	    labels_have_number(line->labels, line->n_labels, "quantile"))
		infer_type(names, f, PROM_SUMMARY);
	if (f != NULL)
		*role = role_in_own(f, is_bucket(name, line));
	if (f != NULL && f->type == PROM_GAUGE &&
	    labels_have_number(line->labels, line->n_labels, "quantile"))
		*role = ROLE_QUANTILE; /* their sum is meaningless */
	return f;
}

static void report_name_clash(struct names *names, const struct metric *m)
{
	struct err err;

	if (!report_count(names->report, REMARK_NAME_CONFLICT))
		return;
	err_set(&err, ERR_INPUT, "conflict: %.*s and %.*s both become %.*s",
		STR_ARG(m->same->source), STR_ARG(m->source), STR_ARG(m->name));
	report_say(names->report, REMARK_NAME_CONFLICT, &err);
}

/* Is the family wanted, or one that a later TYPE might move m to? */
static bool may_be_wanted(const struct names *names, const struct metric *m,
			  const struct family *f)
{
	bool wanted = naming_wants(names->naming, f->source, f->name);

	for (size_t i = 0; !wanted && !is_known(f) && i < SUFFIXES; i++) {
		struct str stem = m->source;

		if (!ends(stem, suffixes[i].text))
			continue;
		stem = arena_str(names->arena, without(stem, suffixes[i].text));
		wanted = stem.p == NULL ||
			 naming_wants(names->naming, stem, stem);
	}
	return wanted;
}

/* Find the family of a new metric, or the metric with the same output name. */
static int place_metric(struct names *names, struct metric *m,
			const struct prom_line *line)
{
	enum metric_role role = ROLE_VALUE;
	uint32_t first = m->number;
	struct family *f;
	int code;

	m->same = m;
	code = map_add(&names->by_hash, m->hash, &first);
	if (code < 0)
		return code;
	if (code == 0 && str_eq(names->metrics[first]->name, m->name)) {
		m->same = names->metrics[first];
		report_name_clash(names, m);
		return 0;
	}
	m->bounded = is_bucket(m->name, line);
	f = family_of(names, m->name, line, &role);
	if (f == NULL)
		return ERR_MEMORY;
	link_metric(names, m, f, role);
	m->wanted = may_be_wanted(names, m, f);
	return 0;
}

static struct metric *add_metric(struct names *names,
				 const struct prom_line *line)
{
	struct metric *m = arena_array(names->arena, 1, sizeof(*m));
	struct str suffix;

	if (m == NULL ||
	    !ARRAY_GROW(names->metrics, names->n_metrics, names->metrics_cap))
		return NULL;
	m->number = names->n_metrics;
	m->source = arena_str(names->arena, line->name);
	m->name = naming_apply(names->naming, names->arena, line->name);
	if (m->source.p == NULL || m->name.p == NULL ||
	    map_add(&names->by_source, free_key(&names->by_source, m->source),
		    &m->number) < 0)
		return NULL;
	m->hash = name_hash(m->name);
	m->row = catalogue_find_sample(m->source, &suffix);
	m->first = m->last = m->next = NO_NUMBER;
	if (place_metric(names, m, line) < 0)
		return NULL;
	names->metrics[names->n_metrics++] = m;
	return m;
}

/* The metric with this name in the input; NULL if there is none yet. */
static struct metric *find_metric(const struct names *names, struct str source)
{
	uint64_t key = name_hash(source);
	uint32_t number;

	while (map_find(&names->by_source, key, &number)) {
		if (str_eq(names->metrics[number]->source, source))
			return names->metrics[number];
		key = hash_mix(key, 1);
	}
	return NULL;
}

struct metric *names_metric_slow(struct names *names,
				 const struct prom_line *line)
{
	names->recent = find_metric(names, line->name);
	if (names->recent == NULL)
		names->recent = add_metric(names, line);
	return names->recent == NULL ? NULL : names->recent->same;
}
