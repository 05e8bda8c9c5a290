#include "metrics/board_view.h"

#include <math.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/stats.h"
#include "metrics/board_names.h"

/* How to combine the values of several engines. */
enum fold_how { FOLD_SUM, FOLD_MEAN, FOLD_MAX, FOLD_MIN };

static const struct {
	enum fold_how fold;
	enum vital vital; /* the column whose direction it has */
} about[BOARD_VALUES] = {
	[BOARD_RUNNING] = {FOLD_SUM, VITAL_RUNNING},
	[BOARD_CAP] = {FOLD_SUM, VITAL_CAP},
	[BOARD_QUEUE] = {FOLD_SUM, VITAL_QUEUE},
	[BOARD_KV_USAGE] = {FOLD_MAX, VITAL_KV_USAGE},
	[BOARD_HIT_RATE] = {FOLD_MEAN, VITAL_HIT_RATE},
	[BOARD_TOKENS] = {FOLD_SUM, VITAL_DECODE_RATE},
	[BOARD_TOKENS_FROM] = {FOLD_MAX, VITAL_NONE},
	[BOARD_REQUEST_TOKENS] = {FOLD_MEAN, VITAL_DECODE_RATE},
	[BOARD_TTFT_P95] = {FOLD_MAX, VITAL_TTFT_P95},
	[BOARD_QUEUE_P95] = {FOLD_MAX, VITAL_QUEUE_P95},
	[BOARD_RETRACTED] = {FOLD_SUM, VITAL_RETRACTED},
	[BOARD_ABORTED] = {FOLD_SUM, VITAL_ABORTED},
	[BOARD_IDLE_SHARE] = {FOLD_MEAN, VITAL_IDLE_SHARE},
	[BOARD_WEIGHTS] = {FOLD_MIN, VITAL_NONE},
	[BOARD_AGE] = {FOLD_MAX, VITAL_NONE},
	[BOARD_UP] = {FOLD_SUM, VITAL_NONE},
	[BOARD_EFFECTIVE] = {FOLD_SUM, VITAL_NONE},
};

/* By severity, with the value each alarm is about. */
static const struct {
	enum alarm_kind kind;
	enum board_value value;
} gravest[ALARMS] = {
	{ALARM_DOWN, BOARD_AGE},
	{ALARM_STALLED, BOARD_TOKENS},
	{ALARM_SLOW_ENGINE, BOARD_REQUEST_TOKENS},
	{ALARM_WEIGHTS_BEHIND, BOARD_WEIGHTS},
	{ALARM_KV_FULL, BOARD_KV_USAGE},
	{ALARM_RETRACTIONS, BOARD_RETRACTED},
	{ALARM_ABORTS, BOARD_ABORTED},
	{ALARM_HIT_RATE_LOW, BOARD_HIT_RATE},
	{ALARM_IMBALANCE, BOARD_VALUES},
	{ALARM_QUEUE_GROWING, BOARD_QUEUE},
	{ALARM_CAP_BOUND, BOARD_RUNNING},
};

static const double STANDS_OUT = 0.3; /* relative distance from the usual */
enum { LEAST_KNOWN = 2 /* minimum of rows to compare */ };

/* The severity of an alarm; 0 means none. */
static unsigned gravity_of(enum alarm_kind kind)
{
	for (unsigned i = 0; i < ALARMS; i++)
		if (gravest[i].kind == kind)
			return ALARMS - i;
	return 0;
}

/* Whether a rising value is better or worse. */
static enum metric_rising rising_of(enum board_value value)
{
	for (const struct step_row *r = step_rows; r->summary != NULL; r++)
		if (about[value].vital != VITAL_NONE &&
		    r->vital == about[value].vital &&
		    r->rising != RISING_NEUTRAL)
			return r->rising;
	return RISING_NEUTRAL;
}

/* Folding ------------------------------------------------------------- */

/* The value of a row in a frame: its engine's, or combined from the known ones
 * in its group. */
static double value_of(const struct board_view *v, const struct board_row *row,
		       uint64_t frame, enum board_value value)
{
	double sum = 0, most = (double)NAN, least = (double)NAN;
	uint32_t known = 0;

	for (uint32_t i = 0; i < row->n; i++) {
		double one = board_value_at(
			v->board, v->members[row->members + i], frame, value);

		if (isnan(one))
			continue;
		known++;
		sum += one;
		most = one <= most ? most : one;
		least = one >= least ? least : one;
	}
	if (known == 0)
		return (double)NAN;
	switch (about[value].fold) {
	case FOLD_SUM:
		return sum;
	case FOLD_MEAN:
		return sum / known;
	case FOLD_MAX:
		return most;
	case FOLD_MIN:
		break;
	}
	return least;
}

