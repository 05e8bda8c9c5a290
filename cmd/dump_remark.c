#include "dump_remark.h"

#include <math.h>

#include "base/limits.h"
#include "common.h"
#include "left_out.h"

static void warn_outliers(const char *name, const struct clock_outliers *off)
{
	double days = fabs(off->seconds) / (24 * 3600.0);

	if (off->samples > 0)
		warn("%s: sample %llu has times %.*g day%s %s the others%s: a "
		     "clock was wrong, and the wall time includes that",
		     name, (unsigned long long)off->first, days < 1e9 ? 10 : 3,
		     days < 1e9 ? round(days) : days,
		     str_plural(round(days) == 1 ? 1 : 2),
		     off->seconds < 0 ? "before" : "after",
		     off->samples > 1 ? ", and further samples, too" : "");
}

void dump_remark_clock(const char *name, struct clock_check *check)
{
	struct clock_outliers off = clock_check_end(check);
	const char *unit = clock_check_unit(off.middle);

	if (unit != NULL)
		warn("%s: times such as %.6g look like %s, but are read as "
		     "seconds",
		     name, off.middle, unit);
	else
		warn_outliers(name, &off);
	if (check->unusable > 0 && !check->any_time)
		fail("%s: all times of the samples are NaN or infinite", name);
	else if (check->unusable > 0)
		warn("%s: sample %llu has a time that is NaN or infinite%s; "
		     "spans that begin or end there are not counted",
		     name, (unsigned long long)check->first_unusable,
		     check->unusable > 1 ? ", as do others" : "");
	if (check->reversed > 0)
		warn("%s: sample %llu has a span that ends before it starts%s; "
		     "its duration counts as 0",
		     name, (unsigned long long)check->first_reversed,
		     check->reversed > 1 ? ", as do others" : "");
}

/* With -v: the classes of which only the fields or the name were read. */
static void list_classes(const char *name, const struct rollout *rollout)
{
	const struct intern *classes = rollout_classes(rollout);
	struct buf text = buf_new(LIMIT_LINE);

	for (uint32_t i = 0; classes != NULL && i < classes->count; i++) {
		struct str class = intern_text(classes, i);

		buf_printf(&text, "%s%.*s", i > 0 ? ", " : "", STR_ARG(class));
	}
	if (text.n > 0 && !text.failed)
		detail("%s: classes that are read without their code: %.*s",
		       name, STR_ARG(buf_str(&text)));
	buf_free(&text);
}

void dump_remark(const char *name, const struct rollout *rollout)
{
	struct losses lost = rollout_losses(rollout);
	uint64_t others = rollout_others(rollout);

	if (rollout_clock(rollout) == ROLLOUT_OWN_CLOCKS)
		note("%s: each process counts its times from its own start: "
		     "times of different processes cannot be compared",
		     name);
	left_out_say(name, &lost);
	if (others > 0 && rollout_remark(rollout) != ROLLOUT_NESTED)
		fail("%s: skipped %llu element%s", name,
		     (unsigned long long)others,
		     others == 1 ? ", which is not a sample"
				 : "s, which are not samples");
	switch (rollout_remark(rollout)) {
	case ROLLOUT_EMPTY:
		warn("%s: no samples: the list of samples is empty", name);
		break;
	case ROLLOUT_NESTED:
		fail("%s: its samples are lists: samples nested by group are "
		     "not read; save one flat list",
		     name);
		break;
	case ROLLOUT_UNTRACED:
		warn("%s: no sample has a trace, so there are no times", name);
		break;
	case ROLLOUT_DECOYS:
		note("%s: the archive holds further files called data.pkl, "
		     "which are ignored",
		     name);
		break;
	case ROLLOUT_FINE:
		break;
	}
	list_classes(name, rollout);
}
