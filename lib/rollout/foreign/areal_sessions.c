/*
 * AReaL's session tracer: sessions-rN.jsonl, one line per session.
 *
 * Source: areal/utils/perf_tracer.py, read in 2026-08.
 */
#include "rollout/foreign/foreign.h"

enum {
	TASK_ID,
	SESSION_ID,
	RANK,
	ROLE,
	STATUS,
	REASON,
	SUBMIT_TS,
	FINALIZED_TS,
	PHASES,
	COUNTERS,
	SESSION_MEMBERS
};
enum { START_TS, END_TS, PHASE_MEMBERS };

static const struct json_member phase_members[PHASE_MEMBERS] = {
	[START_TS] = {.key = JSON_KEY("start_ts")},
	[END_TS] = {.key = JSON_KEY("end_ts")},
};

static const struct json_form phase_form = JSON_FORM(phase_members);
static const struct json_form phases_form = {.each = &phase_form};

static const struct json_member session_members[SESSION_MEMBERS] = {
	[TASK_ID] = {.key = JSON_KEY("task_id")},
	[SESSION_ID] = {.key = JSON_KEY("session_id")},
	[RANK] = {.key = JSON_KEY("rank")},
	[ROLE] = {.key = JSON_KEY("role")},
	[STATUS] = {.key = JSON_KEY("status")},
	[REASON] = {.key = JSON_KEY("reason")},
	[SUBMIT_TS] = {.key = JSON_KEY("submit_ts")},
	[FINALIZED_TS] = {.key = JSON_KEY("finalized_ts")},
	[PHASES] = {.key = JSON_KEY("phases"), .form = &phases_form},
	[COUNTERS] = {.key = JSON_KEY("counters")},
};

static const struct json_form session_form = JSON_FORM(session_members);

struct sessions {
	struct foreign base; /* first: the format's functions cast back */
	const struct value *session; /* its members */
};

static int take(struct foreign *f, struct value record, struct err *err)
{
	const struct value *session = record.items->v;

	if (session[SESSION_ID].kind == VALUE_ABSENT ||
	    session[SUBMIT_TS].kind == VALUE_ABSENT)
		return err_set(err, ERR_INPUT, "not a session of AReaL");
	((struct sessions *)f)->session = session;
	return 1;
}

static struct value session_attrs(struct carrier *c,
				  const struct value *session)
{
	struct value attrs = carrier_span_attrs(c);
	struct value reason = of_kind(session[REASON], VALUE_STR);

	carrier_attr(c, attrs, "rank", finite_value(session[RANK]));
	carrier_attr(c, attrs, "reason", reason);
	carrier_attr(c, attrs, "counters",
		     of_kind(session[COUNTERS], VALUE_DICT));
	if (value_is_str(session[STATUS], "failed"))
		carrier_attr(c, attrs, "error_type", reason);
	return attrs;
}

static void add_phase(struct carrier *c, struct value session,
		      struct value name, struct value phase)
{
	struct carrier_span span = {.name = name, .parent = session};

	if (!finite_number(json_form_get(phase, END_TS), &span.end))
		span.end = NAN;
	if (!finite_number(json_form_get(phase, START_TS), &span.start)) {
		if (!isnan(span.end))
			carrier_orphan(c, &span);
		else
			c->lost.of[LOST_EVENT]++;
		return;
	}
	if (value_is_str(name, "generate"))
		carrier_set_latency(c, &span);
	carrier_span(c, &span);
}

static void add_phases(struct carrier *c, struct value session,
		       struct value phases)
{
	for (uint32_t i = 0; i < phases.items->n; i += 2) {
		struct value list = phases.items->v[i + 1];

		for (uint32_t k = 0;
		     list.kind == VALUE_LIST && k < list.items->n; k++)
			add_phase(c, session, phases.items->v[i],
				  list.items->v[k]);
	}
}

static int row(struct foreign *f, uint64_t i, struct carrier *c,
	       struct err *err)
{
	const struct value *session = ((struct sessions *)f)->session;
	struct carrier_span span = {.name = value_literal("session")};
	struct value id = {.kind = VALUE_ABSENT};

	(void)i, (void)err;
	CARRIER_SET(c, index, id_value(session[SESSION_ID]));
	CARRIER_SET(c, group_index, id_value(session[TASK_ID]));
	CARRIER_SET(c, status, of_kind(session[STATUS], VALUE_STR));
	CARRIER_SET(c, source, of_kind(session[ROLE], VALUE_STR));
	span.attrs = session_attrs(c, session);
	if (!finite_number(session[FINALIZED_TS], &span.end))
		span.end = NAN;
	if (finite_number(session[SUBMIT_TS], &span.start))
		id = carrier_span(c, &span);
	else if (!isnan(span.end))
		carrier_orphan(c, &span);
	if (session[PHASES].kind == VALUE_DICT)
		add_phases(c, id, session[PHASES]);
	return 1;
}

const struct foreign_format areal_sessions_format = {
	.name = "AReaL's session trace",
	.row_name = "session",
	.rows = "sessions",
	.form = &session_form,
	.size = sizeof(struct sessions),
	.take = take,
	.row = row,
};
