/*
 * Label sets: adding and renaming labels, order, fingerprints, text.
 *
 * A set is an array of labels as returned by the exposition parser. A label
 * with an empty value counts as absent (Prometheus, "Data model") and is not
 * fingerprinted. Text is always in canonical escapes.
 */
#ifndef OBS_METRICS_LABELS_H
#define OBS_METRICS_LABELS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "fmt/prom/prom.h"

/* A set under construction; grows as needed. Owns only the array. */
struct label_set {
	struct prom_label *v;
	size_t n;
	size_t cap;
};

void label_set_free(struct label_set *set);
int label_set_push(struct label_set *set, struct str name, struct str value,
		   struct err *err);

/* The same for plain text, which is escaped into the arena. */
int labels_push_plain(struct label_set *set, struct str name, struct str value,
		      struct arena *a, struct err *err);

/* Set *set to these n labels. */
int label_set_copy(struct label_set *set, const struct prom_label *labels,
		   size_t n, struct err *err);

/* Set *set to the labels of the text (see fmt/prom/prom_text.h). */
int label_set_read(struct label_set *set, struct str text, struct err *err);

/*
 * Set *set to the added labels followed by the n labels. One of these with the
 * name of an added one is renamed exported_NAME, as Prometheus does, again if
 * that is taken, too; with `honor` it stays and the added one is dropped. New
 * names live in the arena.
 */
int labels_merge(struct label_set *set, const struct prom_label *labels,
		 size_t n, const struct label_set *added, bool honor,
		 struct arena *a, struct err *err);

/* The value of the label; p is NULL if there is none. */
struct str labels_get(const struct prom_label *labels, size_t n,
		      const char *name);

/* Is there a label of that name whose value is numeric? */
bool labels_have_number(const struct prom_label *labels, size_t n,
			const char *name);

/* Order by name; the label `last`, unless NULL, goes to the end. */
void labels_sort(struct prom_label *labels, size_t n, const char *last);

/* Are they in that order, `last` being one of them or NULL? */
bool labels_in_order(const struct prom_label *labels, size_t n,
		     const struct prom_label *last);

/* The fingerprint of a set (see prom_label_hash). */
uint64_t labels_hash(const struct prom_label *labels, size_t n);

/* The label's text, when it stands in memory as it would be written, as in a
 * tidy exposition; p is NULL otherwise. */
struct str label_written(const struct prom_label *label);

/* The set as text in the arena; p is NULL when memory ran out. */
struct str labels_text(struct arena *a, const struct prom_label *labels,
		       size_t n);

#endif
