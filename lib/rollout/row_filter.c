#include <ctype.h>
#include <math.h>

#include "base/array.h"
#include "base/num.h"
#include "fmt/value/value_make.h"
#include "fmt/value/value_python.h"
#include "fmt/value/value_text.h"
#include "rollout/row_filter_parts.h"
#include "rollout/span_attrs.h"

static bool has_nocase(struct str s, struct str part)
{
	for (size_t i = 0; part.n <= s.n && i <= s.n - part.n; i++) {
		size_t k = 0;

		while (k < part.n && tolower((unsigned char)s.p[i + k]) ==
					     (unsigned char)part.p[k])
			k++;
		if (k == part.n)
			return true;
	}
	return false;
}

/* A value as users type it: none, true, 1.5, the text itself. */
static struct str text_of(struct row_filter *f, struct value v)
{
	if (v.kind == VALUE_STR)
		return value_text(v);
	if (v.kind == VALUE_ABSENT || v.kind == VALUE_NONE)
		return str_of("none");
	buf_clear(&f->text);
	value_put_str(&f->text, v);
	if (f->text.failed)
		buf_error(&f->text, &f->failure);
	return buf_str(&f->text);
}

static bool is_text(struct row_filter *f, struct value v, struct str wanted)
{
	struct str text = text_of(f, v);

	return text.n == wanted.n && has_nocase(text, wanted);
}

static double number_of(struct value v)
{
	double number = NAN;

	v = value_plain(v);
	if (v.kind == VALUE_INT)
		return (double)v.i;
	if (v.kind == VALUE_FLOAT)
		return v.f;
	if (v.kind == VALUE_BIGINT && !num_parse_double(value_text(v), &number))
		return NAN;
	return number;
}

static bool compare(enum op op, double a, double b)
{
	switch (op) {
	case OP_LESS:
		return a < b;
	case OP_MOST:
		return a <= b;
	case OP_MORE:
		return a > b;
	case OP_LEAST:
		return a >= b;
	default:
		return a == b;
	}
}

static bool test_text(struct row_filter *f, const struct filter_term *t,
		      struct value v)
{
	return t->op == OP_IS ? is_text(f, v, t->value)
			      : has_nocase(text_of(f, v), t->value);
}

static bool test_number(struct row_filter *f, const struct filter_term *t,
			struct value v)
{
	double own = number_of(v);

	if (!isnan(own) && !isnan(t->number))
		return compare(t->op, own, t->number);
	return (t->op == OP_HAS || t->op == OP_IS) && is_text(f, v, t->value);
}

/* Text, a number, or anything in a dict or a list. */
static bool test_any(struct row_filter *f, const struct filter_term *t,
		     struct value v, unsigned depth)
{
	enum { DEEPEST = 32 };
	bool dict = v.kind == VALUE_DICT;

	if (v.kind == VALUE_STR && t->op == OP_HAS)
		return test_text(f, t, v);
	if (!dict && v.kind != VALUE_LIST && v.kind != VALUE_TUPLE)
		return test_number(f, t, v);
	for (uint32_t i = dict; depth < DEEPEST && i < v.items->n;
	     i += 1 + dict)
		if (test_any(f, t, v.items->v[i], depth + 1))
			return true;
	return false;
}

/* The value at a path: a key of the dict, including dots, or the value at the
 * rest of the path inside the key before the first dot. */
static struct value look_up(struct value v, struct str path)
{
	const struct value absent = {.kind = VALUE_ABSENT};
	const char *dot = memchr(path.p, '.', path.n);
	struct str first = path, rest = str_make("", 0);
	struct value inner = absent;

	if (dot != NULL) {
		first.n = (size_t)(dot - path.p);
		rest = str_make(dot + 1, path.n - first.n - 1);
	}
	if (v.kind != VALUE_DICT)
		return absent;
	for (uint32_t i = v.items->n; i >= 2; i -= 2) {
		struct value key = v.items->v[i - 2];

		if (key.kind != VALUE_STR)
			continue;
		if (str_eq(value_text(key), path))
			return v.items->v[i - 1];
		if (inner.kind == VALUE_ABSENT && first.n > 0 &&
		    str_eq(value_text(key), first))
			inner = v.items->v[i - 1];
	}
	return dot == NULL ? absent : look_up(inner, rest);
}

