/* metrics/relabel: bodies that no server of the other tests sends. */
#include "metrics/relabel.h"

#include "check.h"

static const struct prom_label added[] = {
	{.name = STR("a"), .value = STR("1")},
	{.name = STR("empty"), .value = STR("")},
	{.name = STR("z"), .value = STR("2")},
};

static const struct relabel_rules plain = {.labels = added, .n = 3};

static int copy(struct relabeler *r, const char *text,
		const struct relabel_rules *rules,
		struct relabel_counts *counts)
{
	struct relabel_body body = {str_of(text), "text/plain", true};
	struct err err = {0};

	return relabel_copy(r, &body, rules, counts, &err);
}

static void gives(struct relabeler *r, const char *text,
		  const struct relabel_rules *rules, const char *want)
{
	struct relabel_counts counts;

	CHECK_INT(copy(r, text, rules, &counts), 0);
	CHECK_STR(buf_str(&r->text), want);
}

static void test_labels(struct relabeler *r)
{
	struct relabel_rules honor = plain;

	honor.honor = true;
	check_case("labels without text count as absent, on both sides");
	gives(r, "x{a=\"\",b=\"3\"} 1", &plain,
	      "x{a=\"1\",z=\"2\",b=\"3\"} 1\n");
	gives(r, "x{a=\"\"} 1", &honor, "x{a=\"1\",z=\"2\"} 1\n");
	check_case("two labels of a sample may have to move");
	gives(r, "x{z=\"8\",a=\"9\"} 1", &plain,
	      "x{a=\"1\",z=\"2\",exported_z=\"8\",exported_a=\"9\"} 1\n");
	gives(r, "x{z=\"8\",a=\"9\"} 1", &honor, "x{z=\"8\",a=\"9\"} 1\n");
}

static void test_nothing_added(struct relabeler *r)
{
	static const struct relabel_rules none = {0};

	check_case("without labels to add, braces only where they are needed");
	gives(r, "x 1", &none, "x 1\n");
	gives(r, "x{} 1", &none, "x 1\n");
	gives(r, "{\"x.y\"} 1", &none, "{\"x.y\"} 1\n");
}

static void test_stamps(struct relabeler *r)
{
	struct relabel_rules stamped = plain;

	stamped.stamped = true;
	stamped.stamp = 1700000000123;
	check_case("a stamp replaces the sample's own");
	gives(r, "x 1 5\ny 2", &stamped,
	      "x{a=\"1\",z=\"2\"} 1 1700000000123\n"
	      "y{a=\"1\",z=\"2\"} 2 1700000000123\n");
}

static void test_metadata(struct relabeler *r)
{
	check_case("metadata is given once a snapshot, a new TYPE again");
	relabel_begin_snapshot(r);
	gives(r, "# HELP m text\n# TYPE m counter\n", &plain,
	      "# HELP m text\n# TYPE m counter\n");
	gives(r, "# TYPE m counter\n# HELP m other\n", &plain, "");
	gives(r, "# TYPE m gauge\n", &plain, "# TYPE m gauge\n");
	relabel_begin_snapshot(r);
	gives(r, "# TYPE m counter\n", &plain, "# TYPE m counter\n");
}

static void test_refused_body(struct relabeler *r)
{
	struct relabel_rules strict = plain;
	struct relabel_counts counts;

	strict.strict = true;
	check_case(
		"the metadata of a body that is refused counts as not given");
	relabel_begin_snapshot(r);
	CHECK_INT(copy(r, "# TYPE m counter\nm 1\n?", &strict, &counts),
		  ERR_INPUT);
	CHECK(r->text.n == 0);
	gives(r, "# TYPE m counter\nm 1", &plain,
	      "# TYPE m counter\nm{a=\"1\",z=\"2\"} 1\n");
	check_case("bad lines are counted, the first is kept");
	CHECK_INT(copy(r, "m 1\n?\nm 2\n?\n", &plain, &counts), 0);
	CHECK_INT((int64_t)counts.bad, 2);
	CHECK_INT((int64_t)counts.samples, 2);
	CHECK_INT(counts.first.at, 2);
	check_case("undefined escapes are counted and kept");
	CHECK_INT(copy(r, "m{c=\"\\u\"} 1\nm{c=\"\\n\"} 2\n", &plain, &counts),
		  0);
	CHECK_INT((int64_t)counts.odd, 1);
	CHECK_STR(buf_str(&r->text), "m{a=\"1\",z=\"2\",c=\"\\\\u\"} 1\n"
				     "m{a=\"1\",z=\"2\",c=\"\\n\"} 2\n");
}

static void test_openmetrics(struct relabeler *r)
{
	check_case("types of OpenMetrics become those that text knows");
	relabel_begin_snapshot(r);
	gives(r,
	      "# TYPE s stateset\n# TYPE u unknown\n# TYPE g gaugehistogram\n"
	      "# TYPE c_total counter\n# HELP i words\n# TYPE i info\n# EOF",
	      &plain,
	      "# TYPE s gauge\n# TYPE u untyped\n# TYPE g histogram\n"
	      "# TYPE c_total counter\n# HELP i_info words\n"
	      "# TYPE i_info gauge\n");
}

int main(void)
{
	struct relabeler r = relabel_new();

	test_labels(&r);
	test_nothing_added(&r);
	test_stamps(&r);
	test_metadata(&r);
	test_refused_body(&r);
	test_openmetrics(&r);
	relabel_free(&r);
	return check_done();
}
