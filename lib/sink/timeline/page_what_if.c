#include "sink/timeline/page_what_if.h"

#include <math.h>

#include "base/limits.h"
#include "rollout/what_if/advice.h"
#include "rollout/what_if/gone.h"

static const double second = 1e6; /* us */

void page_put_choice(struct json_writer *w,
		     const struct timeline_choice *choice)
{
	static const char *const cuts[] = {
		[CUT_TO_LATEST] = "latest", [CUT_TO_FIRST] = "first"};

	if (choice == NULL)
		return;
	json_add_uint(w, "of", choice->of);
	if (choice->filter != NULL) {
		json_add_str(w, "filter", str_of(choice->filter));
	}
	if (choice->top > 0) {
		json_add_int(w, "top", choice->top);
	}
	if (choice->cut != CUT_NONE) {
		json_add_str(w, "cut", str_of(cuts[choice->cut]));
	}
	if (choice->part > 0) {
		json_add_uint(w, "part", choice->part);
		json_add_bool(w, "more", choice->more);
	}
}

/* Prices ------------------------------------------------------------------ */

struct shading {
	struct json_writer *json;
	const struct what_if_gather *gather;
	double base; /* us from the page's time 0 to the model's */
};

/* A row, and a time in us. */
static void put_gone(void *taker, size_t place, double from, double to)
{
	const struct shading *shading = taker;
	const struct stored_row *row = &shading->gather->store.rows[place];

	json_uint(shading->json, row->part);
	json_int(shading->json, llround(shading->base + from * second));
	json_int(shading->json, llround(shading->base + to * second));
}

static void put_text(struct json_writer *json, const char *key,
		     struct buf *text)
{
	if (text->n > 0 || text->failed)
		json_add_buf(json, key, text);
}

static void put_price(struct json_writer *json, const struct what_if *w,
		      const struct what_if_remedy *remedy,
		      const struct shading *shading, struct buf *text)
{
	json_add_double(json, "wall", remedy->wall);
	if (remedy->recorded) {
		json_add_bool(json, "recorded", true);
	} else {
		json_add_double(json, "low", remedy->low);
		json_add_double(json, "high", remedy->high);
		json_add_bool(json, "range", remedy->range_only);
		json_add_bool(json, "sure", remedy->sure);
	}
	if (remedy->tokens_lost > 0)
		json_add_double(json, "lost", remedy->tokens_lost);
	what_if_put_change(text, w, remedy, &shading->gather->workers);
	put_text(json, "change", text);
	what_if_put_cost(text, w, remedy);
	put_text(json, "cost", text);
	what_if_put_doubt(text, w, remedy);
	put_text(json, "doubt", text);
	json_add_begin(json, "gone", '[');
	what_if_each_gone(w, remedy, put_gone, (void *)shading);
	json_end(json, ']');
}

static void put_remedies(struct json_writer *json, const struct what_if *w,
			 const struct shading *shading)
{
	struct buf text = buf_new(LIMIT_STRING);

	json_add_begin(json, "remedies", '[');
	for (size_t i = 0; i < w->remedy_count; i++) {
		const struct what_if_remedy *remedy = &w->remedies[i];

		json_begin(json, '{');
		json_add_text(json, "id", remedy->id);
		what_if_put_title(&text, remedy);
		put_text(json, "title", &text);
		if (remedy->refused[0] != '\0')
			json_add_text(json, "refused", remedy->refused);
		else
			put_price(json, w, remedy, shading, &text);
		json_end(json, '}');
	}
	json_end(json, ']');
	buf_free(&text);
}

static void put_bill(struct json_writer *json, const struct what_if *w,
		     const struct what_if_gather *gather)
{
	json_add_uint(json, "row", gather->store.rows[w->bill.place].part);
	json_add_begin(json, "bill", '[');
	for (int i = 0; i < CAUSES; i++) {
		if (!(w->bill.seconds[i] > 0))
			continue;
		json_begin(json, '[');
		json_str(json,
			 str_of(what_if_cause_key((enum what_if_cause)i)));
		json_str(json,
			 str_of(what_if_cause_word((enum what_if_cause)i)));
		json_double(json, w->bill.seconds[i]);
		json_end(json, ']');
	}
	json_end(json, ']');
}

static void put_rest(struct json_writer *json, const struct what_if *w)
{
	json_add_begin(json, "stack", '[');
	for (size_t i = 0; i < w->stack_count; i++) {
		json_begin(json, '[');
		json_str(json, str_of(w->stack[i].remedy->id));
		json_double(json, w->stack[i].wall);
		json_end(json, ']');
	}
	json_end(json, ']');
	json_add_double(json, "bound", fmax(w->bounds.work, w->bounds.longest));
	if (!w->has_luck)
		return;
	json_add_begin(json, "luck", '[');
	json_double(json, w->luck_p5);
	json_double(json, w->luck_p95);
	json_end(json, ']');
}

/* An engine's name with a number, as [name, number]. */
static void put_engine(struct json_writer *json, const struct what_if *w,
		       const struct what_if_gather *gather, size_t engine,
		       double number)
{
	json_begin(json, '[');
	json_str(json,
		 intern_text(&gather->workers.texts, w->model.engines[engine]));
	json_double(json, number);
	json_end(json, ']');
}

/* Engines that stalled for long, in seconds, and slow ones, as how many times as
 * long their decode steps take. */
static void put_engines(struct json_writer *json, const struct what_if *w,
			const struct what_if_gather *gather)
{
	double least = WHAT_IF_STALLED_MOST * w->model.wall;

	if (!w->check.fits)
		return;
	json_add_begin(json, "stalled", '[');
	for (size_t i = 0; i < w->fit.engine_count; i++) {
		double stalled = what_if_stalled_time(&w->fit.engines[i]);

		if (stalled > least)
			put_engine(json, w, gather, i, stalled);
	}
	json_end(json, ']');
	json_add_begin(json, "slow", '[');
	for (size_t i = 0; i < w->fit.engine_count; i++)
		if (w->fit.engines[i].slow)
			put_engine(json, w, gather, i,
				   what_if_slowness(&w->fit, i));
	json_end(json, ']');
}

static void put_what_if(struct json_writer *json, const struct what_if *w,
			const struct what_if_gather *gather, int64_t base)
{
	const struct shading shading = {json, gather,
					(double)(w->model.zero - base)};

	json_add_begin(json, "whatIf", '{');
	json_add_double(json, "wall", w->model.wall);
	if (w->refused[0] != '\0') {
		json_add_text(json, "refused", w->refused);
	} else {
		if (w->check.refused_count > 0)
			json_add_text(json, "refused", w->check.refused[0]);
		json_add_double(json, "error", w->check.wall_error);
		put_engines(json, w, gather);
		put_bill(json, w, gather);
		put_remedies(json, w, &shading);
		put_rest(json, w);
	}
	json_end(json, '}');
}

int page_put_what_if(struct json_writer *json,
		     const struct what_if_gather *gather, int64_t base,
		     struct err *err)
{
	struct what_if *w;

	if (gather->answers.n == 0 || gather->answers.n > PAGE_REQUESTS_MAX)
		return 0;
	w = what_if_gather_price(gather, err);
	if (w == NULL)
		return err->code;
	put_what_if(json, w, gather, base);
	what_if_free(w);
	return 0;
}