void board_history(const struct board_view *v, const struct board_row *row,
		   enum board_value value, size_t n, double *values)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t back = n - 1 - i;

		values[i] = back > v->number
				    ? (double)NAN
				    : value_of(v, row, v->number - back, value);
	}
}

/* Rows ---------------------------------------------------------------- */

static void put_role(struct board_view *v, struct board_row *row,
		     const struct board_engine *e)
{
	row->role = board_plain(
		&v->text, board_label(e->labels, catalogue_side_labels[0]));
}

/* The key that rows are grouped by. */
static struct str group_of(const struct board_view_how *how,
			   const struct board_engine *e)
{
	if (how->by == NULL)
		return e->name;
	if (strcmp(how->by, "role") == 0)
		return board_label(e->labels, catalogue_side_labels[0]);
	if (strcmp(how->by, "node") == 0)
		return board_node(e->name);
	if (strcmp(how->by, "model") == 0)
		return board_label(e->labels, catalogue_kin_labels[0]);
	return board_label(e->labels, how->by);
}

/* Does the search text occur in an engine's name, labels or alarms? */
static bool is_wanted(const struct board_view *v, struct str filter,
		      const struct board_engine *e)
{
	char word[128];

	if (filter.n == 0 || filter.n >= sizeof(word))
		return filter.n == 0;
	memcpy(word, filter.p, filter.n);
	word[filter.n] = '\0';
	if (str_has_nocase(e->name, word) || str_has_nocase(e->labels, word))
		return true;
	for (uint32_t i = 0; i < v->n_alarms; i++)
		if (!v->alarms[i]->fleet && v->alarms[i]->engine == e->id &&
		    str_has_nocase(str_of(alarm_rules[v->alarms[i]->kind].name),
				   word))
			return true;
	return false;
}

/* The row of a group, created if needed; NULL: no memory. */
static struct board_row *row_of(struct board_view *v, struct map *groups,
				const struct board_view_how *how,
				const struct board_engine *e)
{
	struct str group = group_of(how, e);
	uint64_t id = how->by == NULL ? e->id : hash_bytes(group.p, group.n, 1);
	uint32_t i = v->n;
	struct board_row *row;
	int code = map_add(groups, id, &i);

	if (code < 0)
		return NULL;
	row = &v->rows[i];
	if (code == 0)
		return row;
	*row = (struct board_row){.id = id};
	row->whole = board_plain(&v->text, group);
	row->name = row->whole;
	if (how->by != NULL && group.n == 0)
		row->name = str_of("(none)");
	if (how->by == NULL) {
		row->engine = e;
		put_role(v, row, e);
	}
	v->n++;
	return v->text.failed ? NULL : row;
}

/* Was it present in the view's frame? */
static bool was_there(const struct board_view *v, const struct board_engine *e)
{
	return v->number >= e->first;
}

/* Assign engines to rows: those of row i begin at members[rows[i].members]. */
static int fill_rows(struct board_view *v, const struct board_view_how *how,
		     struct err *err)
{
	const struct board *b = v->board;
	struct map groups = map_new(true);
	uint32_t *rows = calloc((size_t)b->n + 1, sizeof(*rows));
	struct board_row *row;
	uint32_t at = 0;
	int code = rows == NULL ? err_memory(err) : 0;

	for (uint32_t i = 0; code == 0 && i < b->n; i++) {
		rows[i] = NO_NUMBER;
		if (!was_there(v, b->engines[i]) ||
		    !is_wanted(v, how->filter, b->engines[i]))
			continue;
		row = row_of(v, &groups, how, b->engines[i]);
		if (row == NULL) {
			code = err_memory(err);
			break;
		}
		rows[i] = (uint32_t)(row - v->rows);
		row->n++;
	}
	for (uint32_t i = 0; code == 0 && i < v->n; i++) {
		v->rows[i].members = at;
		at += v->rows[i].n;
		v->rows[i].n = 0;
	}
	for (uint32_t i = 0; code == 0 && i < b->n; i++) {
		if (rows[i] == NO_NUMBER)
			continue;
		row = &v->rows[rows[i]];
		v->members[row->members + row->n++] = b->engines[i];
	}
	free(rows);
	map_free(&groups);
	return code;
}

static void add_alarms(const struct board_view *v, struct board_row *row,
		       const struct board_engine *e)
{
	for (uint32_t i = 0; i < v->n_alarms; i++) {
		const struct board_alarm *a = v->alarms[i];
		unsigned gravity = gravity_of(a->kind);

		if (a->fleet || a->engine != e->id)
			continue;
		row->alarms |= 1u << a->kind;
		if (gravity > row->gravity)
			row->gravity = gravity;
	}
}

