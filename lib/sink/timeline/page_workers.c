#include "sink/timeline/page_workers.h"

void page_put_worker(struct json_writer *w, const struct workers *workers,
		     uint32_t worker)
{
	if (worker == WORKER_UNKNOWN)
		json_null(w);
	else
		json_str(w, intern_text(&workers->texts, worker));
}

static bool is_served(const struct item *item)
{
	return item->is_request && item->role == ROLE_NONE &&
	       item->state <= ITEM_OPEN;
}

int page_put_workers(struct json_writer *w, struct workers *workers,
		     const struct sample *sample, const struct row *row,
		     uint32_t usual, struct err *err)
{
	bool any = false;

	for (uint32_t i = 0; i < row->item_count; i++) {
		int64_t number = usual;

		if (is_served(&row->items[i]))
			number = workers_number(workers, &row->items[i], sample,
						err);
		if (number < 0)
			return (int)number;
		if ((uint32_t)number == usual)
			continue;
		if (!any)
			json_add_begin(w, "workers", '[');
		any = true;
		json_begin(w, '[');
		json_uint(w, i);
		page_put_worker(w, workers, (uint32_t)number);
		json_end(w, ']');
	}
	if (any)
		json_end(w, ']');
	return 0;
}

void page_put_speeds(struct json_writer *w, const struct workers *workers)
{
	json_add_begin(w, "slow", '[');
	for (uint32_t i = 0; i < workers->texts.count; i++)
		if (workers->v[i].slow)
			json_str(w, intern_text(&workers->texts, i));
	json_end(w, ']');
	json_add_begin(w, "speeds", '[');
	for (uint32_t i = 0; i < workers->texts.count; i++) {
		const struct worker_speed *one = &workers->v[i];

		if (one->token_times.n == 0)
			continue;
		json_begin(w, '[');
		json_str(w, intern_text(&workers->texts, i));
		json_uint(w, one->token_times.n);
		json_double(w, one->token_time);
		json_end(w, ']');
	}
	json_end(w, ']');
}
