#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/num.h"
#include "fmt/json/json_write.h"
#include "fmt/prom/prom_text.h"
#include "sink/metrics/metric_sink.h"

/* All three formats: json nests samples in families, jsonl has one per line,
 * and a summary has none. */
struct json_out {
	struct metric_sink sink; /* first: the sink is the struct */
	struct json_writer json;
	struct buf plain;	     /* an unescaped text */
	struct metric_family family; /* for jsonl's samples; name is borrowed */
	bool open;		     /* a family is open */
};

static struct str plain(struct json_out *j, struct str canonical)
{
	if (memchr(canonical.p == NULL ? "" : canonical.p, '\\', canonical.n) ==
	    NULL)
		return canonical;
	buf_clear(&j->plain);
	prom_unescape(&j->plain, canonical);
	return buf_str(&j->plain);
}

static void put_number(struct json_out *j, double value)
{
	char text[PROM_NUMBER_MAX];
	struct str number = {text, prom_put_value(text, value)};

	if (isfinite(value))
		json_verbatim(&j->json, number);
	else
		json_str(&j->json, number);
}

/* An unknown scalar is null. */
static void put_scalar(struct json_out *j, double value)
{
	if (isfinite(value))
		put_number(j, value);
	else
		json_null(&j->json);
}

static void put_labels(struct json_out *j, struct str text)
{
	struct prom_label label;

	json_add_begin(&j->json, "labels", '{');
	while (text.n > 0) {
		text = prom_label_next(text, &label);
		json_key_str(&j->json, plain(j, label.name));
		json_str(&j->json, plain(j, label.value));
	}
	json_end(&j->json, '}');
}

static void put_sample(struct json_out *j, const struct metric_sample *s)
{
	char text[PROM_NUMBER_MAX];

	json_add_str(&j->json, "name", plain(j, s->name));
	put_labels(j, s->labels);
	json_key(&j->json, "value");
	put_number(j, s->value);
	json_key(&j->json, "timestamp_ms");
	if (isnan(s->time))
		json_null(&j->json);
	else
		json_verbatim(&j->json,
			      str_make(text, prom_put_time(text, s->time)));
}

static void put_type(struct json_out *j, const struct metric_family *f)
{
	json_add_str(&j->json, "type",
		     str_of(f->typed ? prom_type_word(f->type) : "untyped"));
}

/* If the buffer ran out of memory the text is incomplete. */
static int checked(const struct json_out *j, struct err *err)
{
	return j->plain.failed ? err_memory(err) : 0;
}

static void free_sink(struct metric_sink *sink)
{
	struct json_out *j = (struct json_out *)sink;

	buf_free(&j->plain);
	free(j);
}

/* One object a snapshot ------------------------------------------------ */

static void begin_object(struct json_out *j, const struct metric_about *about)
{
	json_begin(&j->json, '{');
	for (size_t i = 0; i < about->n_scalars; i++) {
		json_key_str(&j->json, str_of(about->scalars[i].name));
		put_scalar(j, about->scalars[i].value);
	}
}

static void end_object(struct json_out *j)
{
	json_end(&j->json, '}');
	json_end_line(&j->json);
}

static int begin(struct metric_sink *sink, const struct metric_about *about,
		 struct err *err)
{
	struct json_out *j = (struct json_out *)sink;

	(void)err;
	begin_object(j, about);
	json_add_begin(&j->json, "families", '[');
	return 0;
}

static void close_family(struct json_out *j)
{
	if (!j->open)
		return;
	json_end(&j->json, ']');
	json_end(&j->json, '}');
	j->open = false;
}

static int family(struct metric_sink *sink, const struct metric_family *f,
		  struct err *err)
{
	struct json_out *j = (struct json_out *)sink;

	(void)err;
	close_family(j);
	json_begin(&j->json, '{');
	json_add_str(&j->json, "name", plain(j, f->name));
	put_type(j, f);
	json_add_str(&j->json, "help", plain(j, f->help));
	json_add_begin(&j->json, "samples", '[');
	j->open = true;
	return 0;
}

static int sample(struct metric_sink *sink, const struct metric_sample *s,
		  struct err *err)
{
	struct json_out *j = (struct json_out *)sink;

	(void)err;
	json_begin(&j->json, '{');
	put_sample(j, s);
	json_end(&j->json, '}');
	return 0;
}

static int end(struct metric_sink *sink, struct err *err)
{
	struct json_out *j = (struct json_out *)sink;

	close_family(j);
	json_end(&j->json, ']');
	end_object(j);
	return checked(j, err);
}

/* One object a sample -------------------------------------------------- */

static int begin_lines(struct metric_sink *sink,
		       const struct metric_about *about, struct err *err)
{
	(void)sink;
	(void)about;
	(void)err;
	return 0;
}

static int family_of_lines(struct metric_sink *sink,
			   const struct metric_family *f, struct err *err)
{
	struct json_out *j = (struct json_out *)sink;

	(void)err;
	j->family = *f;
	return 0;
}

static int sample_line(struct metric_sink *sink, const struct metric_sample *s,
		       struct err *err)
{
	struct json_out *j = (struct json_out *)sink;

	(void)err;
	json_begin(&j->json, '{');
	put_sample(j, s);
	json_add_str(&j->json, "family", plain(j, j->family.name));
	put_type(j, &j->family);
	end_object(j);
	return 0;
}

static int end_lines(struct metric_sink *sink, struct err *err)
{
	return checked((struct json_out *)sink, err);
}

/* Scalars only --------------------------------------------------------- */

static int begin_scalars(struct metric_sink *sink,
			 const struct metric_about *about, struct err *err)
{
	(void)err;
	begin_object((struct json_out *)sink, about);
	return 0;
}

static int ignore_family(struct metric_sink *sink,
			 const struct metric_family *f, struct err *err)
{
	(void)sink;
	(void)f;
	(void)err;
	return 0;
}

static int ignore_sample(struct metric_sink *sink,
			 const struct metric_sample *s, struct err *err)
{
	(void)sink;
	(void)s;
	(void)err;
	return 0;
}

static int end_scalars(struct metric_sink *sink, struct err *err)
{
	(void)err;
	end_object((struct json_out *)sink);
	return 0;
}

static struct metric_sink *new_sink(struct out *out, struct metric_sink calls,
				    struct err *err)
{
	struct json_out *j = calloc(1, sizeof(*j));

	if (j == NULL)
		return err_no_memory(err);
	j->sink = calls;
	j->json = json_writer_on(out);
	j->plain = buf_new(SIZE_MAX);
	return (struct metric_sink *)j;
}

struct metric_sink *json_out_new(struct out *out, struct err *err)
{
	return new_sink(out,
			(struct metric_sink){begin, family, sample, end,
					     free_sink},
			err);
}

struct metric_sink *jsonl_out_new(struct out *out, struct err *err)
{
	return new_sink(out,
			(struct metric_sink){begin_lines, family_of_lines,
					     sample_line, end_lines, free_sink},
			err);
}

struct metric_sink *json_scalars_out_new(struct out *out, struct err *err)
{
	return new_sink(out,
			(struct metric_sink){begin_scalars, ignore_family,
					     ignore_sample, end_scalars,
					     free_sink},
			err);
}
