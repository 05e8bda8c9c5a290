/*
 * Remedies in words: the option to change, as slime, SGLang and vLLM call it,
 * what it costs, and what is not sure about the price.
 */
#ifndef OBS_ROLLOUT_WHAT_IF_ADVICE_H
#define OBS_ROLLOUT_WHAT_IF_ADVICE_H

#include "base/buf.h"
#include "rollout/what_if/priced.h"
#include "rollout/worker.h"

/* Append seconds with three digits that count: 1284, 13.4, 4.16, 0.021. */
void what_if_put_seconds(struct buf *text, double seconds);

/* Append "cut at p95, 259 tokens" and so on. */
void what_if_put_title(struct buf *text, const struct what_if_remedy *remedy);

/* Append what to change; the workers are those of the model's engines. */
void what_if_put_change(struct buf *text, const struct what_if *what_if,
			const struct what_if_remedy *remedy,
			const struct workers *workers);

/* Append what it costs. */
void what_if_put_cost(struct buf *text, const struct what_if *what_if,
		      const struct what_if_remedy *remedy);

/* Append why the price is less than sure; nothing if it is. */
void what_if_put_doubt(struct buf *text, const struct what_if *what_if,
		       const struct what_if_remedy *remedy);

/* The slots of an engine, if all have as many; else 0. */
uint32_t what_if_slots(const struct what_if *what_if);

#endif
