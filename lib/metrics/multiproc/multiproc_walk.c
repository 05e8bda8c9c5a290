#include <math.h>
#include <stdlib.h>

#include "fmt/prom/prom_client.h"
#include "metrics/metric_out.h"
#include "metrics/multiproc/multiproc_parts.h"

/* Buckets ------------------------------------------------------------- */

static int compare_bounds(const void *a, const void *b)
{
	const struct multiproc_part *const *p = a;
	const struct multiproc_part *const *q = b;

	return ((*p)->of.bound > (*q)->of.bound) -
	       ((*p)->of.bound < (*q)->of.bound);
}

/* Sort the buckets by bound. */
static int sort_buckets(struct multiproc *m, struct multiproc_series *s,
			struct err *err)
{
	struct multiproc_part **sorted, *part = s->parts;

	arena_reset(&m->scratch);
	sorted = arena_array(&m->scratch, s->n_parts,
			     sizeof(struct multiproc_part *));
	if (sorted == NULL)
		return arena_error(&m->scratch, err);
	for (size_t i = 0; i < s->n_parts; i++, part = part->next)
		sorted[i] = part;
	qsort(sorted, s->n_parts, sizeof(struct multiproc_part *),
	      compare_bounds);
	s->parts = sorted[0];
	s->last = sorted[s->n_parts - 1];
	s->last->next = NULL;
	for (size_t i = 0; i + 1 < s->n_parts; i++)
		sorted[i]->next = sorted[i + 1];
	return 0;
}

/* Sort the family's buckets and compute its _count, before either is
 * written. */
static int settle(struct multiproc *m, struct multiproc_family *family,
		  struct err *err)
{
	for (struct multiproc_series *s = family->series; s; s = s->next) {
		int code;

		if (s->count == NULL)
			continue;
		code = sort_buckets(m, s, err);
		if (code < 0)
			return code;
		s->count->point = (struct multiproc_point){.any = true};
		for (struct multiproc_part *p = s->parts; p; p = p->next)
			s->count->point.value += p->point.value;
	}
	return 0;
}

/* Samples ------------------------------------------------------------- */

static int put_sample(struct metric_sink *sink, struct str name,
		      struct str labels, double value, struct err *err)
{
	struct metric_sample sample = {
		.name = name,
		.labels = labels,
		.value = value,
		.time = (long double)NAN,
	};

	return sink->sample(sink, &sample, err);
}

static void put_label(struct buf *text, const char *name, struct str value)
{
	struct prom_label label = prom_label_of(str_of(name), value);
	char *room = buf_room(text, prom_label_room(&label));

	if (room != NULL)
		text->n += prom_put_label(room, &label);
}

static int put_buckets(struct multiproc *m, const struct multiproc_series *s,
		       struct metric_sink *sink, struct err *err)
{
	char le[PROM_NUMBER_MAX];
	double total = 0;
	size_t head;
	int code = 0;

	buf_clear(&m->text);
	buf_put(&m->text, s->labels.p, s->labels.n);
	if (s->labels.n > 0)
		buf_putc(&m->text, ',');
	head = m->text.n;
	for (struct multiproc_part *p = s->parts; p && code == 0; p = p->next) {
		size_t n = prom_client_put(le, p->of.bound);

		total += p->point.value;
		m->text.n = head;
		put_label(&m->text, "le", str_make(le, n));
		if (m->text.failed)
			return buf_error(&m->text, err);
		code = put_sample(sink, s->name, buf_str(&m->text), total, err);
	}
	return code;
}

/* The position of the label pid in a set sorted by name. */
static size_t place_of_pid(struct str labels)
{
	struct str rest = labels;

	while (rest.n > 0) {
		struct prom_label label;
		struct str next = prom_label_next(rest, &label);

		if (str_cmp(label.name, str_of("pid")) > 0)
			break;
		rest = next;
	}
	return labels.n - rest.n;
}

/* head,pid="PROCESS",tail */
static struct str with_pid(struct buf *text, struct str head,
			   struct str process, struct str tail)
{
	buf_clear(text);
	buf_put(text, head.p, head.n);
	if (tail.n == 0 && head.n > 0)
		buf_putc(text, ',');
	buf_puts(text, "pid=\"");
	prom_escape(text, process);
	buf_putc(text, '"');
	if (tail.n > 0)
		buf_putc(text, ',');
	buf_put(text, tail.p, tail.n);
	return buf_str(text);
}

static int put_processes(struct multiproc *m, const struct multiproc_series *s,
			 struct metric_sink *sink, struct err *err)
{
	size_t place = place_of_pid(s->labels);
	struct str head = str_make(s->labels.p, place);
	struct str tail = str_skip(s->labels, place);
	int code = 0;

	for (struct multiproc_part *p = s->parts; p && code == 0; p = p->next) {
		struct str process =
			intern_text(&m->processes, (uint32_t)p->of.process);
		struct str labels = with_pid(&m->text, head, process, tail);

		if (m->text.failed)
			return buf_error(&m->text, err);
		code = put_sample(sink, s->name, labels, p->point.value, err);
	}
	return code;
}

static int put_series(struct multiproc *m, const struct multiproc_series *s,
		      struct metric_sink *sink, struct err *err)
{
	int code = 0;

	if (s->point.any)
		code = put_sample(sink, s->name, s->labels, s->point.value,
				  err);
	if (code < 0 || s->parts == NULL)
		return code;
	return s->count ? put_buckets(m, s, sink, err)
			: put_processes(m, s, sink, err);
}

/* Families ------------------------------------------------------------ */

/* Describe the family; in text 0.0.4 a counter is named like its samples. */
static int put_family(struct multiproc *m,
		      const struct multiproc_family *family,
		      struct metric_sink *sink, struct err *err)
{
	struct metric_family f = {
		.name = family->name,
		.help = family->help,
		.type = family->type,
		.typed = true,
	};

	arena_reset(&m->scratch);
	buf_clear(&m->text);
	buf_put(&m->text, f.name.p, f.name.n);
	if (f.type == PROM_COUNTER)
		buf_puts(&m->text, "_total");
	f.name = m->text.failed ? str_make(NULL, 0)
				: arena_str(&m->scratch, buf_str(&m->text));
	if (f.name.p == NULL)
		return m->text.failed ? buf_error(&m->text, err)
				      : arena_error(&m->scratch, err);
	return sink->family(sink, &f, err);
}

static int walk_family(struct multiproc *m, struct multiproc_family *family,
		       struct metric_sink *sink, struct err *err)
{
	int code = settle(m, family, err);

	if (code == 0)
		code = put_family(m, family, sink, err);
	for (struct multiproc_series *s = family->series; s && code == 0;
	     s = s->next)
		code = put_series(m, s, sink, err);
	return code;
}

int multiproc_walk(struct multiproc *m, struct metric_sink *sink,
		   struct err *err)
{
	static const struct metric_about about;
	int code = sink->begin(sink, &about, err);

	for (size_t i = 0; code == 0 && i < m->families.names.count; i++)
		code = walk_family(m, m->families.items[i], sink, err);
	return code == 0 ? sink->end(sink, err) : code;
}
