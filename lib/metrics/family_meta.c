/* The HELP and TYPE lines of families. */
#include "metrics/family.h"

#include "fmt/prom/prom_text.h"

static uint32_t current_part(const struct names *names)
{
	return names->n_parts - 1;
}

/* A TYPE that conflicts with the one in use. */
static void report_type_clash(struct names *names, const struct family *f,
			      enum prom_type type, int64_t line_number)
{
	struct err err;

	if (!report_count(names->report, REMARK_TYPE_CONFLICT))
		return;
	err_at(&err, ERR_INPUT, ERR_LINE, line_number,
	       "type conflict: TYPE %s of %.*s differs from %s in %s; the "
	       "first is kept",
	       prom_type_word(type), STR_ARG(f->name), prom_type_word(f->type),
	       names->parts[f->type_part]);
	err_in(&err, names->parts[current_part(names)]);
	report_say(names->report, REMARK_TYPE_CONFLICT, &err);
}

/* Was it a gauge in older versions of its engine, and is now a histogram? */
static bool became_histogram(const struct family *f, enum prom_type type)
{
	const struct catalogue_row *row;

	if (f->type != PROM_GAUGE || type != PROM_HISTOGRAM)
		return false;
	row = catalogue_find(f->source);
	return row != NULL && row->type == PROM_HISTOGRAM;
}

/* The histogram wins, whichever came first. */
static int take_histogram(struct names *names, struct family *f,
			  int64_t line_number)
{
	struct err err;

	f->was_gauge = true;
	f->type = PROM_HISTOGRAM;
	if (report_count(names->report, REMARK_TYPE_CONFLICT)) {
		err_at(&err, ERR_INPUT, ERR_LINE, line_number,
		       "type conflict: %.*s is a histogram here and a gauge "
		       "in %s; the gauges are dropped",
		       STR_ARG(f->name), names->parts[f->type_part]);
		err_in(&err, names->parts[current_part(names)]);
		report_say(names->report, REMARK_TYPE_CONFLICT, &err);
	}
	f->type_part = current_part(names);
	return names_retype(names, f);
}

static int take_type(struct names *names, struct family *f, enum prom_type type,
		     int64_t line_number)
{
	if (f->typed && f->type == type)
		return 0;
	/* A word for "unknown" does not conflict with a known type. */
	if (type == PROM_UNTYPED) {
		f->typed |= f->type == PROM_UNTYPED;
		return 0;
	}
	if (f->typed && became_histogram(f, type))
		return take_histogram(names, f, line_number);
	if (f->typed && f->type != PROM_UNTYPED) {
		f->clash_part = current_part(names);
		report_type_clash(names, f, type, line_number);
		return 0;
	}
	f->type = type;
	f->typed = true;
	f->type_part = current_part(names);
	return names_retype(names, f);
}

static int take_help(struct names *names, struct family *f, struct str help,
		     int64_t line_number, struct err *err)
{
	struct err remark;

	if (f->help.n == 0 && help.n > 0) {
		f->help = arena_str(names->arena, help);
		return f->help.p == NULL ? arena_error(names->arena, err) : 0;
	}
	if (help.n == 0 || str_eq(f->help, help) ||
	    f->help_part == current_part(names))
		return 0;
	f->help_part = current_part(names);
	if (!report_count(names->report, REMARK_HELP_CONFLICT))
		return 0;
	err_at(&remark, ERR_INPUT, ERR_LINE, line_number,
	       "HELP of %.*s differs; the first is kept", STR_ARG(f->name));
	err_in(&remark, names->parts[current_part(names)]);
	report_say(names->report, REMARK_HELP_CONFLICT, &remark);
	return 0;
}

int names_meta(struct names *names, const struct prom_line *line,
	       int64_t line_number, struct err *err)
{
	struct family *f = names_family(names, line->name);

	if (f == NULL)
		return arena_error(names->arena, err);
	if (line->kind == PROM_HELP)
		return take_help(names, f, line->help, line_number, err);
	if (take_type(names, f, line->type, line_number) < 0)
		return err_memory(err);
	return 0;
}

bool names_clashes(const struct names *names, const struct metric *m)
{
	const struct family *f = names->families[m->family];

	return f->clash_part == current_part(names) && m->role == ROLE_VALUE &&
	       f->type == PROM_HISTOGRAM;
}

void names_end_body(struct names *names)
{
	static const struct str total = STR("_total");

	for (uint32_t i = 0; i < names->n_families; i++) {
		struct family *f = names->families[i];
		struct family *counter;

		if (f->type != PROM_COUNTER || f->metrics != NO_NUMBER)
			continue;
		counter = names_find_suffixed(names, f->name, total);
		if (counter == NULL)
			continue;
		f->counted = true;
		if (counter->type == PROM_UNTYPED) {
			counter->type = PROM_COUNTER;
			counter->typed = true;
			counter->type_part = f->type_part;
		}
		if (counter->help.n == 0)
			counter->help = f->help;
	}
}

static bool ends(struct str s, struct str suffix)
{
	return s.n > suffix.n && str_ends(s, suffix.p);
}

bool names_is_created(const struct names *names, const struct family *f)
{
	static const struct str created = STR("_created");
	static const struct str total = STR("_total");
	const unsigned int stamped = 1 << PROM_COUNTER | 1 << PROM_HISTOGRAM |
				     1 << PROM_SUMMARY;
	const struct family *base;
	struct str stem;

	if (!ends(f->name, created))
		return false;
	stem = str_make(f->name.p, f->name.n - created.n);
	base = names_find(names, stem);
	if (base != NULL && (stamped & 1u << base->type) != 0)
		return true;
	base = names_find_suffixed(names, stem, total);
	return base != NULL && base->type == PROM_COUNTER;
}
