/* fmt/prom/prom_series: whatever line stood before, a line is read as if it
 * were the first. */
#include "fmt/prom/prom.h"

#include <stdlib.h>

#include "base/buf.h"
#include "metrics/labels.h"

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
	CHECK(a->hash == labels_hash(a->labels, a->n_labels));
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
	"h_bucket{a=\"1\",le=\"0.5\", z=\"x\"} 1",
	"h_bucket{a =\"1\",b=\"1\",b=\"x\"} 1",
	"h_bucket{a=\"1\",b=\"1\",c=\"x\"} 1",
	"h_bucket{a=\"1\",le=\"0.5\",} 1",
	"h_bucket{ a=\"1\",le=\"0.5\",z=\"x\"} 1",
	"h_bucket{a=\"\",le=\"0.5\",a=\"x\"} 1",
	"h_bucket{a=\"1\",le=\"0.5\",z=\"x\",y=\"2\"} 1",
	"h_bucket{z=\"x\",le=\"0.5\",a=\"1\"} 1",
	"h_sum{a=\"1\",z=\"x\"} 1",
	"{a=\"1\",\"quoted name\",z=\"x\"} 1",
	"{\"quoted name\",a=\"1\",z=\"x\"} 1",
	" h_bucket{a=\"1\",le=\"0.5\",z=\"x\"} 1",
	"h_bucket{a=\"1\",le=\"0.5\",z=\"x\"}",
	"h_bucket{a=\"1\",le=\"0.5\",z=\"x\"} 1 2 3",
	"h_bucket{a=\"1\",le=\"0.5\",z=\"x\"}1",
	"h_bucket{a=\"1\"} 1\r",
	"many{"
	"aa=\"1\",ab=\"1\",ac=\"1\",ad=\"1\",ae=\"1\","
	"af=\"1\",ag=\"1\",ah=\"1\",ai=\"1\",aj=\"1\","
	"ba=\"1\",bb=\"1\",bc=\"1\",bd=\"1\",be=\"1\","
	"bf=\"1\",bg=\"1\",bh=\"1\",bi=\"1\",bj=\"1\","
	"ca=\"1\",cb=\"1\",cc=\"1\",cd=\"1\",ce=\"1\","
	"cf=\"1\",cg=\"1\",ch=\"1\",ci=\"1\",cj=\"1\","
	"da=\"1\",db=\"1\",dc=\"1\",dd=\"1\",de=\"1\","
	"df=\"1\",dg=\"1\",dh=\"1\",di=\"1\",dj=\"1\","
	"} 1",
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

/* A line whose second label has a value of n bytes, the last being c. */
static void put_long(struct buf *text, size_t n, char c)
{
	buf_clear(text);
	buf_puts(text, "m{a=\"1\",name=\"");
	for (size_t i = 1; i < n; i++)
		buf_putc(text, 'x');
	buf_putc(text, c);
	buf_puts(text, "\",z=\"2\"} 1");
}

static void check_long_labels(void)
{
	struct prom_parser parser = prom_parser_new();
	struct buf text = buf_new(1 << 20);

	check_case("labels around the longest that is kept");
	for (size_t n = 220; n < 260; n++) {
		for (int i = 0; i < 4; i++) {
			put_long(&text, n, "xxyx"[i]);
			check_line(&parser, buf_str(&text));
		}
		check_line(&parser, str_of("m{a=\"1\",name=\"5\",z=\"2\"} 1"));
		put_long(&text, n, 'z');
		check_line(&parser, buf_str(&text));
	}
	buf_free(&text);
	prom_parser_free(&parser);
}

int main(void)
{
	check_pairs();
	check_cuts();
	check_many_labels();
	check_long_labels();
	return check_done();
}
