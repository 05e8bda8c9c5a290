/* fmt/input and input_kind: an input is read once, from its head on, as often
 * as it is asked for; and what it is. */
#include "fmt/input.h"

#include <string.h>

#include "base/limits.h"
#include "bytes.h"
#include "check.h"

enum { LONG = 60000, HEAD = 16 * 1024 }; /* a pipe holds 64 KiB */

/* Bytes of which each place is told from others. */
static struct str long_text(void)
{
	static char text[LONG];

	for (size_t i = 0; i < LONG; i++)
		text[i] = (char)('a' + i % 23 + i / 1000 % 3);
	return str_make(text, LONG);
}

/* The read end of a pipe that holds all of text. */
static struct input *input_of_pipe(struct str text)
{
	struct err err = {0};
	int ends[2];

	if (pipe(ends) != 0 || !io_write(ends[1], text.p, text.n))
		abort();
	close(ends[1]);
	return input_of(ends[0], &err);
}

/* What is left comes out as text from `from` on. */
static void gives(struct input *input, struct str text, size_t from)
{
	struct buf b = buf_new(MIB);
	struct err err = {0};

	CHECK_INT(input_read_all(input, &b, &err), 0);
	CHECK(str_eq(buf_str(&b), str_make(text.p + from, text.n - from)));
	buf_free(&b);
}

static void test_file(void)
{
	static const size_t places[] = {0,	  1,	HEAD - 1, HEAD,
					HEAD + 1, LONG, LONG - 1, 5};
	struct str text = long_text();
	struct input *input = input_of_bytes(text);
	struct byte_source *source = &input->source;
	struct err err = {0};
	struct str block;
	char bytes[10];

	check_case("a file comes out whole, its head first, from any place on");
	CHECK(str_eq(input->head, str_make(text.p, HEAD)));
	CHECK(input->begin >= 0);
	CHECK_INT((int64_t)source->left, LONG);
	gives(input, text, 0);
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		CHECK_INT(input_seek(input, places[i], &err), 0);
		CHECK_INT((int64_t)source->left, LONG - (int64_t)places[i]);
		gives(input, text, places[i]);
		CHECK_INT((int64_t)source->left, 0);
	}
	CHECK_INT(source->rewind(source, &err), 0);
	CHECK_INT(source->next(source, &block, &err), 1);
	CHECK(str_eq(block, input->head));
	CHECK_INT((int64_t)source->left, LONG - HEAD);
	gives(input, text, HEAD);

	check_case("and by read(2)");
	CHECK_INT(input_seek(input, HEAD - 4, &err), 0);
	CHECK_INT(input_read(input, bytes, 10), 4);
	CHECK_INT(input_read(input, bytes, 10), 10);
	CHECK(memcmp(bytes, text.p + HEAD, 10) == 0);
	gives(input, text, HEAD + 10);
	input_close(input);
}

static void test_pipe(void)
{
	struct str text = long_text();
	struct input *input = input_of_pipe(text);
	struct err err = {0};

	check_case("of a pipe the head can be read again, all once");
	CHECK(input->begin < 0);
	CHECK_INT(input_seek(input, 3, &err), 0);
	gives(input, text, 3);
	CHECK_INT(input_seek(input, 0, &err), ERR_IO);
	input_close(input);

	check_case("unless it is kept");
	input = input_of_pipe(text);
	CHECK_INT(input_keep(input, &err), 0);
	CHECK(input->begin >= 0);
	CHECK_INT((int64_t)input->source.left, LONG);
	gives(input, text, 0);
	CHECK_INT(input_seek(input, HEAD + 7, &err), 0);
	gives(input, text, HEAD + 7);
	input_close(input);
}

static void test_place(void)
{
	struct str text = long_text();
	struct input *input = input_of_bytes(text);
	struct err err = {0};
	int fd = dup(input->fd);

	check_case("an input begins where its descriptor stands");
	input_close(input);
	lseek(fd, 100, SEEK_SET);
	input = input_of(fd, &err);
	CHECK_INT(input->begin, 100);
	gives(input, text, 100);
	CHECK_INT(input_seek(input, 0, &err), 0);
	gives(input, text, 100);
	input_close(input);
}

