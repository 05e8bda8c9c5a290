/*
 * By what the samples and requests of a rollout are told apart when each group
 * of them is summarised by itself: a key of the samples, or an attribute of
 * the requests' spans.
 *
 * The words group (group_index), source and status (as rows have them: struct
 * row) and attempt (of the sample's trace: its last one) tell samples apart.
 * worker is the rule of rollout/worker.h. Any other key is an attribute of the
 * request's own span, at its end or else at its start, or else a field of the
 * sample; null is as good as none.
 */
#ifndef OBS_ROLLOUT_GROUP_BY_H
#define OBS_ROLLOUT_GROUP_BY_H

#include "base/buf.h"
#include "base/intern.h"
#include "rollout/sample.h"
#include "rollout/span.h"

enum group_by { BY_GROUP, BY_SOURCE, BY_STATUS, BY_ATTEMPT, BY_WORKER, BY_KEY };

enum group_by group_by_of(const char *key);

/* Does it tell requests apart, rather than samples? */
static inline bool group_by_requests(enum group_by by)
{
	return by >= BY_WORKER;
}

/* The sample's value by one of the four words; none when it has none. row is
 * its row, or NULL for a sample that has none. *found is set when it has such
 * a field, whatever its value. */
struct value group_by_sample(enum group_by by, const struct sample *sample,
			     const struct row *row, bool *found);

/* The request's value of a key, VALUE_NONE when it is null or there is none;
 * likewise *found. The attributes of a request that is not known are
 * VALUE_ABSENT. */
struct value group_by_request(const char *key, const struct sample *sample,
			      struct value end_attrs, struct value start_attrs,
			      bool *found);

/* What a key is called in JSON and as a label: itself, or by_KEY where that
 * name means something else there. */
enum { GROUP_BY_NAME_MAX = 128 };
void group_by_name(const char *key, bool label, char name[GROUP_BY_NAME_MAX]);

/* The names that there are, to say so when a key was not among them. */
struct group_by_names {
	struct intern fields, attributes;
	uint64_t samples; /* that have been looked at */
};

struct group_by_names group_by_names_new(void);
void group_by_names_free(struct group_by_names *names);

/* Look at a sample, and at the attributes of a request. */
void group_by_see_sample(struct group_by_names *names,
			 const struct sample *sample);
void group_by_see_attributes(struct group_by_names *names, struct value attrs);

/* "nothing has 'x'; samples have index, ..., requests have ..." */
void group_by_explain(const struct group_by_names *names, const char *key,
		      struct buf *text);

#endif
