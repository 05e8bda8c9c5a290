/*
 * With an operand this is a filter for tests/json_read.bats instead: it reads
 * the dump on stdin in blocks of so many bytes and prints what it gave.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/limits.h"
#include "fmt/json/json_read.h"
#include "fmt/json/json_text.h"

#include "check.h"

/* A text that comes in blocks of a few bytes. */
struct blocks {
	struct byte_source source;
	struct str left;
	size_t size;
	char *block; /* a copy, so that reading past it is found */
};

static int next_block(struct byte_source *source, struct str *block,
		      struct err *err)
{
	struct blocks *b = (struct blocks *)source;
	size_t n = b->left.n < b->size ? b->left.n : b->size;

	free(b->block);
	b->block = malloc(n > 0 ? n : 1);
	if (b->block == NULL)
		return err_memory(err);
	memcpy(b->block, b->left.p, n);
	*block = str_make(b->block, n);
	b->left.p += n;
	b->left.n -= n;
	return n > 0;
}

static struct blocks blocks_of(struct str text, size_t size)
{
	return (struct blocks){{.next = next_block}, text, size, NULL};
}

static const struct str wanted[] = {STR("a"), STR("trace")};
static const struct value_filter filter = {
	.wanted = wanted, .count = 2, .summed = STR("loss_mask")};

static void put_value(struct buf *b, struct value v)
{
	struct err err;

	json_text(b, v, &err);
	buf_putc(b, '\n');
}

static void put_error(struct buf *b, const struct err *err)
{
	buf_printf(b, "%s%lld: %s\n", err->unit == ERR_BYTE ? "@" : "",
		   (long long)err->at, err->text);
}

/* What reading gave, a line each: a sample as JSON, an error as "LINE: TEXT"
 * or "@BYTE: TEXT", at last the rollout id. */
static void put_samples(struct buf *b, struct str text, size_t size)
{
	struct blocks blocks = blocks_of(text, size);
	struct json_reader *r = json_open(&blocks.source, &filter);
	struct arena arena = arena_new(LIMIT_SAMPLE);
	struct value sample;
	struct err err;
	int rc;

	do {
		arena_reset(&arena);
		rc = json_next_sample(r, &arena, &sample, &err);
		if (rc == 1)
			put_value(b, sample);
		else if (rc < 0)
			put_error(b, &err);
	} while (rc == 1 || (rc < 0 && json_can_continue(r)));
	if (rc == 0 && json_check_rest(r, &err) > 0)
		put_error(b, &err);
	if (json_rollout_id(r).kind != VALUE_ABSENT)
		put_value(b, json_rollout_id(r));
	json_close(r);
	free(blocks.block);
	arena_free(&arena);
}

/* The same whatever the blocks are. */
static void check_samples(const char *text, const char *want)
{
	static const size_t sizes[] = {1, 2, 3, 7, 4096};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct buf b = buf_new(MIB);

		put_samples(&b, str_of(text), sizes[i]);
		CHECK_STR(buf_str(&b), want);
		buf_free(&b);
	}
}

static void check_shapes(void)
{
	check_case("a document: keys before and after the samples");
	check_samples("{\"x\": [1], \"rollout_id\": 7, \"samples\":\n"
		      "[{\"a\": 1}, {\"a\":2} ], \"y\": {\"samples\": 0}}\n",
		      "{\"a\":1}\n{\"a\":2}\n7\n");
	check_samples("{\"samples\":[], \"rollout_id\": \"seven\"}",
		      "\"seven\"\n");
	check_case("an array of samples, and elements that are none");
	check_samples("\xef\xbb\xbf [{\"a\":null},3,\"x\",[1,{}],{}]",
		      "{\"a\":null}\n3\n\"x\"\n\"<skipped>\"\n{}\n");
	check_samples(" [ ] ", "");
	check_case("lines, blank ones between them, CRLF");
	check_samples("{\"a\":1}\r\n\n  \n{\"a\":2}\n{\"a\":3}",
		      "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n");
	check_case("one object without samples is a sample");
	check_samples("{\n \"a\": {\n \"samples\": [1]}}",
		      "{\"a\":{\"samples\":[1]}}\n");
	check_case("objects over several lines, one after the other");
	check_samples("{\n\"a\": 1}\n{\n\"a\":\n2\n}",
		      "{\"a\":1}\n{\"a\":2}\n");
}

