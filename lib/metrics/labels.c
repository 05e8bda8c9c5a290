#include "metrics/labels.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/limits.h"
#include "fmt/prom/prom_text.h"

void label_set_free(struct label_set *set)
{
	free(set->v);
	*set = (struct label_set){0};
}

static int reserve(struct label_set *set, size_t cap, struct err *err)
{
	if (cap <= set->cap)
		return 0;
	if (cap > (size_t)2 * LIMIT_LABELS)
		return err_set(err, ERR_LIMIT,
			       "more than %d labels" ERR_RAISE(LIMIT_LABELS),
			       2 * LIMIT_LABELS);
	return ARRAY_GROW(set->v, cap - 1, set->cap) ? 0 : err_memory(err);
}

int label_set_push(struct label_set *set, struct str name, struct str value,
		   struct err *err)
{
	int code = reserve(set, set->n + 1, err);

	if (code == 0)
		set->v[set->n++] = prom_label_of(name, value);
	return code;
}

int labels_push_plain(struct label_set *set, struct str name, struct str value,
		      struct arena *a, struct err *err)
{
	struct buf escaped = buf_new(SIZE_MAX);
	struct str text = {0};

	prom_escape(&escaped, value);
	if (!escaped.failed)
		text = arena_str(a, buf_str(&escaped));
	buf_free(&escaped);
	return text.p == NULL ? arena_error(a, err)
			      : label_set_push(set, name, text, err);
}

int label_set_copy(struct label_set *set, const struct prom_label *labels,
		   size_t n, struct err *err)
{
	int code = reserve(set, n, err);

	if (code < 0)
		return code;
	if (n > 0)
		memcpy(set->v, labels, n * sizeof(*labels));
	set->n = n;
	return 0;
}

int label_set_read(struct label_set *set, struct str text, struct err *err)
{
	int code = reserve(set, 1, err);

	while (code == 0) {
		set->n = prom_labels_read(text, set->v, set->cap);
		if (set->n <= set->cap)
			return 0;
		set->n = 0;
		code = reserve(set, set->cap + 1, err);
	}
	return code;
}

static const struct prom_label *find(const struct prom_label *labels, size_t n,
				     struct str name)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(labels[i].name, name))
			return &labels[i];
	return NULL;
}

struct str labels_get(const struct prom_label *labels, size_t n,
		      const char *name)
{
	struct str wanted = str_of(name);

	for (size_t i = 0; i < n; i++)
		if (str_eq(labels[i].name, wanted))
			return labels[i].value;
	return str_make(NULL, 0);
}

bool labels_have_number(const struct prom_label *labels, size_t n,
			const char *name)
{
	double ignored;

	return prom_bound(labels_get(labels, n, name), &ignored);
}

/* Rename the label at index i to exported_NAME, repeatedly if needed. */
static int export_label(struct label_set *set, size_t i, struct arena *a,
			struct err *err)
{
	static const struct str prefix = STR("exported_");
	struct str name = set->v[i].name;

	do {
		char *p = arena_alloc(a, prefix.n + name.n);

		if (p == NULL)
			return arena_error(a, err);
		memcpy(p, prefix.p, prefix.n);
		memcpy(p + prefix.n, name.p, name.n);
		name = str_make(p, prefix.n + name.n);
	} while (find(set->v, set->n, name) != NULL);
	set->v[i].name = name;
	set->v[i].hash = 0;
	return 0;
}

/* Add the effective labels; with honor, without existing ones. */
static int add_others(struct label_set *set, const struct prom_label *labels,
		      size_t n, const struct label_set *added, bool honor,
		      struct err *err)
{
	int code = reserve(set, n + added->n, err);

	set->n = 0;
	for (size_t i = 0; code == 0 && i < added->n; i++) {
		const struct prom_label *there =
			find(labels, n, added->v[i].name);

		if (added->v[i].value.n > 0 &&
		    !(honor && there != NULL && there->value.n > 0))
			set->v[set->n++] = added->v[i];
	}
	return code;
}

int labels_merge(struct label_set *set, const struct prom_label *labels,
		 size_t n, const struct label_set *added, bool honor,
		 struct arena *a, struct err *err)
{
	int code = add_others(set, labels, n, added, honor, err);
	size_t others = set->n;

