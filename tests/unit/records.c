/* The reader of trace records, and how records join a dump's samples. */
#include "base/limits.h"
#include "bytes.h"
#include "check.h"
#include "fmt/json/json_read.h"
#include "fmt/value/value_make.h"
#include "rollout/mix.h"
#include "rollout/record_line.h"

/* Records of a text; the lines that are none are counted. */
static struct records *read_text(const char *text, int *bad, struct err *last)
{
	struct records *records = records_new();
	struct input *input = input_of_bytes(str_of(text));

	*bad = 0;
	*last = (struct err){0};
	CHECK_INT(records_load(records, input, last), 0);
	while (records_index(records, last) == 1)
		++*bad;
	input_close(input);
	return records;
}

static uint32_t events_of(const struct records *records, size_t i,
			  struct arena *a)
{
	struct value sample;
	struct err err = {0};

	CHECK_INT(records_sample(records, i, a, &sample, &err), 0);
	return value_get(value_get(sample, "trace"), "events").items->n;
}

static void test_begin(void)
{
	check_case("a file of records is told by its first line");
	CHECK(records_detect(str_of("{\"type\":\"event\",\"ts\":1}\n")));
	CHECK(records_detect(str_of("\n {\"ts\": 1, \"type\": \"event\"}\n{")));
	CHECK(records_detect(
		str_of("{\"type\":\"x\",\"ts\":1,\"trace_id\":\"\"}")));
	CHECK(records_detect(
		str_of("{\"type\":\"span_start\",\"name\":\"cut")));
	CHECK(records_detect(str_of("{\"ty{\"type\":\"event\",\"ts\":1}\n")));
	/* Other logs have lines with a type and a time, too. */
	CHECK(!records_detect(str_of("{\"type\":\"request\",\"ts\":1}\n")));
	CHECK(!records_detect(str_of("")));
	CHECK(!records_detect(str_of("[{\"type\":\"event\",\"ts\":1}]")));
	CHECK(!records_detect(str_of("{\"samples\": [\n")));
	CHECK(!records_detect(str_of("{\"type\":\"x\"}\n")));
	/* A torn line before it, but not a dump over several lines. */
	CHECK(records_detect(str_of("{\n{\"type\":\"event\",\"ts\":1}\n")));
	CHECK(!records_detect(
		str_of("{\"samples\": [\n{\"trace\": {\"events\": [\n"
		       "{\"type\":\"event\",\"ts\":1}\n]}}]}")));
}

static void test_samples(void)
{
	struct arena a = arena_new(MIB);
	struct records *r;
	struct err err;
	int bad;

	check_case("samples are told apart by trace id, else by sample id");
	r = read_text("{\"type\":\"a\",\"ts\":1,\"trace_id\":\"t\"}\n"
		      "{\"type\":\"a\",\"ts\":2,\"sample_id\":7}\n\n"
		      "{\"type\":\"a\",\"ts\":3,\"sample_id\":7,"
		      "\"trace_id\":\"t\",\"attempt\":3}\n"
		      "{\"type\":\"a\",\"ts\":4,\"sample_id\":7}\n"
		      "{\"type\":\"a\",\"ts\":5}",
		      &bad, &err);
	CHECK_INT(bad, 0);
	CHECK(records_count(r) == 3);
	CHECK_INT(events_of(r, 0, &a), 2);
	CHECK_INT(events_of(r, 1, &a), 2);
	CHECK_INT(events_of(r, 2, &a), 1);
	CHECK_INT(records_find(r, value_str(str_of("t")), value_none()), 0);
	CHECK_INT(records_find(r, value_none(), value_int(7)), 1);
	CHECK_INT(records_find(r, value_str(str_of("u")), value_int(7)), -1);
	CHECK_INT(records_find(r, value_none(), value_int(8)), -1);
	records_free(r);
	arena_free(&a);
}

static void test_torn(void)
{
	struct arena a = arena_new(MIB);
	struct records *r;
	struct err err;
	int bad;

	check_case("a torn record takes no other with it");
	r = read_text("{\"type\":\"a\",\"na{\"type\":\"b\",\"ts\":1,"
		      "\"attrs\":{\"r\":{\"type\":\"stop\"}}}\n"
		      "{\"type\":\"{\\\"type\\\":\\\"x\",\"ts\":2}\n"
		      "nonsense\n"
		      "{\"type\":\"b\",\"ts\":3",
		      &bad, &err);
	CHECK_INT(bad, 3);
	CHECK_INT(err.unit, ERR_LINE);
	CHECK_INT(err.at, 4);
	CHECK(records_count(r) == 1);
	CHECK_INT(events_of(r, 0, &a), 2);
	records_free(r);
	arena_free(&a);
}

