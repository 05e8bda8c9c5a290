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

#include "base/err.h"
#include "base/source.h"
#include "fmt/input.h"
#include "fmt/json/json_tree.h"
#include "rollout/foreign/carrier.h"

struct foreign;

/* A format: how its records become rows. */
struct foreign_format {
	const char *name;	      /* "SGLang's request log" */
	const char *rows;	      /* what a row is: "requests" */
	const struct json_form *form; /* of its records; NULL: they are dicts */
	const struct str *payload;    /* for dicts: keys whose values are
				    * skipped */
	size_t payload_count;
	const char *resume; /* how a record begins after a torn one; or NULL */
	bool document;	    /* may be one object over many lines */
	bool clockless;	    /* times are not since 1970 */
	bool spans_files;   /* a row may continue in the next, rotated file */
	size_t size; /* of its reader, which begins with struct foreign */

	/* Add a record, which is valid until the next one: the number of rows
	 * that it completes, or an error: ERR_INPUT if it is not of this
	 * format. */
	int (*take)(struct foreign *f, struct value record, struct err *err);

	/* After the last record: the number of rows, or an error. NULL: no row
	 * waits for the end. */
	int64_t (*end)(struct foreign *f, struct err *err);

	/* Row i of those announced by take or end. 1; 0 if it has no time and
	 * is not a row; or an error. */
	int (*row)(struct foreign *f, uint64_t i, struct carrier *c,
		   struct err *err);

	/* Free the format's own data; may be NULL. */
	void (*close)(struct foreign *f);
};

/* A file that continues another one. */
struct foreign_more {
	struct byte_source *source;
	const char *name;
};

/* Common to all readers. */
struct foreign {
	const struct foreign_format *format;
	struct byte_source *source;
	const char *name; /* of the source; NULL: the first's */
	struct foreign_more *more;
	size_t more_count, more_cap;
	size_t more_read;
	struct str block; /* unread part of the source's block */
	struct buf line;  /* one that spans blocks */
	struct str rest;  /* of the line, or its part after a record */
	struct str read;  /* the text of the last record */
	struct buf text;  /* all of a document */
	struct json_tree tree;
	struct text_source whole;
	int64_t number;		/* of the line, from 1 */
	int64_t said;		/* the last one with a reported error */
	unsigned torn;		/* records of the line */
	struct arena record;	/* the last record */
	struct arena kept;	/* what outlives it */
	struct carrier carrier; /* the last row returned */
	uint64_t rows;		/* announced */
	uint64_t next;		/* the first of them not yet requested */
	uint64_t position;	/* rows before those */
	struct err trouble;	/* reported by the next call */
	bool timed;		/* a row had a time */
	bool row_timed;		/* the last one had */
	bool several_clocks;	/* of its processes, if none uses the wall
				 * clock */
	bool ended;
	bool failed;		 /* reading cannot continue */
	struct foreign **others; /* for other formats' records in the input */
	size_t other_count, other_cap;
	struct foreign *giving; /* whose rows are returned: itself or another */
};

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

/* The next row as a sample built in the arena, and in the reader's memory valid
 * until the next call: 1; 0 at the end; or an error. Its position is 0. */
int foreign_next(struct foreign *f, struct arena *arena, struct sample *sample,
		 struct err *err);

/* The error for a file that was read to its end and has no times. */
int foreign_no_times(const struct foreign *f, struct err *err);

static inline void foreign_stop(struct foreign *f)
{
	f->failed = true;
}
/* After an error: is there more to read? */
static inline bool foreign_can_continue(const struct foreign *f)
{
	return !f->failed;
}

extern const struct foreign_format sglang_log_format, otlp_format, prime_format,
	areal_sessions_format, areal_traces_format, miles_trajectories_format,
	miles_phases_format, nemo_format, verl_format, skyrl_format,
	roll_format;

#endif
