/*
 * The two halves of a request on engines with disaggregated prefill and decode
 * (PD), and the reported durations of each one's segments, in the order in
 * which they are shown, end to end.
 *
 * Source: slime's slime/utils/trace_utils.py, read at
 * 624b824a8.
 */
#ifndef OBS_ROLLOUT_PD_ROLE_H
#define OBS_ROLLOUT_PD_ROLE_H

/* The half of a PD split generation that an item represents. */
enum item_role { ROLE_NONE, ROLE_PREFILL, ROLE_DECODE };

enum { PD_ROLES = 2, PD_SEGMENTS = 5 };

struct pd_role {
	enum item_role role;
	const char *name;
	const char *suffix; /* of its virtual lane's name */
	const char *segments[PD_SEGMENTS];
	const char *keys[PD_SEGMENTS]; /* the attribute of each, seconds */
};

extern const struct pd_role pd_roles[PD_ROLES];

#endif
