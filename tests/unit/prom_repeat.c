/* fmt/prom/prom_repeat: whatever line stood before, a line is read as if it were
 * the first. */
#include "fmt/prom/prom.h"

#include <math.h>
#include <stdlib.h>

#include "base/buf.h"

#include "check.h"

/* A copy of some bytes, so that reading beyond them is seen. */
static struct str copy_of(struct str s)
{
	char *p = malloc(s.n + 1);

	if (p == NULL)
		abort();
	memcpy(p, s.p, s.n);
	return str_make(p, s.n);
}

static void same_line(const struct prom_line *a, const struct prom_line *b)
{
	CHECK_INT(a->kind, b->kind);
	CHECK(str_eq(a->name, b->name));
	CHECK(str_eq(a->help, b->help));
	CHECK(a->value == b->value);
	if (!CHECK(a->n_labels == b->n_labels))
		return;
	for (size_t i = 0; i < a->n_labels; i++) {
		struct prom_label plain =
			prom_label_of(a->labels[i].name, a->labels[i].value);

		CHECK(str_eq(a->labels[i].name, b->labels[i].name));
		CHECK(str_eq(a->labels[i].value, b->labels[i].value));
		CHECK(prom_label_hash(&a->labels[i]) ==
		      prom_label_hash(&plain));
	}
}

/* Read text by a parser that has read other lines, and by a new one. */
static void check_line(struct prom_parser *used, struct str text)
{
	struct prom_parser fresh = prom_parser_new();
	struct str mine = copy_of(text), other = copy_of(text);
	struct prom_line a, b;
	struct err err_a = {0}, err_b = {0};
	int code = prom_parse(used, mine, PROM_MILLISECONDS, &a, &err_a);

	CHECK_INT(code,
		  prom_parse(&fresh, other, PROM_MILLISECONDS, &b, &err_b));
	if (code == 0)
		same_line(&a, &b);
	else
		CHECK_STR(str_of(err_a.text), err_b.text);
	prom_parser_free(&fresh);
	free((char *)mine.p);
	free((char *)other.p);
}

static const char *const lines[] = {
	"h_bucket{a=\"1\",le=\"0.5\",z=\"x\"} 1",
	"h_bucket{a=\"1\",le=\"10\",z=\"x\"} 1 5",
	"h_bucket{a=\"1\",le=\"+Inf\",z=\"x\",} 1",
	"h_bucket{a=\"1\",le=\"+Inf\",z=\"x\"} 1 # {b=\"\\n\"} 2",
	"h_bucket{a=\"1\",le=\"+Inf\",z=\"x\"} 1 # {b=\"\\\"\"} 2",
	"h_bucket{a=\"1\",le=\"+Inf\",z=\"x\"} 1 # {\"b\"} 2",
	"h_bucket{a=\"1\",le=\"+Inf\",z=\"x\"} one # \303",
	"h_bucket{a=\"1\",lf=\"+Inf\",z=\"x\"} 1",
	"h_bucket{a=\"1\",z=\"+Inf\",z=\"x\"} 1",
	"h_bucket{a=\"1\",z=\"+Inf\"",
	"h_bucket{a=\"1\",a=\"2\",z=\"x\"} 1",
	"h_bucket{a=\"1\",le=\"\\\"\",z=\"x\"} 1",
	"h_bucket{a=\"1\",le=\"\\q\",z=\"x\"} 1",
	"h_bucket{a=\"1\",le=\"\303\244\",z=\"x\"} 1",
	"h_bucket{a=\"1\",le=\"\303\",z=\"x\"} 1",
	"h_bucket{a=\"1\" , le = \"5\",z=\"x\"} 1",
	"h_bucket{a=\"1\"\"le\"=\"5\"} 1",
	"h_bucket{a=\"1\",\"l.e\"=\"5\",z=\"x\"} 1",
	"h_bucket{a=\"1\",\"other name\",z=\"x\"} 1",
	"{a=\"1\",\"quoted name\",z=\"x\"} 1",
	"{\"quoted name\",a=\"1\",z=\"x\"} 1",
	" h_bucket{a=\"1\",le=\"0.5\",z=\"x\"} 1",
	"h_bucket{a=\"1\",le=\"0.5\",z=\"x\"}",
	"h_bucket{a=\"1\",le=\"0.5\",z=\"x\"} 1 2 3",
	"h_bucket{a=\"1\",le=\"0.5\",z=\"x\"}1",
	"h_bucket{a=\"1\"} 1\r",
	"h_bucket{} 1",
	"h_bucket 1",
	"# HELP h_bucket a",
	"",
};

