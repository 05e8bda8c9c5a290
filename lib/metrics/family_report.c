/* Remarks on the names of an exposition. */
#include "fmt/prom/prom_text.h"
#include "metrics/family.h"

void names_report_mistyped(const struct names *names, const struct family *f,
			   const struct family *histogram)
{
	struct err err;

	if (!report_count(names->report, REMARK_TYPE_CONFLICT))
		return;
	err_set(&err, ERR_INPUT,
		"type conflict: TYPE %s of %.*s is ignored; it is part of the "
		"histogram %.*s",
		prom_type_word(f->type), STR_ARG(f->name),
		STR_ARG(histogram->name));
	err_in(&err, names->parts[names->n_parts - 1]);
	report_say(names->report, REMARK_TYPE_CONFLICT, &err);
}

void names_report_duplicate(struct names *names, const struct metric *m,
			    uint32_t part, int64_t line_number)
{
	struct err err;

	if (part != names->n_parts - 1) {
		if (names->clash.n++ > 0)
			return;
		names->clash.part = part;
		names->clash.metric = m;
		names->clash.line_number = line_number;
		return;
	}
	if (!report_count(names->report, REMARK_DUPLICATE))
		return;
	err_at(&err, ERR_INPUT, ERR_LINE, line_number,
	       "duplicate series of %.*s; the first is used", STR_ARG(m->name));
	err_in(&err, names->parts[names->n_parts - 1]);
	report_say(names->report, REMARK_DUPLICATE, &err);
}

void names_end_part(struct names *names)
{
	struct names_clash clash = names->clash;
	const char *here = names->parts[names->n_parts - 1];
	const char *there = names->parts[clash.part];
	struct err err;

	names->clash.n = 0;
	if (clash.n == 0 || !report_count(names->report, REMARK_CLASH))
		return;
	err_at(&err, ERR_INPUT, ERR_LINE, clash.line_number,
	       "%llu series also in %s (the first is %.*s), not counted; "
	       "distinguish the operands: %s@worker=1 %s@worker=2",
	       (unsigned long long)clash.n, there, STR_ARG(clash.metric->name),
	       there, here);
	err_in(&err, here);
	report_say(names->report, REMARK_CLASH, &err);
}
