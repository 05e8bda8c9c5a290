/*
 * Remedies in words: the option to change in slime, SGLang and vLLM, its cost,
 * and what is uncertain about the estimate.
 */
#ifndef OBS_ROLLOUT_WHAT_IF_ADVICE_H
#define OBS_ROLLOUT_WHAT_IF_ADVICE_H

#include "base/buf.h"
#include "rollout/what_if/priced.h"
#include "rollout/worker.h"

/* Append seconds with three significant digits: 1284, 13.4, 4.16, 0.021. */
void what_if_put_seconds(struct buf *text, double seconds);

/* Append "cut at p95 (259 tokens)" and so on. */
void what_if_put_title(struct buf *text, const struct what_if_remedy *remedy);

/* Append what to change; the workers are those of the model's engines. */
void what_if_put_change(struct buf *text, const struct what_if *what_if,
			const struct what_if_remedy *remedy,
			const struct workers *workers);

/* Append what it costs. */
void what_if_put_cost(struct buf *text, const struct what_if *what_if,
		      const struct what_if_remedy *remedy);

/* Append why the estimate is uncertain; nothing if it is not. */
void what_if_put_doubt(struct buf *text, const struct what_if *what_if,
		       const struct what_if_remedy *remedy);

/* The remedy with the largest of the sure savings; NULL: none is sure. */
const struct what_if_remedy *what_if_best(const struct what_if *what_if);

/* The slots of an engine, if all have the same number; else 0. */
uint32_t what_if_slots(const struct what_if *what_if);

#endif