static void value_rows(struct board_view *v)
{
	for (uint32_t i = 0; i < v->n; i++) {
		struct board_row *row = &v->rows[i];

		for (size_t k = 0; k < BOARD_VALUES; k++)
			row->values[k] = value_of(v, row, v->number,
						  (enum board_value)k);
		row->up = (uint32_t)value_of(v, row, v->number, BOARD_UP);
		for (uint32_t k = 0; v->n_alarms > 0 && k < row->n; k++)
			add_alarms(v, row, v->members[row->members + k]);
	}
}

/* Alarms -------------------------------------------------------------- */

static int by_gravity(const void *a, const void *b)
{
	const struct board_alarm *x = *(const struct board_alarm *const *)a;
	const struct board_alarm *y = *(const struct board_alarm *const *)b;
	unsigned p = gravity_of(x->kind), q = gravity_of(y->kind);

	if (p != q)
		return p > q ? -1 : 1;
	if (x->since != y->since)
		return x->since < y->since ? -1 : 1;
	return (x > y) - (x < y);
}

static int find_alarms(struct board_view *v, struct err *err)
{
	const struct board *b = v->board;

	v->alarms = calloc((size_t)b->n_alarms + 1, sizeof(*v->alarms));
	if (v->alarms == NULL)
		return err_memory(err);
	for (uint32_t i = 0; i < b->n_alarms; i++)
		if (board_alarm_is_on(&b->alarms[i], v->frame.time))
			v->alarms[v->n_alarms++] = &b->alarms[i];
	qsort(v->alarms, v->n_alarms, sizeof(*v->alarms), by_gravity);
	return 0;
}

/* What stands out ----------------------------------------------------- */

static void find_worst(struct board_view *v, enum board_value value,
		       double *room)
{
	enum metric_rising rising = rising_of(value);
	struct stats known = {.v = room};

	v->usual[value] = v->worst[value] = (double)NAN;
	for (uint32_t i = 0; i < v->n; i++)
		if (!isnan(v->rows[i].values[value]))
			room[known.n++] = v->rows[i].values[value];
	if (rising == RISING_NEUTRAL || known.n < LEAST_KNOWN)
		return;
	stats_sort(&known);
	v->usual[value] = stats_median(&known);
	v->worst[value] = room[rising == RISING_WORSE ? known.n - 1 : 0];
	if (known.n == 2)
		v->usual[value] = room[rising == RISING_WORSE ? 0 : 1];
}

static int find_all_worst(struct board_view *v, struct err *err)
{
	double *room = calloc((size_t)v->n + 1, sizeof(*room));

	if (room == NULL)
		return err_memory(err);
	for (size_t i = 0; i < BOARD_VALUES; i++)
		find_worst(v, (enum board_value)i, room);
	free(room);
	return 0;
}

enum board_mark board_mark_of(const struct board_view *v,
			      const struct board_row *row,
			      enum board_value value)
{
	double worst = v->worst[value], usual = v->usual[value];

	for (size_t i = 0; i < ALARMS; i++)
		if (gravest[i].value == value &&
		    (row->alarms & 1u << gravest[i].kind) != 0)
			return MARK_ALARM;
	if (isnan(worst) || row->values[value] != worst ||
	    !(fabs(worst - usual) > STANDS_OUT * fabs(usual)))
		return MARK_NONE;
	return MARK_WORST;
}

/* The view ------------------------------------------------------------ */

int board_view_make(struct board_view *v, const struct board *b,
		    const struct board_view_how *how, struct err *err)
{
	int code;

	*v = (struct board_view){.board = b,
				 .frame = *board_frame_at(b, how->frame),
				 .number = how->frame,
				 .text = arena_new(LIMIT_STRING)};
	v->rows = calloc((size_t)b->n + 1, sizeof(*v->rows));
	v->members = calloc((size_t)b->n + 1, sizeof(*v->members));
	if (v->rows == NULL || v->members == NULL)
		return err_memory(err);
	code = find_alarms(v, err);
	if (code == 0)
		code = fill_rows(v, how, err);
	if (code < 0)
		return code;
	if (how->by == NULL)
		board_shorten(v->rows, v->n);
	value_rows(v);
	board_sort(v->rows, v->n, how->sort, how->reversed);
	return find_all_worst(v, err);
}

void board_view_free(struct board_view *v)
{
	free(v->rows);
	free(v->members);
	free(v->alarms);
	arena_free(&v->text);
	*v = (struct board_view){0};
}
