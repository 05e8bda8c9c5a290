#include <math.h>

#include "base/limits.h"
#include "base/map.h"
#include "metrics/labels.h"
#include "metrics/quantile.h"

#include "check.h"

static void check_quantiles(void)
{
	struct buckets b = {.series = 2};
	const double inf = (double)INFINITY;

	check_case("series are merged on the bounds that all have");
	buckets_add(&b, 1, 20, 7);
	buckets_add(&b, 5, 26, 7);
	buckets_add(&b, inf, 30, 7);
	buckets_add(&b, inf, 8, 8);
	buckets_add(&b, 2, 4, 8);
	buckets_add(&b, 1, 1, 8);
	CHECK_INT(buckets_settle(&b, (double)NAN), BUCKETS_DIFFER);
	CHECK_INT(b.n, 2);
	CHECK_DOUBLE(b.v[0].count, 21);
	CHECK_DOUBLE(b.v[1].count, 38);
	check_case("quantiles as PromQL has them");
	CHECK_DOUBLE(buckets_quantile(&b, 0.5), 19.0 / 21);
	CHECK_DOUBLE(buckets_quantile(&b, 1), 1);
	CHECK_DOUBLE(buckets_quantile(&b, -1), -inf);
	CHECK_DOUBLE(buckets_quantile(&b, 2), inf);
	check_case("above the last finite bound it is a lower bound");
	CHECK(!buckets_quantile_is_open(&b, 0.5));
	CHECK(buckets_quantile_is_open(&b, 0.56));
	CHECK(buckets_quantile_is_open(&b, 1));
	CHECK(!buckets_quantile_is_open(&b, 2));
	buckets_free(&b);

	check_case("one bound in two spellings is added up");
	b.series = 1;
	buckets_add(&b, 1, 5, 7);
	buckets_add(&b, 1, 5, 7);
	buckets_add(&b, 2, 20, 7);
	buckets_add(&b, inf, 20, 7);
	CHECK_INT(buckets_settle(&b, (double)NAN), 0);
	CHECK_DOUBLE(buckets_quantile(&b, 0.5), 1);
	buckets_free(&b);

	check_case("the count stands in for a missing +Inf");
	b.series = 1;
	buckets_add(&b, 0.5, 9, 7);
	buckets_add(&b, 0.1, 5, 7);
	CHECK_INT(buckets_settle(&b, 12), BUCKETS_NO_INF);
	CHECK_DOUBLE(buckets_quantile(&b, 0.99), 0.5);
	buckets_free(&b);

	check_case("whose place is kept among as many bounds as there may be");
	b.series = 1;
	for (int i = 0; i < LIMIT_BUCKETS; i++)
		CHECK_INT(buckets_add(&b, i, 1, 7), 0);
	CHECK_INT(buckets_add(&b, -1, 1, 7), ERR_LIMIT);
	CHECK_INT(buckets_settle(&b, 4), BUCKETS_NO_INF);
	CHECK_INT(b.n, LIMIT_BUCKETS + 1);
	CHECK_DOUBLE(b.v[LIMIT_BUCKETS].count, 4);
	CHECK_DOUBLE(buckets_quantile(&b, 0.99), LIMIT_BUCKETS - 1);
	buckets_free(&b);

	check_case("without it, or without observations, there is no quantile");
	b.series = 1;
	buckets_add(&b, 1, 0, 7);
	CHECK_INT(buckets_settle(&b, (double)NAN), BUCKETS_NO_TOTAL);
	CHECK(isnan(buckets_quantile(&b, 0.5)));
	buckets_add(&b, inf, 0, 7);
	CHECK(isnan(buckets_quantile(&b, 0.5)));
	buckets_free(&b);
}

static void check_map(void)
{
	struct map m = map_new(true);
	uint32_t value;

	check_case("a map finds what was added, through all its sizes");
	for (uint32_t i = 0; i < 10000; i++) {
		value = i;
		CHECK_INT(map_add(&m, i * UINT64_C(64), &value), 1);
	}
	for (uint32_t i = 0; i < 10000; i++) {
		value = 77;
		CHECK_INT(map_add(&m, i * UINT64_C(64), &value), 0);
		CHECK_INT(value, i);
	}
	CHECK(!map_find(&m, 63, NULL));
	map_clear(&m);
	CHECK(!map_find(&m, 64, NULL));
	map_free(&m);
}

static void check_labels(void)
{
	struct prom_label labels[] = {
		{.name = STR("le"), .value = STR("1")},
		{.name = STR("z"), .value = STR("")},
		{.name = STR("a"), .value = STR("x")},
	};
	struct prom_label same[] = {{.name = STR("a"), .value = STR("x")},
				    {.name = STR("le"), .value = STR("1")}};
	struct label_set added = {0}, merged = {0};
	struct arena a = arena_new(1 << 20);
	struct err err;

	check_case("neither order nor empty labels matter");
	CHECK(labels_hash(labels, 3) == labels_hash(same, 2));
	labels_sort(labels, 3, "le");
	CHECK_STR(labels_text(&a, labels, 3), "a=\"x\",z=\"\",le=\"1\"");

	check_case("an added label moves the one that is there");
	label_set_push(&added, str_of("a"), str_of("new"), &err);
	CHECK_INT(labels_merge(&merged, same, 2, &added, false, &a, &err), 0);
	labels_sort(merged.v, merged.n, NULL);
	CHECK_STR(labels_text(&a, merged.v, merged.n),
		  "a=\"new\",exported_a=\"x\",le=\"1\"");
	check_case("or gives way to it");
	CHECK_INT(labels_merge(&merged, same, 2, &added, true, &a, &err), 0);
	CHECK_STR(labels_get(merged.v, merged.n, "a"), "x");
	label_set_free(&added);
	label_set_free(&merged);
	arena_free(&a);
}

int main(void)
{
	check_quantiles();
	check_map();
	check_labels();
	return check_done();
}
