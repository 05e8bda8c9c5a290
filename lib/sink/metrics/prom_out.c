#include <stdlib.h>

#include "fmt/prom/prom_client.h"
#include "fmt/prom/prom_text.h"
#include "sink/metrics/metric_sink.h"

struct prom_out {
	struct metric_sink sink; /* first: the sink is the struct */
	struct out *out;
	bool as_client; /* in prometheus_client's style */
	bool closed;
	bool opened; /* the first line was written */
	size_t plain_n;
	char plain[128]; /* a name that was found to be plain */
};

/* A reader must not mistake a closed snapshot's timestamps for seconds. */
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
	if (p->as_client && f->help.n == 0 && prom_plain_name(f->name)) {
		out_puts(p->out, "# HELP ");
		out_put(p->out, f->name.p, f->name.n);
		out_puts(p->out, " \n");
	}
	prom_put_family(p->out, f->name, f->help, f->type, f->typed);
	return 0;
}

/* Samples of a name follow each other: look at its bytes once. */
static bool is_plain(struct prom_out *p, struct str name)
{
	if (name.n == p->plain_n && memcmp(name.p, p->plain, name.n) == 0)
		return true;
	if (!prom_plain_name(name) || name.n > sizeof(p->plain))
		return false;
	memcpy(p->plain, name.p, name.n);
	p->plain_n = name.n;
	return true;
}

static int sample(struct metric_sink *sink, const struct metric_sample *s,
		  struct err *err)
{
	struct prom_out *p = (struct prom_out *)sink;

	(void)err;
	if (!p->as_client && is_plain(p, s->name)) {
		prom_put_plain(p->out, s->name, s->labels, s->value, s->time);
		return 0;
	}
	if (!p->as_client) {
		prom_put_sample(p->out, s->name, s->labels, s->value, s->time);
		return 0;
	}
	prom_put_series(p->out, s->name, s->labels);
	out_putc(p->out, ' ');
	p->out->n +=
		prom_client_put(out_room(p->out, PROM_NUMBER_MAX), s->value);
	out_putc(p->out, '\n');
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

static struct metric_sink *new_sink(struct out *out, bool as_client,
				    struct err *err)
{
	struct prom_out *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return err_no_memory(err);
	p->sink = (struct metric_sink){begin, family, sample, end, free_sink};
	p->out = out;
	p->as_client = as_client;
	return &p->sink;
}

struct metric_sink *prom_out_new(struct out *out, struct err *err)
{
	return new_sink(out, false, err);
}

struct metric_sink *client_out_new(struct out *out, struct err *err)
{
	return new_sink(out, true, err);
}