static bool test_reward(struct row_filter *f, const struct filter_term *t,
			struct value reward)
{
	if (t->path.n == 0)
		return test_any(f, t, reward, 0);
	reward = look_up(reward, t->path);
	return reward.kind != VALUE_ABSENT && test_any(f, t, reward, 0);
}

/* In microseconds: times are rounded to these, but the difference of two large
 * ones is not. */
static bool test_duration(const struct filter_term *t, double start, double end)
{
	double us = rint((end - start) * 1e6);

	return isfinite(us) && compare(t->op, fmax(0, us), t->number);
}

static bool test_item(struct row_filter *f, const struct filter_term *t,
		      const struct item *item)
{
	if (item->role != ROLE_NONE)
		return false;
	if (t->key == KEY_NAME)
		return test_text(f, t, item->name);
	if (t->key == KEY_ATTEMPT)
		return test_number(f, t, item->attempt);
	return (item->state == ITEM_CLOSED || item->state == ITEM_OPEN) &&
	       test_duration(t, item->start, item->display_end);
}

/* Does any item match? */
static bool any_item(struct row_filter *f, const struct filter_term *t,
		     const struct row *row)
{
	for (uint32_t i = 0; i < row->item_count; i++)
		if (test_item(f, t, &row->items[i]))
			return true;
	return false;
}

/* Is there a single item for which all span terms are true? */
static bool test_spans(struct row_filter *f, const struct row *row)
{
	for (uint32_t i = 0; i < row->item_count; i++) {
		const struct item *item = &row->items[i];
		bool all = item->role == ROLE_NONE;

		for (size_t k = 0; all && k < f->n; k++)
			if (f->terms[k].place == OF_ONE_SPAN)
				all = test_item(f, &f->terms[k], item) !=
				      f->terms[k].negated;
		if (all)
			return true;
	}
	return false;
}

/* A number is a sample's index only. */
static bool test_bare(struct row_filter *f, const struct filter_term *t,
		      const struct row *row)
{
	const struct value fields[] = {row->label, row->source, row->status};
	const struct filter_term name = {
		.key = KEY_NAME, .op = OP_HAS, .value = t->value};

	if (row->sample_index.kind > VALUE_NONE &&
	    is_text(f, row->sample_index, t->value))
		return true;
	if (!isnan(t->number) && !t->quoted)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (fields[i].kind > VALUE_NONE &&
		    has_nocase(text_of(f, fields[i]), t->value))
			return true;
	return any_item(f, &name, row);
}

/* Counted by the page, too. */
static struct value tokens_of(const struct row *row)
{
	double completed = row_completed(row);

	return isnan(completed)
		       ? row->total_response_length
		       : (struct value){.kind = VALUE_FLOAT, .f = completed};
}

static bool test_worker(struct row_filter *f, const struct filter_term *t,
			const struct row *row, const struct sample *sample)
{
	struct value worker = value_none();
	uint32_t number;

	if (workers_most(&f->workers, sample, row, &number, &f->failure) < 0)
		return false;
	if (number != WORKER_UNKNOWN)
		worker = value_str(intern_text(&f->workers.texts, number));
	return test_text(f, t, worker);
}

static bool test_row(struct row_filter *f, const struct filter_term *t,
		     const struct row *row, const struct sample *sample)
{
	switch (t->key) {
	case KEY_STATUS:
		return test_text(f, t, row->status);
	case KEY_SOURCE:
		return test_text(f, t, row->source);
	case KEY_LABEL:
		return test_text(f, t, row->label);
	case KEY_INDEX:
		return test_number(f, t, row->sample_index);
	case KEY_GROUP:
		return test_number(f, t, row->group_index);
	case KEY_TOKENS:
		return test_number(f, t, tokens_of(row));
	case KEY_REWARD:
		return test_reward(f, t, row->reward);
	case KEY_WORKER:
		return test_worker(f, t, row, sample);
	case KEY_DUR:
		return test_duration(t, row->start, row->end);
	default:
		return test_bare(f, t, row);
	}
}

bool row_filter_accepts(struct row_filter *f, const struct row *row,
			const struct sample *sample)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct filter_term *t = &f->terms[i];
		bool holds = t->place == OF_ROW ? test_row(f, t, row, sample)
						: any_item(f, t, row);

		if (t->place != OF_ONE_SPAN && holds == t->negated)
			return false;
	}
	return !f->has_spans || test_spans(f, row);
}

int row_filter_error(const struct row_filter *f, struct err *err)
{
	if (f->failure.code != ERR_NONE)
		*err = f->failure;
	return f->failure.code;
}
