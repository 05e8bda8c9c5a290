/*
 * The records of the lines, or of the document, that a reader's files hold.
 * Private to foreign.c.
 */
#ifndef OBS_ROLLOUT_FOREIGN_FOREIGN_RECORD_H
#define OBS_ROLLOUT_FOREIGN_FOREIGN_RECORD_H

#include "rollout/foreign/foreign_format.h"

/* The next record, whose text is f->read: 1, 0 at the end, or an error. */
int foreign_next_record(struct foreign *f, struct value *record,
			struct err *err);

/* The record at the start of a text, and where it ends; NULL: it must be all of
 * the text. 0 or an error: ERR_INPUT if it is not an object. */
int foreign_parse_record(struct foreign *f, struct str text,
			 struct value *record, size_t *used, struct err *err);

#endif