static void check_filter(void)
{
	check_case("keys nobody wants are skipped, whatever they hold");
	check_samples("[{\"tokens\":[1,-2.5e3,\"\\ud83d\",{\"a\":[]},NaN],"
		      "\"a\":\"\\u00e9\",\"p\":\"q\"}]",
		      "{\"tokens\":\"<skipped>\",\"a\":\"\\u00e9\","
		      "\"p\":\"<skipped>\"}\n");
	check_case("what is skipped is still checked");
	check_samples("[{\"tokens\":[1,]}]",
		      "@14: expected a value, found ']'\n");
	check_samples("[{\"tokens\":\"\n\"}]",
		      "@12: expected the end of a string, but the line ends "
		      "here\n");
}

static void check_payload(void)
{
	struct buf text = buf_new(8 * MIB);
	struct arena arena = arena_new(128 * KIB);
	struct value sample;
	struct err err;
	struct blocks blocks;
	struct json_reader *r;

	check_case("payload of any size passes through a small arena");
	buf_puts(&text, "{\"loss_mask\":[0");
	for (int i = 0; i < 400000; i++)
		buf_puts(&text, ",1");
	buf_puts(&text, "],\"tokens\":[[0]");
	for (int i = 0; i < 400000; i++)
		buf_puts(&text, ",-0.25,\"\\n\"");
	buf_puts(&text, "],\"a\":1}");
	blocks = blocks_of(buf_str(&text), 4096);
	r = json_open(&blocks.source, &filter);
	CHECK_INT(json_next_sample(r, &arena, &sample, &err), 1);
	CHECK_DOUBLE(value_get(sample, "loss_mask").skipped->sum, 400000);
	CHECK_INT(value_get(sample, "a").i, 1);
	json_close(r);
	free(blocks.block);
	arena_free(&arena);
	buf_free(&text);
}

static struct value_skipped sum_of(const char *text)
{
	struct blocks blocks = blocks_of(str_of(text), 4);
	struct json_reader *r = json_open(&blocks.source, &filter);
	struct arena arena = arena_new(MIB);
	struct value sample, mask;
	struct value_skipped sum = {99, 99};
	struct err err;

	if (CHECK(json_next_sample(r, &arena, &sample, &err) == 1)) {
		mask = value_get(sample, "loss_mask");
		if (mask.kind == VALUE_SKIPPED && mask.skipped != NULL)
			sum = *mask.skipped;
		else if (mask.kind == VALUE_NONE)
			sum = (struct value_skipped){98, 98};
	}
	json_close(r);
	free(blocks.block);
	arena_free(&arena);
	return sum;
}

static void check_sums(void)
{
	check_case("a flat list of numbers leaves its count and sum");
	CHECK_DOUBLE(sum_of("{\"loss_mask\": [1, 0,1.5 ,true]}").sum, 3.5);
	CHECK_INT((int64_t)sum_of("{\"loss_mask\": [1,0,1]}").count, 3);
	CHECK_INT((int64_t)sum_of("{\"loss_mask\": []}").count, 0);
	check_case("null stays null, and nothing else has a sum");
	CHECK_INT((int64_t)sum_of("{\"loss_mask\": null}").count, 98);
	CHECK_INT((int64_t)sum_of("{\"loss_mask\": [[1]]}").count, 99);
	CHECK_INT((int64_t)sum_of("{\"loss_mask\": [1,null]}").count, 99);
	CHECK_INT((int64_t)sum_of("{\"loss_mask\": \"11\"}").count, 99);
}

