/*
 * What readers keep of a record when the next one is read.
 */
#ifndef OBS_ROLLOUT_FOREIGN_KEEP_H
#define OBS_ROLLOUT_FOREIGN_KEEP_H

#include "base/intern.h"
#include "rollout/foreign/foreign.h"

/* The JSON of a member that was read raw, as a value of which the
 * texts are parts of it, made in the arena. Absent is absent. 0 or an error. */
int foreign_parse(struct foreign *f, struct value raw,
		  const struct json_form *form, struct arena *arena,
		  struct value *v, struct err *err);

/* A value that outlives its record, its text in the table, or where
 * it is raw in f->kept. A container is lost. False: no memory. */
bool foreign_keep(struct foreign *f, struct intern *texts, struct value v,
		  struct value *kept);

#endif
