/* fmt/json/json_form: known members in one pass, all else skipped. */
#include "fmt/json/json_form.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/limits.h"
#include "check.h"
#include "fmt/json/json_text.h"
#include "fmt/json/json_tree.h"

enum { TIME, KIND, INNER, RAW, EACH, OUTER_MEMBERS };

static const struct json_form outer;

static const struct json_member inner_members[] = {
	[0] = {.key = JSON_KEY("x")},
	[1] = {.key = JSON_KEY("a name of more than eight bytes")},
};
static const struct json_form inner = JSON_FORM(inner_members);
static const struct json_form each = {.each = &inner};

static const struct json_member outer_members[OUTER_MEMBERS] = {
	[TIME] = {.key = JSON_KEY("ts")},
	[KIND] = {.key = JSON_KEY("kind")},
	[INNER] = {.key = JSON_KEY("inner"), .form = &inner},
	[RAW] = {.key = JSON_KEY("raw"), .raw = true},
	[EACH] = {.key = JSON_KEY("each"), .form = &each},
};
static const struct json_form outer = JSON_FORM(outer_members);

static const struct json_member nested_members[1];
static const struct json_form nested = JSON_FORM(nested_members);
static const struct json_member nested_members[1] = {
	{.key = JSON_KEY("in"), .form = &nested}};

/* A tuple is in parentheses, its missing members are -, raw text in <>. */
static void show(struct buf *b, struct value v)
{
	bool tuple = v.kind == VALUE_TUPLE;
	struct err err;

	if (v.kind == VALUE_ABSENT) {
		buf_putc(b, '-');
	} else if (v.kind == VALUE_BYTES) {
		buf_printf(b, "<%.*s>", STR_ARG(value_text(v)));
	} else if (tuple || v.kind == VALUE_LIST) {
		buf_putc(b, tuple ? '(' : '[');
		for (uint32_t i = 0; i < v.items->n; i++) {
			buf_puts(b, i > 0 ? "," : "");
			show(b, v.items->v[i]);
		}
		buf_putc(b, tuple ? ')' : ']');
	} else if (v.kind == VALUE_DICT) {
		buf_putc(b, '{');
		for (uint32_t i = 0; i < v.items->n; i += 2) {
			buf_puts(b, i > 0 ? "," : "");
			show(b, v.items->v[i]);
			buf_putc(b, ':');
			show(b, v.items->v[i + 1]);
		}
		buf_putc(b, '}');
	} else {
		CHECK_INT(json_text(b, v, &err), 0);
	}
}

/* What a text becomes; "error" if it is not JSON. */
static void becomes(const struct json_form *form, const char *text,
		    const char *want)
{
	/* A copy without a NUL, so that reading past it is found. */
	size_t n = strlen(text);
	char *copy = malloc(n > 0 ? n : 1);
	struct arena arena = arena_new(LIMIT_SAMPLE);
	struct buf shown = buf_new(LIMIT_STRING);
	struct json_tree tree;
	struct value v;
	struct err err = {0};

	CHECK(copy != NULL);
	if (copy == NULL)
		return;
	memcpy(copy, text, n);
	json_tree_init(&tree, NULL);
	tree.borrow = true;
	tree.form = form;
	if (json_tree_parse(&tree, str_make(copy, n), &arena, &v, NULL, &err) <
	    0)
		buf_puts(&shown, "error");
	else
		show(&shown, v);
	CHECK_STR(buf_str(&shown), want);
	json_tree_free(&tree);
	buf_free(&shown);
	arena_free(&arena);
	free(copy);
}

