#include "sink/profile/profile_report.h"

int profile_put_table(struct out *out, const struct profile_report *report,
		      struct err *err)
{
	return profile_put_json(out, report, err);
}
int profile_put_tsv(struct out *out, const struct profile_report *report,
		    struct err *err)
{
	return profile_put_json(out, report, err);
}
