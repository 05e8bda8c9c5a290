/* What the attributes of a span say of it. */
#include "rollout/span_attrs.h"

#include <math.h>

#include "base/limits.h"
#include "check.h"
#include "fmt/value/value_make.h"

static struct arena arena;

static struct value text(const char *s)
{
	return value_str(str_of(s));
}

/* {key: v} */
static struct value dict_of(const char *key, struct value v)
{
	struct value dict = value_new(&arena, VALUE_DICT, 2);

	dict.items->v[0] = text(key);
	dict.items->v[1] = v;
	dict.items->n = 2;
	return dict;
}

/* A closed span of 2 s with one end attribute. */
static struct item span(const char *name, const char *key, struct value v)
{
	return (struct item){
		.state = ITEM_CLOSED,
		.name = text(name),
		.is_request = is_generation(text(name)),
		.start = 10,
		.end = 12,
		.display_end = 12,
		.end_attrs = dict_of(key, v),
	};
}

static double queued(const char *name, struct value v)
{
	struct item item = span(name, "queue_time", v);

	return item_queued(&item);
}

static bool has_error(const char *key, struct value v)
{
	struct item item = span("step", key, v);

	return item_has_error(&item);
}

static void check_queue(void)
{
	struct item open = span("sglang_generate", "queue_time", value_int(1));

	check_case("a generation was queued for its queue_time, within itself");
	CHECK(queued("sglang_generate", value_float(0.25)) == 0.25);
	CHECK(queued("sglang_generate_stream", value_int(1)) == 1);
	CHECK(queued("sglang_generate", value_float(0.00000149)) == 0.000001);
	CHECK(queued("sglang_generate", value_float(5)) == 2);
	CHECK(queued("sglang_generate", value_float((double)INFINITY)) == 2);
	CHECK(queued("sglang_generate", value_float((double)NAN)) == 0);
	CHECK(queued("sglang_generate", value_float(-1)) == 0);
	CHECK(queued("sglang_generate", value_bool(true)) == 0);
	CHECK(queued("sglang_generate", text("1")) == 0);
	CHECK(queued("tool_call", value_float(0.25)) == 0);
	open.state = ITEM_OPEN;
	CHECK(item_queued(&open) == 0);
}

static void check_error(void)
{
	struct item start = span("step", "exit", value_int(1));

	check_case("an error is an attribute of that name that is true");
	CHECK(has_error("error", text("no")));
	CHECK(has_error("error_type", text("ValueError")));
	CHECK(has_error("exception", value_bool(true)));
	CHECK(has_error("exception_message", value_int(7)));
	CHECK(!has_error("error", text("")));
	CHECK(!has_error("error_message", value_none()));
	CHECK(!has_error("error", value_bool(false)));
	CHECK(!has_error("errors", text("no")));
	CHECK(!has_error("no_error", text("no")));
	CHECK(!item_has_error(&start));
	start.start_attrs = dict_of("error", text("early"));
	CHECK(item_has_error(&start));
}

int main(void)
{
	arena = arena_new(LIMIT_STRING);
	check_queue();
	check_error();
	arena_free(&arena);
	return check_done();
}
