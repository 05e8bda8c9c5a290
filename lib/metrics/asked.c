#include "metrics/asked.h"

#include <fnmatch.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/similar.h"

enum {
	LIST_MAX = 120, /* bytes of names in a message */
	KEPT_MAX = 4096 /* of each kind that are kept */
};

struct asked asked_new(void)
{
	return (struct asked){.metrics = intern_new(MIB),
			      .labels = intern_new(MIB)};
}

void asked_free(struct asked *a)
{
	for (size_t i = 0; i < a->n; i++)
		intern_free(&a->items[i].values);
	free(a->items);
	intern_free(&a->metrics);
	intern_free(&a->labels);
}

void asked_add(struct asked *a, enum asked_kind kind, const char *option,
	       struct str text, const struct matcher *matcher)
{
	if (!ARRAY_GROW(a->items, a->n, a->cap))
		return;
	a->items[a->n++] = (struct asked_item){.kind = kind,
					       .option = option,
					       .text = text,
					       .matcher = matcher,
					       .values = intern_new(MIB)};
	a->open++;
	a->chooses |= kind == ASKED_METRIC;
}

/* What the input has ---------------------------------------------------- */

/* Keep a name to suggest; the first KEPT_MAX are enough. */
static void keep(struct intern *names, struct str name)
{
	if (names->count < KEPT_MAX)
		intern_add(names, name);
}

static void find(struct asked *a, struct asked_item *item)
{
	item->found = true;
	a->open--;
}

static const struct prom_label *label_of(const struct prom_label *labels,
					 size_t n, struct str name)
{
	for (size_t i = 0; i < n; i++)
		if (labels[i].value.n > 0 && str_eq(labels[i].name, name))
			return &labels[i];
	return NULL;
}

/* A matcher is found if it accepts a sample, but a negative one if the label
 * exists. */
static int match(struct asked *a, struct asked_item *item,
		 const struct prom_label *labels, size_t n, struct err *err)
{
	const struct matcher *m = item->matcher;
	const struct prom_label *label = label_of(labels, n, m->name);
	struct buf scratch = buf_new(LIMIT_LINE);
	int code = label != NULL;

	if (label != NULL)
		keep(&item->values, label->value);
	if (!m->negated)
		code = matchers_accept(m, 1, labels, n, &scratch, err);
	buf_free(&scratch);
	if (code > 0)
		find(a, item);
	return code < 0 ? code : 0;
}

/* Look for the names not found yet. */
static int look(struct asked *a, const struct prom_label *labels, size_t n,
		bool chosen, struct err *err)
{
	int code = 0;

	for (size_t i = 0; code == 0 && i < a->n; i++) {
		struct asked_item *item = &a->items[i];

		if (item->found)
			continue;
		if (item->kind == ASKED_MATCH)
			code = match(a, item, labels, n, err);
		else if (item->kind == ASKED_LABEL && chosen &&
			 label_of(labels, n, item->text) != NULL)
			find(a, item);
	}
	return code;
}

int asked_look(struct asked *a, const struct names *names,
	       const struct prom_label *labels, size_t n, bool chosen,
	       struct err *err)
{
	if (a->n_metrics != names->n_metrics)
		for (size_t i = 0; i < n; i++)
			if (labels[i].value.n > 0)
				keep(&a->labels, labels[i].name);
	a->n_metrics = names->n_metrics;
	return look(a, labels, n, chosen, err);
}

static bool is_in(const struct asked_item *item, const struct family *f)
{
	switch (item->kind) {
	case ASKED_METRIC:
		return fnmatch(item->text.p, f->source.p, 0) == 0 ||
		       fnmatch(item->text.p, f->name.p, 0) == 0;
	case ASKED_PREFIX:
		return str_starts(f->source, item->text.p);
	case ASKED_HISTOGRAM:
		return f->type == PROM_HISTOGRAM;
	default:
		return false;
	}
}

void asked_families(struct asked *a, const struct names *names)
{
	a->n_metrics = 0;
	for (uint32_t i = 0; i < names->n_families; i++) {
		const struct family *f = names->families[i];

		if (f->metrics == NO_NUMBER)
			continue;
		a->any = true;
		keep(&a->metrics, f->name);
		for (size_t k = 0; k < a->n && a->open > 0; k++)
			if (!a->items[k].found && is_in(&a->items[k], f))
				find(a, &a->items[k]);
	}
}

/* Messages -------------------------------------------------------------- */

/* Append up to LIST_MAX bytes of the names similar to `wanted`, or of all if it
 * is empty. Returns how many were omitted. */
static uint32_t list(struct buf *b, const struct intern *names,
		     struct str wanted)
{
	uint32_t listed = 0, left = 0;

