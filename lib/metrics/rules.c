#include "metrics/rules.h"

#include <math.h>

#include "base/array.h"
#include "base/num.h"

struct alarm_limits alarm_limits_new(void)
{
	struct alarm_limits l;

	for (size_t i = 0; i < ALARMS; i++) {
		l.limit[i] = alarm_rules[i].limit;
		l.hold[i] = alarm_rules[i].hold;
	}
	return l;
}

enum alarm_kind alarm_find(struct str name)
{
	size_t i = 0;

	while (i < ALARMS && !str_is(name, alarm_rules[i].name))
		i++;
	return (enum alarm_kind)i;
}

/* "500ms", "30s", "5m", "1h", or a number of seconds. */
static bool read_seconds(struct str text, double *seconds)
{
	static const struct {
		const char *suffix;
		double unit;
	} units[] = {{"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}, {"", 1}};

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		struct str number = text;

		if (!str_ends(text, units[i].suffix))
			continue;
		number.n -= strlen(units[i].suffix);
		if (!num_parse_double(number, seconds))
			return false;
		*seconds *= units[i].unit;
		return *seconds >= 0 && isfinite(*seconds);
	}
	return false;
}

int alarm_limits_read(struct alarm_limits *l, const char *text, struct err *err)
{
	static const char *const hold = ".for";
	struct str name = str_make(text, strcspn(text, "="));
	struct str value = str_of(text + name.n + (text[name.n] == '='));
	bool is_hold = str_ends(name, hold);
	enum alarm_kind kind;
	double number;

	name.n -= is_hold ? strlen(hold) : 0;
	kind = alarm_find(name);
	if (kind == ALARMS)
		return err_set(err, ERR_INPUT, "no such alarm");
	if (is_hold && !read_seconds(value, &number))
		return err_set(err, ERR_INPUT,
			       "%.*s is not a time such as 30s or 500ms",
			       STR_ARG(value));
	if (is_hold) {
		l->hold[kind] = number;
		return 0;
	}
	if (!num_parse_double(value, &number) || !isfinite(number) ||
	    number < 0)
		return err_set(
			err, ERR_INPUT,
			"%.*s is not a number of at least 0; the default is "
			"%g",
			STR_ARG(value), alarm_rules[kind].limit);
	l->limit[kind] = number;
	return 0;
}
