/* The board: its memory, its frames, names and order of rows. */
#include "metrics/board_view.h"

#include <math.h>

#include "check.h"

enum { WORKERS = 3 };

static struct worker worker_of(uint64_t id, const char *name, double running)
{
	struct worker w = {.id = id,
			   .name = str_of(name),
			   .labels = str_of("engine_type=\"decode\""),
			   .hits = (double)NAN,
			   .queries = (double)NAN};

	for (size_t i = 0; i < VITALS; i++)
		w.vital[i] = (double)NAN;
	w.vital[VITAL_RUNNING] = running;
	return w;
}

/* A snapshot of n engines "http://h:1" and so on, which run so many. */
static void take(struct board *b, double time, size_t n, double running)
{
	static const char *const names[WORKERS] = {"http://h:10", "http://h:9",
						   "http://h:100"};
	struct worker v[WORKERS];
	struct vitals vitals = vitals_new();
	struct err err = {0};

	for (size_t i = 0; i < n; i++) {
		v[i] = worker_of(i + 1, names[i], running + (double)i);
		map_add(&vitals.by_id, i + 1, &(uint32_t){(uint32_t)i});
	}
	vitals.v = v;
	vitals.n = n;
	vitals.time = time;
	vitals.seconds = 1;
	CHECK(board_take(b, &vitals, NULL, 0, NULL, &err) == 0);
	vitals.v = NULL;
	vitals_free(&vitals);
}

static void test_ring(void)
{
	struct board b = board_new(10);
	uint64_t last;

	check_case("the last frames are kept, and each is what it was");
	for (int i = 0; i < 10000; i++)
		take(&b, i, WORKERS, i);
	last = b.n_frames - 1;
	CHECK(b.n_frames == 10000);
	CHECK(b.n_frames - board_oldest(&b) == BOARD_FRAMES);
	for (uint64_t i = board_oldest(&b); i <= last; i++) {
		CHECK(board_frame_at(&b, i)->time == (double)i);
		CHECK(board_value_at(&b, b.engines[1], i, BOARD_RUNNING) ==
		      (double)i + 1);
	}
	CHECK(isnan(board_value_at(&b, b.engines[1], board_oldest(&b) - 1,
				   BOARD_RUNNING)));
	board_free(&b);
}

static void test_rows(void)
{
	static const char *const by_name[] = {":9", ":10", ":100"};
	struct board b = board_new(10);
	struct board_view_how how = {.sort = BOARD_BY_NAME};
	struct board_view v;
	struct err err = {0};

	check_case("names are short, and sorted by their numbers");
	take(&b, 1, WORKERS, 4);
	CHECK(board_view_make(&v, &b, &how, &err) == 0);
	CHECK(v.n == WORKERS);
	for (size_t i = 0; i < WORKERS; i++)
		CHECK(str_is(v.rows[i].name, by_name[i]));
	board_view_free(&v);
	check_case("a group adds up, and an engine that is gone is no zero");
	take(&b, 2, 2, 4);
	how = (struct board_view_how){
		.frame = 1, .by = "role", .sort = BOARD_BY_NAME};
	CHECK(board_view_make(&v, &b, &how, &err) == 0);
	CHECK(v.n == 1 && v.rows[0].n == WORKERS && v.rows[0].up == 2);
	CHECK(v.rows[0].values[BOARD_RUNNING] == 9);
	CHECK(v.rows[0].values[BOARD_AGE] == 1);
	CHECK(str_is(v.rows[0].name, "decode"));
	board_view_free(&v);
	board_free(&b);
}

static void test_forgotten(void)
{
	struct board b = board_new(10);

	check_case("an engine that is gone for an hour is forgotten");
	take(&b, 1, WORKERS, 1);
	take(&b, 2, 1, 1);
	CHECK(b.n == WORKERS);
	take(&b, 4000, 1, 1);
	take(&b, 4001, 1, 1);
	CHECK(b.n == 1 && board_find(&b, 1) != NULL);
	CHECK(board_find(&b, 3) == NULL);
	board_free(&b);
}

int main(void)
{
	test_ring();
	test_rows();
	test_forgotten();
	return check_done();
}
