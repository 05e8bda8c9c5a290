#include <errno.h>
#include <math.h>

#include "base/buf.h"
#include "base/limits.h"
#include "fmt/json/json_value.h"
#include "fmt/json/json_write.h"
#include "fmt/value/value_make.h"
#include "fmt/value/value_text.h"

#include "check.h"

static struct arena arena;
static char written[1 << 20];

/* What the writer put into out since the last look, as text. */
static struct str take(struct out *out)
{
	struct str s = str_make(written, out->n);

	memcpy(written, out->p, out->n);
	out->n = 0;
	return s;
}

static struct value text(const char *s)
{
	return value_str(str_of(s));
}

static struct value list_of(enum value_kind kind, int n,
			    const struct value *values)
{
	struct value list = value_new(&arena, kind, 4);

	for (int i = 0; i < n; i++)
		value_push(&arena, list, values[i]);
	return list;
}

#define LIST(kind, ...)                                                        \
	list_of(kind,                                                          \
		(int)(sizeof((struct value[]){__VA_ARGS__}) /                  \
		      sizeof(struct value)),                                   \
		(struct value[]){__VA_ARGS__})

static struct str value_as(struct out *out, struct value v, enum json_keys keys)
{
	struct json_writer w = json_writer_on(out);

	json_put_value(&w, v, keys);
	return take(out);
}

static void check_commas(struct out *out)
{
	struct json_writer w = json_writer_on(out);

	check_case("commas come where they belong");
	json_begin(&w, '{');
	json_key(&w, "a");
	json_begin(&w, '[');
	json_begin(&w, '[');
	json_end(&w, ']');
	json_begin(&w, '{');
	json_end(&w, '}');
	json_int(&w, INT64_MIN);
	json_uint(&w, UINT64_MAX);
	json_end(&w, ']');
	json_key_str(&w, str_of("b\n"));
	json_bool(&w, false);
	json_key(&w, "c");
	json_null(&w);
	json_end(&w, '}');
	json_end_line(&w);
	json_verbatim(&w, str_of("12345678901234567890123"));
	CHECK_STR(take(out), "{\"a\":[[],{},-9223372036854775808,"
			     "18446744073709551615],\"b\\n\":false,\"c\":null}"
			     "\n12345678901234567890123");
}

static struct str escaped(struct out *out, const char *p, size_t n)
{
	json_escape(out, str_make(p, n));
	return take(out);
}

#define ESCAPED(literal) escaped(out, literal, sizeof(literal) - 1)

static void check_strings(struct out *out)
{
	check_case("control bytes, quotes and DEL are escaped as Python does");
	CHECK_STR(ESCAPED("a\"\\/\b\f\n\r\t\0\x1f\x7f~"),
		  "a\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\\u007f~");
	check_case("text past ASCII becomes \\u and surrogate pairs");
	CHECK_STR(ESCAPED("\xc2\x80\xef\xbf\xbf\xf0\x9f\x98\x80"),
		  "\\u0080\\uffff\\ud83d\\ude00");
	check_case("a lone surrogate of three bytes stays one");
	CHECK_STR(ESCAPED("\xed\xa0\xbd-\xed\xbf\xbf"), "\\ud83d-\\udfff");
	check_case("each maximal subpart of bad UTF-8 is one U+FFFD");
	CHECK_STR(ESCAPED("\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41\xc0\x80"),
		  "\\ufffd\\ufffd\\ufffd\\ufffdA\\ufffd\\ufffd");
	CHECK_STR(ESCAPED("cut\xf0\x9f\x98"), "cut\\ufffd");
}

static void check_numbers(struct out *out)
{
	struct json_writer w = json_writer_on(out);

	check_case("doubles print as repr, and as null when not finite");
	json_begin(&w, '[');
	json_double(&w, 1);
	json_double(&w, 1e16);
	json_double(&w, -0.0);
	json_double(&w, 0.1);
	json_double(&w, NAN);
	json_double(&w, -INFINITY);
	json_end(&w, ']');
	CHECK_STR(take(out), "[1.0,1e+16,-0.0,0.1,null,null]");
}

