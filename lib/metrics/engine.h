/*
 * What the metrics of SGLang, vLLM and Ray mean, as tables: how a gauge is
 * reduced, and what the scalars of a training step are made of.
 */
#ifndef OBS_METRICS_ENGINE_H
#define OBS_METRICS_ENGINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "metrics/catalogue.h"

/* The name without the prefix of an engine, as any of them spells it:
 * sglang:x, sglang_x, vllm:x, vllm_x, ray_vllm_x, ray_vllm:x, ray_x. */
struct str engine_bare_name(struct str name);

/* How a gauge of that name is reduced: OP_SUM, OP_MEAN or OP_MAX. */
enum reduce_op engine_gauge_op(struct str name);

/* Is a gauge better when it is high, as throughput is? For marking the worst
 * worker. */
bool engine_high_is_good(struct str name);

/* Is the metric a counter by its name, whatever TYPE says? Ray's are. */
bool engine_is_counter(struct str name);

/* How one scalar of a step is made. */
enum step_how {
	STEP_GAUGE_SUM,
	STEP_GAUGE_MEAN,
	STEP_RATE,	     /* increase of `of` by seconds */
	STEP_INCREASE,	     /* increase of `of` */
	STEP_RATIO,	     /* increase of `of` by that of `by`, plus `plus` */
	STEP_RATIO_BY_LABEL, /* the same for each value N of `label` from 0, as
			      * KEY with N + 1 after it */
	STEP_QUANTILE	     /* of the increase of the buckets of `of` */
};

struct step_key {
	const char *key; /* without the prefix */
	const char *of;	 /* metric without engine's prefix and _total */
	enum step_how how;
	const char *by;
	double plus; /* of STEP_QUANTILE: the quantile */
	const char *label;
};

struct engine {
	const char *name;	     /* also the prefix of the keys */
	const char *const *prefixes; /* of metrics; NULL at the end */
	const struct step_key *keys;
	size_t n_keys;
};

/* The engine of that name, NULL when there is none. */
const struct engine *engine_find(const char *name);

/* The engine that a metric of that name is of, NULL when it is of none. */
const struct engine *engine_of(struct str name);

/* Does the name begin as the engine's metrics do? The bytes of the prefix, 0
 * when it does not. */
size_t engine_has(const struct engine *engine, struct str name);

#endif
