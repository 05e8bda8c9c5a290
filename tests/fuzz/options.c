/*
 * Any words as a command line: the first byte picks whether options end at
 * the first operand, each line after it is a word. Whatever is stored is one
 * of the words or within its bounds, operands stay what they were, and what
 * is refused is told in one line.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "../../cmd/opt_read.h"
#include "base/err.h"

#include "fuzz.h"

enum { WORDS = 64 };

static const char *const formats[] = {"json", "tsv", "table", NULL};
static const char *const unset = "";

static struct values {
	bool flag, other;
	const char *text;
	struct opt_list list;
	int64_t count, bytes;
	double share, seconds, wait;
	int format, mode;
	const char *taken;
} got;

static const char *take(const char *value)
{
	got.taken = value;
	return strcmp(value, "no") == 0 ? "anything else" : NULL;
}

static const struct opt rows[] = {
	OPT_GROUP("Test"),
	OPT_FLAG('u', "up", &got.flag, "a flag"),
	OPT_FLAG(0, "upper", &got.other, "a flag with another's name in it"),
	OPT_OUTPUT(&got.text),
	OPT_LABEL(&got.list),
	OPT_CONCURRENCY(&got.count, " 8"),
	OPT_BYTES('b', "max-bytes", "BYTES", &got.bytes, 1, 0x1p62, "bytes"),
	OPT_DOUBLE(0, "share", "SHARE", &got.share, -1, 1, "a share"),
	OPT_TIMEOUT(&got.seconds, " 5"),
	OPT_FORMAT(&got.format, formats, " json"),
	OPT_ROW('w', "wait", OPT_KIND_SECONDS, "SECONDS", "may lack its value",
		.to.dbl = &got.wait, .min = 0, .max = 1e9, .absent = "9"),
	OPT_ROW(0, "mode", OPT_KIND_ENUM, "MODE", "may lack its value",
		.to.word = &got.mode, OPT_WORDS(formats), .absent = "tsv"),
	OPT_CALL('c', "call", "ANY", take, "a callback"),
	{.kind = OPT_KIND_END},
};

/* The words of an input, which hold no newline. */
struct line {
	char *text;
	size_t n;
	int argc;
	char *argv[WORDS + 1];
};

static void split(struct line *l, const uint8_t *bytes, size_t n)
{
	static char program[] = "fuzz";
	char *p;

	*l = (struct line){.text = malloc(n + 1), .n = n, .argc = 1};
	require(l->text != NULL);
	memcpy(l->text, bytes, n);
	l->text[n] = '\0';
	l->argv[0] = program;
	for (p = l->text; p <= l->text + n && l->argc < WORDS;) {
		char *end = p + strcspn(p, "\n");

		*end = '\0';
		l->argv[l->argc++] = p;
		p = end + 1;
	}
	l->argv[l->argc] = NULL;
}

/* Does the text end where one of the words does? */
static bool is_of(const struct line *l, const char *text)
{
	for (int i = 1; i < l->argc; i++)
		if (text >= l->argv[i] &&
		    text <= l->argv[i] + strlen(l->argv[i]))
			return true;
	return false;
}

static void check_values(const struct line *l)
{
	require(got.text == unset || is_of(l, got.text));
	require(got.taken == unset || is_of(l, got.taken));
	for (size_t i = 0; i < got.list.n; i++) {
		require(is_of(l, got.list.v[i]));
		require(i == 0 || got.list.v[i] > got.list.v[i - 1]);
	}
	require(got.count >= 1 && got.count <= 4096);
	require(got.bytes >= 1 && got.bytes <= INT64_C(1) << 62);
	require(got.share >= -1 && got.share <= 1);
	require(got.seconds >= 0.001 && got.seconds <= 86400);
	require(got.wait >= 0 && got.wait <= 1e9);
	require(got.format >= 0 && got.format < 3);
	require(got.mode >= 0 && got.mode < 3);
}

static int read_words(int argc, char **argv, bool prefix, char why[OPT_WHY_MAX])
{
	opt_list_free(&got.list);
	got = (struct values){.text = unset,
			      .taken = unset,
			      .count = 1,
			      .bytes = 1,
			      .seconds = 1};
	optind = 0; /* glibc: begin anew */
	memset(why, '\n', OPT_WHY_MAX);
	return opt_read(rows, prefix, argc, argv, why);
}

static void check_why(int rc, const char *why)
{
	require(rc == ERR_INPUT);
	require(memchr(why, '\0', OPT_WHY_MAX) != NULL);
	require(*why != '\0' && strchr(why, '\n') == NULL);
}

/* No word is lost, none comes twice, and with prefix none has moved. */
static void check_order(const struct line *l, char **argv, int first,
			bool prefix)
{
	require(first >= 1 && first <= l->argc);
	require(argv[l->argc] == NULL);
	for (int i = 0; i < l->argc; i++) {
		int found = 0;

		for (int k = 0; k < l->argc; k++)
			found += argv[k] == l->argv[i];
		require(found == 1);
		require(!prefix || argv[i] == l->argv[i]);
	}
	for (int i = first + 1; i < l->argc; i++)
		require(argv[i] > argv[i - 1]);
}

/* The options alone, in the order they have now, are the same. (An operand
 * that came before one whose value may be absent could now be its value.) */
static void check_again(char **argv, int first, char *why)
{
	struct values before = got;
	size_t n = got.list.n;
	char *again[WORDS + 1];

	memcpy(again, argv, sizeof(again));
	again[first] = NULL;
	require(read_words(first, again, true, why) == first);
	require(got.flag == before.flag && got.other == before.other);
	require(got.text == before.text && got.taken == before.taken);
	require(got.list.n == n);
	require(got.count == before.count && got.bytes == before.bytes);
	require(got.share == before.share && got.wait == before.wait);
	require(got.seconds == before.seconds);
	require(got.format == before.format && got.mode == before.mode);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	bool prefix = n > 0 && bytes[0] == '+';
	char why[OPT_WHY_MAX];
	char *argv[WORDS + 1];
	struct line l;
	int first;

	if (n == 0)
		return 0;
	unsetenv("POSIXLY_CORRECT");
	split(&l, bytes + 1, n - 1);
	memcpy(argv, l.argv, sizeof(argv));
	first = read_words(l.argc, argv, prefix, why);
	check_values(&l);
	if (first < 0) {
		check_why(first, why);
	} else {
		check_order(&l, argv, first, prefix);
		check_again(argv, first, why);
	}
	opt_list_free(&got.list);
	free(l.text);
	return 0;
}
