/*
 * A streaming JSON reader (RFC 8259) for rollout dumps: one sample at a time,
 * in memory that grows neither with the input nor with skipped payload.
 *
 * The input is one of
 *	{"samples": [sample, ...], "rollout_id": N, ...}   keys in any order
 *	[sample, ...]
 *	sample \n sample \n ...                            JSONL, or only one
 * told apart as it is read. Beyond the RFC it takes what Python's json writes
 * and reads: NaN, Infinity and -Infinity, integers of any length (past int64
 * VALUE_BIGINT), lone surrogates (kept as three bytes, see base/utf8.h), a
 * byte order mark. Duplicate keys are all kept, value_get returns the last.
 * Text that is built must be UTF-8; skipped text is not checked as closely.
 *
 * Values live in the arena passed for their sample. LIMIT_DEPTH bounds the
 * nesting (there is no recursion) and LIMIT_STACK that of skipped payload,
 * LIMIT_STRING a string, LIMIT_INT_BYTES an integer.
 */
#ifndef OBS_FMT_JSON_JSON_READ_H
#define OBS_FMT_JSON_JSON_READ_H

#include "base/arena.h"
#include "base/err.h"
#include "base/source.h"
#include "fmt/value/value.h"
#include "fmt/value/value_filter.h"

struct json_reader;

/*
 * A reader of the source from its current position; rewind is not used. Source
 * and filter are borrowed until json_close; without a filter everything is
 * built. NULL if out of memory.
 */
struct json_reader *json_open(struct byte_source *source,
			      const struct value_filter *filter);
void json_close(struct json_reader *r);

/*
 * The next sample: 1, 0 at the end, or an error. A sample that is not an object
 * is returned as it is if it is a scalar, and as VALUE_SKIPPED if it is a list.
 *
 * In JSONL several objects may share a line. A bad one is an error with its
 * line number, and the next call continues after it: with each object that ends
 * at the end of the line or at another one (json_salvaged), as left by a kill
 * or a lost newline; else with the next line. json_can_continue distinguishes
 * this from a fatal error (which has a byte offset). After such an end, and
 * after the last sample, further calls return 0.
 */
int json_next_sample(struct json_reader *r, struct arena *a,
		     struct value *sample, struct err *err);
bool json_can_continue(const struct json_reader *r);

/* If the last sample followed a bad one on its line, the byte before it, else
 * 0. It may be a part of the bad one. */
char json_salvaged(const struct json_reader *r);

/* After the last sample: 1, with err filled, if anything but white space
 * follows the array or object of samples; it is not read. Else 0. */
int json_check_rest(const struct json_reader *r, struct err *err);

/* The container of the elements, once the first has been requested: none
 * (JSONL), an array, or one called "samples". */
enum json_shape { JSON_LINES, JSON_ARRAY, JSON_SAMPLES };
enum json_shape json_shape(const struct json_reader *r);

/* The value of the top object's "rollout_id", as far as it has been read, if it
 * is a scalar; else VALUE_ABSENT. Valid until json_close. */
struct value json_rollout_id(const struct json_reader *r);

/* All of text is one JSON value; a byte order mark may precede it. */
int json_parse(struct str text, struct arena *a, struct value *v,
	       struct err *err);

/*
 * The value at the start of text. The values of the keys in lean, at any depth,
 * are VALUE_SKIPPED and take no memory. *used, unless NULL, is where the value,
 * or the reading, ends; if NULL nothing may follow.
 */
int json_parse_lean(struct str text, const struct str *lean, size_t lean_count,
		    struct arena *a, struct value *v, size_t *used,
		    struct err *err);

#endif
