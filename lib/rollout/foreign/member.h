/*
 * Members of records, if they have the expected kind: any other kind loses the
 * member, not the row.
 */
#ifndef OBS_ROLLOUT_FOREIGN_MEMBER_H
#define OBS_ROLLOUT_FOREIGN_MEMBER_H

#include <stdbool.h>

#include "fmt/json/json_form.h"
#include "fmt/value/value.h"

/* A value as a finite number. */
bool finite_number(struct value v, double *number);

/* The value if it is of that kind, else absent. */
static inline struct value of_kind(struct value v, enum value_kind kind)
{
	return v.kind == kind ? v : (struct value){.kind = VALUE_ABSENT};
}

/* The same if it is a finite number, or if it is an index or an id: a whole
 * number or a text. */
static inline struct value finite_value(struct value v)
{
	double number;

	return finite_number(v, &number) ? v
					 : (struct value){.kind = VALUE_ABSENT};
}

static inline struct value id_value(struct value v)
{
	bool is_id = v.kind == VALUE_INT || v.kind == VALUE_BIGINT ||
		     v.kind == VALUE_STR;

	return is_id ? v : (struct value){.kind = VALUE_ABSENT};
}

/* The same for a member of a record. */
static inline bool member_number(struct value record, const char *key,
				 double *number)
{
	return finite_number(value_get(record, key), number);
}

static inline struct value member_value(struct value record, const char *key)
{
	return finite_value(value_get(record, key));
}

static inline struct value member_of_kind(struct value record, const char *key,
					  enum value_kind kind)
{
	return of_kind(value_get(record, key), kind);
}

static inline struct value member_text(struct value record, const char *key)
{
	return member_of_kind(record, key, VALUE_STR);
}

static inline struct value member_id(struct value record, const char *key)
{
	return id_value(value_get(record, key));
}

/* The type of finish_reason, which is an object in newer engines. */
struct value member_finish_reason(struct value record);

#endif
