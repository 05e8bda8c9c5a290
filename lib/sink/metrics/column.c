#include "sink/metrics/column.h"

#include "metrics/guess.h"

enum metric_rising column_rising(struct str name)
{
	struct str suffix;
	const struct catalogue_row *row = catalogue_find_sample(name, &suffix);

	if (row == NULL)
		return guess_rising(name);
	return suffix.n > 0 ? RISING_NEUTRAL : (enum metric_rising)row->rising;
}

const char *column_unit(struct str name)
{
	static const char *const units[] = {
		"fraction", "percent", "tokens/s", "seconds", "ms",	  "us",
		"ns",	    "bytes",   "bytes/s",  "MB",      "MiB",	  "GB",
		"GB/s",	    "GiB/s",   "celsius",  "watts",   "megahertz"};
	struct str suffix;
	const struct catalogue_row *row = catalogue_find_sample(name, &suffix);

	for (size_t i = 0; row != NULL && i < sizeof(units) / sizeof(units[0]);
	     i++)
		if (strcmp(catalogue_str(row->unit), units[i]) == 0)
			return str_has_nocase(name, units[i]) ||
					       str_is(suffix, "_count") ||
					       str_is(suffix, "_bucket")
				       ? NULL
				       : units[i];
	return NULL;
}

bool column_keeps_le(struct str name)
{
	static const struct str le = STR("le");
	const struct catalogue_row *row = catalogue_find(name);

	return row != NULL && row->type == PROM_GAUGE &&
	       catalogue_has(row->keep, le);
}
