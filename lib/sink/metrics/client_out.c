#include "sink/metrics/client_out.h"

#include <stdlib.h>

#include "fmt/prom/prom_client.h"
#include "fmt/prom/prom_text.h"

struct client_out {
	struct metric_sink sink; /* first: the sink is the struct */
	struct out *out;
};

static int begin(struct metric_sink *sink, const struct metric_about *about,
		 struct err *err)
{
	(void)sink;
	(void)about;
	(void)err;
	return 0;
}

static int family(struct metric_sink *sink, const struct metric_family *f,
		  struct err *err)
{
	struct out *out = ((struct client_out *)sink)->out;

	(void)err;
	if (f->help.n == 0 && prom_plain_name(f->name)) {
		out_puts(out, "# HELP ");
		out_put(out, f->name.p, f->name.n);
		out_puts(out, " \n");
	}
	prom_put_family(out, f->name, f->help, f->type, f->typed);
	return 0;
}

static int sample(struct metric_sink *sink, const struct metric_sample *s,
		  struct err *err)
{
	struct out *out = ((struct client_out *)sink)->out;

	(void)err;
	prom_put_series(out, s->name, s->labels);
	out_putc(out, ' ');
	out->n += prom_client_put(out_room(out, PROM_NUMBER_MAX), s->value);
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

struct metric_sink *client_out_new(struct out *out, struct err *err)
{
	struct client_out *c = calloc(1, sizeof(*c));

	if (c == NULL) {
		err_memory(err);
		return NULL;
	}
	c->sink = (struct metric_sink){begin, family, sample, end, free_sink};
	c->out = out;
	return (struct metric_sink *)c;
}
