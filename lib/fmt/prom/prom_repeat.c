#include "fmt/prom/prom_repeat.h"

#include <endian.h>
#include <stdlib.h>

#include "base/array.h"
#include "fmt/prom/prom.h"
#include "fmt/prom/prom_scan.h"

#define NO_LABEL SIZE_MAX

enum { LONGEST = 64 * 1024 /* bytes of a series that is remembered */ };

void prom_repeat_free(struct prom_repeat *r)
{
	for (int i = 0; i < PROM_SEEN; i++) {
		free(r->seen[i].text);
		free(r->seen[i].labels);
	}
	*r = (struct prom_repeat){0};
}

struct prom_seen *prom_repeat_find(struct prom_repeat *r, struct str line)
{
	for (unsigned int i = 0; i < PROM_SEEN; i++) {
		struct prom_seen *seen = &r->seen[(r->at + i) % PROM_SEEN];

		if (prom_seen_begins(seen, line)) {
			r->at = (r->at + i) % PROM_SEEN;
			return seen;
		}
	}
	return NULL;
}

/* How many bytes at the front are the same, of n. */
static size_t common(const char *a, const char *b, size_t n)
{
	size_t i = 0;
	uint64_t x, y;

	while (i + 16 <= n && memcmp(a + i, b + i, 16) == 0)
		i += 16;
	for (; i + 8 <= n; i += 8) {
		memcpy(&x, a + i, 8);
		memcpy(&y, b + i, 8);
		if (x != y)
			return i + (size_t)__builtin_ctzll(htole64(x ^ y)) / 8;
	}
	while (i < n && a[i] == b[i])
		i++;
	return i;
}

/* Two places that are compared: in the text of the series, and in the line. */
struct places {
	size_t text;
	size_t line;
};

/* Move both over what is the same. */
static void go_on(const struct prom_seen *seen, struct str line,
		  struct places *at)
{
	size_t old = seen->n - at->text, new = line.n - at->line;
	size_t n = common(seen->text + at->text, line.p + at->line,
			  old < new ? old : new);

	at->text += n;
	at->line += n;
}

/* Move the labels from i on, as the line has them, up to the one whose value
 * or closing quote is where text and line differ; NO_LABEL for none. */
static size_t move_labels(struct prom_seen *seen, size_t i,
			  const struct places *at)
{
	ptrdiff_t shift = (ptrdiff_t)(at->line - at->text);

	for (; i < seen->n_labels; i++) {
		struct prom_label *label = &seen->labels[i];
		size_t value = prom_seen_value(seen, i);

		label->name.p += shift;
		label->value.p += shift;
		if (at->text <= value + label->value.n)
			return at->text < value ? NO_LABEL : i;
	}
	return NO_LABEL;
}

/* The label at index i was moved, and text and line differ in it: it has
 * another value, which may end elsewhere. Move both to its closing quotes. */
static bool find_end(struct prom_seen *seen, struct str line, size_t i,
		     struct places *at)
{
	size_t value = prom_seen_value(seen, i), shift = at->line - at->text;
	struct prom_label *label = &seen->labels[i];
	const char *end = line.p + line.n;
	const char *quote = scan_plain(line.p + at->line, end);

	if (quote == end || *quote != '"')
		return false;
	at->text = value - shift + label->value.n;
	at->line = (size_t)(quote - line.p);
	label->value.n = at->line - value;
	seen->change.hash -= label->hash;
	label->hash = 0;
	return true;
}

/* The text becomes the line's, of n bytes; the labels of the change that have
 * no fingerprint get one. */
static void take_over(struct prom_seen *seen, struct str line, size_t same,
		      size_t n)
{
	memcpy(seen->text + same, line.p + same, n - same);
	seen->n = n;
	for (size_t i = seen->change.first; i < seen->change.end; i++) {
		struct prom_label *label = &seen->labels[i];

		if (label->hash == 0) {
			label->hash = prom_label_hash(label);
			seen->change.hash += label->hash;
		}
	}
}

/* prom_seen_take; when it returns false, not all labels are where they were. */
static bool take(struct prom_seen *seen, struct str line)
{
	struct places at = {seen->name_n, seen->name_n};
	struct prom_change *change = &seen->change;
	size_t changed, same;

	go_on(seen, line, &at);
	same = at.line;
	/* Labels before the one that changed last time are as they were. */
	change->end = prom_seen_value(seen, change->first) <= same
			      ? change->first
			      : 0;
	change->first = NO_LABEL;
	change->hash = 0;
	for (; at.text < seen->n; change->end = changed + 1) {
		changed = move_labels(seen, change->end, &at);
		if (changed == NO_LABEL || !find_end(seen, line, changed, &at))
			return false;
		if (change->first == NO_LABEL)
			change->first = changed;
		go_on(seen, line, &at);
	}
	if (at.line > seen->cap)
		return false;
	if (at.line != at.text)
		move_labels(seen, change->end, &at);
	if (change->first == NO_LABEL)
		change->first = change->end;
	take_over(seen, line, same, at.line);
	return true;
}

bool prom_seen_take(struct prom_seen *seen, struct str line)
{
	bool taken = take(seen, line);

	if (!taken)
		seen->n = 0;
	return taken;
}

/* Room for a text of n, which may become longer, and for its labels. */
static bool make_room(struct prom_seen *seen, size_t n, size_t n_labels)
{
	seen->text = array_room(seen->text, &seen->cap, 2 * n, 1);
	seen->labels = array_room(seen->labels, &seen->labels_cap, n_labels,
				  sizeof(*seen->labels));
	return n < seen->cap && n_labels < seen->labels_cap;
}

struct prom_seen *prom_repeat_note(struct prom_repeat *r, struct str text,
				   const struct prom_line *line)
{
	struct prom_seen *seen;
	size_t n = line->n_labels;

	if (text.n > LONGEST || n == 0 || text.p[line->name.n] != '{')
		return NULL;
	if (r->seen[r->at].n > 0)
		r->at = (r->at + 1) % PROM_SEEN;
	seen = &r->seen[r->at];
	seen->n = 0;
	if (!make_room(seen, text.n, n))
		return NULL;
	memcpy(seen->text, text.p, text.n);
	memcpy(seen->labels, line->labels, n * sizeof(*seen->labels));
	for (size_t i = 0; i < n; i++) {
		struct prom_label *label = &seen->labels[i];

		label->name.p = seen->text + (label->name.p - text.p);
		label->value.p = seen->text + (label->value.p - text.p);
	}
	seen->n = text.n;
	seen->name_n = line->name.n;
	seen->n_labels = n;
	seen->change = (struct prom_change){0};
	return seen;
}