enum { LINES = sizeof(lines) / sizeof(lines[0]) };

static void check_pairs(void)
{
	check_case("every line behind every other, and behind that");
	for (size_t i = 0; i < (size_t)LINES * LINES * LINES; i++) {
		struct prom_parser parser = prom_parser_new();

		check_line(&parser, str_of(lines[i / LINES / LINES]));
		check_line(&parser, str_of(lines[i / LINES % LINES]));
		check_line(&parser, str_of(lines[i % LINES]));
		prom_parser_free(&parser);
	}
}

static void check_cuts(void)
{
	struct prom_parser parser = prom_parser_new();

	check_case("lines that end anywhere, or have a byte of another");
	for (size_t i = 0; i < LINES; i++) {
		struct str line = str_of(lines[i]);

		for (size_t n = 0; n <= line.n; n++) {
			struct str cut = copy_of(line);

			check_line(&parser, line);
			check_line(&parser, str_make(line.p, n));
			check_line(&parser, line);
			if (n < line.n)
				((char *)cut.p)[n] = "\"},=\\ \303"[n % 7];
			check_line(&parser, cut);
			free((char *)cut.p);
		}
	}
	prom_parser_free(&parser);
}

static uint64_t sum_of(const struct prom_line *line)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < line->n_labels; i++)
		sum += prom_label_hash(&line->labels[i]);
	return sum;
}

/* A line and its LF, and then part of the next. */
static struct str with_next(struct buf *b, const char *line)
{
	buf_clear(b);
	buf_puts(b, line);
	buf_puts(b, "\nh_bucket{a=\"1\",le=\"0.5\"");
	return buf_str(b);
}

/* What prom_parse_like takes is what is there. */
static bool check_like(const char *before, const char *text, struct buf *b)
{
	struct prom_parser used = prom_parser_new();
	struct prom_parser fresh = prom_parser_new();
	struct prom_change change;
	struct prom_line a, line;
	struct err err;
	uint64_t sum;
	size_t n;

	if (prom_parse(&used, str_of(before), PROM_MILLISECONDS, &a, &err) < 0)
		a.labels = NULL;
	sum = a.labels == NULL ? 0 : sum_of(&a);
	n = prom_parse_like(&used, with_next(b, text), PROM_MILLISECONDS, &a,
			    &change);
	if (n > 0) {
		CHECK_INT((int64_t)n, (int64_t)strlen(text) + 1);
		CHECK_INT(prom_parse(&fresh, str_of(text), PROM_MILLISECONDS,
				     &line, &err),
			  0);
		same_line(&a, &line);
		CHECK(a.stamped == line.stamped);
		CHECK(a.stamped ? a.time == line.time : isnan(a.time) != 0);
		CHECK(sum_of(&a) - sum == change.hash);
	}
	prom_parser_free(&used);
	prom_parser_free(&fresh);
	return n > 0;
}

/* What prom_parse_again takes is what is there, whichever label may differ and
 * whatever is likely. */
