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
 * An input without any sample is an error that says what it is (sift.h).
 *
 * What a sample points to is valid until the next rollout_next.
 */
#ifndef OBS_ROLLOUT_ROLLOUT_H
#define OBS_ROLLOUT_ROLLOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/intern.h"
#include "fmt/input.h"
#include "fmt/value/value.h"
#include "rollout/sample.h"

struct rollout;

/* Open a dump: an input of which nothing has been read yet, borrowed until
 * rollout_close. *rollout is set on success only. */
int rollout_open(struct input *input, struct rollout **rollout,
		 struct err *err);
void rollout_close(struct rollout *rollout);

/* Before the first sample: read this field of the samples as well; the key
 * is borrowed. False if ROLLOUT_WANT_MAX fields are wanted already. */
enum { ROLLOUT_WANT_MAX = 16 };
bool rollout_want(struct rollout *rollout, struct str key);

/* May parts of a sample stand in several files of the input's format? The format
 * is what tells such files apart; NULL: they may not. */
const void *rollout_spans_files(const struct input *input);

/* Before the first sample, of such a format: read this input of it behind the
 * first, as one. Input and name are borrowed. 0 or an error. */
int rollout_add(struct rollout *rollout, struct input *input, const char *name,
		struct err *err);

/* Before the first sample: samples of other frameworks' files that have no
 * time are skipped, and a file in which none has one is an error. */
void rollout_need_times(struct rollout *rollout);

/*
 * The next sample: 1, 0 at the end, or an error. After an error that
 * rollout_can_continue says is one bad line of JSONL the reading may go on.
 */
int rollout_next(struct rollout *rollout, struct sample *sample,
		 struct err *err);
bool rollout_can_continue(const struct rollout *rollout);

/* What its times count from: 1970, or the moment at which the one process, or
 * each of the processes, that wrote them began. The last is known at the end. */
enum rollout_clock {
	ROLLOUT_WALL_CLOCK,
	ROLLOUT_OWN_CLOCK,
	ROLLOUT_OWN_CLOCKS
};
enum rollout_clock rollout_clock(const struct rollout *rollout);

/* What a format of another framework is called; NULL: it is none. */
const char *rollout_format(const struct rollout *rollout);

/* Worth a word, once rollout_next has given 0: of a dump that is one. */
enum rollout_remark {
	ROLLOUT_FINE,
	ROLLOUT_EMPTY,	  /* its list of samples is there and empty */
	ROLLOUT_NESTED,	  /* its samples are lists of samples */
	ROLLOUT_UNTRACED, /* no sample says when anything happened */
	ROLLOUT_DECOYS	  /* other files called data.pkl were ignored */
};
enum rollout_remark rollout_remark(const struct rollout *rollout);

/*
 * What is left to check when the last sample was read: 0, or 1 with err
 * filled when the data were read but are doubtful (a wrong CRC), or an error.
 */
int rollout_finish(struct rollout *rollout, struct err *err);

/* After the last sample: err says that a file of another framework has no
 * times, and is ERR_INPUT; 0 when it has, or is none. */
int rollout_check_times(const struct rollout *rollout, struct err *err);

/* The classes that a pickle names and that are not known here, as far as it has
 * been read: see pickle_classes. NULL: it is no pickle. */
const struct intern *rollout_classes(const struct rollout *rollout);

/* The dump's rollout_id as far as it has been read, else VALUE_ABSENT. */
struct value rollout_id(const struct rollout *rollout);

#endif
