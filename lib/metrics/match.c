#include "metrics/match.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "fmt/prom/prom_text.h"
#include "metrics/labels.h"

static const struct {
	const char *text;
	bool regex;
	bool negated;
} operators[] = {{"=~", true, false},
		 {"!~", true, true},
		 {"!=", false, true},
		 {"=", false, false}};

static struct str unquoted(struct str s)
{
	if (s.n < 2 || s.p[0] != '"' || s.p[s.n - 1] != '"')
		return s;
	return str_make(s.p + 1, s.n - 2);
}

static int compile(struct matcher *m, struct str value, struct err *err)
{
	char reason[128];
	char *text;
	int code;

	if (asprintf(&text, "^(%.*s)$", STR_ARG(value)) < 0)
		return err_memory(err);
	code = regcomp(&m->regex, text, REG_EXTENDED | REG_NOSUB);
	free(text);
	if (code == 0)
		return 0;
	if (code == REG_ESPACE)
		return err_memory(err);
	regerror(code, &m->regex, reason, sizeof(reason));
	return err_set(err, ERR_INPUT, "%.*s: %s", STR_ARG(value), reason);
}

/* Labels are compared in canonical escapes. */
static int keep_value(struct matcher *m, struct str value, struct err *err)
{
	struct buf b = buf_new(SIZE_MAX);

	prom_escape(&b, value);
	buf_putc(&b, '\0');
	if (b.failed)
		return err_memory(err);
	m->value = str_make(b.p, b.n - 1);
	return 0;
}

int matcher_init(struct matcher *m, const char *text, struct err *err)
{
	size_t n = strcspn(text, "=!");
	struct str value;

	*m = (struct matcher){.text = text,
			      .name = str_trim(str_make(text, n))};
	for (size_t i = 0; i < ARRAY_SIZE(operators); i++) {
		const char *op = operators[i].text;

		if (m->name.n == 0 || strncmp(text + n, op, strlen(op)) != 0)
			continue;
		value = unquoted(str_trim(str_of(text + n + strlen(op))));
		m->is_regex = operators[i].regex;
		m->negated = operators[i].negated;
		return m->is_regex ? compile(m, value, err)
				   : keep_value(m, value, err);
	}
	return err_set(err, ERR_INPUT,
		       "expected LABEL=VALUE, LABEL!=VALUE, "
		       "LABEL=~REGEX or LABEL!~REGEX");
}

/* 1, 0, or ERR_MEMORY */
static int accepts(const struct matcher *m, struct str value,
		   struct buf *scratch, struct err *err)
{
	int code;

	if (!m->is_regex)
		return str_eq(value, m->value) != m->negated;
	buf_clear(scratch);
	prom_unescape(scratch, value);
	buf_putc(scratch, '\0');
	if (scratch->failed)
		return buf_error(scratch, err);
	code = regexec(&m->regex, scratch->p, 0, NULL, 0);
	if (code == REG_ESPACE)
		return err_memory(err);
	return (code == 0) != m->negated;
}

int matchers_accept(const struct matcher *m, size_t n,
		    const struct prom_label *labels, size_t n_labels,
		    struct buf *scratch, struct err *err)
{
	int accepted = 1;

	for (size_t i = 0; accepted == 1 && i < n; i++) {
		struct str value = str_make(NULL, 0);

		for (size_t k = 0; k < n_labels; k++)
			if (str_eq(labels[k].name, m[i].name))
				value = labels[k].value;
		accepted = accepts(&m[i], value, scratch, err);
	}
	return accepted;
}
