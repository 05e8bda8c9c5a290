#include "metrics/addition.h"

#include "base/buf.h"
#include "fmt/prom/prom_text.h"

/* The length of NAME when "NAME=" begins the text, else 0. */
static size_t name_length(const char *text)
{
	size_t n = strcspn(text, "=");

	if (text[n] == '\0' || !prom_plain_label(str_make(text, n)))
		return 0;
	return n;
}

const char *addition_find(const char *operand)
{
	const char *at = strchr(operand, '@');

	while (at != NULL && name_length(at + 1) == 0)
		at = strchr(at + 1, '@');
	return at;
}

/* The closing quote of the string that begins at p; NULL: none. */
static const char *closing_quote(const char *p)
{
	for (; *p != '\0' && *p != '"'; p++)
		if (*p == '\\' && p[1] != '\0')
			p++;
	return *p == '"' ? p : NULL;
}

static struct str read_quoted(struct str inside, struct arena *a)
{
	struct str value = prom_canonical(a, inside, false);

	return value.p == NULL ? value : arena_str(a, value);
}

/* The value at *text, in canonical escapes; *text moves behind it. */
static struct str read_value(const char **text, struct arena *a)
{
	const char *p = *text;
	const char *quote = *p == '"' ? closing_quote(p + 1) : NULL;
	struct buf escaped = buf_new(SIZE_MAX);
	struct str value;

	if (quote != NULL && (quote[1] == ',' || quote[1] == '\0')) {
		*text = quote + 1;
		return read_quoted(str_make(p + 1, (size_t)(quote - p) - 1), a);
	}
	*text = p + strcspn(p, ",");
	prom_escape(&escaped, str_make(p, (size_t)(*text - p)));
	value = escaped.failed ? str_make(NULL, 0)
			       : arena_str(a, buf_str(&escaped));
	buf_free(&escaped);
	return value;
}

int addition_read(struct label_set *set, const char *text, struct arena *a,
		  struct err *err)
{
	for (;;) {
		size_t n = name_length(text);
		struct str name, value;

		if (n == 0)
			return err_set(err, ERR_INPUT, "expected NAME=VALUE");
		name = arena_str(a, str_make(text, n));
		text += n + 1;
		value = read_value(&text, a);
		if (name.p == NULL || value.p == NULL)
			return err_memory(err);
		if (labels_get(set->v, set->n, name.p).p != NULL)
			return err_set(err, ERR_INPUT, "%s is given twice",
				       name.p);
		if (label_set_push(set, name, value, err) < 0)
			return err->code;
		if (*text == '\0')
			return 0;
		text++;
	}
}
