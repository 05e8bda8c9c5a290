/*
 * The pickle reader on bytes written by hand: every opcode, the memo, what is
 * payload, and the limits. Each pickle is read in one block and byte by byte.
 */
#include "fmt/pickle/pickle.h"

#include "base/buf.h"
#include "base/io.h"
#include "base/limits.h"
#include "blocks.h"
#include "check.h"
#include "fmt/json/json_text.h"

static void put_element(struct buf *b, struct value element)
{
	struct value mask = value_get(element, "m");
	struct err err;

	if (b->n > 0)
		buf_putc(b, ' ');
	json_text(b, element, &err);
	if (mask.kind == VALUE_SKIPPED && mask.skipped != NULL)
		buf_printf(b, "m=%g/%d", mask.skipped->sum,
			   (int)mask.skipped->count);
}

/* The elements as JSON with spaces between, then an error's text. Samples are
 * dicts whose keys "a" and "b" are wanted and whose "m" is summed. */
static int read_in(struct buf *b, struct str bytes, size_t size)
{
	static const struct str wanted[] = {STR("a"), STR("b")};
	static const struct value_filter filter = {
		.wanted = wanted, .count = 2, .summed = STR("m")};
	struct blocks blocks = {
		{next_block, rewind_blocks, bytes.n}, bytes, 0, size, 1};
	struct pickle *r = pickle_open(&blocks.source, &filter);
	struct err err = {0};
	struct value element;
	int got = 1;

	buf_clear(b);
	while (got == 1) {
		got = pickle_next(r, &element, &err);
		if (got == 1)
			put_element(b, element);
	}
	if (got < 0)
		buf_printf(b, "%s@%d %s", b->n > 0 ? " " : "", (int)err.at,
			   err.text);
	pickle_close(r);
	return blocks.readings;
}

static struct buf text;

static int reads_as(struct str bytes, const char *want, const char *file,
		    int line)
{
	int readings = read_in(&text, bytes, bytes.n);

	check_str(buf_str(&text), str_of(want), file, line);
	check_int(read_in(&text, bytes, 1), readings, file, line);
	check_str(buf_str(&text), str_of(want), file, line);
	return readings;
}

/* How often the source was read. */
#define READS(bytes, want)                                                     \
	reads_as(str_make(bytes, sizeof(bytes) - 1), want, __FILE__, __LINE__)

/* A pickle of [{"a": VALUE}] and what VALUE is as JSON. */
#define IS(value, want) READS("]}U\1a" value "sa.", "{\"a\":" want "}")

static void check_numbers(void)
{
	check_case("numbers of every opcode");
	IS("K\xff", "255");
	IS("M\xff\xff", "65535");
	IS("J\xff\xff\xff\xff", "-1");
	IS("I-12\n", "-12");
	IS("I01\n", "true");
	IS("I00\n", "false");
	IS("L123456789012345678901L\n", "123456789012345678901");
	IS("\x8a\0", "0");
	IS("\x8a\1\x80", "-128");
	IS("\x8a\x09\0\0\0\0\0\0\0\x80\0", "9223372036854775808");
	IS("\x8a\x09\0\0\0\0\0\0\0\0\xff", "-18446744073709551616");
	IS("\x8b\2\0\0\0\0\1", "256");
	IS("F1.5\n", "1.5");
	IS("F-inf\n", "null");
	IS("Fnan\n", "null");
	IS("G?\xf8\0\0\0\0\0\0", "1.5");
	IS("N", "null");
	IS("\x88", "true");
	IS("\x89", "false");
}

static void check_texts(void)
{
	check_case("text and bytes of every opcode");
	IS("X\2\0\0\0\xc3\xa9", "\"\\u00e9\"");
	IS("\x8c\2ab", "\"ab\"");
	IS("\x8d\2\0\0\0\0\0\0\0ab", "\"ab\"");
	IS("X\3\0\0\0\xed\xa0\x80", "\"\\ud800\"");
	IS("V\xe9\\u00e9\\U0001f600\n", "\"\\u00e9\\u00e9\\ud83d\\ude00\"");
	IS("S'a\\x41\\n\\''\n", "\"aA\\n'\"");
	IS("S\"\"\n", "\"\"");
	IS("V\n", "\"\"");
	IS("T\2\0\0\0ab", "\"ab\"");
	IS("U\2ab", "\"ab\"");
	IS("C\2a\xff", "\"b'a\\\\xff'\"");
	IS("B\1\0\0\0a", "\"b'a'\"");
	IS("\x8e\1\0\0\0\0\0\0\0a", "\"b'a'\"");
	IS("\x96\1\0\0\0\0\0\0\0a", "\"b'a'\"");
}

