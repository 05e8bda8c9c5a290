/*
 * The information in a trace's file name: the run, the rank, and the stage of
 * disaggregated serving.
 *
 *	ID-TP-0[-DP-0][-PP-0][-EP-0][-DECODE].trace.json.gz	SGLang
 *	IDrank0.1757400000000000000.pt.trace.json.gz		vLLM
 */
#ifndef OBS_PROFILE_PROFILE_FILE_H
#define OBS_PROFILE_PROFILE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

struct profile_file {
	bool known;	  /* the name has one of these forms */
	struct str id;	  /* of the run; borrowed from the name */
	struct str stage; /* as spelled; n is 0 without one */
	int64_t rank;	  /* PROFILE_FILE_NO_RANK */
	bool ranks;	  /* vLLM's form: the id contains numbers */
};

enum { PROFILE_FILE_NO_RANK = -1 };

/* name: of a file, without directories. */
struct profile_file profile_file_read(struct str name);

/* Append the group of a trace with this name: the run and its stage. */
void profile_file_put_group(struct buf *b, const struct profile_file *file);

#endif
