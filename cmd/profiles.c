#include "profiles.h"

#include "base/str.h"
#include "common.h"

static void read_one(struct engine_traces *traces, const char *path)
{
	struct err err = {0};

	if (engine_traces_add(traces, path, &err) == 0)
		return;
	err_in(&err, path);
	fail_err(&err);
}

static bool is_profile(const char *name)
{
	return str_ends(str_of(name), ".json.gz") ||
	       str_ends(str_of(name), ".trace.json");
}

struct engine_traces *profiles_read(const struct opt_list *list, int *count,
				    char **names)
{
	struct engine_traces *traces = engine_traces_new();
	int dumps = 0;

	if (traces == NULL)
		die_memory();
	for (size_t i = 0; i < list->n; i++)
		read_one(traces, list->v[i]);
	for (int i = 0; i < *count; i++) {
		if (is_profile(names[i]))
			read_one(traces, names[i]);
		else
			names[dumps++] = names[i];
	}
	*count = dumps;
	return traces;
}
