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

void held_records_add(struct held_records *held, const struct err *err)
{
	if (held->n < BAD_RECORDS_SAID)
		held->first[held->n] = *err;
	held->n++;
}

void held_records_say(struct held_records *held, const char *source)
{
	struct bad_records said = {0};

	while (said.n < held->n && said.n < BAD_RECORDS_SAID)
		bad_records_add(&said, source, &held->first[said.n]);
	said.n = held->n;
	bad_records_end(&said, source);
}
