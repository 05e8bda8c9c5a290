/*
 * What a format does to be read by foreign.h, and the common part of a reader.
 * A format's own data follows that part in one struct.
 */
#ifndef OBS_ROLLOUT_FOREIGN_FOREIGN_FORMAT_H
#define OBS_ROLLOUT_FOREIGN_FOREIGN_FORMAT_H

#include "base/err.h"
#include "base/source.h"
#include "fmt/json/json_tree.h"
#include "rollout/foreign/carrier.h"

struct foreign;

/* A format: how its records become rows. */
struct foreign_format {
	const char *name;	      /* "SGLang's request log" */
	const char *row_name, *rows;  /* what a row is: "request", "requests" */
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
	struct buf text;  /* all of the documents */
	bool in_document; /* rest is what follows one */
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
	struct losses lost;
	uint64_t records;    /* of this format that were read */
	bool timed;	     /* a row had a time */
	bool row_timed;	     /* the last one had */
	bool several_clocks; /* of its processes, if none uses the wall
				 * clock */
	bool requests_only;  /* other spans are not needed */
	bool ended;
	bool failed;		 /* reading cannot continue */
	struct foreign **others; /* for other formats' records in the input */
	size_t other_count, other_cap;
	struct foreign *giving; /* whose rows are returned: itself or another */
};

extern const struct foreign_format sglang_log_format, otlp_format, prime_format,
	areal_sessions_format, areal_traces_format, miles_trajectories_format,
	miles_phases_format, nemo_format, verl_format, skyrl_format,
	roll_format;

#endif
