#include "rollout/foreign/member.h"

#include <math.h>

#include "base/num.h"

bool finite_number(struct value v, double *number)
{
	if (v.kind == VALUE_FLOAT)
		*number = v.f;
	else if (v.kind == VALUE_INT)
		*number = (double)v.i;
	else if (v.kind != VALUE_BIGINT ||
		 !num_parse_double(value_text(v), number))
		return false;
	return isfinite(*number);
}

struct value member_finish_reason(struct value record)
{
	struct value reason = value_get(record, "finish_reason");

	return reason.kind == VALUE_DICT ? member_text(reason, "type")
					 : member_text(record, "finish_reason");
}
