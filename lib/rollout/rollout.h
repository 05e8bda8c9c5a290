/*
 * The samples of a rollout dump, one at a time, whatever wrote the dump:
 * torch.save in any layout, pickle, JSON {"samples": [...]}, a JSON array or
 * JSONL. A line of JSONL may also be a trace carrier or an SGLang response
 * with its meta_info; and a file of trace records (rollout/records.h) has a
 * sample for each that its records are of. Told apart by content, never by
 * name.
 *
 * Source of the shape: slime's slime/utils/types.py (Sample) and
 * rollout debug dumps, read at 624b824a8. Samples may be dicts or pickled
 * objects. Payload (token ids, log probs, tensors) is passed over: a sample
 * costs memory for its trace and little else.
 *
 * What a sample points to is valid until the next rollout_next.
 */
#ifndef OBS_ROLLOUT_ROLLOUT_H
#define OBS_ROLLOUT_ROLLOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "fmt/value/value.h"

/* The fields that programs look at; VALUE_ABSENT when the sample has none. */
struct sample {
	uint64_t position; /* in its dump, from 0 */
	struct value index;
	struct value group_index;
	struct value source;
	struct value status; /* an enum member is its value: "completed" */
	struct value label;
	struct value reward;
	struct value metadata;
	struct value trace;
	struct value meta_info;		  /* of an SGLang response */
	struct value response_length;	  /* tokens */
	struct value non_generation_time; /* seconds */
	struct value loss_mask; /* VALUE_SKIPPED with its sum, or none */
};

/* The fields of a decoded sample; position is 0. */
void sample_from(struct sample *sample, struct value v);

struct rollout;

enum { ROLLOUT_HEAD = 64 * 1024 };

/*
 * Open a dump. fd is read from its current offset and stays the caller's; the
 * bytes of head, at most ROLLOUT_HEAD, have been read from it already. A pipe
 * that holds a zip archive is first copied to an unlinked temporary file.
 * *rollout is set on success only.
 */
int rollout_open(int fd, struct str head, struct rollout **rollout,
		 struct err *err);
void rollout_close(struct rollout *rollout);

/*
 * The next sample: 1, 0 at the end, or an error. After an error that
 * rollout_goes_on says is one bad line of JSONL the reading may go on.
 */
int rollout_next(struct rollout *rollout, struct sample *sample,
		 struct err *err);
bool rollout_goes_on(const struct rollout *rollout);

/*
 * What is left to check when the last sample was read: 0, or 1 with err
 * filled when the data were read but are doubtful (a wrong CRC), or an error.
 */
int rollout_finish(struct rollout *rollout, struct err *err);

/* The dump's rollout_id as far as it has been read, else VALUE_ABSENT. */
struct value rollout_id(const struct rollout *rollout);

#endif