/* How long the head of JSON is whose first line has n bytes. */
static int64_t head_of_line(size_t blanks, size_t n)
{
	struct buf text = buf_new(8 * MIB);
	struct input *input;
	int64_t head;

	for (size_t i = 0; i < blanks; i++)
		buf_putc(&text, '\n');
	buf_putc(&text, '{');
	for (size_t i = 2; i < n; i++)
		buf_putc(&text, ' ');
	buf_puts(&text, "\n}");
	for (size_t i = 0; i < 2 * MIB; i++)
		buf_putc(&text, ' ');
	input = input_of_bytes(buf_str(&text));
	head = (int64_t)input->head.n;
	input_close(input);
	buf_free(&text);
	return head;
}

static void test_head(void)
{
	check_case("a head holds the first line, if that is below a MiB");
	CHECK_INT(head_of_line(0, 10), HEAD);
	CHECK_INT(head_of_line(HEAD, 10), (int64_t)2 * HEAD);
	CHECK_INT(head_of_line(0, HEAD), HEAD);
	CHECK_INT(head_of_line(0, HEAD + 1), (int64_t)2 * HEAD);
	CHECK_INT(head_of_line(0, 900000), (int64_t)MIB);
	CHECK_INT(head_of_line(0, 2 * MIB), (int64_t)MIB);
}

static void test_failures(void)
{
	struct err err = {0};

	check_case("what cannot be opened or read is an error");
	CHECK(input_open("/nowhere/x", &err) == NULL);
	CHECK_INT(err.code, ERR_IO);
	CHECK_TEXT(err.text, "cannot open: No such file or directory");
	CHECK(input_open("/", &err) == NULL);
	CHECK_TEXT(err.text, "cannot read: Is a directory");
}

static void test_kinds(void)
{
	static const struct {
		struct str head;
		enum input_kind kind;
	} heads[] = {
		{STR(""), INPUT_EMPTY},
		{STR(" \n\xef\xbb"), INPUT_TEXT},
		{STR("\xef\xbb\xbf \r\n\t"), INPUT_EMPTY},
		{STR("PK\3\4xx"), INPUT_ZIP},
		{STR("PK\5\6xx"), INPUT_FOREIGN},
		{STR("\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."),
		 INPUT_BINARY},
		{STR("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50"
		     "\x19.\x80\x02M\xe9\x03."),
		 INPUT_LEGACY},
		{STR("\x80\x01\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50"
		     "\x19.\x80\x02M\xe9\x03."),
		 INPUT_PICKLE},
		{STR("L119547037146038801333356L\n.\x80\x02"), INPUT_LEGACY},
		{STR("\x80\x04\x95"), INPUT_PICKLE},
		{STR("(dp0\n"), INPUT_PICKLE},
		{STR("ccollections\nOrderedDict\n"), INPUT_PICKLE},
		{STR("cache_hits 5\n"), INPUT_TEXT},
		{STR("{\"a\": 1}"), INPUT_JSON},
		{STR("\xef\xbb\xbf\n [ {"), INPUT_JSON},
		{STR("{"), INPUT_JSON},
		{STR("[NaN]"), INPUT_JSON},
		{STR("[INFO] started"), INPUT_TEXT},
		{STR("{model}: loaded"), INPUT_TEXT},
		{STR("# HELP x y\n"), INPUT_TEXT},
		{STR("\x1f\x8b\x08"), INPUT_GZIP},
		{STR("\x28\xb5\x2f\xfd"), INPUT_FOREIGN},
		{STR("\x08\0\0\0\0\0\0\0{\"a\": {}"), INPUT_FOREIGN},
		{STR("\x08\0\0\0\0\0\0\0{}      "), INPUT_FOREIGN},
		{STR("\x08\0\0\0\0\0\0\0[]      "), INPUT_BINARY},
		{STR("\x01\x02\x03"), INPUT_BINARY},
	};

	check_case("what an input is, by its first bytes");
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++) {
		const char *name;
		enum input_kind kind = input_kind_of(heads[i].head, &name);

		if (kind != heads[i].kind)
			printf("# of head %zu\n", i);
		CHECK_INT(kind, heads[i].kind);
		CHECK((name != NULL) ==
		      (kind == INPUT_GZIP || kind == INPUT_FOREIGN));
	}
}

int main(void)
{
	test_file();
	test_pipe();
	test_place();
	test_head();
	test_failures();
	test_kinds();
	return check_done();
}
