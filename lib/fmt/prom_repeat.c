#include "fmt/prom_repeat.h"

#include <stdlib.h>

#include "fmt/prom.h"

enum { LONGEST = 64 * 1024 /* bytes of a series that is remembered */ };

void prom_repeat_free(struct prom_repeat *r)
{
	free(r->text);
	free(r->places);
	*r = (struct prom_repeat){0};
}

/* How many bytes at the front are the same, of n. */
static size_t common(const char *a, const char *b, size_t n)
{
	size_t i = 0;
	uint64_t x, y;

	for (; i + 8 <= n; i += 8) {
		memcpy(&x, a + i, 8);
		memcpy(&y, b + i, 8);
		if (x != y)
			break;
	}
	while (i < n && a[i] == b[i])
		i++;
	return i;
}

/* Behind the label's closing quote. */
static size_t end_of(const struct prom_place *place)
{
	return (size_t)place->value + place->value_n + 1;
}

size_t prom_repeat_head(const struct prom_repeat *r, struct str line, size_t *n)
{
	size_t most = line.n < r->n ? line.n : r->n;
	size_t same = most == 0 ? 0 : common(r->text, line.p, most);
	size_t labels = 0;

	while (labels < r->labels && end_of(&r->places[labels]) <= same)
		labels++;
	*n = labels == 0 ? 0 : end_of(&r->places[labels - 1]);
	return labels;
}

bool prom_repeat_tail(const struct prom_repeat *r, size_t i,
		      const struct prom_label *label, struct str rest,
		      size_t *n)
{
	const struct prom_place *place = &r->places[i];
	size_t end = end_of(place);

	*n = r->n - end;
	return str_eq(label->name,
		      str_make(r->text + place->name, place->name_n)) &&
	       rest.n >= *n && memcmp(rest.p, r->text + end, *n) == 0;
}

void prom_repeat_take(const struct prom_repeat *r, size_t from, size_t to,
		      const char *p, ptrdiff_t shift, struct prom_label *labels)
{
	for (size_t i = from; i < to; i++) {
		const struct prom_place *place = &r->places[i];

		const char *name = p + (place->name + shift);
		const char *value = p + (place->value + shift);

		labels[i] = (struct prom_label){
			.name = str_make(name, place->name_n),
			.value = str_make(value, place->value_n),
			.hash = place->hash};
	}
}

static int reserve(struct prom_repeat *r, size_t n, size_t labels)
{
	if (n > r->cap) {
		char *text = realloc(r->text, n * 2);

		if (text == NULL)
			return -1;
		r->text = text;
		r->cap = n * 2;
	}
	if (labels > r->places_cap) {
		struct prom_place *places =
			realloc(r->places, labels * 2 * sizeof(*places));

		if (places == NULL)
			return -1;
		r->places = places;
		r->places_cap = labels * 2;
	}
	return 0;
}

void prom_repeat_note(struct prom_repeat *r, const struct prom_line *line,
		      size_t n, size_t same, size_t labels)
{
	const char *start = line->name.p;

	if (n > LONGEST || reserve(r, n, line->n_labels) < 0) {
		r->n = r->labels = 0;
		return;
	}
	memcpy(r->text + same, start + same, n - same);
	r->n = n;
	r->name_n = line->name.n;
	r->labels = line->n_labels;
	for (size_t i = labels; i < line->n_labels; i++) {
		const struct prom_label *label = &line->labels[i];

		r->places[i] = (struct prom_place){
			.name = (uint32_t)(label->name.p - start),
			.name_n = (uint32_t)label->name.n,
			.value = (uint32_t)(label->value.p - start),
			.value_n = (uint32_t)label->value.n,
			.hash = label->hash};
	}
}
