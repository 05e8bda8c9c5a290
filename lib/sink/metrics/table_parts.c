#include "sink/metrics/table_parts.h"

#include <stdlib.h>

enum { CELL_MAX = TABLE_NUMBER_MAX + 2 /* including marks */ };

void table_separate(struct table_out *t, bool scalars)
{
	if (t->again && !scalars)
		out_putc(t->out, '\n');
	t->again = true;
}

void table_add_cell(struct table_out *t, struct table *table,
		    const struct grid_cell *cell)
{
	char text[CELL_MAX];
	size_t n = 0;

	if (cell == NULL) {
		table_add(table, str_make("", 0));
		return;
	}
	if (cell->at_least)
		text[n++] = '>';
	n += table_number(text + n, cell->value);
	if (t->worst != NULL && cell->value == t->worst[cell->column]) {
		text[n++] = '!';
		t->marked = true;
	}
	t->at_least |= cell->at_least;
	table_add(table, str_make(text, n));
}

int table_make_headings(struct headings *h, size_t n, struct err *err)
{
	h->v = calloc(n + 1, sizeof(*h->v));
	h->offsets = calloc(n + 1, sizeof(*h->offsets));
	return h->v == NULL || h->offsets == NULL ? err_memory(err) : 0;
}

void table_add_heading(struct headings *h, const char *title,
		       enum table_align align)
{
	h->offsets[h->n] = SIZE_MAX;
	h->v[h->n++] = (struct table_column){title, align};
}

void table_free_headings(struct headings *h)
{
	free(h->v);
	free(h->offsets);
}

void table_add_label_headings(struct headings *h, const struct table_out *t)
{
	for (uint32_t i = 0; i < t->names.count; i++)
		table_add_heading(h, intern_text(&t->names, i).p, TABLE_LEFT);
}

int table_add_labels(struct table_out *t, struct table *table, uint32_t row,
		     struct err *err)
{
	int code = label_set_read(&t->labels, intern_text(&t->grid.rows, row),
				  err);

	for (uint32_t i = 0; code == 0 && i < t->names.count; i++)
		table_add(table, labels_get(t->labels.v, t->labels.n,
					    intern_text(&t->names, i).p));
	return code;
}
