/*
 * Any text as what users set limits with: --fail-if KEY > +10%, a threshold of
 * an alarm NAME=5 or NAME.for=30s. What is read is within its bounds and judges
 * figures as it says; what is refused names the reason.
 */
#include <math.h>

#include "metrics/rules.h"
#include "rollout/condition.h"

#include "fuzz.h"

static struct figures figures_with(const char *key, double value)
{
	struct figures figures = figures_new();
	struct figure figure = {.key = key, .value = value};
	struct err err;

	require(figures_add(&figures, figure, &err) == 0);
	return figures;
}

static bool is_broken(const struct limit_text *limit, double value)
{
	if (value == limit->limit)
		return limit->equal;
	return (value > limit->limit) == limit->above;
}

static void check_judgement(const struct condition *c, double from, double to)
{
	struct figures baseline = figures_with(c->key, from);
	struct figures figures = figures_with(c->key, to);
	struct figures none = figures_new();
	struct judgement j = condition_judge(c, &baseline, &figures);
	double value = c->limit.change ? (to - from) / from : to;

	require(j.missing == NULL && j.value == value);
	require(j.broken == is_broken(&c->limit, value));
	j = condition_judge(c, &baseline, &none);
	require(j.broken && j.missing != NULL && *j.missing == '\0');
	j = condition_judge(c, &none, &figures);
	require(c->limit.change == (j.missing != NULL));
	figures_free(&baseline);
	figures_free(&figures);
	figures_free(&none);
}

static void check_condition(const char *text)
{
	struct condition c;

	if (!condition_read(&c, text))
		return;
	require(c.text == text && isfinite(c.limit.limit));
	require(strnlen(c.key, PERF_KEY_MAX) < PERF_KEY_MAX);
	require(c.key[0] != '\0' && strpbrk(text, "<>") != NULL);
	check_judgement(&c, 2, 2);
	check_judgement(&c, 2, 3);
	check_judgement(&c, 4, 1);
}

static void check_alarm(const char *text)
{
	struct alarm_limits limits = alarm_limits_new();
	struct alarm_limits before = limits;
	struct err err = {0};
	int changed = 0, code = alarm_limits_read(&limits, text, &err);

	for (int i = 0; i < ALARMS; i++) {
		require(!isnan(limits.limit[i]) && limits.hold[i] >= 0);
		changed += limits.limit[i] != before.limit[i];
		changed += limits.hold[i] != before.hold[i];
	}
	require(changed <= (code == 0));
	require(code == 0 || (code == ERR_INPUT && err.text[0] != '\0'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	require(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	check_condition(text);
	check_alarm(text);
	free(text);
	return 0;
}
