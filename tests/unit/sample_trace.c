/* rollout/sample_trace: prepared events, read and written as a trace. */
#include "rollout/sample_trace.h"

#include <math.h>

#include "base/limits.h"
#include "check.h"
#include "fmt/json/json_text.h"
#include "rollout/foreign/carrier.h"

static struct arena arena;

static struct value text(const char *s)
{
	return value_str(str_of(s));
}

/* A request with a tool below it, a span that never ends, a point and an end
 * without a start; given: ids are texts. */
static void fill(struct carrier *c, bool given)
{
	struct value absent = {.kind = VALUE_ABSENT};
	struct carrier_span root = {.name = text("generate"),
				    .id = given ? text("r") : absent,
				    .start = 1,
				    .end = 9,
				    .attempt = 2};
	struct carrier_span tool = {.name = text("tool"),
				    .id = given ? text("t") : absent,
				    .start = 2,
				    .end = 3};
	struct carrier_span open = {.name = text("open"),
				    .id = given ? text("o") : absent,
				    .start = 4,
				    .end = (double)NAN};
	struct carrier_span point = {.name = text("point"), .start = 5};
	struct carrier_span orphan = {.name = text("orphan"), .end = 6};

	carrier_begin(c, &arena);
	carrier_set_trace(c, "trace_id", text("T"));
	root.attrs = carrier_attrs(c);
	carrier_attr(c, root.attrs, "model", text("m"));
	carrier_set_latency(c, &root);
	tool.parent = carrier_span(c, &root);
	open.parent = carrier_span(c, &tool);
	carrier_span(c, &open);
	point.parent = tool.parent;
	carrier_point(c, &point);
	carrier_orphan(c, &orphan);
	carrier_end(c);
	CHECK(!c->failed);
}

static void check_written(bool given, const char *want)
{
	struct buf shown = buf_new(LIMIT_STRING);
	struct carrier c;
	struct err err = {0};

	fill(&c, given);
	CHECK_INT(sample_trace_write(&c.sample, &arena, &err), 0);
	CHECK(c.sample.events == NULL);
	CHECK_INT(json_text(&shown, c.sample.trace, &err), 0);
	CHECK_STR(buf_str(&shown), want);
	buf_free(&shown);
}

static bool same(struct value a, struct value b)
{
	struct buf x = buf_new(LIMIT_STRING), y = buf_new(LIMIT_STRING);
	struct err err;
	bool equal;

	json_text(&x, a, &err);
	json_text(&y, b, &err);
	equal = str_eq(buf_str(&x), buf_str(&y));
	buf_free(&x);
	buf_free(&y);
	return equal;
}

/* Read as they are, and after they were written. */
static void check_same(bool given)
{
	struct carrier c;
	struct sample_trace direct, written;
	struct err err = {0};

	fill(&c, given);
	CHECK_INT(sample_trace_read(&direct, &c.sample, &arena, &err), 0);
	CHECK_INT(sample_trace_write(&c.sample, &arena, &err), 0);
	CHECK_INT(sample_trace_read(&written, &c.sample, &arena, &err), 0);
	CHECK_INT(direct.count, 7);
	CHECK_INT(written.count, 7);
	CHECK_INT((int64_t)written.skipped, 0);
	CHECK(direct.count == written.count &&
	      direct.ids.count == written.ids.count);
	for (uint32_t i = 0; i < written.count; i++) {
		const struct event *a = &direct.events[i];
		const struct event *b = &written.events[i];

		CHECK(a->kind == b->kind && a->ts == b->ts);
		CHECK_INT(b->id, a->id);
		CHECK_INT(b->parent, a->parent);
		CHECK_INT(b->place, a->place);
		CHECK(same(a->name, b->name) && same(a->attempt, b->attempt));
		CHECK(same(a->span_id, b->span_id) &&
		      same(a->parent_id, b->parent_id));
		CHECK(same(a->attrs, b->attrs) && a->has_attrs == b->has_attrs);
		CHECK((a->request.kind == VALUE_DICT) ==
		      (b->request.kind == VALUE_DICT));
	}
}

/* Spans with the same id one after the other, and an id whose text is elsewhere
 * in memory. */
static void check_numbers(void)
{
	char copies[3][2] = {"a", "a", "b"};
	struct carrier_span span = {.name = text("s"), .start = 1, .end = 2};
	struct sample_trace t;
	struct carrier c;
	struct err err = {0};
	static const int32_t ids[] = {0, 0, 0, 0, 1, 1, 0, 0};

	carrier_begin(&c, &arena);
	for (int i = 0; i < 4; i++) {
		span.id = value_str(str_make(copies[i % 3], 1));
		span.parent = i > 0 ? value_str(str_make("b", 1))
				    : (struct value){.kind = VALUE_ABSENT};
		carrier_span(&c, &span);
	}
	carrier_end(&c);
	CHECK_INT(sample_trace_read(&t, &c.sample, &arena, &err), 0);
	CHECK_INT(t.count, 8);
	CHECK_INT(t.ids.count, 2);
	for (uint32_t i = 0; i < t.count; i++) {
		CHECK_INT(t.events[i].id, ids[i]);
		CHECK_INT(t.events[i].parent, i < 2 ? SPAN_ID_NONE : 1);
	}
}

int main(void)
{
	struct sample none = {0};
	struct err err = {0};

	arena = arena_new(LIMIT_SAMPLE);
	check_case("a sample without prepared events is left as it is");
	CHECK_INT(sample_trace_write(&none, &arena, &err), 0);
	CHECK(none.trace.kind == VALUE_ABSENT);
	check_case("prepared events are written in slime's form");
	check_written(
		false,
		"{\"trace_id\":\"T\",\"events\":["
		"{\"type\":\"span_start\",\"name\":\"generate\",\"ts\":1.0,"
		"\"span_id\":1,\"attempt\":2,\"request\":{\"e2e_latency\":8.0}},"
		"{\"type\":\"span_end\",\"name\":\"generate\",\"ts\":9.0,"
		"\"span_id\":1,\"attempt\":2,"
		"\"attrs\":{\"model\":\"m\",\"e2e_latency\":8.0},"
		"\"request\":{\"e2e_latency\":8.0}},"
		"{\"type\":\"span_start\",\"name\":\"tool\",\"ts\":2.0,"
		"\"span_id\":2,\"parent_span_id\":1,\"attempt\":0},"
		"{\"type\":\"span_end\",\"name\":\"tool\",\"ts\":3.0,"
		"\"span_id\":2,\"parent_span_id\":1,\"attempt\":0},"
		"{\"type\":\"span_start\",\"name\":\"open\",\"ts\":4.0,"
		"\"span_id\":3,\"parent_span_id\":2,\"attempt\":0},"
		"{\"type\":\"event\",\"name\":\"point\",\"ts\":5.0,"
		"\"parent_span_id\":1,\"attempt\":0},"
		"{\"type\":\"span_end\",\"name\":\"orphan\",\"ts\":6.0,"
		"\"attempt\":0}"
		"],\"names_parents\":true}");
	check_case("written events are read as the prepared ones");
	check_same(false);
	check_same(true);
	check_case("equal ids have one number, in order of appearance");
	check_numbers();
	arena_free(&arena);
	return check_done();
}