static void check_containers(void)
{
	check_case("containers of every opcode");
	IS("]", "[]");
	IS("(l", "[]");
	IS("(K\1K\2l", "[1,2]");
	IS("](K\1K\2e", "[1,2]");
	IS("]K\1a", "[1]");
	IS(")", "[]");
	IS("K\1\x85", "[1]");
	IS("K\1K\2\x86", "[1,2]");
	IS("K\1K\2K\3\x87", "[1,2,3]");
	IS("(K\1K\2K\3K\4t", "[1,2,3,4]");
	IS("(t", "[]");
	IS("}", "{}");
	IS("(d", "{}");
	IS("(U\1kK\1d", "{\"k\":1}");
	IS("}U\1kK\1s", "{\"k\":1}");
	IS("}(U\1kK\1U\1kK\2u", "{\"k\":2}");
	IS("}(K\1K\2NK\3u", "{\"1\":2,\"None\":3}");
	IS("\x8f(K\1\x90", "\"{1}\"");
	IS("(K\1\x91", "\"{1}\"");
}

static void check_stack(void)
{
	check_case("what moves the stack and what moves nothing");
	IS("K\1"
	   "2"
	   "0",
	   "1");
	IS("K\1(K\2K\3"
	   "1",
	   "1");
	IS("K\1(0", "1");
	IS("\x95\0\0\0\0\0\0\0\0K\1", "1");
	IS("\x80\2K\1", "1");
	IS("\x97\x98", "\"<skipped>\"");
}

static void check_calls(void)
{
	check_case("classes and calls are inert");
	IS("cos\nsystem\n", "\"<os.system>\"");
	IS("cos\nsystem\nU\1x\x85R", "\"<os.system>\"");
	IS("U\2osU\6system\x93", "\"<os.system>\"");
	IS("cm\nC\n)\x81", "\"<m.C>\"");
	IS("cm\nC\n)}\x92", "\"<m.C>\"");
	IS("(cm\nC\nK\1o", "\"<m.C>\"");
	IS("(K\1im\nC\n", "\"<m.C>\"");
	IS("cm\nC\n)\x81}U\1xK\1sb", "\"<m.C>\"");
	IS("\x82\1", "\"<copyreg.extension>\"");
	IS("\x83\1\1", "\"<copyreg.extension>\"");
	IS("\x84\1\1\1\1", "\"<copyreg.extension>\"");
	IS("Pline\n", "\"<torch.storage>\"");
	IS("U\7storage\x85Q", "\"<torch.storage>\"");

	check_case("standard containers are what they hold");
	IS("ccollections\nOrderedDict\n)RU\1kK\1s", "{\"k\":1}");
	IS("ccollections\nOrderedDict\n](]U\1kaK\1\x61"
	   "e\x85R",
	   "{\"k\":1}");
	IS("ccollections\ndefaultdict\ncbuiltins\nlist\n\x85RU\1kK\1s",
	   "{\"k\":1}");
	IS("cbuiltins\ndict\n}U\1kK\1s\x85R", "{\"k\":1}");
	IS("c__builtin__\nset\n]K\1a\x85R", "\"{1}\"");
	IS("cbuiltins\nlist\nK\1K\2\x86\x85R", "[1,2]");
	IS("cbuiltins\nlist\nK\1\x85R", "[]");
	IS("ctorch\nSize\n]K\1a\x85R", "[1]");
	IS("cdecimal\nDecimal\nU\4"
	   "1.10\x85R",
	   "\"1.10\"");
	IS("cbuiltins\nbytes\n)R", "\"b''\"");
	IS("cbuiltins\nbytearray\nB\1\0\0\0z\x85R", "\"b'z'\"");
	IS("c_codecs\nencode\nX\3\0\0\0a\xc3\xbfU\6latin1\x86R",
	   "\"b'a\\\\xff'\"");
}

static void check_streaming(void)
{
	check_case("the elements of a list, or of \"samples\", one by one");
	READS("](K\1U\1xN]}e.", "1 \"x\" null [] {}");
	READS("]K\1aK\2a.", "1 2");
	READS("}U\7samples](K\1K\2es.", "1 2");
	READS("}(U\1kK\7U\7samples](K\1K\2eu.", "1 2");
	READS("(K\1K\2l.", "1 2");
	READS("(K\1K\2K\3t.", "1 2 3");
	READS("}U\7samplesK\1K\2\x86s.", "1 2");
	READS("].", "");
	READS("}.", "");
	READS("K\1.", "");

	check_case("\"samples\" elsewhere is not the list of samples");
	READS("}(U\1k}U\7samples]K\1asU\7samples]K\2au.", "2");
	READS("}(U\7samples]K\2aU\1k}U\7samples]K\1asu.", "2");
	READS("}(U\1kU\7samplesU\7samples]K\2au.", "2");
}

