#include <stdlib.h>

#include "profile/groups.h"

static int compare_skews(const void *x, const void *y)
{
	const struct group_match *a = *(const struct group_match *const *)x;
	const struct group_match *b = *(const struct group_match *const *)y;
	int64_t skew = a->late - a->early, other = b->late - b->early;

	if (skew != other)
		return skew > other ? -1 : 1;
	return (a > b) - (a < b);
}

void group_longest(const struct profile_group *group,
		   const struct group_match **longest, size_t n)
{
	size_t counted = group_counted(group);
	const struct group_match **all = malloc((counted + 1) * sizeof(*all));

	for (size_t i = 0; all != NULL && i < counted; i++)
		all[i] = &group->matches[i + 1];
	if (all != NULL)
		qsort(all, counted, sizeof(*all), compare_skews);
	for (size_t i = 0; i < n; i++)
		longest[i] = all != NULL ? all[i] : &group->matches[i + 1];
	free(all);
}
