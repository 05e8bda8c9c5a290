/* Labels added to targets' samples. */
#include "base/map.h"
#include "net/client/target.h"

/* Set a label in a growing set; an existing one keeps its position. */
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

int target_find_alike(const struct target_list *list,
		      const struct target *pair[2], struct err *err)
{
	struct map seen = map_new(true);
	int code = 1;

	pair[0] = pair[1] = NULL;
	for (size_t i = 0; i < list->n && code == 1; i++) {
		const struct target *t = &list->v[i];
		uint32_t at = (uint32_t)i;
		uint64_t hash = 0;

		if (t->problem)
			continue;
		for (size_t k = 0; k < t->label_n; k++)
			hash += prom_label_hash(&t->labels[k]);
		code = map_add(&seen, hash, &at);
		pair[0] = &list->v[at];
		pair[1] = t;
	}
	if (code != 0)
		pair[0] = pair[1] = NULL;
	map_free(&seen);
	return code < 0 ? err_memory(err) : 0;
}