static void check_memo(void)
{
	check_case("the memo by every opcode");
	IS("]K\1ap9\n0g9\n", "[1]");
	IS("]K\1aq\x09"
	   "0h\x09",
	   "[1]");
	IS("]K\1ar\x09\0\0\0"
	   "0j\x09\0\0\0",
	   "[1]");
	IS("]K\1a\x94"
	   "0h\0",
	   "[1]");

	check_case("short text of an earlier sample is at hand");
	CHECK_INT(READS("\x80\4](}\x8c\1a\x8c\1x\x94s}\x8c\1ah\0se.",
			"{\"a\":\"x\"} {\"a\":\"x\"}"),
		  1);

	check_case("a list of an earlier sample is read a second time");
	CHECK_INT(READS("\x80\4](}\x8c\1a]\x94K\1as}\x8c\1ah\0s}\x8c\1aK\2se.",
			"{\"a\":[1]} {\"a\":[1]} {\"a\":2}"),
		  2);

	check_case("also when the earlier sample had it as payload");
	CHECK_INT(READS("\x80\4](}\x8c\1t]\x94(K\1K\2es}\x8c\1ah\0se.",
			"{\"t\":\"<skipped>\"} {\"a\":[1,2]}"),
		  2);

	check_case("and when that payload had it from one before");
	READS("\x80\4](}\x8c\1a]\x94K\1as}\x8c\1t]\x94h\0as}\x8c\1ah\1se.",
	      "{\"a\":[1]} {\"t\":\"<skipped>\"} {\"a\":[[1]]}");

	check_case("a list that holds itself ends");
	IS("]q\0h\0a", "[\"...\"]");
}

#define PUT(b, literal) buf_put(b, literal, sizeof(literal) - 1)

static void put_many(struct buf *b, char c)
{
	for (int i = 0; i < 2000; i++)
		buf_putc(b, c);
}

static void check_long_text(void)
{
	struct buf pickle = buf_new(MIB);
	struct buf want = buf_new(MIB);

	check_case("long text that samples share is right in each");
	PUT(&pickle, "\x80\2](}U\1aX\xd0\7\0\0");
	put_many(&pickle, 'x');
	PUT(&pickle, "q\0s}U\1tX\xd0\7\0\0");
	put_many(&pickle, 'y');
	PUT(&pickle, "q\1s}U\1ah\0s}U\1ah\1se.");
	PUT(&want, "{\"a\":\"");
	put_many(&want, 'x');
	PUT(&want, "\"} {\"t\":\"<skipped>\"} {\"a\":\"");
	put_many(&want, 'x');
	PUT(&want, "\"} {\"a\":\"");
	put_many(&want, 'y');
	PUT(&want, "\"}");
	read_in(&text, buf_str(&pickle), 100);
	CHECK(str_eq(buf_str(&text), buf_str(&want)));
	buf_free(&pickle);
	buf_free(&want);
}

static void check_payload(void)
{
	check_case("the values of other keys are walked over, not built");
	READS("\x80\2](}(U\1t](K\1K\2eU\1aK\5u}U\1t}(U\1x]U\1y]use.",
	      "{\"t\":\"<skipped>\",\"a\":5} {\"t\":\"<skipped>\"}");

	check_case("payload of classes, tuples and arrays");
	READS("\x80\4](}(U\1tcn\nf\n(K\1K\2(K\3tU\1x\x85K\4\x86t\x94RU\1aK\5"
	      "ue.",
	      "{\"t\":\"<skipped>\",\"a\":5}");
	READS("\x80\4](}(U\1t](U\2osU\6system\x93K\1K\2\x86N\x87]}eU\1aK\5ue.",
	      "{\"t\":\"<skipped>\",\"a\":5}");

	check_case("the third of a tuple is not payload");
	READS("\x80\2]}(U\1aU\1xU\1yU\1z\x87U\1bK\1ua.",
	      "{\"a\":[\"x\",\"y\",\"z\"],\"b\":1}");
	CHECK_INT(READS("\x80\2]}(U\1aU\1xU\1y](K\1K\2e\x87U\1bK\1ua.",
			"{\"a\":[\"x\",\"y\",[1,2]],\"b\":1}"),
		  2);

	check_case("the one item of a dict within is not the sample's");
	READS("\x80\2]}(U\1a}U\1t]K\1asU\1bK\2ua.",
	      "{\"a\":{\"t\":[1]},\"b\":2}");
}

