/* Writes a body: its families' metadata and its samples. */
#include <math.h>

#include "base/array.h"
#include "fmt/prom/prom_text.h"
#include "metrics/relabel_parts.h"

/* Metadata. */

/* Text 0.0.4's types for those of OpenMetrics, and the suffix that makes a
 * family's name that of its samples. */
static const struct {
	const char *suffix;
	enum prom_type type;
} as_text[PROM_TYPES] = {
	[PROM_UNTYPED] = {"", PROM_UNTYPED},
	[PROM_COUNTER] = {"_total", PROM_COUNTER},
	[PROM_GAUGE] = {"", PROM_GAUGE},
	[PROM_HISTOGRAM] = {"", PROM_HISTOGRAM},
	[PROM_SUMMARY] = {"", PROM_SUMMARY},
	[PROM_GAUGEHISTOGRAM] = {"", PROM_HISTOGRAM},
	[PROM_INFO] = {"_info", PROM_GAUGE},
	[PROM_STATESET] = {"", PROM_GAUGE},
};

/* The key for detecting duplicates of "# WORD NAME" or "# WORD {"NAME"}". */
static void put_metadata(struct buf *out, const char *word, struct str name,
			 const char *suffix)
{
	const char *quote = prom_plain_name(name) ? "" : "\"";

	buf_puts(out, word);
	buf_puts(out, quote);
	buf_put(out, name.p, name.n);
	buf_puts(out, suffix);
	buf_puts(out, quote);
}

/* Is this line of metadata new to the snapshot? If out of memory it may be
 * repeated, which is harmless. */
static bool is_new(struct relabeler *r, struct str line)
{
	uint32_t number = intern_add(&r->seen, line);

	if (number == INTERN_FAILED)
		return true;
	if (!ARRAY_GROW_ZEROED(r->seen_in, number, r->seen_cap))
		return true;
	if (r->seen_in[number])
		return false;
	r->seen_in[number] = r->body;
	return true;
}

/* Keep what was appended since start, unless the snapshot has it; key is the
 * length of its identifying part. */
static void keep_if_new(struct relabeler *r, size_t start, size_t key)
{
	struct buf *out = &r->text;

	if (out->failed)
		return;
	if (is_new(r, str_make(out->p + start, key)))
		buf_putc(out, '\n');
	else
		out->n = start;
}

void relabel_end_family(struct relabel_writer *w)
{
	struct relabeler *r = w->r;
	struct str name = buf_str(&r->name);
	const char *suffix = "";
	size_t start = r->text.n, key;

	if (!w->held)
		return;
	w->held = false;
	if (w->openmetrics && !str_ends(name, as_text[w->type].suffix))
		suffix = as_text[w->type].suffix;
	if (r->help.n > 0) {
		put_metadata(&r->text, "# HELP ", name, suffix);
		key = r->text.n - start;
		buf_putc(&r->text, ' ');
		buf_put(&r->text, r->help.p, r->help.n);
		keep_if_new(r, start, key);
	}
	start = r->text.n;
	if (w->typed) {
		put_metadata(&r->text, "# TYPE ", name, suffix);
		buf_putc(&r->text, ' ');
		buf_puts(&r->text, prom_type_word(as_text[w->type].type));
		keep_if_new(r, start, r->text.n - start);
	}
}

void relabel_hold_metadata(struct relabel_writer *w,
			   const struct prom_line *line)
{
	struct relabeler *r = w->r;

	if (w->held && !str_eq(buf_str(&r->name), line->name))
		relabel_end_family(w);
	if (!w->held) {
		w->held = true;
		w->typed = false;
		w->type = PROM_UNTYPED;
		buf_clear(&r->name);
		buf_clear(&r->help);
		buf_put(&r->name, line->name.p, line->name.n);
	}
	if (line->kind == PROM_TYPE) {
		w->type = w->typed ? w->type : line->type;
		w->typed = true;
	} else if (r->help.n == 0) {
		buf_put(&r->help, line->help.p, line->help.n);
	}
	r->text.failed |= r->name.failed || r->help.failed;
}

/* Samples. */

static void put_labels(struct relabel_writer *w, const struct label_set *set)
{
	struct buf *out = &w->r->text;

	for (size_t i = 0; i < set->n; i++) {
		const struct prom_label *label = &set->v[i];
		char *room;

		if (label->value.n == 0)
			continue;
		buf_putc(out, w->separator);
		w->separator = ',';
		room = buf_room(out, prom_label_room(label));
		if (room)
			out->n += prom_put_label(room, label);
	}
	if (w->separator == ',')
		buf_putc(out, '}');
}

static void put_name(struct relabel_writer *w, struct str name)
{
	struct buf *out = &w->r->text;
	bool plain = prom_plain_name(name);

	w->separator = plain ? '{' : ',';
	if (!plain)
		buf_puts(out, "{\"");
	buf_put(out, name.p, name.n);
	if (!plain)
		buf_putc(out, '"');
}

static void put_numbers(struct relabel_writer *w, double value,
			long double time)
{
	char *room = buf_room(&w->r->text, 2 * PROM_NUMBER_MAX + 3);
	char *at = room;

	if (room == NULL)
		return;
	if (w->rules->stamped)
		time = w->rules->stamp;
	*at++ = ' ';
	at += prom_put_value(at, value);
	if (!isnan(time)) {
		*at++ = ' ';
		at += prom_put_time(at, time);
	}
	*at++ = '\n';
	w->r->text.n += (size_t)(at - room);
}

int relabel_put_sample(struct relabel_writer *w, const struct prom_line *line,
		       struct err *err)
{
	struct relabeler *r = w->r;

	arena_reset(&r->scratch);
	if (labels_merge(&r->merged, line->labels, line->n_labels, &r->added,
			 w->rules->honor, &r->scratch, err) < 0)
		return err->code;
	relabel_end_family(w);
	put_name(w, line->name);
	put_labels(w, &r->merged);
	put_numbers(w, line->value, line->time);
	w->counts->samples++;
	return 0;
}
