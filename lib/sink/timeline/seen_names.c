#include "sink/timeline/seen_names.h"

#include <stdlib.h>

#include "base/array.h"

enum { SPAN = 1, REQUEST = 2 };

static int note_name(struct seen_names *names, uint32_t name, uint8_t kind,
		     struct err *err)
{
	if (!ARRAY_GROW_ZEROED(names->seen, name, names->seen_cap) ||
	    !ARRAY_GROW(names->v, names->n, names->cap))
		return err_memory(err);
	if (names->seen[name] == 0)
		names->v[names->n++] = name;
	names->seen[name] |= kind;
	return 0;
}

int seen_names_note(struct seen_names *names, const struct item *item,
		    uint32_t i, uint32_t name, uint32_t attempt,
		    struct err *err)
{
	if (i == 0)
		names->attempt = attempt;
	names->retried |= attempt != names->attempt;
	if (!item_is_span(item))
		return 0;
	return note_name(names, name, item->is_request ? SPAN | REQUEST : SPAN,
			 err);
}

static void put_numbers(const struct seen_names *names, struct json_writer *w,
			const char *key, uint8_t kind)
{
	json_add_begin(w, key, '[');
	for (size_t i = 0; i < names->n; i++)
		if ((names->seen[names->v[i]] & kind) != 0)
			json_uint(w, names->v[i]);
	json_end(w, ']');
}

void seen_names_put(const struct seen_names *names, struct json_writer *w)
{
	put_numbers(names, w, "spans", SPAN);
	put_numbers(names, w, "requests", REQUEST);
	json_add_bool(w, "retried", names->retried);
}

void seen_names_free(struct seen_names *names)
{
	free(names->seen);
	free(names->v);
	*names = (struct seen_names){0};
}
