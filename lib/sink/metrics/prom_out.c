#include <stdlib.h>

#include "fmt/prom/prom_text.h"
#include "sink/metrics/metric_sink.h"

struct prom_out {
	struct metric_sink sink; /* first: the sink is the struct */
	struct out *out;
	bool closed;
	bool opened; /* the first line is out */
};

/* A reader must not take the stamps of a closed snapshot for seconds. */
static int begin(struct metric_sink *sink, const struct metric_about *about,
		 struct err *err)
{
	struct prom_out *p = (struct prom_out *)sink;

	(void)err;
	p->closed = about->closed;
	if (p->closed && !p->opened)
		out_puts(p->out, "# obs-scrape stream\n");
	p->opened = true;
	return 0;
}

static int family(struct metric_sink *sink, const struct metric_family *f,
		  struct err *err)
{
	struct prom_out *p = (struct prom_out *)sink;

	(void)err;
	prom_put_family(p->out, f->name, f->help, f->type, f->typed);
	return 0;
}

static int sample(struct metric_sink *sink, const struct metric_sample *s,
		  struct err *err)
{
	struct prom_out *p = (struct prom_out *)sink;

	(void)err;
	prom_put_sample(p->out, s->name, s->labels, s->value, s->time);
	return 0;
}

static int end(struct metric_sink *sink, struct err *err)
{
	struct prom_out *p = (struct prom_out *)sink;

	(void)err;
	if (p->closed)
		out_puts(p->out, "# EOF\n");
	return 0;
}

static void free_sink(struct metric_sink *sink)
{
	free(sink);
}

struct metric_sink *prom_out_new(struct out *out, struct err *err)
{
	struct prom_out *p = calloc(1, sizeof(*p));

	if (p == NULL) {
		err_memory(err);
		return NULL;
	}
	p->sink = (struct metric_sink){begin, family, sample, end, free_sink};
	p->out = out;
	return (struct metric_sink *)p;
}