static bool check_again(const char *before, const char *text, size_t i,
			const char *likely, struct buf *b)
{
	struct prom_parser used = prom_parser_new();
	struct prom_parser fresh = prom_parser_new();
	struct str label = str_of(likely);
	struct prom_line a, line;
	struct err err;
	size_t n = 0;

	if (prom_parse(&used, str_of(before), PROM_MILLISECONDS, &a, &err) ==
		    0 &&
	    i < a.n_labels)
		n = prom_parse_again(&used, with_next(b, text),
				     PROM_MILLISECONDS, i, &label, &a);
	if (n > 0) {
		CHECK_INT((int64_t)n, (int64_t)strlen(text) + 1);
		CHECK_INT(prom_parse(&fresh, str_of(text), PROM_MILLISECONDS,
				     &line, &err),
			  0);
		CHECK(a.value == line.value);
		CHECK(a.stamped == line.stamped);
		CHECK(a.stamped ? a.time == line.time : isnan(a.time) != 0);
		if (CHECK(i < line.n_labels))
			CHECK(str_eq(label, line.labels[i].value));
		CHECK(str_is(label, likely) == (label.p == likely));
		CHECK_INT((int64_t)a.n_labels, (int64_t)line.n_labels);
		for (size_t j = 0; j < a.n_labels && j < line.n_labels; j++) {
			CHECK(str_eq(a.labels[j].name, line.labels[j].name));
			CHECK(j == i ||
			      str_eq(a.labels[j].value, line.labels[j].value));
		}
	}
	prom_parser_free(&used);
	prom_parser_free(&fresh);
	return n > 0;
}

static void check_runs(void)
{
	static const char *const likely[] = {"", "0.5", "10", "1", "+Inf"};
	struct buf b = buf_new(1 << 20);
	unsigned int like = 0, again = 0;

	check_case("lines taken without a look at their names");
	for (size_t i = 0; i < (size_t)LINES * LINES; i++) {
		const char *before = lines[i / LINES];
		const char *text = lines[i % LINES];

		like += check_like(before, text, &b);
		for (size_t j = 0; j < 15; j++)
			again += check_again(before, text, j % 3, likely[j / 3],
					     &b);
	}
	/* Of the three plain ones, each behind each, and others. */
	CHECK(like > 9);
	CHECK(again > 9 * 5);
	buf_free(&b);
}

static void check_ends(void)
{
	static const char one[] = "m{a=\"1\",b=\"1\"} 1";
	static const char two[] = "m{a=\"2\",b=\"1\"} 2\n";
	static const char crlf[] = "m{a=\"3\",b=\"1\"} 3 4\r\r\n";
	struct prom_parser parser = prom_parser_new();
	struct prom_change change;
	struct prom_line line;
	struct err err;

	check_case("a series is not forgotten because of half a line");
	CHECK_INT(prom_parse(&parser, str_of(one), PROM_MILLISECONDS, &line,
			     &err),
		  0);
	for (size_t n = 0; n <= strlen(two); n++) {
		size_t taken = prom_parse_like(&parser, str_make(two, n),
					       PROM_MILLISECONDS, &line,
					       &change);

		CHECK(taken == (n < strlen(two) ? 0 : n));
	}

	check_case("a line that ends in CRLF is as quick");
	CHECK(prom_parse_like(&parser, str_of(crlf), PROM_MILLISECONDS, &line,
			      &change) == strlen(crlf));
	CHECK(line.value == 3 && line.time == 4);
	prom_parser_free(&parser);
}

static void check_many_labels(void)
{
	struct prom_parser parser = prom_parser_new();
	struct buf text = buf_new(1 << 20);

	check_case("sets that grow and shrink");
	for (unsigned int i = 0; i < 300; i++) {
		unsigned int labels = i * 37 % 101;

		buf_clear(&text);
		buf_puts(&text, "m{");
		for (unsigned int j = 0; j < labels; j++)
			buf_printf(&text, "l%u=\"%u\",", j,
				   j == i % 50 ? i : 0);
		buf_puts(&text, "} 1");
		check_line(&parser, buf_str(&text));
	}
	buf_free(&text);
	prom_parser_free(&parser);
}

int main(void)
{
	check_pairs();
	check_cuts();
	check_runs();
	check_ends();
	check_many_labels();
	return check_done();
}
