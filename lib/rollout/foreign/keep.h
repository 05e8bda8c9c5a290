/*
 * Copies of parts of a record that outlive it.
 */
#ifndef OBS_ROLLOUT_FOREIGN_KEEP_H
#define OBS_ROLLOUT_FOREIGN_KEEP_H

#include "base/intern.h"
#include "rollout/foreign/foreign.h"

/* The JSON of a member that was read raw, as a value whose texts are parts of
 * it, built in the arena. Absent stays absent. 0 or an error. */
int foreign_parse(struct foreign *f, struct value raw,
		  const struct json_form *form, struct arena *arena,
		  struct value *v, struct err *err);

/* A value that outlives its record, its text in the table, or if it is raw in
 * f->kept. A container is dropped. False: no memory. */
bool foreign_keep(struct foreign *f, struct intern *texts, struct value v,
		  struct value *kept);

#endif
