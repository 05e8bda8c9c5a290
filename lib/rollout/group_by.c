#include "rollout/group_by.h"

#include "fmt/value/value_make.h"

const char *const group_by_words[] = {"group", "source", "status", "attempt",
				      NULL};

struct value group_by_value(enum group_by by, const struct sample *sample,
			    const struct row *row)
{
	struct value v = value_none();

	switch (by) {
	case BY_NOTHING:
		break;
	case BY_GROUP:
		v = row != NULL ? row->group_index : sample->group_index;
		break;
	case BY_SOURCE:
		v = row != NULL ? row->source : sample_source(sample);
		break;
	case BY_STATUS:
		v = row != NULL ? row->status : sample->status;
		break;
	case BY_ATTEMPT:
		v = row != NULL ? row->attempt
				: value_get(sample->trace, "attempt");
		break;
	}
	return v.kind == VALUE_ABSENT ? value_none() : v;
}
