#include "rollout/record_line.h"

#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "fmt/input_kind.h"
#include "fmt/json/json_line.h"
#include "fmt/json/json_read.h"
#include "fmt/value/value_python.h"

/* How a record written by lib/trace begins. */
#define START "{\"type\":\""
static const char *const starts[] = {START "span_start\"", START "span_end\"",
				     START "event\"", NULL};

int record_parse(struct str text, struct arena *a, struct value *v,
		 size_t *used, struct err *err)
{
	double ts;

	if (json_parse_lean(text, NULL, 0, a, v, used, err) < 0)
		return err->code;
	if (value_get(*v, "type").kind != VALUE_STR ||
	    !value_to_float(value_get(*v, "ts"), &ts) || !isfinite(ts))
		return err_set(err, ERR_INPUT,
			       "not a trace record: it has no type or no ts");
	if (!json_ends_object(str_skip(text, *used)))
		return err_set(err, ERR_INPUT, "extra text after the record");
	return 0;
}

struct str record_next_whole(struct str line, struct arena *a, struct value *v)
{
	struct err ignored = {0};
	uint64_t work = 0;
	size_t at = 0;

	for (;;) {
		struct str left;
		size_t used = 0;

		at = json_next_object(line, at, work);
		if (at >= line.n)
			return str_make(NULL, 0);
		left = str_skip(line, at);
		if (record_parse(left, a, v, &used, &ignored) == 0)
			return str_make(left.p, used);
		work += used;
	}
}

/* Could lib/trace have written it? A line of another log may have a type and a
 * ts as well. */
static bool is_own_record(struct value v)
{
	struct value type = value_get(v, "type");

	return value_is_str(type, "span_start") ||
	       value_is_str(type, "span_end") || value_is_str(type, "event") ||
	       value_get(v, "trace_id").kind != VALUE_ABSENT ||
	       value_get(v, "sample_id").kind != VALUE_ABSENT;
}

enum line_kind { LINE_BAD, LINE_OTHER, LINE_RECORD };

static enum line_kind kind_of(struct str line)
{
	struct arena a = arena_new(LIMIT_SAMPLE);
	struct err ignored = {0};
	enum line_kind kind = LINE_BAD;
	struct value v;
	size_t used;

	if (line.n > 0 && *line.p == '{' &&
	    (record_parse(line, &a, &v, &used, &ignored) == 0 ||
	     record_next_whole(line, &a, &v).p != NULL))
		kind = is_own_record(v) ? LINE_RECORD : LINE_OTHER;
	for (size_t i = 0; starts[i] && kind == LINE_BAD; i++)
		if (str_starts(line, starts[i]))
			kind = LINE_RECORD;
	arena_free(&a);
	return kind;
}

/* The first valid line decides; those before may be torn. */
/* Does the line open a list that it does not close? Then the rest is inside it,
 * like the events of a dump formatted over several lines. */
static bool opens_list(struct str line)
{
	int open = 0;
	bool quoted = false;

	for (size_t i = 0; i < line.n; i++) {
		if (line.p[i] == '\\' && quoted)
			i++;
		else if (line.p[i] == '"')
			quoted = !quoted;
		else if (!quoted)
			open += (line.p[i] == '[') - (line.p[i] == ']');
	}
	return open > 0;
}

bool records_detect(struct str head)
{
	enum { TRIED = 16 };

	head = input_text(head);
	for (int i = 0; i < TRIED && head.n > 0; i++) {
		struct str line = str_before(head, '\n');
		enum line_kind kind = kind_of(line);

		if (kind != LINE_BAD)
			return kind == LINE_RECORD;
		if (line.n == head.n || opens_list(line))
			return false;
		head = input_text(
			str_make(line.p + line.n + 1, head.n - line.n - 1));
	}
	return false;
}
