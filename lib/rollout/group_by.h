/*
 * The key that groups samples and requests of a rollout, to summarise each
 * group separately: a key of the samples, or an attribute of the requests'
 * spans.
 *
 * The words group (group_index), source and status (as rows have them: struct
 * row) and attempt (the last one in the sample's trace) group samples. worker
 * follows the rule of rollout/worker.h. Any other key is an attribute of the
 * request's own span, at its end or else at its start, or else a field of the
 * sample; null counts as missing.
 */
#ifndef OBS_ROLLOUT_GROUP_BY_H
#define OBS_ROLLOUT_GROUP_BY_H

#include "base/buf.h"
#include "base/intern.h"
#include "rollout/sample.h"
#include "rollout/span.h"

enum group_by { BY_GROUP, BY_SOURCE, BY_STATUS, BY_ATTEMPT, BY_WORKER, BY_KEY };

enum group_by group_by_of(const char *key);

/* Does it group requests, rather than samples? */
static inline bool group_by_requests(enum group_by by)
{
	return by >= BY_WORKER;
}

/* The sample's value for one of the four words; none if it has none. row is its
 * row, or NULL if it has none. *found is set if it has such a field, whatever
 * its value. */
struct value group_by_sample(enum group_by by, const struct sample *sample,
			     const struct row *row, bool *found);

/* The request's value for a key, VALUE_NONE if it is null or missing; likewise
 * *found. The attributes of an unknown request are VALUE_ABSENT. */
struct value group_by_request(const char *key, const struct sample *sample,
			      struct value end_attrs, struct value start_attrs,
			      bool *found);

/* The name of a key in JSON and as a label: the key, or by_KEY if that name has
 * another meaning there. */
enum { GROUP_BY_NAME_MAX = 128 };
void group_by_name(const char *key, bool label, char name[GROUP_BY_NAME_MAX]);

/* The existing names, for the error when a key is unknown. */
struct group_by_names {
	struct intern fields, attributes;
	uint64_t samples; /* examined so far */
};

struct group_by_names group_by_names_new(void);
void group_by_names_free(struct group_by_names *names);

/* Collect the keys of a sample, and of a request's attributes. */
void group_by_see_sample(struct group_by_names *names,
			 const struct sample *sample);
void group_by_see_attributes(struct group_by_names *names, struct value attrs);

/* "nothing has 'x'; samples have index, ..., requests have ..." */
void group_by_explain(const struct group_by_names *names, const char *key,
		      struct buf *text);

#endif
