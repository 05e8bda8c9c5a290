#include "label_options.h"

#include "common.h"
#include "metrics/addition.h"

struct label_set read_label_options(const struct opt_list *options)
{
	struct label_set set = {0};
	struct err err;

	for (size_t i = 0; i < options->n; i++)
		if (addition_option(&set, options->v[i], &err) < 0)
			die_given("--label", options->v[i], &err);
	return set;
}