	for (uint32_t i = 0; i < names->count; i++) {
		struct str name = intern_text(names, i);

		if (wanted.n > 0 && !similar_may_be(wanted, name))
			continue;
		if (listed > 0 && b->n + name.n + 2 > LIST_MAX) {
			left++;
			continue;
		}
		buf_printf(b, "%s%.*s", listed++ > 0 ? ", " : "",
			   STR_ARG(name));
	}
	return left;
}

/* The literal part of a glob between its first and last special characters. */
static struct str literal(struct str glob)
{
	while (glob.n > 0 && strchr("*?[]", glob.p[0]) != NULL)
		glob = str_skip(glob, 1);
	while (glob.n > 0 && strchr("*?[]", glob.p[glob.n - 1]) != NULL)
		glob.n--;
	return glob;
}

/* "; did you mean A, B" or "; WORD are A, B and 3 more". */
static void hint(struct buf *b, const struct intern *names, struct str wanted,
		 const char *word)
{
	struct buf items = buf_new(MIB);
	uint32_t left = 0;

	if (wanted.n > 0)
		list(&items, names, wanted);
	if (items.n > 0) {
		buf_printf(b, "; did you mean %.*s", (int)items.n, items.p);
	} else {
		left = list(&items, names, str_make("", 0));
		if (items.n > 0)
			buf_printf(b, "; %s are %.*s", word, (int)items.n,
				   items.p);
		if (left > 0 && names->count < KEPT_MAX)
			buf_printf(b, " and %u more", left);
		else if (left > 0)
			buf_puts(b, " and more");
	}
	buf_free(&items);
}

static void describe_label(const struct asked *a, struct buf *b,
			   const struct asked_item *item, struct str label)
{
	buf_printf(b, "%s=%.*s: no sample has the label %.*s", item->option,
		   STR_ARG(item->text), STR_ARG(label));
	if (memchr(label.p, ' ', label.n) != NULL)
		buf_puts(b, "; separate labels with commas");
	else
		hint(b, &a->labels, label, "labels");
}

static void describe_match(const struct asked *a, struct buf *b,
			   const struct asked_item *item)
{
	if (item->values.count == 0) {
		describe_label(a, b, item, item->matcher->name);
		return;
	}
	buf_printf(b, "%s=%.*s: no sample matches", item->option,
		   STR_ARG(item->text));
	hint(b, &item->values, str_make("", 0), "values");
}

static void describe_metric(const struct asked *a, struct buf *b,
			    const struct asked_item *item)
{
	buf_printf(b, "%s=%.*s: no metric %s", item->option,
		   STR_ARG(item->text),
		   item->kind == ASKED_METRIC ? "has this name"
					      : "begins like this");
	hint(b, &a->metrics, literal(item->text), "metrics");
}

static void describe(const struct asked *a, struct buf *b,
		     const struct asked_item *item)
{
	if (item->kind == ASKED_LABEL)
		describe_label(a, b, item, item->text);
	else if (item->kind == ASKED_MATCH)
		describe_match(a, b, item);
	else if (item->kind == ASKED_HISTOGRAM)
		buf_printf(b, "%s: no metric is a histogram", item->option);
	else
		describe_metric(a, b, item);
}

/* If nothing was examined, nothing is missing. */
static bool is_missing(const struct asked *a, const struct asked_item *item)
{
	if (item->found || !a->any)
		return false;
	if (item->kind == ASKED_MATCH)
		return a->seen > 0;
	return item->kind != ASKED_LABEL || a->chosen > 0;
}

bool asked_leaves_none(const struct asked *a)
{
	return a->any && a->chosen == 0 &&
	       (a->seen > 0 || (a->chooses && !a->named));
}

int asked_next(struct asked *a, struct err *err)
{
	struct asked_item *next = NULL;
	bool none = asked_leaves_none(a);
	bool missing = false;
	struct buf b = buf_new(MIB);

	for (size_t i = 0; i < a->n; i++) {
		struct asked_item *item = &a->items[i];

		if (!is_missing(a, item))
			continue;
		missing = true;
		if (next == NULL && !item->reported)
			next = item;
	}
	if (next != NULL) {
		next->reported = true;
		describe(a, &b, next);
		err_set(err, ERR_INPUT, "%.*s", (int)b.n, b.p);
	} else if (none && !missing && !a->reported_none) {
		a->reported_none = true;
		err_set(err, ERR_INPUT,
			"--select, --drop and --match together match no "
			"samples");
	} else {
		return missing || none ? 0 : -1;
	}
	buf_free(&b);
	return 1;
}
