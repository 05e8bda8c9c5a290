#include <math.h>
#include <stdlib.h>

#include "fmt/prom/prom_text.h"
#include "sink/metrics/metric_sink.h"
#include "sink/tsv.h"

struct tsv {
	struct metric_sink sink; /* first: the sink is the struct */
	struct out *out;
	bool headed;
};

/* Texts are escaped as in an exposition. */
static void put_text(struct out *out, struct str text)
{
	tsv_put_escaped(out, text);
	out_putc(out, '\t');
}

static int begin(struct metric_sink *sink, const struct metric_about *about,
		 struct err *err)
{
	struct tsv *t = (struct tsv *)sink;

	(void)about;
	(void)err;
	if (!t->headed)
		out_puts(t->out, "name\tlabels\tvalue\ttimestamp_ms\n");
	t->headed = true;
	return 0;
}

static int family(struct metric_sink *sink, const struct metric_family *f,
		  struct err *err)
{
	(void)sink;
	(void)f;
	(void)err;
	return 0;
}

static int sample(struct metric_sink *sink, const struct metric_sample *s,
		  struct err *err)
{
	struct out *out = ((struct tsv *)sink)->out;
	char *room;

	(void)err;
	put_text(out, s->name);
	put_text(out, s->labels);
	room = out_room(out, PROM_NUMBER_MAX);
	out->n += prom_put_value(room, s->value);
	out_putc(out, '\t');
	if (!isnan(s->time)) {
		room = out_room(out, PROM_NUMBER_MAX);
		out->n += prom_put_time(room, s->time);
	}
	out_putc(out, '\n');
	return 0;
}

static int end(struct metric_sink *sink, struct err *err)
{
	(void)sink;
	(void)err;
	return 0;
}

static void free_sink(struct metric_sink *sink)
{
	free(sink);
}

struct metric_sink *tsv_out_new(struct out *out, struct err *err)
{
	struct tsv *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return err_no_memory(err);
	t->sink = (struct metric_sink){begin, family, sample, end, free_sink};
	t->out = out;
	return (struct metric_sink *)t;
}
