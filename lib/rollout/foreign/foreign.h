/*
 * Files of other frameworks and of engines, read as rollouts: each of their
 * rows is a sample (carrier.h). The table in foreign.c lists the formats, how
 * to detect them and what each becomes; each has its own file.
 *
 * They are JSONL; OTLP may also be one object over many lines. A line that is
 * not a JSON object, or an unknown record, is an error with its line number,
 * after which reading can continue. A record of another of the formats is read,
 * too, with one error: inputs may have been mixed.
 *
 * Memory: one record for formats that stream; formats whose rows are spread
 * over the file keep their data until its end, in `kept`.
 */
#ifndef OBS_ROLLOUT_FOREIGN_FOREIGN_H
#define OBS_ROLLOUT_FOREIGN_FOREIGN_H

#include "fmt/input.h"
#include "rollout/foreign/foreign_format.h"

/* The format of an input that begins like this; NULL: none of these. */
const struct foreign_format *foreign_detect(struct str head);

/* The same of an input, more of which may be read, and of a single record. */
const struct foreign_format *foreign_detect_input(struct input *input);
const struct foreign_format *foreign_of_record(struct str record);

/* A reader of source, which is borrowed until foreign_close. NULL if out of
 * memory. */
struct foreign *foreign_open(const struct foreign_format *format,
			     struct byte_source *source);
void foreign_close(struct foreign *f);

/* Before the first row: read this after the previous input, as one. Both are
 * borrowed. 0 or an error. */
int foreign_add(struct foreign *f, struct byte_source *source, const char *name,
		struct err *err);

/* Before the first row: no spans but those of requests are needed. */
static inline void foreign_need_requests(struct foreign *f)
{
	f->requests_only = true;
}

/* The next row as a sample built in the arena, and in the reader's memory valid
 * until the next call: 1; 0 at the end; or an error. Its position is 0. */
int foreign_next(struct foreign *f, struct arena *arena, struct sample *sample,
		 struct err *err);

/* The error for a file that was read to its end and has no times, or no
 * rows. */
int foreign_no_times(const struct foreign *f, struct err *err);
int foreign_no_rows(const struct foreign *f, struct err *err);

/* What was left out so far. */
struct losses foreign_losses(const struct foreign *f);

static inline void foreign_stop(struct foreign *f)
{
	f->failed = true;
}
/* After an error: is there more to read? */
static inline bool foreign_can_continue(const struct foreign *f)
{
	return !f->failed;
}

#endif
