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

/* A raw member that outlives its record: later ones that are the same need not
 * be read. For each i below JSON_KNOWN one is known, the last. */
void foreign_know(struct foreign *f, size_t i, struct value raw);

/* Values that outlive their records, each once, by number: raw ones, or any
 * others. Owns its memory. */
struct kept_values {
	struct intern keys;
	struct value *of; /* by number */
	size_t cap;
};

struct kept_values kept_values_new(void);
void kept_values_free(struct kept_values *values);

/* The number of a value, or INTERN_FAILED with err filled. A container is
 * dropped. */
uint32_t foreign_keep_number(struct kept_values *values, struct value v,
			     struct err *err);

/* A value that outlives its record, its text in the table, or if it is raw in
 * f->kept. A container is dropped. False: no memory. */
bool foreign_keep(struct foreign *f, struct intern *texts, struct value v,
		  struct value *kept);

#endif
