#include "sink/metrics/alarm_out.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/num.h"
#include "fmt/json/json_write.h"
#include "fmt/prom/prom_text.h"

enum { DAY_MAX = 40 };

const char *alarm_stamp(char text[ALARM_STAMP_MAX], double seconds)
{
	char day[DAY_MAX];
	long long ms = llround(seconds * 1000);
	time_t t = (time_t)(ms / 1000);
	struct tm tm;

	if (ms < 0 || gmtime_r(&t, &tm) == NULL ||
	    strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm) == 0)
		return "unknown";
	snprintf(text, ALARM_STAMP_MAX, "%s.%03dZ", day, (int)(ms % 1000));
	return text;
}

void alarm_put_stamp(struct out *out, double seconds)
{
	char text[ALARM_STAMP_MAX];

	out_puts(out, alarm_stamp(text, seconds));
}

void alarm_put_evidence(struct buf *b, const struct alarm_event *event)
{
	const struct alarm_verdict *verdict = &event->verdict;
	char text[ALARM_STAMP_MAX];

	buf_put(b, event->text.p, event->text.n);
	if (verdict->why == NULL)
		return;
	buf_printf(b, "; compared until %s", alarm_stamp(text, verdict->known));
	if (event->begins) /* at its end that is the text */
		buf_printf(b, ", then %s", verdict->why);
}

/* The evidence, and, when it begins, what that means. */
static void put_words(struct buf *b, const struct alarm_event *event)
{
	alarm_put_evidence(b, event);
	if (!event->begins)
		return;
	buf_puts(b, b->n > 0 ? ": " : "");
	buf_puts(b, event->verdict.means);
}

int alarm_worker_name(struct buf *b, struct str worker, struct err *err)
{
	struct buf plain = buf_new(SIZE_MAX);

	if (worker.p == NULL)
		buf_puts(b, "fleet");
	else if (worker.n == 0)
		buf_puts(b, "the worker");
	else
		prom_unescape(&plain, worker);
	for (size_t i = 0; i < plain.n; i++)
		buf_putc(b,
			 (unsigned char)plain.p[i] < ' ' || plain.p[i] == 0x7f
				 ? '?'
				 : plain.p[i]);
	if (plain.failed || b->failed) {
		buf_free(&plain);
		return err_memory(err);
	}
	buf_free(&plain);
	return 0;
}

/* "0.95 fraction (limit 0.9 for 60 s)" */
static void put_value(struct out *out, const struct alarm_event *event)
{
	const struct alarm_rule *rule = &alarm_rules[event->kind];
	char text[160];

	if (isnan(event->value))
		snprintf(text, sizeof(text), "unknown");
	else
		snprintf(text, sizeof(text), "%.4g %s", event->value,
			 rule->unit);
	out_puts(out, text);
	snprintf(text, sizeof(text), " (limit %.4g", event->limit);
	out_puts(out, text);
	if (event->hold > 0) {
		snprintf(text, sizeof(text), " for %.4g s", event->hold);
		out_puts(out, text);
	}
	out_puts(out, ")  ");
}

int alarm_out_text(struct out *out, const struct alarm_event *event,
		   struct err *err)
{
	const struct alarm_rule *rule = &alarm_rules[event->kind];
	struct buf name = buf_new(SIZE_MAX), words = buf_new(SIZE_MAX);
	int code = alarm_worker_name(&name, event->worker, err);

	put_words(&words, event);
	if (code == 0 && words.failed)
		code = err_memory(err);
	if (code < 0) {
		buf_free(&name);
		buf_free(&words);
		return code;
	}
	alarm_put_stamp(out, event->time);
	out_puts(out, event->begins ? "  begin  " : "  end  ");
	out_puts(out, rule->name);
	out_puts(out, "  ");
	out_put(out, name.p, name.n);
	buf_free(&name);
	out_puts(out, "  since ");
	alarm_put_stamp(out, event->since);
	out_puts(out, "  ");
	put_value(out, event);
	out_put(out, words.p, words.n);
	buf_free(&words);
	if (event->begins) {
		out_puts(out, "; try: ");
		out_puts(out, event->verdict.remedy);
	}
	out_putc(out, '\n');
	return 0;
}

static void put_number(struct json_writer *w, const char *key, double value)
{
	char text[NUM_DOUBLE_MAX];

	json_key(w, key);
	if (!isfinite(value)) {
		json_verbatim(w, str_of("null"));
		return;
	}
	json_verbatim(w, str_make(text, num_put_repr(text, value)));
}

/* Plain text of an event's member. */
static int read_texts(const struct alarm_event *event, struct buf *worker,
		      struct buf *words, struct err *err)
{
	if (event->worker.p != NULL)
		prom_unescape(worker, event->worker);
	put_words(words, event);
	return worker->failed || words->failed ? err_memory(err) : 0;
}

static void put_json(struct json_writer *w, const struct alarm_event *event,
		     struct str worker, struct str words)
{
	const struct alarm_rule *rule = &alarm_rules[event->kind];

	json_begin(w, '{');
	put_number(w, "time", event->time);
	json_add_str(w, "event", str_of(event->begins ? "begin" : "end"));
	json_add_str(w, "alarm", str_of(rule->name));
	json_key(w, "worker");
	if (event->worker.p == NULL)
		json_verbatim(w, str_of("null"));
	else
		json_str(w, worker);
	put_number(w, "since", event->since);
	put_number(w, "value", event->value);
	put_number(w, "limit", event->limit);
	json_add_str(w, "unit", str_of(rule->unit));
	json_add_str(w, "text", words);
	json_add_str(w, "try", str_of(event->verdict.remedy));
	json_end(w, '}');
}

int alarm_put_json(struct json_writer *w, const struct alarm_event *event,
		   struct err *err)
{
	struct buf worker = buf_new(SIZE_MAX), words = buf_new(SIZE_MAX);
	int code = read_texts(event, &worker, &words, err);

	if (code == 0)
		put_json(w, event, buf_str(&worker), buf_str(&words));
	buf_free(&worker);
	buf_free(&words);
	return code;
}

int alarm_out_json(struct out *out, const struct alarm_event *event,
		   struct err *err)
{
	struct json_writer w = json_writer_on(out);
	int code = alarm_put_json(&w, event, err);

	if (code == 0)
		json_end_line(&w);
	return code;
}
