#include "rollout/activity.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/digits.h"
#include "base/limits.h"
#include "fmt/value/value_text.h"

/* How a word must occur in a name, ignoring case. */
enum word_place {
	ANYWHERE,
	AT_WORD, /* no letter, digit or _ before it */
	AT_START,
	AT_END,
	WHOLE
};

static const struct pattern {
	enum activity activity;
	enum word_place place;
	const char *word; /* in lower case */
} patterns[] = {
	{ACTIVITY_TOOL, ANYWHERE, "tool"},
	{ACTIVITY_TOOL, ANYWHERE, "sandbox"},
	{ACTIVITY_TOOL, AT_WORD, "env"},
	{ACTIVITY_TOOL, ANYWHERE, "exec"},
	{ACTIVITY_REWARD, ANYWHERE, "reward"},
	{ACTIVITY_REWARD, WHOLE, "rm"},
	{ACTIVITY_REWARD, ANYWHERE, "verif"},
	{ACTIVITY_REWARD, ANYWHERE, "judge"},
	{ACTIVITY_REWARD, ANYWHERE, "grade"},
	{ACTIVITY_REWARD, ANYWHERE, "grading"},
	{ACTIVITY_QUEUE, ANYWHERE, "queue"},
	{ACTIVITY_QUEUE, ANYWHERE, "alloc"},
	{ACTIVITY_QUEUE, ANYWHERE, "bootstrap"},
	{ACTIVITY_QUEUE, AT_WORD, "wait"},
	{ACTIVITY_TRANSFER, ANYWHERE, "transfer"},
	{ACTIVITY_PREFILL, ANYWHERE, "prefill"},
	{ACTIVITY_PREFILL, AT_END, "[p]"},
	{ACTIVITY_DECODE, ANYWHERE, "decode"},
	{ACTIVITY_DECODE, AT_START, "sglang_generate"},
	{ACTIVITY_DECODE, AT_END, "[d]"},
};

const char *activity_word(enum activity activity)
{
	static const char *const words[ACTIVITIES] = {
		"tool",	  "reward", "queue", "transfer",     "prefill",
		"decode", "other",  "idle",  "client_queue", "group_wait"};

	return words[activity];
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Of a regular expression's \w. */
static bool is_word_char(char c)
{
	c = lower(c);
	return (c >= 'a' && c <= 'z') || is_digit(c) || c == '_';
}

static bool stands_at(const char *p, const char *word, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (lower(p[i]) != word[i])
			return false;
	return true;
}

/* The first occurrence of a letter, in either case; NULL if there is none. */
static const char *find_letter(const char *p, const char *end, char letter)
{
	const char *small = memchr(p, letter, (size_t)(end - p));
	const char *capital;

	end = small == NULL ? end : small;
	capital = memchr(p, letter - 'a' + 'A', (size_t)(end - p));
	return capital == NULL ? small : capital;
}

static bool matches(struct str name, const struct pattern *pattern)
{
	size_t n = strlen(pattern->word);
	size_t from = 0;
	size_t to = name.n;
	const char *end;

	if (name.n < n || (pattern->place == WHOLE && name.n != n))
		return false;
	if (pattern->place == AT_START)
		to = n;
	if (pattern->place == AT_END)
		from = name.n - n;
	end = name.p + to - n + 1;
	for (const char *p = name.p + from; p < end; p++) {
		p = find_letter(p, end, *pattern->word);
		if (p == NULL)
			return false;
		if (stands_at(p, pattern->word, n) &&
		    (pattern->place != AT_WORD || p == name.p ||
		     !is_word_char(p[-1])))
			return true;
	}
	return false;
}

/* By its words; at most ACTIVITY_OTHER. */
static enum activity activity_of(struct str name)
{
	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++)
		if (matches(name, &patterns[i]))
			return patterns[i].activity;
	return ACTIVITY_OTHER;
}

struct span_names span_names_new(void)
{
	return (struct span_names){.texts = intern_new(LIMIT_KEPT),
				   .scratch = buf_new(LIMIT_STRING)};
}

void span_names_free(struct span_names *names)
{
	intern_free(&names->texts);
	free(names->activities);
	buf_free(&names->scratch);
}

int span_names_error(const struct span_names *names, struct err *err)
{
	return names->scratch.failed ? buf_error(&names->scratch, err)
				     : intern_error(&names->texts, err);
}

/* p NULL: no memory. */
static struct str text_of(struct span_names *names, struct value name)
{
	if (name.kind == VALUE_STR)
		return value_text(name);
	buf_clear(&names->scratch);
	value_put_str(&names->scratch, name);
	return names->scratch.failed ? str_make(NULL, 0)
				     : buf_str(&names->scratch);
}

uint32_t span_names_add(struct span_names *names, struct value name)
{
	struct str text = text_of(names, name);
	uint32_t known = names->texts.count;
	uint32_t number = text.p == NULL ? INTERN_FAILED
					 : intern_add(&names->texts, text);

	if (number != known || number == INTERN_FAILED)
		return number;
	if (!ARRAY_GROW(names->activities, number, names->cap))
		return INTERN_FAILED;
	names->activities[number] = (uint8_t)activity_of(text);
	return number;
}
