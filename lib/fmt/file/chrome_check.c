#include "fmt/file/chrome_read.h"

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
