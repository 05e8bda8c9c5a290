#include "rollout/what_if/engine_names.h"

#include <stdlib.h>
#include <string.h>

struct named_engine {
	struct str name;
	uint32_t worker;
};

static int by_name(const void *x, const void *y)
{
	const struct named_engine *a = x;
	const struct named_engine *b = y;
	size_t n = a->name.n < b->name.n ? a->name.n : b->name.n;
	int order = n == 0 ? 0 : memcmp(a->name.p, b->name.p, n);

	return order != 0 ? order
			  : (a->name.n > b->name.n) - (a->name.n < b->name.n);
}

int what_if_number_engines(struct what_if_model *model,
			   const struct answers *answers,
			   const struct workers *workers, uint32_t **by_worker,
			   struct err *err)
{
	size_t most = workers->texts.count;
	struct named_engine *v = calloc(most + 1, sizeof(*v));
	uint32_t *numbers = calloc(most + 1, sizeof(*numbers));

	*by_worker = numbers;
	model->engines = calloc(most + 1, sizeof(*model->engines));
	if (v == NULL || numbers == NULL || model->engines == NULL) {
		free(v);
		return err_memory(err);
	}
	for (size_t i = 0; i < answers->n; i++)
		if (answers->v[i].worker != WORKER_UNKNOWN)
			numbers[answers->v[i].worker] = 1;
	for (uint32_t i = 0; i < most; i++)
		if (numbers[i] == 1)
			v[model->engine_count++] = (struct named_engine){
				intern_text(&workers->texts, i), i};
	qsort(v, model->engine_count, sizeof(*v), by_name);
	for (size_t i = 0; i < model->engine_count; i++) {
		model->engines[i] = v[i].worker;
		numbers[v[i].worker] = (uint32_t)i;
	}
	free(v);
	return 0;
}
