/*
 * The samples of a rollout dump, one at a time, in any format: torch.save in
 * any layout, pickle, JSON {"samples": [...]}, a JSON array or JSONL. A line of
 * JSONL may also be a trace carrier or an SGLang response
 * with its meta_info; and a file of trace records (rollout/records.h) has one
 * sample for each named by its records. The format is detected from the
 * content, never from the name.
 *
 * Source of the shape: slime's slime/utils/types.py (Sample) and
 * rollout debug dumps, read at 624b824a8. Samples may be dicts or pickled
 * objects. Payload (token ids, log probs, tensors) is skipped: a sample takes
 * memory for its trace and little else.
 *
 * An input without any sample is an error that names its kind (sift.h).
 *
 * A sample's pointers are valid until the next rollout_next.
 */
#ifndef OBS_ROLLOUT_ROLLOUT_H
#define OBS_ROLLOUT_ROLLOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/intern.h"
#include "fmt/input.h"
#include "fmt/value/value.h"
#include "rollout/foreign/losses.h"
#include "rollout/sample.h"

struct rollout;

/* Open a dump: an unread input, borrowed until rollout_close. *rollout is set
 * on success only. */
int rollout_open(struct input *input, struct rollout **rollout,
		 struct err *err);
void rollout_close(struct rollout *rollout);

/* Before the first sample: read this field of samples, too; the key is
 * borrowed. False if there are already ROLLOUT_WANT_MAX fields. */
enum { ROLLOUT_WANT_MAX = 16 };
bool rollout_want(struct rollout *rollout, struct str key);

/* May a sample's parts be in several files of the input's format? The name of
 * that format; NULL: no. */
const void *rollout_spans_files(struct input *input);

/* Before the first sample, for such a format: read this input of it after the
 * first, as one. Input and name are borrowed. 0 or an error. */
int rollout_add(struct rollout *rollout, struct input *input, const char *name,
		struct err *err);

/* Before the first sample: skip samples of other frameworks' files that have no
 * time; a file without any times is an error. */
void rollout_need_times(struct rollout *rollout);

/* Before the first sample: no spans of samples are needed but requests. Samples
 * of other frameworks' files then have no others. */
void rollout_need_requests(struct rollout *rollout);

/*
 * The next sample: 1, 0 at the end, or an error. If rollout_can_continue says
 * that the error is a bad line of JSONL, reading may continue.
 */
int rollout_next(struct rollout *rollout, struct sample *sample,
		 struct err *err);
bool rollout_can_continue(const struct rollout *rollout);

/* The origin of its times: 1970, or the start of the one process, or of each
 * process, that wrote them. The last is known at the end. */
enum rollout_clock {
	ROLLOUT_WALL_CLOCK,
	ROLLOUT_OWN_CLOCK,
	ROLLOUT_OWN_CLOCKS
};
enum rollout_clock rollout_clock(const struct rollout *rollout);

/* The name of another framework's format; NULL: it is not one. */
const char *rollout_format(const struct rollout *rollout);

/* What was left out of another framework's file, at its end. */
struct losses rollout_losses(const struct rollout *rollout);

/* Elements among the samples of a dump that are not samples, at its end. */
uint64_t rollout_others(const struct rollout *rollout);

/* Remarks on a valid dump, once rollout_next has returned 0. */
enum rollout_remark {
	ROLLOUT_FINE,
	ROLLOUT_EMPTY,	  /* its list of samples exists and is empty */
	ROLLOUT_NESTED,	  /* its samples are lists of samples */
	ROLLOUT_UNTRACED, /* no sample has a time */
	ROLLOUT_DECOYS	  /* other files called data.pkl were ignored */
};
enum rollout_remark rollout_remark(const struct rollout *rollout);

/*
 * Final checks after the last sample: 0, or 1 with err filled if the data were
 * read but are doubtful (a wrong CRC, more after the dump), or an error.
 */
int rollout_finish(struct rollout *rollout, struct err *err);

/* After the last sample: ERR_INPUT with err filled if a file of another
 * framework has no times; otherwise 0. */
int rollout_check_times(const struct rollout *rollout, struct err *err);

/* The unknown classes named by a pickle, as far as it has been read: see
 * pickle_classes. NULL: not a pickle. */
const struct intern *rollout_classes(const struct rollout *rollout);

/* The dump's rollout_id as far as it has been read, else VALUE_ABSENT. */
struct value rollout_id(const struct rollout *rollout);

/* What its rows are: "sample", or "thread" and such of other formats. */
const char *rollout_row_name(const struct rollout *rollout);

#endif