static void test_shared_lines(void)
{
	struct arena a = arena_new(MIB);
	struct records *r;
	struct err err;
	int bad;

	check_case("records that share a line all count, whatever is torn");
	r = read_text("{\"type\":\"a\",\"ts\":1}{\"type\":\"b\",\"ts\":2}\n"
		      "{\"ts\":3,\"type\":\"c\"},{\"ts\":4,\"type\":\"d\"}\n"
		      "{\"ts\":5,\"type\":{\"ts\":6,\"type\":\"e\"}"
		      "{\"type\":\"f\",\"ts\":7}{\"type\":\"g\"\n",
		      &bad, &err);
	CHECK_INT(bad, 2);
	CHECK(records_count(r) == 1);
	CHECK_INT(events_of(r, 0, &a), 5);
	records_free(r);
	arena_free(&a);
}

static void test_mix(void)
{
	struct sample sample = {.position = 4, .index = value_int(7)};
	struct err err;
	struct mix mix;
	int bad;

	check_case("records join once, and the rest follow");
	mix = mix_new(read_text("{\"type\":\"a\",\"ts\":1,\"sample_id\":9}\n"
				"{\"type\":\"a\",\"ts\":2,\"sample_id\":7}\n",
				&bad, &err));
	CHECK_INT(mix_add(&mix, &sample, &err), 0);
	CHECK_INT(value_get(sample.trace, "events").items->n, 1);
	CHECK_INT(mix_next(&mix, &sample, &err), 1);
	CHECK(sample.position == 5);
	CHECK_INT(sample.index.i, 9);
	CHECK_INT(mix_next(&mix, &sample, &err), 0);
	mix_free(&mix);
}

/* What a sample with this trace, or none, and index gets of the records. */
static uint32_t joined_by(const char *trace, struct value index)
{
	static const char text[] =
		"{\"type\":\"a\",\"ts\":1,\"trace_id\":\"t\"}\n"
		"{\"type\":\"a\",\"ts\":2,\"trace_id\":\"t\",\"sample_id\":7}\n"
		"{\"type\":\"a\",\"ts\":3,\"trace_id\":\"u\",\"sample_id\":7}\n"
		"{\"type\":\"a\",\"ts\":4,\"trace_id\":\"v\",\"sample_id\":8}\n"
		"{\"type\":\"a\",\"ts\":5,\"sample_id\":7}\n"
		"{\"type\":\"a\",\"ts\":6,\"trace_id\":\"w\",\"sample_id\":null}\n";
	struct arena a = arena_new(MIB);
	struct sample sample = {.position = 7, .index = index};
	struct err err = {0};
	uint32_t n = 0;
	struct mix mix;
	int bad;

	mix = mix_new(read_text(text, &bad, &err));
	if (trace != NULL)
		CHECK_INT(json_parse(str_of(trace), &a, &sample.trace, &err),
			  0);
	CHECK_INT(mix_add(&mix, &sample, &err), 0);
	if (sample.trace.kind == VALUE_DICT)
		n = value_get(sample.trace, "events").items->n;
	mix_free(&mix);
	arena_free(&a);
	return n;
}

static void test_join(void)
{
	static const struct value absent = {.kind = VALUE_ABSENT};
	const char *own = "{\"trace_id\":\"u\",\"events\":[{\"ts\":1}]}";
	const char *bare = "{\"events\":[{\"ts\":1}]}";

	check_case("records of any trace join a sample of which none is known");
	CHECK_INT(joined_by(NULL, value_int(7)), 4);
	CHECK_INT(joined_by("null", value_int(8)), 1);
	CHECK_INT(joined_by(bare, value_int(7)), 5);
	CHECK_INT(joined_by(own, value_int(7)), 3);
	CHECK_INT(joined_by(own, value_int(8)), 2);
	CHECK_INT(joined_by(NULL, value_int(9)), 0);

	check_case("a sample without an index is the one of its position");
	CHECK_INT(joined_by(NULL, absent), 4);
	CHECK_INT(joined_by(own, absent), 3);
	CHECK_INT(joined_by(NULL, value_none()), 0);
}

int main(void)
{
	test_begin();
	test_samples();
	test_torn();
	test_shared_lines();
	test_mix();
	test_join();
	return check_done();
}
