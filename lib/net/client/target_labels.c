/* The labels that targets' samples get. */
#include <stdlib.h>

#include "net/client/target.h"

/* Set a label of a growing set; the place of one that is there is kept. */
static void set_label(struct prom_label *v, size_t *n, struct prom_label l)
{
	size_t at = 0;

	while (at < *n && !str_eq(v[at].name, l.name))
		at++;
	v[at] = l;
	*n += at == *n;
}

static int set_labels_of(struct target_list *list, struct target *t,
			 const char *addr_label, const struct prom_label *more,
			 size_t n, struct err *err)
{
	struct prom_label *v =
		arena_array(&list->arena, 1 + t->label_n + n, sizeof(*v));
	size_t count = 0;

	if (v == NULL)
		return arena_error(&list->arena, err);
	if (addr_label)
		v[count++] =
			prom_label_of(str_of(addr_label), str_of(t->address));
	for (size_t i = 0; i < t->label_n; i++)
		set_label(v, &count, t->labels[i]);
	for (size_t i = 0; i < n; i++)
		set_label(
			v, &count,
			prom_label_of(arena_str(&list->arena, more[i].name),
				      arena_str(&list->arena, more[i].value)));
	if (list->arena.failed)
		return arena_error(&list->arena, err);
	t->labels = v;
	t->label_n = count;
	return 0;
}

int target_set_labels(struct target_list *list, const char *addr_label,
		      const struct prom_label *more, size_t n, struct err *err)
{
	for (size_t i = 0; i < list->n; i++)
		if (set_labels_of(list, &list->v[i], addr_label, more, n, err))
			return err->code;
	return 0;
}

static int compare_labels(const void *left, const void *right)
{
	const struct prom_label *a = left, *b = right;
	int order = str_cmp(a->name, b->name);

	return order ? order : str_cmp(a->value, b->value);
}

/* A target with its labels in order, less those that are as good as absent. */
struct sorted {
	const struct target *target;
	struct prom_label *labels;
	size_t n;
};

static int sort_labels(struct arena *arena, const struct target *t,
		       struct sorted *sorted, struct err *err)
{
	struct prom_label *v = arena_array(arena, t->label_n + 1, sizeof(*v));
	size_t n = 0;

	if (v == NULL)
		return arena_error(arena, err);
	for (size_t i = 0; i < t->label_n; i++)
		if (t->labels[i].value.n > 0)
			v[n++] = t->labels[i];
	qsort(v, n, sizeof(*v), compare_labels);
	*sorted = (struct sorted){t, v, n};
	return 0;
}

static int compare_sets(const struct sorted *a, const struct sorted *b)
{
	size_t n = a->n < b->n ? a->n : b->n;

	for (size_t i = 0; i < n; i++) {
		int order = compare_labels(&a->labels[i], &b->labels[i]);

		if (order)
			return order;
	}
	return (a->n > b->n) - (a->n < b->n);
}

/* Equal ones in the order of the list. */
static int compare_targets(const void *left, const void *right)
{
	const struct sorted *a = left, *b = right;
	int order = compare_sets(a, b);

	return order ? order
		     : (a->target > b->target) - (a->target < b->target);
}

int target_find_alike(struct target_list *list, const struct target *pair[2],
		      struct err *err)
{
	struct sorted *order = calloc(list->n + 1, sizeof(*order));
	int rc = order ? 0 : err_memory(err);
	size_t n = 0;

	pair[0] = pair[1] = NULL;
	for (size_t i = 0; i < list->n && rc == 0; i++)
		if (!list->v[i].problem)
			rc = sort_labels(&list->arena, &list->v[i], &order[n++],
					 err);
	if (rc == 0)
		qsort(order, n, sizeof(*order), compare_targets);
	for (size_t i = 1; i < n && rc == 0 && !pair[0]; i++)
		if (compare_sets(&order[i - 1], &order[i]) == 0) {
			pair[0] = order[i - 1].target;
			pair[1] = order[i].target;
		}
	free(order);
	return rc;
}
