#include "fmt/prom/prom_check.h"

#include "base/array.h"
#include "fmt/prom/prom.h"

bool prom_ends_in_eof(struct str text)
{
	text = str_trim(text);
	return str_ends(text, "\n# EOF") || str_is(text, "# EOF");
}

/* {"name": ...} or {}. A sample may begin with a brace, too, but no colon
 * follows its name there. */
static bool is_json_object(struct str text)
{
	const char *end;

	if (!str_starts(text, "{"))
		return false;
	text = str_trim(str_skip(text, 1));
	if (!str_starts(text, "\""))
		return text.n == 0 || str_is(text, "}");
	end = memchr(text.p + 1, '"', text.n - 1);
	if (end == NULL)
		return false;
	text = str_trim(str_make(end + 1, (size_t)(text.p + text.n - end - 1)));
	return str_starts(text, ":");
}

/* "[" and a JSON value: a line of a log may begin with "[", too, but has
 * something else in it. */
static bool is_json_array(struct str text)
{
	static const char bare[] = "-+.0123456789eEaflnrstu"; /* 1.5, null */
	size_t n = 0;

	if (!str_starts(text, "["))
		return false;
	text = str_trim(str_skip(text, 1));
	if (text.n == 0 || memchr("[]{\"", text.p[0], 4) != NULL)
		return true;
	while (n < text.n && memchr(bare, text.p[n], sizeof(bare) - 1) != NULL)
		n++;
	text = str_trim(str_skip(text, n));
	return n > 0 && (str_starts(text, ",") || str_starts(text, "]"));
}

static bool is_binary(struct str text)
{
	enum { FIRST = 512 /* bytes to examine */ };

	return memchr(text.p, '\0', text.n < FIRST ? text.n : FIRST) != NULL;
}

const char *prom_check_other(struct str text)
{
	static const struct {
		const char *start, *what;
	} others[] = {
		{"<?xml", "an XML document"},
		{"<", "an HTML page"},
		{"\x1f\x8b", "gzip data"},
		{"\x28\xb5\x2f\xfd", "zstd data"},
		{"PK\x03\x04", "a zip archive, as torch writes"},
		{"\x80", "a pickle"},
		{"\xff\xfe", "UTF-16"},
		{"\xfe\xff", "UTF-16"},
	};

	text = str_trim(str_skip_bom(text));
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (str_starts(text, others[i].start))
			return others[i].what;
	if (is_json_object(text) || is_json_array(text))
		return "JSON";
	return is_binary(text) ? "binary data" : NULL;
}

static int check_line(struct prom_parser *parser, struct str text, int64_t line,
		      struct prom_check *check, struct err *err)
{
	enum prom_unit unit = check->openmetrics ? PROM_SECONDS
						 : PROM_MILLISECONDS;
	struct prom_line parsed;

	if (prom_parse(parser, text, unit, &parsed, err) == 0) {
		bool sample = parsed.kind == PROM_SAMPLE;

		check->samples += sample;
		check->eof |= parsed.kind == PROM_EOF;
		check->stream |= parsed.kind == PROM_STREAM ||
				 (sample && check->eof && check->openmetrics);
		return 0;
	}
	if (err->code == ERR_MEMORY)
		return err->code;
	if (check->bad++ == 0) {
		check->first = *err;
		check->first.unit = ERR_LINE;
		check->first.at = line;
	}
	return 0;
}

int prom_check(struct str text, struct prom_check *check, struct err *err)
{
	struct prom_parser parser = prom_parser_new();
	int rc = 0;

	*check = (struct prom_check){.openmetrics = prom_ends_in_eof(text)};
	text = str_skip_bom(text);
	for (int64_t line = 1; text.n > 0 && rc == 0; line++)
		rc = check_line(&parser, str_cut(&text, '\n'), line, check,
				err);
	prom_parser_free(&parser);
	return rc;
}