/* n bytes of a's, which take 2 MiB of memory. NULL if they cannot be had. */
static char *long_text(size_t n)
{
	const size_t piece = 2 * MIB;
	int fd = memfd_create("text", 0);
	char *page = malloc(piece);
	char *text = mmap(NULL, n, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	bool good = fd >= 0 && page != NULL && text != MAP_FAILED;

	if (good) {
		memset(page, 'a', piece);
		good = write(fd, page, piece) == (ssize_t)piece;
	}
	for (size_t at = 0; good && at < n; at += piece)
		good = mmap(text + at, n - at < piece ? n - at : piece,
			    PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd,
			    0) != MAP_FAILED;
	free(page);
	if (fd >= 0)
		close(fd);
	return good ? text : NULL;
}

/* The code of a text with this head, middle and tail, and a's between them. */
static int code_of_long(const char *head, const char *middle, const char *tail)
{
	const size_t n = LIMIT_STRING + 64;
	char *text = long_text(n);
	struct arena arena = arena_new(LIMIT_SAMPLE);
	struct json_tree tree;
	struct value v;
	struct err err = {0};
	int code = ERR_MEMORY;

	json_tree_init(&tree, NULL);
	tree.borrow = true;
	tree.form = &outer;
	if (text != NULL) {
		memcpy(text, head, strlen(head));
		memcpy(text + n / 2, middle, strlen(middle));
		memcpy(text + n - strlen(tail), tail, strlen(tail));
		code = json_tree_parse(&tree, str_make(text, n), &arena, &v,
				       NULL, &err);
		munmap(text, n);
	}
	json_tree_free(&tree);
	arena_free(&arena);
	return code;
}

static void check_limit(void)
{
	check_case("a kept text of more than LIMIT_STRING is an error");
	CHECK_INT(code_of_long("{\"kind\":\"", "", "\"}"), ERR_LIMIT);
	CHECK_INT(code_of_long("{\"raw\":[\"", "\",\"", "\"]}"), ERR_LIMIT);
	check_case("a skipped one is not");
	CHECK_INT(code_of_long("{\"other\":\"", "", "\"}"), 0);
}

static void check_order(void)
{
	check_case("members are found in any order and any layout");
	becomes(&outer, "{}", "(-,-,-,-,-)");
	becomes(&outer, "{\"ts\":1,\"kind\":\"a\"}", "(1,\"a\",-,-,-)");
	becomes(&outer, "{\"kind\": \"a\", \"ts\": 1}", "(1,\"a\",-,-,-)");
	becomes(&outer, " { \"ts\" : 1 ,\t\"kind\"  :null } ",
		"(1,null,-,-,-)");
	becomes(&outer, "{\"ts\":1.5,  \"kind\":  true}", "(1.5,true,-,-,-)");

	check_case("the last of equal keys counts, others are skipped");
	becomes(&outer, "{\"ts\":1,\"ts\":2,\"tss\":3,\"t\":4,\"\":5}",
		"(2,-,-,-,-)");
	becomes(&outer, "{\"z\":{\"ts\":1,\"a\":[1,{}]},\"kind\":[\"ts\"]}",
		"(-,[\"ts\"],-,-,-)");

	check_case("an escaped key is the key that it spells");
	becomes(&outer, "{\"t\\u0073\":1,\"kin\\\"d\":2}", "(1,-,-,-,-)");

	check_case("a key is not mistaken for one that begins or ends alike");
	becomes(&outer, "{\"tsx:\":5}", "(-,-,-,-,-)");
	becomes(&inner,
		"{\"x\":1,\"a name of more than eight bytez\":2,"
		"\"b name of more than eight bytes\":3,"
		"\"a name of mOre than eight bytes\":4,"
		"\"a name of more than eight bytes \":5}",
		"(1,-)");
	becomes(&inner, "{\"x\":1,\"a name of more than eight bytes\":2}",
		"(1,2)");
}

static void check_omitted(void)
{
	check_case("any members may be missing, or be of any kind");
	becomes(&outer, "{\"ts\": 1, \"raw\": 2, \"each\": 3}",
		"(1,-,-,<2>,3)");
	becomes(&outer, "{\"each\": 3, \"ts\": 1}", "(1,-,-,-,3)");
	becomes(&outer, "{\"raw\": \"a\", \"ts\": 1, \"each\": -2.5}",
		"(1,-,-,<\"a\">,-2.5)");
	becomes(&outer, "{\"ts\": 1, \"z\": 2, \"kind\": 3, \"kind\": 4}",
		"(1,4,-,-,-)");
	becomes(&outer,
		"{\"ts\": 1e2, \"kind\": \"\\n\", \"inner\": 1 , \"each\": 2 }",
		"(100.0,\"\\n\",1,-,2)");
	becomes(&outer, "{\"ts\": 01}", "error");
	becomes(&outer, "{\"ts\": 1., \"kind\": 2}", "error");
	becomes(&outer, "{\"ts\": 1x, \"kind\": 2}", "error");
}

static void check_nesting(void)
{
	check_case("objects of a form may be alone, in a list or in a dict");
	becomes(&outer, "{\"inner\":{\"x\":1}}", "(-,-,(1,-),-,-)");
	becomes(&outer, "{\"inner\":[{\"x\":1},7,{\"y\":2},[{\"x\":3}]]}",
		"(-,-,[(1,-),7,(-,-),[{\"x\":3}]],-,-)");
	becomes(&outer,
		"{\"each\":{\"p\":{\"x\":1},\"q\":[{\"x\":2}],\"r\":3}}",
		"(-,-,-,-,{\"p\":(1,-),\"q\":[(2,-)],\"r\":3})");
	becomes(&outer, "{\"inner\":\"text\",\"each\":[]}",
		"(-,-,\"text\",-,[])");

	check_case("what is no object is built as it is");
	becomes(&outer, "7", "7");
	becomes(&outer, "[{\"ts\":1}]", "[(1,-,-,-,-)]");

	check_case("raw members keep their text, which must be JSON");
	becomes(&outer, "{\"raw\": {\"a\" : [1, 2]} ,\"ts\":1}",
		"(1,-,-,<{\"a\" : [1, 2]}>,-)");
	becomes(&outer, "{\"raw\":{\"a\":}}", "error");
}

/* A text that ends too early, at any byte. */
static void check_cut(const char *text)
{
	char cut[128];

	for (size_t n = 1; n < strlen(text); n++) {
		snprintf(cut, sizeof(cut), "%.*s", (int)n, text);
		becomes(&outer, cut, "error");
	}
}

static void check_errors(void)
{
	static const char *const texts[] = {
		"",
		"{",
		"{\"ts\"",
		"{\"ts\":",
		"{\"ts\":1",
		"{\"ts\":1,",
		"{\"ts\":1,}",
		"{\"ts\" 1}",
		"{\"ts\":1 \"kind\":2}",
		"{ts:1}",
		"{\"ts\":1]",
		"{\"inner\":[{\"x\":1}}",
		"{\"other\":[1,}",
		"{\"kind\":\"\n\"}",
	};

	check_case("what is not JSON is an error, at each byte where it ends");
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		becomes(&outer, texts[i], "error");
	check_cut("{\"ts\": 1785575300.0, \"kind\": \"a text of some length\", "
		  "\"raw\": [1, 2], \"each\": 12345678}");
	check_cut("{\"kind\":\"a\",\"inner\":{\"x\":-1},\"ts\":1}");
}

/* {"in":{"in":...{}...}} */
static void check_depth(void)
{
	struct buf text = buf_new(LIMIT_STRING), want = buf_new(LIMIT_STRING);

	check_case("deeper objects than a form reaches are built");
	for (int i = 0; i < JSON_FORM_DEPTH + 1; i++) {
		buf_puts(&text, "{\"in\":");
		buf_puts(&want, i < JSON_FORM_DEPTH ? "(" : "{\"in\":");
	}
	buf_puts(&text, "7");
	buf_puts(&want, "7");
	for (int i = 0; i < JSON_FORM_DEPTH + 1; i++) {
		buf_puts(&text, "}");
		buf_puts(&want, i > 0 ? ")" : "}");
	}
	buf_putc(&text, '\0');
	buf_putc(&want, '\0');
	becomes(&nested, text.p, want.p);
	buf_free(&text);
	buf_free(&want);
}

int main(void)
{
	check_order();
	check_omitted();
	check_nesting();
	check_errors();
	check_depth();
	check_limit();
	return check_done();
}
