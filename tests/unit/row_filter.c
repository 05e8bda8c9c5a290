/* rollout/row_filter: which rows the terms of --sample choose, and what is
 * refused. tests/browser/functions.mjs asks viewer/filter.js the same. */
#include "rollout/row_filter.h"

#include <math.h>

#include "check.h"

static struct value text(const char *s)
{
	return (struct value){
		.kind = VALUE_STR, .p = s, .n = (uint32_t)strlen(s)};
}

static struct value integer(int64_t i)
{
	return (struct value){.kind = VALUE_INT, .i = i};
}

static struct value real(double f)
{
	return (struct value){.kind = VALUE_FLOAT, .f = f};
}

/* Sample 417 of group 52: 60 s, with a tool call of 2 s in attempt 2. */
static bool accepts(const char *expression)
{
	struct value pairs[] = {text("acc"), real(0.25), text("note"),
				text("Bad format")};
	struct value_items dict = {.v = pairs, .n = 4, .cap = 4};
	struct value reward = {.kind = VALUE_DICT, .items = &dict};
	struct value served[] = {text("worker_addr"),
				 text("http://10.0.0.1:30001")};
	struct value less[] = {text("worker_addr"), text("10.0.0.2:30002")};
	struct value_items at_1 = {.v = served, .n = 2, .cap = 2};
	struct value_items at_2 = {.v = less, .n = 2, .cap = 2};
	struct item items[] = {
		{.state = ITEM_CLOSED,
		 .is_request = true,
		 .name = text("generate"),
		 .attempt = integer(1),
		 .end_attrs = {.kind = VALUE_DICT, .items = &at_1},
		 .display_end = 60},
		{.state = ITEM_CLOSED,
		 .is_request = true,
		 .name = text("tool_call"),
		 .end_attrs = {.kind = VALUE_DICT, .items = &at_2},
		 .attempt = integer(2),
		 .start = 10,
		 .display_end = 12},
		{.state = ITEM_CLOSED,
		 .role = ROLE_PREFILL,
		 .name = text("virtual"),
		 .attempt = integer(9),
		 .display_end = 60},
		{.state = ITEM_POINT,
		 .name = text("mark"),
		 .attempt = integer(2),
		 .start = NAN,
		 .display_end = NAN},
	};
	const struct row row = {
		.sample_index = integer(417),
		.group_index = integer(52),
		.source = text("Math hard"),
		.status = text("truncated"),
		.label = {.kind = VALUE_NONE},
		.reward = reward,
		.total_response_length = integer(8192),
		.end = 60,
		.item_count = 4,
		.items = items,
	};
	struct err err = {0};
	struct row_filter *f = row_filter_new(str_of(expression), &err);
	bool accepted = CHECK(f != NULL) && row_filter_accepts(f, &row, NULL);

	if (f == NULL)
		printf("# %s: %s\n", expression, err.text);
	row_filter_free(f);
	return accepted;
}

static void holds(const char *expression)
{
	if (!CHECK(accepts(expression)))
		printf("# %s does not hold\n", expression);
}

static void fails(const char *expression)
{
	if (!CHECK(!accepts(expression)))
		printf("# %s holds\n", expression);
}

static void refused(const char *expression, const char *why)
{
	struct err err = {0};
	struct row_filter *f = row_filter_new(str_of(expression), &err);

	if (!CHECK(f == NULL))
		printf("# %s is taken\n", expression);
	else
		CHECK_STR(str_of(err.text), why);
	row_filter_free(f);
}

static void test_fields(void)
{
	check_case("terms about the sample");
	holds("");
	holds("status:TRUNC -status:completed source:\"math h\"");
	holds("source=\"math hard\" index:417 group=52 tokens>=8192");
	holds("label:none dur>30s dur<=1m dur>=60000ms dur<0.5h");
	fails("status=trunc");
	fails("source:math group:5");
	fails("-group:52");
	fails("tokens<8192");
	fails("dur>60");
	holds("group>51.5 group<5.3e1");
	fails("tokens:many");
	holds("worker:30001 worker=10.0.0.1:30001");
	fails("worker:30002");
	fails("worker:none");
}

static void test_reward(void)
{
	check_case("a reward in a dict");
	holds("reward<0.5");
	holds("reward.acc=0.25 reward:format");
	fails("reward=format");
	fails("reward>0.5");
	fails("reward.none<1");
}

static void test_spans(void)
{
	check_case("terms about spans hold for one and the same");
	holds("name:tool attempt:2");
	fails("name:generate attempt:2");
	holds("name:tool dur>1s dur<3s");
	fails("name:tool dur>30s");
	holds("name:tool -attempt:1");
	fails("name:tool -attempt:2");
	fails("-name:tool");
	holds("-name:sandbox");
	fails("name:generate -name:tool");
	fails("-attempt:2");
	fails("name:virtual");
	fails("name:mark dur>=0");
	holds("name:mark");
}

/* 45.183274 s at such times is 45.183274030... by subtraction. */
static void test_boundaries(void)
{
	static const char *const same[] = {"45183274us", "45183.274ms",
					   "45.183274s", "45.183274"};
	const struct row row = {.start = 1766101000.0002,
				.end = 1766101045.183474};
	struct err err = {0};

	check_case("what took just as long is neither less nor more");
	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++) {
		static const char *const ops[] = {"<=", ">=", "<", ">"};

		for (size_t k = 0; k < 4; k++) {
			char text[40];
			struct row_filter *f;

			snprintf(text, sizeof(text), "dur%s%s", ops[k],
				 same[i]);
			f = row_filter_new(str_of(text), &err);
			CHECK(f != NULL &&
			      row_filter_accepts(f, &row, NULL) == (k < 2));
			row_filter_free(f);
		}
	}
	holds("dur<=60s name:tool");
	holds("name:tool dur>=2s dur<=2000000us");
	fails("name:tool dur>2s");
}

static void test_text(void)
{
	check_case("bare text");
	holds("417");
	fails("41");
	fails("52");
	holds("hard TOOL");
	holds("\"math hard\"");
	fails("-tool_call");
	holds("-absent");
	fails("virtual");
	fails("- ");
}

static void test_refused(void)
{
	check_case("what cannot be read is refused, and where");
	refused("a \"b", "the quote has no end (character 3)");
	refused("status:", "a value is missing (character 1)");
	refused("a -foo:1",
		"unknown key 'foo' (character 3); keys are status, source, "
		"label, index, group, tokens, reward, worker, dur, name, "
		"attempt; put text with a sign in quotes");
	refused("durr>9",
		"unknown key 'durr' (character 1); did you mean dur? keys are "
		"status, source, label, index, group, tokens, reward, "
		"worker, dur, name, attempt; put text with a sign in quotes");
	refused("status<3", "text needs : or = (character 1)");
	refused("reward<x", "the value is not a number (character 1)");
	refused("dur>3w",
		"not a duration; use 500us, 12ms, 30s or 2m (character 1)");
	refused("dur:3", "dur needs < or > (character 1)");
	refused(">3", "a key is missing before the sign (character 1)");
	refused("attr.x:1", "only the page's search box knows attributes "
			    "(character 1)");
}

int main(void)
{
	test_fields();
	test_reward();
	test_spans();
	test_boundaries();
	test_text();
	test_refused();
	return check_done();
}
