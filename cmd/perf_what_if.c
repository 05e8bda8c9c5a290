#include "perf_what_if.h"

#include <string.h>

#include "base/num.h"
#include "common.h"
#include "rollout/what_if/what_if.h"

static struct what_if_plan plan;
static bool asked;

#define REMEDIES                                                               \
	"cut_p99, cut_p95, cut_p90, reward_median, tool_median, "              \
	"engines_equal, stalls_gone, engines_x2, slots_x2, stop_at_95, "       \
	"stop_at_90"

static const char accepted[] = "all, or a list of " REMEDIES;

/* The index of the remedy, or -1. */
static int find_remedy(struct str name)
{
	for (int i = 0; i < REMEDY_KINDS; i++)
		if (str_is(name,
			   what_if_remedy_id((enum what_if_remedy_kind)i)))
			return i;
	return -1;
}

/* cut_p95,engines_equal */
const char *take_what_if(const char *text)
{
	struct what_if_plan chosen = plan;

	chosen.chosen = strcmp(text, "all") != 0;
	while (chosen.chosen) {
		size_t length = strcspn(text, ",");
		int remedy = find_remedy(str_make(text, length));

		if (remedy < 0)
			return accepted;
		chosen.remedies[remedy] = true;
		if (text[length] == '\0')
			break;
		text += length + 1;
	}
	plan = chosen;
	asked = true;
	return NULL;
}

/* One that is given twice is priced once. */
static bool is_listed(struct what_if_own own)
{
	for (size_t i = 0; i < plan.own_count; i++)
		if (plan.own[i].kind == own.kind &&
		    plan.own[i].value == own.value)
			return true;
	return false;
}

/* cut=4096 or slots=64 */
const char *take_own_value(const char *text)
{
	static const char wanted[] = "cut=TOKENS or slots=N, whole numbers "
				     "from 1 to 1000000000, up to 16 times";
	const char *value = strchr(text, '=');
	struct what_if_own own = {.kind = REMEDY_CUT};
	int64_t number;

	if (value == NULL || !num_parse_int(str_of(value + 1), &number) ||
	    number < 1 || number > 1000000000)
		return wanted;
	if (str_is(str_make(text, (size_t)(value - text)), "slots"))
		own.kind = REMEDY_SLOTS;
	else if (!str_is(str_make(text, (size_t)(value - text)), "cut"))
		return wanted;
	own.value = (uint32_t)number;
	if (is_listed(own))
		return NULL;
	if (plan.own_count == WHAT_IF_OWN_MAX)
		return wanted;
	plan.own[plan.own_count++] = own;
	return NULL;
}

const struct what_if_plan *what_if_plan(void)
{
	if (plan.own_count > 0 && !asked)
		die_usage("--set needs --what-if");
	return asked ? &plan : NULL;
}

/* What follows the prefix. */
static struct str after(struct str s, const char *prefix)
{
	return str_skip_prefix(&s, prefix) ? s : str_make("", 0);
}

/* cut_4096 or slots_64, as --set gave it. */
static bool is_own(struct str name)
{
	static const char *const prefixes[] = {"cut_", "slots_"};

	for (size_t i = 0; i < plan.own_count; i++) {
		bool slots = plan.own[i].kind == REMEDY_SLOTS;
		int64_t number;

		if (num_parse_int(after(name, prefixes[slots]), &number) &&
		    number == plan.own[i].value)
			return true;
	}
	return false;
}

bool what_if_check_key(struct str key, const char *text)
{
	int remedy;

	if (!asked || !str_starts(key, WHAT_IF_KEY))
		return true;
	key = after(key, WHAT_IF_KEY);
	if (!str_ends(key, "/saves"))
		return false;
	key.n -= strlen("/saves");
	remedy = find_remedy(key);
	if (remedy < 0 && !is_own(key))
		die_usage(
			"--fail-if=%s: %.*s is not a remedy; remedies are " REMEDIES
			", and those of --set, such as cut_4096 "
			"for --set=cut=4096",
			text, STR_ARG(key));
	if (remedy >= 0 && plan.chosen && !plan.remedies[remedy])
		die_usage("--fail-if=%s: add %.*s to --what-if", text,
			  STR_ARG(key));
	return true;
}