static void check_bad_lines(void)
{
	check_case("a bad line is told by its number, the next one is read");
	check_samples("{\"a\":1}\n{\"a\":}\n\n{\"a\":3}\n[4]\n{\"a\":5}",
		      "{\"a\":1}\n2: expected a value, found '}'\n{\"a\":3}\n"
		      "5: expected an object, found '['\n{\"a\":5}\n");
	check_case("a line that was cut short spoils no other");
	check_samples("{\"a\":1}\n{\"a\":[1,\n{\"a\":\"x\n{\"a\":\"\\u1\n"
		      "{\"a\":\"\\\n{\"a\":6}\n{\"a\"",
		      "{\"a\":1}\n"
		      "2: the line ends inside a value\n"
		      "3: expected the end of a string, but the line ends "
		      "here\n"
		      "4: \\u needs four hex digits\n"
		      "5: a string holds an unknown escape\n"
		      "{\"a\":6}\n"
		      "7: expected ':', but the input ends here\n");
	check_case("a line may hold several objects, and then something else");
	check_samples("{\"a\":1} \t\r\n{\"a\":2},\n{\"a\":3}{}\n",
		      "{\"a\":1}\n{\"a\":2}\n"
		      "2: expected the end of the line, found ','\n"
		      "{\"a\":3}\n{}\n");
	check_samples("{\"a\":1} {\"a\":2}x{\"a\":3}\n{\"a\":4}\n",
		      "{\"a\":1}\n{\"a\":2}\n"
		      "1: expected the end of the line, found 'x'\n"
		      "{\"a\":3}\n{\"a\":4}\n");
	check_case("a torn object takes none behind it with it");
	/* Torn in a text, a number, a word, before a value and between. */
	check_samples(
		"{\"a\":\"{{\"a\":1}\n{\"a\":1{\"a\":2}{\"a\":3}\n"
		"{\"a\":tru{\"a\":4}\n{\"a\":{\"a\":5}\n"
		"{\"a\":[{\"b\":1},{\"a\":6}\n{\"a\":7}\n",
		"1: expected ',' or '}', found 'a'\n{\"a\":1}\n"
		"2: expected ',' or '}', found '{'\n{\"a\":2}\n{\"a\":3}\n"
		"3: 'tru' is not a JSON value\n{\"a\":4}\n"
		"4: the line ends inside a value\n{\"a\":5}\n"
		"5: the line ends inside a value\n{\"a\":6}\n"
		"{\"a\":7}\n");
	check_case("what ends in the middle of a torn object is a part of it");
	check_samples(
		"{\"a\":1}\n{\"b\":{\"c\":1},\"d\":[{\"e\":2},3\n{\"a\":2}\n",
		"{\"a\":1}\n2: the line ends inside a value\n{\"a\":2}\n");
	check_case("the first line may be the bad one");
	check_samples("{\"a\":x}\n{\"a\":2}\n",
		      "1: 'x' is not a JSON value\n{\"a\":2}\n");
	check_samples("{\"a\":1\n{\"a\":2}\n",
		      "1: the line ends inside a value\n{\"a\":2}\n");
}

#define REST                                                                   \
	"what follows the dump, from here, is not read; give each dump as a "  \
	"file of its own\n"

static void check_rest(void)
{
	check_case("a document counts, whatever follows it");
	check_samples("[1]]", "1\n@3: " REST);
	check_samples("[1] \n\t\r\n", "1\n");
	check_samples("{\"samples\":[{\"a\":1}],\"rollout_id\":4} \n x\n",
		      "{\"a\":1}\n@39: " REST "4\n");
	check_samples("{\"samples\":[{\"a\":1}]}\n{\"samples\":[]}",
		      "{\"a\":1}\n@22: " REST);
}

static void check_bad_documents(void)
{
	check_case("a torn document is an error, not a short dump");
	check_samples("", "@0: expected '{' or '[', but the input ends here\n");
	check_samples("{\"samples\":[{\"a\":1}",
		      "{\"a\":1}\n@19: expected ',' or ']', but the input ends "
		      "here\n");
	check_samples("{\"samples\":[{\"a\":1}]",
		      "{\"a\":1}\n@20: expected ',' or '}', but the input ends "
		      "here\n");
	check_samples("{\"a\":\n", "@6: expected a value, but the input ends "
				   "here\n");
	check_case("samples that are no list, or come twice");
	check_samples("{\"samples\":{}}\n", "{\"samples\":\"<skipped>\"}\n");
	check_samples("{\"samples\":[],\"samples\":[]}",
		      "@24: expected one list of samples, found '['\n");
	check_case("what is no JSON at all");
	check_samples("PK\x03\x04", "@0: expected '{' or '[', found 'P'\n");
	check_samples("\x80\x04", "@0: expected '{' or '[', found byte 0x80\n");
	check_samples("\xef\xbb{", "@3: expected a byte order mark, found "
				   "'{'\n");
}

