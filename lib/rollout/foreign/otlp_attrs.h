/*
 * The members of OTLP's objects, and attributes as values; private to otlp*.c.
 */
#ifndef OBS_ROLLOUT_FOREIGN_OTLP_ATTRS_H
#define OBS_ROLLOUT_FOREIGN_OTLP_ATTRS_H

#include "rollout/foreign/otlp_parts.h"

/* A member that has two spellings. */
static inline struct value otlp_pick(const struct value *members, size_t camel,
				     size_t snake)
{
	return members[camel].kind != VALUE_ABSENT ? members[camel]
						   : members[snake];
}

/* Whole ns from a text or a number; 0 if it is neither. */
int64_t otlp_time(struct value v);

/* The attributes of a span, an event or a resource: the members that are read,
 * and a dict of them. Absent: none, or out of memory. */
extern const struct json_form otlp_attr_form;
struct value otlp_attrs(struct arena *a, struct value list);

/* The same, outliving the record. False: no memory. */
bool otlp_keep_attrs(struct otlp *o, struct value list, struct value *attrs);

/* A span's name without what is unique to it: "prefill Req 1a2b" with that
 * request id is "prefill Req", and "Scheduler [TP 0] (host:...)" has no host.
 */
struct str otlp_name(struct value name, struct value attrs);

#endif
