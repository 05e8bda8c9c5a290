/*
 * Any bytes as figures that obs-perfsum saved: each rollout that is read has
 * figures whose keys are found again, and a bad line ends nothing but itself.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "rollout/figures.h"
#include "rollout/saved.h"

#include "fuzz.h"

static void check_rollout(const struct saved_rollout *rollout)
{
	const struct figures *figures = &rollout->figures;

	for (size_t i = 0; i < figures->n; i++) {
		const struct figure *figure = &figures->v[i];

		require(str_starts(str_of(figure->key), "perf/"));
		require(!isnan(figure->value));
		require(figures_find(figures, str_of(figure->key)) != NULL);
		figure_good(figure->key);
		require(figure_statistic(figure->key) != NULL);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct str text = str_make((const char *)bytes, n);
	struct text_source source = text_source_of(text);
	struct saved *saved = saved_open(&source.source);
	struct saved_rollout rollout;
	int rc = 1;

	require(saved != NULL);
	saved_detect(text);
	while (rc == 1 || (rc < 0 && saved_can_continue(saved))) {
		struct err err = {0};

		rc = saved_next(saved, &rollout, &err);
		require(rc >= 0 || err.text[0] != '\0');
		if (rc != 1)
			continue;
		check_rollout(&rollout);
		figures_free(&rollout.figures);
	}
	saved_close(saved);
	return 0;
}
