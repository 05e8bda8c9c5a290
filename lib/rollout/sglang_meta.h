/*
 * Request data in SGLang responses: the attributes of a generation span, and
 * the spans of PD disaggregation below it.
 *
 * Source: slime's slime/utils/trace_utils.py at 624b824a8, which derives them
 * from the meta_info of /generate. A response in OpenAI's format has usage,
 * finish_reason and id, which give the same attributes as far as present.
 *
 * A response may come in parts (a stream): the last value of each attribute
 * counts. Another id means another response, and the last one counts.
 */
#ifndef OBS_ROLLOUT_SGLANG_META_H
#define OBS_ROLLOUT_SGLANG_META_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/source.h"
#include "fmt/value/value.h"

enum {
	SGLANG_PLAIN = 8,   /* attributes of the span */
	SGLANG_SUMMARY = 3, /* of the event sglang_pd_summary */
	SGLANG_PHASES = 2,  /* prefill, decode */
	SGLANG_SEGMENTS = 5 /* of a phase */
};

struct sglang_meta {
	struct value plain[SGLANG_PLAIN]; /* VALUE_ABSENT: none */
	struct value summary[SGLANG_SUMMARY];
	double seconds[SGLANG_PHASES][SGLANG_SEGMENTS]; /* 0: none */
	bool any;					/* one was seen */
	struct arena arena;				/* of the texts */
};

struct sglang_meta sglang_meta_new(void);
void sglang_meta_free(struct sglang_meta *meta);

/* Names: of attributes, in order, and "prefill", "bootstrap_queue". */
const char *sglang_plain_name(size_t i);
const char *sglang_summary_name(size_t i);
const char *sglang_phase_name(size_t phase);
const char *sglang_segment_name(size_t phase, size_t i);

/*
 * Add all responses of a source: JSON, a list, JSONL, or server-sent events
 * with JSON data. 0, or an error if it is none of these; then the rest of the
 * source was not read.
 */
int sglang_meta_read(struct sglang_meta *meta, struct byte_source *source,
		     struct err *err);

#endif
