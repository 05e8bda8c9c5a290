#include "rollout/group_by.h"

#include <stdio.h>

#include "base/array.h"
#include "base/digits.h"
#include "base/limits.h"
#include "fmt/value/value_make.h"
#include "fmt/value/value_python.h"

static const char *const words[] = {
	[BY_GROUP] = "group",	[BY_SOURCE] = "source",
	[BY_STATUS] = "status", [BY_ATTEMPT] = "attempt",
	[BY_WORKER] = "worker",
};

enum { WORDS = ARRAY_SIZE(words) };

enum group_by group_by_of(const char *key)
{
	for (int i = 0; i < WORDS; i++)
		if (strcmp(words[i], key) == 0)
			return (enum group_by)i;
	return BY_KEY;
}

struct value group_by_sample(enum group_by by, const struct sample *sample,
			     const struct row *row, bool *found)
{
	const struct value fields[] = {
		[BY_GROUP] = sample->group_index,
		[BY_SOURCE] = sample->source,
		[BY_STATUS] = sample->status,
		[BY_ATTEMPT] = value_get(sample->trace, "attempt"),
	};
	struct value v = fields[by];

	*found |= v.kind != VALUE_ABSENT;
	if (by == BY_SOURCE)
		v = row != NULL ? row->source : sample_source(sample);
	else if (row != NULL)
		v = by == BY_GROUP    ? row->group_index
		    : by == BY_STATUS ? row->status
				      : row->attempt;
	*found |= v.kind > VALUE_NONE;
	return v.kind == VALUE_ABSENT ? value_none() : v;
}

struct value group_by_request(const char *key, const struct sample *sample,
			      struct value end_attrs, struct value start_attrs,
			      bool *found)
{
	const struct value values[] = {value_get(end_attrs, key),
				       value_get(start_attrs, key),
				       sample_field(sample, key)};

	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		*found |= values[i].kind != VALUE_ABSENT;
		if (values[i].kind > VALUE_NONE)
			return value_plain(values[i]);
	}
	return value_none();
}

/* Names --------------------------------------------------------------- */

/* Members and labels with another meaning. */
static const char *const taken[] = {
	"dump",	      "rollout_id",    "approximate", "breakdown", "medians",
	"stragglers", "name",	       "activity",    "phase",	   "segment",
	"sample",     "sample_group",  "span",	      "cause",	   "le",
	"quantile",   "sample_worker",
};

static bool is_taken(const char *key, bool label)
{
	for (size_t i = 0; i < ARRAY_SIZE(taken); i++)
		if (strcmp(taken[i], key) == 0)
			return true;
	if (!label)
		return strncmp(key, "perf/", 5) == 0;
	return strncmp(key, "__", 2) == 0 || key[0] == '\0' || is_digit(key[0]);
}

void group_by_name(const char *key, bool label, char name[GROUP_BY_NAME_MAX])
{
	snprintf(name, GROUP_BY_NAME_MAX, "%s%s",
		 is_taken(key, label) ? "by_" : "", key);
	for (char *c = name; label && *c != '\0'; c++)
		if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
		      is_digit(*c) || *c == '_'))
			*c = '_';
}

/* What there is -------------------------------------------------------- */

/* Enough to see a pattern; a dump's samples and spans are much alike. */
enum { SAMPLES_SEEN = 64, NAMES_KEPT = 200, NAMES_SHOWN = 24 };

struct group_by_names group_by_names_new(void)
{
	return (struct group_by_names){.fields = intern_new(LIMIT_STRING),
				       .attributes = intern_new(LIMIT_STRING)};
}

void group_by_names_free(struct group_by_names *names)
{
	intern_free(&names->fields);
	intern_free(&names->attributes);
}

/* Names are dropped if out of memory. */
static void see(struct intern *names, struct value dict)
{
	if (dict.kind != VALUE_DICT)
		return;
	for (uint32_t i = 0; i + 1 < dict.items->n; i += 2)
		if (dict.items->v[i].kind == VALUE_STR &&
		    names->count < NAMES_KEPT)
			intern_add(names, value_text(dict.items->v[i]));
}

void group_by_see_sample(struct group_by_names *names,
			 const struct sample *sample)
{
	struct value dicts[SAMPLE_DICTS];

	if (names->samples++ >= SAMPLES_SEEN)
		return;
	sample_dicts(sample, dicts);
	for (size_t i = 0; i < SAMPLE_DICTS; i++)
		see(&names->fields, dicts[i]);
}

void group_by_see_attributes(struct group_by_names *names, struct value attrs)
{
	if (names->samples <= SAMPLES_SEEN)
		see(&names->attributes, attrs);
}

static void put_names(struct buf *text, const char *whose,
		      const struct intern *names)
{
	if (names->count == 0)
		return;
	buf_puts(text, whose);
	for (uint32_t i = 0; i < names->count && i < NAMES_SHOWN; i++) {
		struct str name = intern_text(names, i);

		buf_puts(text, i > 0 ? ", " : " ");
		buf_put(text, name.p, name.n);
	}
	if (names->count > NAMES_SHOWN)
		buf_puts(text, ", ...");
}

void group_by_explain(const struct group_by_names *names, const char *key,
		      struct buf *text)
{
	buf_puts(text, "--by: no sample and no request has '");
	buf_puts(text, key);
	buf_puts(text, "'; keys are group, source, status, attempt, worker");
	put_names(text, "; samples have", &names->fields);
	put_names(text, "; requests have", &names->attributes);
}
