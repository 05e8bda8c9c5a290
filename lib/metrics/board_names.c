#include "metrics/board_names.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/digits.h"
#include "fmt/prom/prom_text.h"
#include "metrics/labels.h"

struct str board_plain(struct arena *a, struct str canonical)
{
	struct buf plain = buf_new(SIZE_MAX);
	struct str kept;

	prom_unescape(&plain, canonical);
	kept = plain.failed ? str_make(NULL, 0) : arena_str(a, buf_str(&plain));
	a->failed |= kept.p == NULL;
	buf_free(&plain);
	return kept;
}

struct str board_label(struct str labels, const char *label)
{
	struct prom_label l;

	while (labels.n > 0) {
		labels = prom_label_next(labels, &l);
		if (str_is(l.name, label))
			return l.value;
	}
	return str_make("", 0);
}

/* Addresses ----------------------------------------------------------- */

static struct str without_scheme(struct str name)
{
	static const char *const schemes[] = {"http://", "https://", "grpc://"};

	for (size_t i = 0; i < ARRAY_SIZE(schemes); i++)
		if (str_skip_prefix(&name, schemes[i]))
			break;
	return name;
}

/* Where ":PORT" begins at the end of an address; its length if nowhere. */
static size_t port_at(struct str address)
{
	size_t at = address.n;

	while (at > 0 && is_digit(address.p[at - 1]))
		at--;
	if (at == address.n || at < 2 || address.p[at - 1] != ':')
		return address.n;
	return at - 1;
}

struct str board_node(struct str name)
{
	struct str address = str_before(without_scheme(name), '/');

	return str_make(address.p, port_at(address));
}

static struct str port_of(struct str name)
{
	size_t at = port_at(name);

	return str_skip(name, at);
}

void board_shorten(struct board_row *rows, uint32_t n)
{
	bool one_host = n > 1, one_port = n > 1;

	for (uint32_t i = 0; i < n; i++) {
		rows[i].name = without_scheme(rows[i].whole);
		if (rows[i].name.n > 0 &&
		    rows[i].name.p[rows[i].name.n - 1] == '/')
			rows[i].name.n--;
		one_port &=
			port_of(rows[i].name).n > 0 &&
			str_eq(port_of(rows[i].name), port_of(rows[0].name));
		one_host &= port_of(rows[i].name).n > 0 &&
			    str_eq(board_node(rows[i].name),
				   board_node(rows[0].name));
	}
	for (uint32_t i = 0; i < n && one_host != one_port; i++)
		rows[i].name = one_host ? port_of(rows[i].name)
					: board_node(rows[i].name);
}

/* Order --------------------------------------------------------------- */

/* Remove a number from the front; returns its digits without leading zeros. */
static struct str take_digits(struct str *s)
{
	struct str digits = {s->p, 0};

	while (digits.n < s->n && is_digit(s->p[digits.n]))
		digits.n++;
	*s = str_make(s->p + digits.n, s->n - digits.n);
	while (digits.n > 1 && digits.p[0] == '0')
		digits = str_skip(digits, 1);
	return digits;
}

/* Natural order: numbers in names compare by value. */
static int compare_names(struct str a, struct str b)
{
	while (a.n > 0 && b.n > 0) {
		if (is_digit(a.p[0]) && is_digit(b.p[0])) {
			struct str x = take_digits(&a), y = take_digits(&b);
			int order = x.n != y.n ? (x.n > y.n) - (x.n < y.n)
					       : str_cmp(x, y);

			if (order != 0)
				return order;
			continue;
		}
		if (a.p[0] != b.p[0])
			return (unsigned char)a.p[0] < (unsigned char)b.p[0]
				       ? -1
				       : 1;
		a = str_skip(a, 1);
		b = str_skip(b, 1);
	}
	return (a.n > b.n) - (a.n < b.n);
}

struct row_order {
	int sort;
	bool reversed;
};

/* Unknown values are last in either direction. */
static int compare_values(double x, double y, bool reversed)
{
	if (isnan(x) || isnan(y))
		return isnan(x) - isnan(y);
	return reversed ? (x > y) - (x < y) : (x < y) - (x > y);
}

static int compare_rows(const void *a, const void *b, void *how)
{
	const struct board_row *x = a, *y = b;
	const struct row_order *order = how;
	int result = 0;

	if (order->sort == BOARD_BY_ALARM)
		result =
			compare_values(x->gravity, y->gravity, order->reversed);
	else if (order->sort == BOARD_BY_ROLE)
		result = (order->reversed ? -1 : 1) * str_cmp(x->role, y->role);
	else if (order->sort < BOARD_VALUES)
		result = compare_values(x->values[order->sort],
					y->values[order->sort],
					order->reversed);
	if (result == 0)
		result = compare_names(x->name, y->name) *
			 (order->reversed && order->sort == BOARD_BY_NAME ? -1
									  : 1);
	return result != 0 ? result : (x->id > y->id) - (x->id < y->id);
}

void board_sort(struct board_row *rows, uint32_t n, int sort, bool reversed)
{
	struct row_order order = {sort, reversed};

	qsort_r(rows, n, sizeof(*rows), compare_rows, &order);
}