static void check_parse(const char *text, const char *want)
{
	struct arena arena = arena_new(64 * MIB);
	struct buf b = buf_new(MIB);
	struct value v;
	struct err err;

	if (json_parse(str_of(text), &arena, &v, &err) == 0)
		put_value(&b, v);
	else
		put_error(&b, &err);
	CHECK_STR(buf_str(&b), want);
	buf_free(&b);
	arena_free(&arena);
}

static void check_values(void)
{
	check_case("strings: escapes, pairs, lone halves");
	check_parse("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\"",
		    "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\"\n");
	check_parse("\"\\ud83d\\ude00\\ude00\\ud83dx\\uD83D\\ud83d\\udE00\"",
		    "\"\\ud83d\\ude00\\ude00\\ud83dx\\ud83d\\ud83d\\ude00\"\n");
	check_case("text that is not UTF-8 is refused");
	check_parse("\"\xc3\xa9\"", "\"\\u00e9\"\n");
	check_parse("\"abcdefgh\xc3\"", "@11: a string is not UTF-8\n");
	check_case("numbers: every digit of integers, floats as they round");
	check_parse("[-0,-9223372036854775808,9223372036854775808,"
		    "1E400,-0.0,1e-400,0.1e1,123456789012345678]",
		    "[0,-9223372036854775808,9223372036854775808,"
		    "null,-0.0,0.0,1.0,123456789012345678]\n");
	check_case("what is no number");
	check_parse("01", "@2: '01' is not a JSON value\n");
	check_parse("+1", "@2: '+1' is not a JSON value\n");
	check_parse("1.", "@2: '1.' is not a JSON value\n");
	check_parse(".5", "@2: '.5' is not a JSON value\n");
	check_parse("1e", "@2: '1e' is not a JSON value\n");
	check_parse("-", "@1: '-' is not a JSON value\n");
	check_parse("nul", "@3: 'nul' is not a JSON value\n");
	check_parse("1 2", "@2: expected nothing after the value, found '2'\n");
	check_parse("{\"a\":1,}", "@7: expected a key, found '}'\n");
}

static void check_limits(void)
{
	struct arena arena = arena_new(64 * MIB);
	struct buf b = buf_new(8 * MIB);
	struct value v;
	struct err err;

	check_case("nesting has a limit, and below it costs no stack");
	for (int i = 0; i < LIMIT_DEPTH; i++)
		buf_putc(&b, '[');
	for (int i = 0; i < LIMIT_DEPTH; i++)
		buf_putc(&b, ']');
	CHECK_INT(json_parse(buf_str(&b), &arena, &v, &err), 0);
	b.p[LIMIT_DEPTH] = '[';
	CHECK_INT(json_parse(buf_str(&b), &arena, &v, &err), ERR_LIMIT);
	CHECK_INT(err.at, LIMIT_DEPTH);
	check_case("an integer may be long, but not endless");
	buf_clear(&b);
	for (int i = 0; i < 19729; i++)
		buf_putc(&b, '9');
	CHECK_INT(json_parse(buf_str(&b), &arena, &v, &err), 0);
	CHECK_INT(v.kind, VALUE_BIGINT);
	CHECK_INT(v.n, 19729);
	buf_putc(&b, '9');
	CHECK_INT(json_parse(buf_str(&b), &arena, &v, &err), ERR_LIMIT);
	buf_free(&b);
	arena_free(&arena);
}

static int filter_stdin(size_t size)
{
	struct buf text = buf_new(GIB);
	struct buf b = buf_new(GIB);
	struct err err;

	if (io_read_all(STDIN_FILENO, &text, &err) != 0)
		return 1;
	put_samples(&b, buf_str(&text), size);
	if (b.failed || !io_write(STDOUT_FILENO, b.p, b.n))
		return 1;
	buf_free(&text);
	buf_free(&b);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return filter_stdin(strtoul(argv[1], NULL, 10));
	check_shapes();
	check_filter();
	check_payload();
	check_sums();
	check_bad_lines();
	check_rest();
	check_bad_documents();
	check_values();
	check_limits();
	return check_done();
}
