#include "metrics/fold.h"

#include <math.h>

static void add_time(struct fold *f, const struct prom_line *line)
{
	bool first = fold_is_empty(f);

	if (!line->stamped && !f->stamped && !first) {
		f->last = line->value;
		return;
	}
	f->stamped |= line->stamped;
	if (first)
		f->time = f->newest = line->time;
	else if (f->time != line->time && !(isnan(f->time) && !line->stamped))
		f->mixed = true;
	if (!(line->time < f->newest)) {
		f->last = line->value;
		f->newest = line->time;
	}
}

void fold_add(struct fold *f, const struct prom_line *line)
{
	double value = line->value;

	add_time(f, line);
	if (isnan(value)) {
		f->nans++;
		return;
	}
	if (f->n == 0)
		f->min = f->max = value;
	f->min = value < f->min ? value : f->min;
	f->max = value > f->max ? value : f->max;
	f->sum += value;
	f->scaled += value * 0x1p-64;
	f->n++;
}

static void merge_times(struct fold *f, const struct fold *other)
{
	f->mixed |= other->mixed || (f->time != other->time &&
				     !(isnan(f->time) && isnan(other->time)));
	f->stamped |= other->stamped;
	if (other->newest < f->newest)
		return;
	f->last = other->last;
	f->newest = other->newest;
}

void fold_merge(struct fold *f, const struct fold *other)
{
	if (fold_is_empty(other))
		return;
	if (fold_is_empty(f)) {
		*f = *other;
		return;
	}
	merge_times(f, other);
	if (other->n > 0) {
		bool first = f->n == 0;

		f->min = first || other->min < f->min ? other->min : f->min;
		f->max = first || other->max > f->max ? other->max : f->max;
	}
	f->sum += other->sum;
	f->scaled += other->scaled;
	f->n += other->n;
	f->nans += other->nans;
}

static double mean(const struct fold *f)
{
	if (isinf(f->sum) && !isinf(f->scaled))
		return f->scaled / (double)f->n * 0x1p64;
	return f->sum / (double)f->n;
}

static double value_of(const struct fold *f, enum reduce_op op, bool propagate)
{
	if (op == OP_COUNT)
		return (double)(f->n + f->nans);
	if (op == OP_LAST)
		return f->last;
	if (f->n == 0)
		return (double)NAN;
	if (op == OP_MIN || op == OP_SAME)
		return f->min;
	if (op == OP_MAX)
		return f->max;
	if (propagate && f->nans > 0)
		return (double)NAN;
	return op == OP_MEAN ? mean(f) : f->sum;
}

bool fold_value(const struct fold *f, enum reduce_op op, bool propagate,
		double *value)
{
	*value = value_of(f, op, propagate);
	return op != OP_NONE && !(op == OP_SAME && f->min < f->max);
}

long double fold_time(const struct fold *f)
{
	return f->mixed ? (long double)NAN : f->time;
}
