#include "metrics/addition.h"

#include "base/digits.h"
#include "base/utf8.h"
#include "fmt/prom/prom_text.h"

/* The NAME of "NAME=VALUE". */
static int read_name(const char *text, struct str *name, struct err *err)
{
	*name = str_make(text, strcspn(text, "="));
	if (text[name->n] == '\0' || name->n == 0)
		return err_set(err, ERR_INPUT, "expected NAME=VALUE");
	if (is_digit(text[0]))
		return err_set(err, ERR_INPUT,
			       "a label name cannot begin with a digit");
	if (!prom_plain_label(*name))
		return err_set(err, ERR_INPUT,
			       "\"%.*s\" is not a valid label name",
			       STR_ARG(*name));
	if (str_starts(*name, "__"))
		return err_set(err, ERR_INPUT,
			       "label names that begin with __ are reserved");
	if (str_is(*name, "le") || str_is(*name, "quantile"))
		return err_set(err, ERR_INPUT,
			       "the label %.*s belongs to histograms and "
			       "summaries",
			       STR_ARG(*name));
	return 0;
}

/* Read a name, which must be new to the set. */
static int read_new_name(const struct label_set *set, const char *text,
			 struct str *name, struct err *err)
{
	int code = read_name(text, name, err);

	for (size_t i = 0; code == 0 && i < set->n; i++)
		if (str_eq(set->v[i].name, *name))
			code = err_set(err, ERR_INPUT,
				       "label %.*s is given twice",
				       STR_ARG(*name));
	return code;
}

static int check_value(struct str value, struct err *err)
{
	if (utf8_find_bad(value.p, value.p + value.n) != NULL)
		return err_set(err, ERR_INPUT, "the value is not UTF-8");
	return 0;
}

int addition_option(struct label_set *set, const char *text, struct err *err)
{
	struct str name;
	int code = read_new_name(set, text, &name, err);

	if (code == 0)
		code = check_value(str_of(text + name.n + 1), err);
	if (code < 0)
		return code;
	return label_set_push(set, name, str_of(text + name.n + 1), err);
}

const char *addition_find(const char *operand)
{
	const char *at = strchr(operand, '@');

	for (; at != NULL; at = strchr(at + 1, '@')) {
		size_t n = strcspn(at + 1, "=");

		if (at[1 + n] == '=' && prom_plain_label(str_make(at + 1, n)))
			break;
	}
	return at;
}

/* The closing quote of the string at p; NULL: none. */
static const char *closing_quote(const char *p)
{
	for (; *p != '\0' && *p != '"'; p++)
		if (*p == '\\' && p[1] != '\0')
			p++;
	return *p == '"' ? p : NULL;
}

/* Add the label with the value at *text, which is advanced past it. */
static int read_value(struct label_set *set, struct str name, const char **text,
		      struct arena *a, struct err *err)
{
	const char *p = *text;
	const char *quote = *p == '"' ? closing_quote(p + 1) : NULL;
	struct str value;

	if (check_value(str_of(p), err) < 0)
		return err->code;
	if (quote == NULL || (quote[1] != ',' && quote[1] != '\0')) {
		*text = p + strcspn(p, ",");
		value = str_make(p, (size_t)(*text - p));
		return labels_push_plain(set, name, value, a, err);
	}
	*text = quote + 1;
	value = str_make(p + 1, (size_t)(quote - p) - 1);
	value = prom_canonical(a, value, false);
	if (value.p != NULL)
		value = arena_str(a, value);
	return value.p == NULL ? arena_error(a, err)
			       : label_set_push(set, name, value, err);
}

int addition_read(struct label_set *set, const char *text, struct arena *a,
		  struct err *err)
{
	for (;;) {
		struct str name;

		if (read_new_name(set, text, &name, err) < 0)
			return err->code;
		text += name.n + 1;
		name = arena_str(a, name);
		if (name.p == NULL)
			return arena_error(a, err);
		if (read_value(set, name, &text, a, err) < 0)
			return err->code;
		if (*text == '\0')
			return 0;
		text++;
	}
}