static void check_sums(void)
{
	check_case("a list of numbers leaves its sum and count");
	READS("\x80\2]}U\1m](K\1K\0M\1\1\x88G?\xf8\0\0\0\0\0\0esa.",
	      "{\"m\":\"<skipped>\"}m=260.5/5");
	READS("\x80\2]}U\1m]sa.", "{\"m\":\"<skipped>\"}m=0/0");
	READS("\x80\2]}U\1m]K\3asa.", "{\"m\":\"<skipped>\"}m=3/1");
	READS("]}U\1m](K\1K\2esa.", "{\"m\":\"<skipped>\"}m=3/2");
	READS("(lp0\n(dp1\nVm\n(lp2\nI1\naI2\nasa.",
	      "{\"m\":\"<skipped>\"}m=3/2");
	READS("\x80\2]}U\1mNsa.", "{\"m\":null}");

	check_case("a mask that a later sample shares is built for it");
	READS("\x80\2](}U\1m]q\0(K\1K\2es}U\1mh\0se.",
	      "{\"m\":\"<skipped>\"}m=3/2 {\"m\":[1,2]}");
}

static void check_refused(void)
{
	check_case("what is no pickle says where");
	READS("", "@0 the pickle is truncated: no STOP");
	READS("]", "@1 the pickle is truncated: no STOP");
	READS("]\xff", "@1 unknown opcode 0xff");
	READS("\x80\6.", "@2 pickle protocol 6, known are 0 to 5");
	READS(".", "@1 an operation without its operands");
	READS("]a.", "@2 an operation without its operands");
	READS("K\1e.", "@3 an operation without its MARK");
	READS("}(K\1u.", "@5 SETITEMS with a key without value");
	READS("h\1.", "@2 memo number 1 was never set");
	READS("]r\xff\xff\xff\xff.", "@6 memo number 4294967295 after 0");
	READS("K\1K\2a.", "@5 elements for something that is not a container");
	/* The mark does not stand on the list, so what follows is no element. */
	READS("]}(}}}es.", "@7 elements for something that is not a container");
	READS("X\xff\xff\xff\xff"
	      "abc.",
	      "@5 truncated: fewer bytes follow than the 4294967295 expected");
	READS("\x8d\0\0\0\0\0\1\0\0abc.",
	      "@9 truncated: fewer bytes follow than the 1099511627776 expected");
	READS("\x8b\xff\xff\xff\xff.",
	      "@5 an integer of 4294967295 bytes" ERR_RAISE(LIMIT_INT_BYTES));
	READS("Ix\n.", "@3 an integer with other bytes");
	READS("Fx\n.", "@3 a FLOAT that is not a number");
	READS("Sx\n.", "@3 a STRING without its quotes");
	READS("V\\uxxxx\n.", "@8 a bad \\u escape in a string");
}

static void check_forged(void)
{
	check_case("an earlier sample is not filled by a later one");
	READS("](}U\1a]q\1s}h\1K\1a0e.",
	      "{\"a\":[]} @16 elements for an object of an earlier sample");

	check_case("elements handed out are not taken again");
	READS("](}}}0000Na.", "{} {} @7 an operation without its operands");
	READS("](}}00e.", "{} @6 an operation without its operands");
	READS("\x80\2}X\7\0\0\0samples](}}00es.",
	      "{} @21 an operation without its operands");

	check_case("the list may be popped, and its batch");
	READS("](}}1.", "{}");

	check_case("INST without arguments keeps its class");
	READS("]((icollections\nOrderedDict\ne.", "{}");
	READS("](}}}.", "{} {} @6 STOP in the middle of a list");

	check_case("pops in payload stay in it");
	READS("\x80\2]}(U\1t](K\1K\2"
	      "000"
	      "eU\1aK\5ua.",
	      "{\"t\":\"<skipped>\",\"a\":5}");
	READS("\x80\2]}(U\1t](RRRb\x92Q\x86"
	      "eU\1aK\5ua.",
	      "{\"t\":\"<skipped>\",\"a\":5}");
}

static void check_skip_one(void)
{
	static const char two[] = "\x80\2}U\1a]\x97"
				  "as.N.";
	struct blocks blocks = {{next_block, rewind_blocks, 0},
				str_make(two, sizeof(two) - 1),
				0,
				100,
				1};
	uint64_t size = 0;
	struct err err;

	check_case("one of several pickles in a row is passed");
	CHECK_INT(pickle_skip_one(&blocks.source, NULL, &size, &err), 0);
	CHECK_INT((int64_t)size, 11);
}

int main(void)
{
	text = buf_new(MIB);
	check_numbers();
	check_texts();
	check_containers();
	check_stack();
	check_calls();
	check_streaming();
	check_memo();
	check_long_text();
	check_payload();
	check_sums();
	check_refused();
	check_forged();
	check_skip_one();
	buf_free(&text);
	return check_done();
}
