#include "metrics/merge.h"

#include <math.h>

#include "base/limits.h"

struct merge merge_new(struct series_table *table, struct reduce *reduce)
{
	return (struct merge){.table = table,
			      .reduce = reduce,
			      .scratch = arena_new(LIMIT_LINE * 4),
			      .decoded = buf_new(LIMIT_LINE)};
}

void merge_free(struct merge *m)
{
	label_set_free(&m->merged);
	arena_free(&m->scratch);
	buf_free(&m->decoded);
}

static bool adds_labels(const struct merge *m)
{
	return m->added != NULL && m->added->n > 0;
}

/* The line with the labels of its part added. */
static int add_labels(struct merge *m, struct prom_line *line, struct err *err)
{
	int code;

	arena_reset(&m->scratch);
	code = labels_merge(&m->merged, line->labels, line->n_labels, m->added,
			    false, &m->scratch, err);
	line->labels = m->merged.v;
	line->n_labels = m->merged.n;
	line->written = str_make(NULL, 0);
	line->hash = labels_hash(line->labels, line->n_labels);
	return code;
}

static void report_odd_escape(const struct names *names,
			      const struct prom_line *line, int64_t line_number)
{
	struct err err;

	if (!report_count(names->report, REMARK_ESCAPE))
		return;
	err_at(&err, ERR_INPUT, ERR_LINE, line_number,
	       "undefined escape \\%c in a label of %.*s; kept as it is",
	       line->odd_escape, STR_ARG(line->name));
	err_in(&err, names->parts[names->n_parts - 1]);
	report_say(names->report, REMARK_ESCAPE, &err);
}

/* Is a metric needed for a step? */
static bool takes_row(const struct merge *m, const struct catalogue_row *row)
{
	return m->rows == NULL ||
	       (row != NULL && m->rows[catalogue_number(catalogue_now(row))]);
}

static int take_sample(struct merge *m, const struct prom_line *line,
		       int64_t line_number, struct err *err)
{
	struct metric *metric = names_metric(&m->table->names, line);
	struct prom_line own;
	bool chosen;
	int code = 0;

	if (metric == NULL)
		return arena_error(m->table->names.arena, err);
	m->samples++;
	if (line->odd_escape != 0)
		report_odd_escape(&m->table->names, line, line_number);
	chosen = metric->wanted && takes_row(m, metric->row);
	m->known += chosen;
	if (m->asked != NULL)
		m->asked->named |= metric->wanted;
	if (!(chosen || m->keeps_all) ||
	    names_clashes(&m->table->names, metric))
		return 0;
	if (adds_labels(m)) {
		own = *line;
		line = &own;
		code = add_labels(m, &own, err);
	}
	if (code == 0)
		code = m->n_matchers == 0
			       ? 1
			       : matchers_accept(m->matchers, m->n_matchers,
						 line->labels, line->n_labels,
						 &m->decoded, err);
	if (code < 0)
		return code;
	if (m->asked != NULL && chosen &&
	    asked_sample(m->asked, &m->table->names, line->labels,
			 line->n_labels, code == 1, err) < 0)
		return err->code;
	chosen &= code == 1;
	if (!(chosen || m->keeps_all))
		return 0;
	/* Only if stamped: comparing a NaN is slow. */
	if (m->reduce != NULL && line->stamped &&
	    !(line->time <= m->table->newest))
		m->table->newest = line->time;
	if (m->reduce != NULL)
		return reduce_add(m->reduce, metric, line, line_number, err);
	code = series_add(m->table, metric, line, line_number, err);
	if (code == 0)
		series_at(m->table, m->table->n - 1)->hidden = !chosen;
	return code;
}

int merge_settle(struct merge *m, struct err *err)
{
	return series_settle(m->table, err);
}

int merge_line(struct merge *m, const struct prom_line *line,
	       int64_t line_number, struct err *err)
{
	if (line->kind == PROM_SAMPLE)
		return take_sample(m, line, line_number, err);
	if (merge_settle(m, err) < 0)
		return err->code;
	switch (line->kind) {
	case PROM_HELP:
	case PROM_TYPE:
		return names_meta(&m->table->names, line, line_number, err);
	case PROM_EOF:
		names_end_body(&m->table->names);
		return 0;
	default:
		return 0;
	}
}
