#include "profile/event_category.h"

#include "base/array.h"
#include "profile/call_class.h"

static const struct {
	const char *category; /* in lower case */
	enum event_category kind;
} categories[] = {
	{"kernel", KIND_KERNEL},
	{"cpu_op", KIND_OP},
	{"operator", KIND_OP},
	{"cuda_runtime", KIND_CALL},
	{"cuda_driver", KIND_CALL},
	{"python_function", KIND_PYTHON},
	{"user_annotation", KIND_NOTE},
	{"gpu_memcpy", KIND_COPY},
	{"memcpy", KIND_COPY},
	{"gpu_memset", KIND_SET},
	{"memset", KIND_SET},
	{"runtime", KIND_CALL},
	{"xpu_runtime", KIND_CALL},
	{"xpu_driver", KIND_CALL},
	{"privateuse1_runtime", KIND_CALL},
	{"privateuse1_driver", KIND_CALL},
	{"mtia_runtime", KIND_CALL},
	{"overhead", KIND_OVERHEAD},
	{"gpu_user_annotation", KIND_IGNORED},
	{"trace", KIND_IGNORED},
	{"cuda_sync", KIND_IGNORED},
	{"cuda_event", KIND_IGNORED},
	{"external_correlation", KIND_IGNORED},
};

enum event_category event_category_of(struct str category)
{
	for (size_t i = 0; i < ARRAY_SIZE(categories); i++)
		if (is_named(category, categories[i].category))
			return categories[i].kind;
	return KIND_OTHER;
}

bool event_counts(enum event_category category)
{
	return category < KIND_OVERHEAD;
}