static void check_keys(struct out *out)
{
	struct value pair = LIST(VALUE_TUPLE, value_int(1), text("it's"));
	struct value one = LIST(VALUE_TUPLE, value_float(NAN));
	struct value dict = LIST(VALUE_DICT, value_none(), value_int(1),
				 value_bool(true), value_int(2),
				 value_float(2.5), value_int(3), pair,
				 value_int(4), one, value_int(5),
				 value_float(-INFINITY), value_int(6));

	check_case("attribute keys are what str() gives");
	CHECK_STR(value_as(out, dict, JSON_KEYS_STR),
		  "{\"None\":1,\"True\":2,\"2.5\":3,\"(1, \\\"it's\\\")\":4,"
		  "\"(nan,)\":5,\"-inf\":6}");
	check_case("reward keys are what json.dump gives");
	CHECK_STR(value_as(out, dict, JSON_KEYS_NATIVE),
		  "{\"null\":1,\"true\":2,\"2.5\":3,\"(1, \\\"it's\\\")\":4,"
		  "\"(nan,)\":5,\"-Infinity\":6}");
}

static void check_collisions(struct out *out)
{
	struct value few = LIST(VALUE_DICT, value_int(1), text("a"), text("x"),
				text("b"), text("1"), text("c"), text("x"),
				text("d"));
	struct value many = value_new(&arena, VALUE_DICT, 0);
	struct buf want = buf_new(MIB);

	check_case("of colliding keys the last value has the first place");
	CHECK_STR(value_as(out, few, JSON_KEYS_STR),
		  "{\"1\":\"c\",\"x\":\"d\"}");
	for (int i = 0; i < 400; i++) {
		value_push(&arena, many, value_int(i % 200));
		value_push(&arena, many, value_int(i));
	}
	buf_putc(&want, '{');
	for (int i = 0; i < 200; i++)
		buf_printf(&want, "%s\"%d\":%d", i > 0 ? "," : "", i, i + 200);
	buf_puts(&want, "}");
	buf_putc(&want, '\0');
	CHECK_STR(value_as(out, many, JSON_KEYS_STR), want.p);
	buf_free(&want);
}

static void check_stand_ins(struct out *out)
{
	struct value_global names = {STR("torch._utils"), STR("_rebuild")};
	struct value global = {.kind = VALUE_GLOBAL, .global = &names};
	struct value_object call = {.callable = global};
	struct value object = {.kind = VALUE_OBJECT, .object = &call};
	struct value bytes = text("a'\xff\n");
	struct value skipped = {.kind = VALUE_SKIPPED};

	bytes.kind = VALUE_BYTES;
	check_case("what JSON has no form for becomes readable text");
	CHECK_STR(value_as(out,
			   LIST(VALUE_LIST, global, object, bytes, skipped,
				LIST(VALUE_SET, value_int(1), bytes),
				list_of(VALUE_SET, 0, NULL)),
			   JSON_KEYS_STR),
		  "[\"<torch._utils._rebuild>\",\"<torch._utils._rebuild>\","
		  "\"b\\\"a'\\\\xff\\\\n\\\"\",\"<skipped>\","
		  "\"{1, b\\\"a'\\\\xff\\\\n\\\"}\",\"set()\"]");
}

static void check_cycles(struct out *out)
{
	struct value self = LIST(VALUE_LIST, value_int(1));
	struct json_writer w = json_writer_on(out);
	struct buf b = buf_new(LIMIT_STRING);

	value_push(&arena, self, LIST(VALUE_DICT, text("up"), self));
	check_case("a value inside itself is cut, each time it is written");
	for (uint64_t i = 1; i <= 2; i++) {
		json_put_value(&w, self, JSON_KEYS_STR);
		CHECK_INT((int64_t)w.cuts, (int64_t)i);
	}
	CHECK_STR(take(out), "[1,{\"up\":\"...\"}],[1,{\"up\":\"...\"}]");
	CHECK(w.passed == NULL);
	value_put_str(&b, LIST(VALUE_SET, self, self));
	CHECK_STR(buf_str(&b), "{[1, {'up': [...]}], [1, {'up': [...]}]}");
	buf_free(&b);
}

