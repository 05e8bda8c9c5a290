#include "bad_records.h"

#include "base/str.h"
#include "common.h"

void bad_records_add(struct bad_records *bad, const char *source,
		     struct err *err)
{
	if (bad->n++ >= BAD_RECORDS_SAID)
		return;
	err_in(err, source);
	fail_err(err);
}

void bad_records_end(const struct bad_records *bad, const char *source)
{
	uint64_t more = bad->n - BAD_RECORDS_SAID;

	if (bad->n > BAD_RECORDS_SAID)
		fail("%s: %llu more bad record%s", source,
		     (unsigned long long)more, str_plural(more));
}
