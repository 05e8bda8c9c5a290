/*
 * The first line of a report: the rollout, and the answer in short.
 */
#include <math.h>

#include "base/limits.h"
#include "rollout/what_if/advice.h"
#include "sink/perf/breakdown_text.h"
#include "sink/perf/digest_parts.h"
#include "sink/table.h"

enum { LINE = 120 };

/* The mean requests of the rollout ---------------------------------------- */

static double value_of(const struct digest_part *part, const char *key)
{
	const struct figure *figure = figures_find(&part->figures, str_of(key));

	return figure == NULL ? (double)NAN : figure->value;
}

/* "128 requests, latency 1.14 s on average (0.68 s of it in the engine's queue),
 * 4.09 s at most, decoding at 388 tokens/s" */
static void put_requests(struct buf *text, const struct digest_part *part)
{
	double count = value_of(part, "perf/request/count");
	double mean = value_of(part, "perf/request/e2e_latency/mean");
	double most = value_of(part, "perf/request/e2e_latency/max");
	double queue = value_of(part, "perf/request/queue_time/mean");
	double rate = value_of(part, "perf/decode/throughput/mean");

	if (!(count > 0) || !(mean >= 0))
		return;
	buf_printf(text, "; %.0f request%s, latency ", count,
		   count == 1 ? "" : "s");
	what_if_put_seconds(text, mean);
	buf_puts(text, count == 1 ? " s" : " s on average");
	if (queue >= 0) {
		buf_puts(text, " (");
		what_if_put_seconds(text, queue);
		buf_puts(text, " s of it in the engine's queue)");
	}
	if (count > 1 && !isnan(most)) {
		buf_puts(text, ", ");
		what_if_put_seconds(text, most);
		buf_puts(text, " s at most");
	}
	if (rate >= 0)
		buf_printf(text, ", decoding at %.3g tokens/s", rate);
}

/* The sample that ended last ---------------------------------------------- */

const struct straggler *stragglers_last(const struct digest_part *part)
{
	for (size_t i = 0; i < part->late_count; i++)
		if (part->late[i].last == 1)
			return &part->late[i];
	return NULL;
}

void straggler_put_name(struct buf *text, const struct straggler *one)
{
	if (one->dump.p != NULL) {
		table_escape(text, str_of(file_name(one->dump.p)));
		buf_putc(text, ' ');
	}
	buf_putc(text, '#');
	sample_put_name(text, one->sample, one->repeats, one->row);
}

/* A smaller part of the cause is not named. */
static const double least_part = 0.1;

/* " (1.50 s of decode and 1.38 s of queue more than on the others)" */
static void put_slow_parts(struct buf *text, const struct straggler *one)
{
	if (!(one->cause_queue > least_part * one->cause_time))
		return;
	buf_puts(text, " (");
	what_if_put_seconds(text, one->cause_time - one->cause_queue);
	buf_puts(text, " s of decode and ");
	what_if_put_seconds(text, one->cause_queue);
	buf_puts(text, " s of queue more than on the others)");
}

void stragglers_put_verdict(struct buf *text, const struct digest_part *part)
{
	const struct straggler *one = stragglers_last(part);

	if (part->late_count == 0)
		buf_puts(text, "no sample has times");
	if (one == NULL)
		return;
	straggler_put_name(text, one);
	buf_printf(text, " ended last%s: %s", one->open ? ", still open" : "",
		   one->cause);
	if (str_is(str_of(one->cause), "slow engine") &&
	    one->worker.p != NULL) {
		buf_putc(text, ' ');
		table_escape_name(text, one->worker);
	}
	if (one->cause_time > 0) {
		buf_puts(text, ", ");
		what_if_put_seconds(text, one->cause_time);
		/* The client queue comes before all that it ran. */
		buf_puts(text, str_is(str_of(one->cause), "client queue")
				       ? " s before the "
				       : " of the ");
		what_if_put_seconds(text, one->duration);
		buf_puts(text, " s it ran");
	}
	put_slow_parts(text, one);
	if (one->client_queue > one->cause_time) {
		buf_puts(text, "; before that, the client queue took ");
		what_if_put_seconds(text, one->client_queue);
		buf_puts(text, " s");
	}
	if (one->most != ACTIVITY_DECODE && one->most_time > one->cause_time) {
		buf_printf(text, "; %s took ", activity_word(one->most));
		what_if_put_seconds(text, one->most_time);
		buf_puts(text, " s");
	}
}

/* The title --------------------------------------------------------------- */

static void put_rollout(struct buf *text, const struct digest *digest,
			const struct digest_part *part)
{
	table_escape(text, str_of(digest->dump));
	buf_puts(text, ": ");
	if (digest->rollout_name.n > 0) {
		buf_puts(text, "rollout ");
		table_escape_name(text, digest->rollout_name);
		buf_puts(text, ", ");
	}
	if (part->group.n > 0) {
		table_escape_name(text, str_of(digest->plan->by));
		buf_putc(text, ' ');
		table_escape_name(text, part->group_name.n > 0
						? part->group_name
						: part->group);
		buf_puts(text, ", ");
	}
	if (part->perf == NULL && part->samples == 0)
		buf_puts(text, "only metrics, no samples");
	else
		buf_printf(text, "%llu sample%s",
			   (unsigned long long)part->samples,
			   str_plural(part->samples));
}

int digest_put_title(struct out *out, const struct digest *digest,
		     const struct digest_part *part, struct err *err)
{
	struct buf text = buf_new(LIMIT_STRING);
	size_t n;

	put_rollout(&text, digest, part);
	n = text.n;
	buf_puts(&text, "; ");
	if (part->times != NULL)
		breakdown_put_verdict(&text, part->times);
	else if (part->late != NULL)
		stragglers_put_verdict(&text, part);
	if (text.n == n + 2)
		text.n = n;
	if (part->times == NULL && part->late == NULL)
		put_requests(&text, part);
	return table_put_wrapped(&text, LINE, out, err);
}