/* What is said of v, which is written nowhere. */
static void check_refused(struct out *out, struct value v, const char *why)
{
	struct json_writer w = json_writer_on(out);
	struct buf b = buf_new(LIMIT_STRING);
	struct err err = {0};

	json_put_value(&w, v, JSON_KEYS_STR);
	CHECK_STR(take(out), "null");
	CHECK(w.passed != NULL);
	if (w.passed != NULL)
		CHECK_INT(err_passed(&err, w.passed), ERR_LIMIT);
	CHECK_TEXT(err.text, why);
	value_put_str(&b, v);
	CHECK(b.failed && b.n == 0 && b.cap == 0);
	CHECK_INT(buf_error(&b, &err), ERR_LIMIT);
	CHECK_TEXT(err.text, why);
	buf_clear(&b);
	value_put_str(&b, value_int(7));
	CHECK_STR(buf_str(&b), "7");
	buf_free(&b);
}

static void check_limits(struct out *out)
{
	struct json_writer w = json_writer_on(out);
	struct buf b = buf_new(LIMIT_STRING);
	struct value deep = LIST(VALUE_LIST, value_int(1));
	struct value many = LIST(VALUE_TUPLE, text("a word"));
	struct value half = {.kind = VALUE_STR, .n = LIMIT_STRING / 2};

	check_case("a value as deep as may be is written whole");
	for (int i = 1; i < LIMIT_DEPTH_WRITTEN; i++)
		deep = LIST(VALUE_SET, deep);
	deep.kind = VALUE_LIST;
	value_put_str(&b, deep);
	CHECK_INT((int64_t)b.n, 2 * LIMIT_DEPTH_WRITTEN + 1);
	buf_free(&b);

	check_case("one deeper is refused");
	check_refused(out, LIST(VALUE_LIST, deep),
		      "has more than 900 levels; obstools(7) tells how to "
		      "raise LIMIT_DEPTH_WRITTEN");

	check_case("a value whose references make it endless is refused");
	for (int i = 0; i < 64; i++)
		many = LIST(VALUE_LIST, many, many);
	check_refused(out, many,
		      "takes more than 1 GiB; obstools(7) tells how to raise "
		      "LIMIT_STRING");
	for (int i = 0; i < 64; i++)
		many = i == 0 ? list_of(VALUE_LIST, 0, NULL)
			      : LIST(VALUE_SET, many, many);
	check_refused(out, many,
		      "takes more than 1 GiB; obstools(7) tells how to raise "
		      "LIMIT_STRING");

	check_case("so is the text that follows many others in a sample");
	w.size = LIMIT_SAMPLE - LIMIT_STRING / 2;
	json_put_value(&w, half, JSON_KEYS_STR);
	CHECK_STR(take(out), "null");
	CHECK(w.passed != NULL && w.passed->max == LIMIT_SAMPLE);
}

static void check_bufs(struct out *out)
{
	struct json_writer w = json_writer_on(out);
	struct buf text = buf_new(4);

	check_case("a text that failed fails the output");
	json_begin(&w, '{');
	buf_puts(&text, "ab");
	json_add_buf(&w, "a", &text);
	json_end(&w, '}');
	CHECK(text.n == 0);
	CHECK_STR(take(out), "{\"a\":\"ab\"}");
	CHECK_INT(out->failed, 0);
	buf_puts(&text, "too long");
	json_add_buf(&w, "b", &text);
	CHECK_INT(out->failed, ENOMEM);
	out->failed = 0;
	take(out);
	buf_free(&text);
}

int main(void)
{
	struct err err;
	struct out out;

	/* No descriptor: nothing but the endless text fills the buffer. */
	if (out_open(&out, -1, &err) != 0)
		return 1;
	arena = arena_new(64 * MIB);
	check_commas(&out);
	check_strings(&out);
	check_numbers(&out);
	check_keys(&out);
	check_collisions(&out);
	check_stand_ins(&out);
	check_cycles(&out);
	check_limits(&out);
	check_bufs(&out);
	arena_free(&arena);
	out_close(&out, &err);
	return check_done();
}
