#include "sink/table.h"

#include "base/limits.h"

#include "check.h"

static struct buf written;

static int take(void *taker, const char *p, size_t n)
{
	buf_put(taker, p, n);
	return 0;
}

static void put(struct table *table)
{
	struct err err = {0};
	struct out out;

	buf_clear(&written);
	CHECK(out_open_taker(&out, take, &written, &err) == 0);
	CHECK(table_put(table, &out, &err) == 0);
	CHECK(out_close(&out, &err) == 0);
}

static void check_alignment(void)
{
	static const struct table_column columns[] = {
		{"name", TABLE_LEFT}, {"n", TABLE_RIGHT}, {"note", TABLE_LEFT}};
	struct table table = table_new(columns, 3);

	check_case("columns are as wide as their widest cell shows");
	table_add(&table, str_of("生成"));
	table_addf(&table, "%d", 7);
	table_add(&table, str_of("x"));
	table_add(&table, str_of("e\xcc\x81t\xc3\xa9"));
	table_addf(&table, "%d", 1234);
	table_add(&table, str_of(""));
	put(&table);
	CHECK(str_is(buf_str(&written), "name     n  note\n"
					"生成     7  x\n"
					"e\xcc\x81t\xc3\xa9   1234  \n"));
}

static void check_escapes(void)
{
	struct buf b = buf_new(KIB);

	check_case("nothing that a terminal obeys gets through");
	CHECK(table_escape(&b, str_make("a\x1b[1m\0\n", 7)) == 16);
	CHECK(str_is(buf_str(&b), "a\\x1b[1m\\x00\\x0a"));
	buf_clear(&b);
	/* NOLINTNEXTLINE(misc-misleading-bidirectional): to be escaped */
	table_escape(&b, str_of("\xe2\x80\xae \xff \xed\xa0\x80 \xc2\x9b"));
	CHECK(str_is(buf_str(&b), "\\u202e \\xff \\ud800 \\xc2\\x9b"));
	buf_free(&b);
}

/* Where text is broken for lines of a width. */
static void check_breaks(void)
{
	check_case("a line is broken at its last blank that fits");
	CHECK_INT((int64_t)table_line_length(str_of("one two three"), 9), 7);
	CHECK_INT((int64_t)table_line_length(str_of("one two"), 9), 7);
	CHECK_INT((int64_t)table_line_length(str_of("endless-word x"), 5), 12);
	check_case("a number keeps its unit, another word may follow");
	CHECK_INT((int64_t)table_line_length(str_of("in 0.004 s"), 9), 2);
	CHECK_INT((int64_t)table_line_length(str_of("in 0.004 s, x"), 11), 11);
	CHECK_INT((int64_t)table_line_length(str_of("in 16 slots"), 9), 5);
}

int main(void)
{
	written = buf_new(MIB);
	check_alignment();
	check_escapes();
	check_breaks();
	buf_free(&written);
	return check_done();
}