	for (size_t i = 0; code == 0 && i < n; i++)
		if (labels[i].value.n > 0 ||
		    find(set->v, others, labels[i].name) == NULL)
			set->v[set->n++] = labels[i];
	for (size_t i = others; code == 0 && i < set->n; i++)
		if (find(set->v, others, set->v[i].name) != NULL)
			code = export_label(set, i, a, err);
	return code;
}

/* Order of two labels by name, with `last` after all others. */
static bool after(const struct prom_label *a, const struct prom_label *b,
		  struct str last)
{
	if (last.n > 0 && str_eq(b->name, last))
		return false;
	if (last.n > 0 && str_eq(a->name, last))
		return true;
	return str_cmp(a->name, b->name) > 0;
}

static void sift_down(struct prom_label *v, size_t i, size_t n, struct str last)
{
	struct prom_label moved = v[i];

	for (size_t child = 2 * i + 1; child < n; child = 2 * i + 1) {
		if (child + 1 < n && after(&v[child + 1], &v[child], last))
			child++;
		if (!after(&v[child], &moved, last))
			break;
		v[i] = v[child];
		i = child;
	}
	v[i] = moved;
}

/* Names are unique, so an unstable sort will do. */
static void heap_sort(struct prom_label *v, size_t n, struct str last)
{
	for (size_t i = n / 2; i-- > 0;)
		sift_down(v, i, n, last);
	for (size_t i = n; i-- > 1;) {
		struct prom_label top = v[0];

		v[0] = v[i];
		v[i] = top;
		sift_down(v, 0, i, last);
	}
}

void labels_sort(struct prom_label *labels, size_t n, const char *last)
{
	enum { FEW = 32 }; /* insertion sort is faster up to here */
	struct str behind = last == NULL ? str_make(NULL, 0) : str_of(last);

	if (n > FEW) {
		heap_sort(labels, n, behind);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		struct prom_label moved = labels[i];
		size_t at = i;

		for (; at > 0 && after(&labels[at - 1], &moved, behind); at--)
			labels[at] = labels[at - 1];
		labels[at] = moved;
	}
}

bool labels_in_order(const struct prom_label *labels, size_t n,
		     const struct prom_label *last)
{
	if (last != NULL && last != &labels[n - 1])
		return false;
	n -= last != NULL;
	for (size_t i = 1; i < n; i++) {
		struct str a = labels[i - 1].name, b = labels[i].name;

		/* Most differ in their first byte. */
		if (a.p[0] < b.p[0] ? false : str_cmp(a, b) >= 0)
			return false;
	}
	return true;
}

uint64_t labels_hash(const struct prom_label *labels, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += prom_label_hash(&labels[i]);
	return sum;
}

struct str label_written(const struct prom_label *label)
{
	const char *behind = label->name.p + label->name.n;

	if (label->value.p != behind + 2 || behind[0] != '=' ||
	    behind[1] != '"')
		return str_make(NULL, 0);
	return str_make(label->name.p, label->name.n + label->value.n + 3);
}

/* How many of the labels, of which there is one at least, stand in memory as
 * they would be written; *text is theirs. */
static size_t written_run(const struct prom_label *labels, size_t n,
			  struct str *text)
{
	size_t run;

	*text = label_written(&labels[0]);
	if (text->p == NULL)
		return 0;
	for (run = 1; run < n; run++) {
		struct str label = label_written(&labels[run]);
		const char *end = text->p + text->n;

		if (label.p != end + 1 || *end != ',')
			break;
		text->n += 1 + label.n;
	}
	return run;
}

struct str labels_text(struct arena *a, const struct prom_label *labels,
		       size_t n)
{
	size_t room = 1;
	char *p, *at;

	for (size_t i = 0; i < n; i++)
		room += prom_label_room(&labels[i]) + 1;
	p = arena_alloc(a, room);
	if (p == NULL)
		return str_make(NULL, 0);
	at = p;
	for (size_t i = 0; i < n;) {
		struct str text = {NULL, 0};
		size_t run = written_run(labels + i, n - i, &text);

		if (i > 0)
			*at++ = ',';
		if (run == 0) {
			at += prom_put_label(at, &labels[i++]);
			continue;
		}
		memcpy(at, text.p, text.n);
		at += text.n;
		i += run;
	}
	arena_shrink(a, p, (size_t)(at - p));
	return str_make(p, (size_t)(at - p));
}
