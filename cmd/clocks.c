#include "clocks.h"

#include <stdio.h>
#include <string.h>

#include "common.h"

/* "54.1 years", "1 hour", "1.5 ms" */
static void put_duration(char *text, size_t n, double seconds)
{
	static const struct {
		double seconds;
		const char *name;
	} units[] = {
		{31557600, "year"}, {86400, "day"}, {3600, "hour"},
		{60, "minute"},	    {1, "s"},	    {0, "ms"},
	};
	size_t i = 0;

	while (seconds < units[i].seconds)
		i++;
	snprintf(text, n, "%.3g",
		 seconds / (units[i].seconds > 0 ? units[i].seconds : 1e-3));
	snprintf(text + strlen(text), n - strlen(text), " %s%s", units[i].name,
		 units[i].seconds > 1 && strcmp(text, "1") != 0 ? "s" : "");
}

bool clocks_check(const char *name, const char *a_name, struct interval a,
		  const char *b_name, struct interval b, double most,
		  const char *why)
{
	bool before = a.end < b.start;
	double gap = before ? b.start - a.end : a.start - b.end;
	const char *verb = before ? "ends" : "begins";
	char text[32];

	if (a.start > a.end || b.start > b.end || !(gap > most))
		return true;
	if (strcmp(a_name, "metrics") == 0)
		verb = before ? "end" : "begin";
	put_duration(text, sizeof(text), gap);
	warn("%s: the %s %s %s %s the %s %s%s%s", name, a_name, verb, text,
	     before ? "before" : "after", b_name, before ? "begins" : "ends",
	     why != NULL ? "; " : "", why != NULL ? why : "");
	return false;
}

bool clocks_check_profile(const char *path, struct interval profile,
			  struct interval rollout, bool has_base)
{
	return clocks_check(path, "profile", profile, "rollout", rollout, 0,
			    has_base ? NULL
				     : "without baseTimeNanoseconds its times "
				       "are taken as Unix time");
}

void clocks_say_skipped(const char *name, size_t skipped, size_t of,
			double before, double after)
{
	char text[2][32];

	put_duration(text[0], sizeof(text[0]), before);
	put_duration(text[1], sizeof(text[1]), after);
	warn("%s: skipped %zu of the %zu records, up to %s%s%s%s the time of "
	     "the dump",
	     name, skipped, of, before > 0 ? text[0] : "",
	     before > 0 && after > 0 ? " before and up to "
	     : before > 0	     ? " before"
				     : "",
	     after > 0 ? text[1] : "", after > 0 ? " after" : "");
}
