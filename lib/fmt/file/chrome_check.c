#include "fmt/file/chrome_read.h"

#include "fmt/input_kind.h"

#define READERS "; obs-perfsum and trace-timeline read rollout dumps"

const char *chrome_other(const char *begin, const char *end)
{
	struct str head = str_make(begin, (size_t)(end - begin));
	const char *name;

	switch (input_kind_of(head, &name)) {
	case INPUT_ZIP:
	case INPUT_LEGACY:
		return "this is a torch file" READERS;
	case INPUT_PICKLE:
		return input_is_text(head) ? NULL : "this is a pickle" READERS;
	case INPUT_GZIP:
		return "this is gzip data within gzip data";
	case INPUT_FOREIGN:
		return name;
	default:
		return NULL;
	}
}

int chrome_check(const struct chrome_found *found, struct err *err)
{
	bool empty = found->in_object && found->elements == 0;

	if (found->typed || (empty && !found->truncated))
		return 0;
	if (!found->truncated)
		return err_set(err, ERR_INPUT,
			       "not a profile: its list has no trace events");
	*err = found->damaged > 0 ? found->first_damaged : found->cut;
	return err->code;
}
