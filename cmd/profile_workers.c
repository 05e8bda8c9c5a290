#include "profile_workers.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "common.h"
#include "net/client/discover.h"

/* The longest that a worker which does not identify itself delays the start. */
#define LEARN_TIMEOUT (3 * NS_PER_SECOND)

/* No source has workers, as was reported for each: because the replies did not
 * list any, or because there were none. */
static noreturn void leave_without(const struct source *sources, size_t n)
{
	enum status status = STATUS_DONE;

	for (size_t i = 0; i < n; i++)
		if (sources[i].error.code < 0 &&
		    status_of_err(&sources[i].error) > status)
			status = status_of_err(&sources[i].error);
	if (status == STATUS_DONE)
		die(STATUS_IO, "no workers; name them by --router-url or "
			       "--worker");
	status_raise(status);
	exit(finish());
}

void workers_discover(const struct profile_choosing *c,
		      const struct fleet *fleet, struct target_list *list)
{
	static struct source *sources; /* owns the targets */
	size_t n = c->routers.n + c->workers.n;
	struct err err;

	if (n == 0)
		opt_need_input(0);
	sources = calloc(n + 1, sizeof(*sources));
	if (sources == NULL)
		die_memory();
	for (size_t i = 0; i < c->routers.n; i++)
		sources[i] = source_new(SOURCE_ROUTER, c->routers.v[i],
					fleet->router_key);
	for (size_t i = 0; i < c->workers.n; i++)
		sources[c->routers.n + i] =
			source_new(SOURCE_OPERAND, c->workers.v[i], NULL);
	if (n == 0)
		sources[n++] = source_new(SOURCE_LINES, "-", NULL);
	if (discover(sources, n, &fleet->rules, fleet->fetcher, list, &err) <
		    0 ||
	    target_fold(list, &err) < 0)
		die_err(&err);
	for (size_t i = 0; i < n; i++)
		if (sources[i].error.code)
			fail_err(&sources[i].error);
	if (list->n == 0)
		leave_without(sources, n);
}

static bool lacks_role(const struct profile *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (*p->v[i].role == '\0')
			return true;
	return false;
}

/* One whose role is unknown may be the one that was meant. */
static void say_unknown(const struct profile *p)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct profile_worker *w = &p->v[i];

		if (*w->role == '\0' && w->verdict != PROFILE_NOT_SENT &&
		    w->verdict != PROFILE_REACHABLE)
			fail("%s: skipped, its role is unknown: %s",
			     w->target->address, w->text);
	}
}

/* Traces of PD workers by stage never end or break the worker: SGLang's docs
 * say to profile prefill and decode workers one after the other. */
static void reject_stages(const struct profile *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		n += strcmp(p->v[i].role, "prefill") == 0 ||
		     strcmp(p->v[i].role, "decode") == 0;
	if (n > 0)
		die_usage("--profile-by-stage fails on prefill and decode "
			  "workers (%zu of %zu are); select others with "
			  "--role, or add --force to insist",
			  n, p->n);
}

/* Traces that would be lost, or hard to find. */
static void warn_of_names(const struct profile_run *run)
{
	const struct profile_fields *f = &run->profile->fields;

	if (f->id && run->shared_dir && run->profile->n > 1)
		warn("with one name in one directory, workers overwrite each "
		     "other's traces");
	if (f->merge && f->prefix)
		warn("engines do not find the traces to merge when these have "
		     "a prefix");
}

void workers_choose(const struct profile_choosing *c,
		    const struct profile_run *run,
		    const struct target_list *list)
{
	struct profile *p = run->profile;
	bool stages = p->fields.by_stage && run->action == PROFILE_START;
	struct err err = {0};
	bool learn;

	if (profile_plan(p, list, c->only, &err) < 0)
		die_given("--only", NULL, &err);
	learn = run->wait_seconds >= 0 ||
		(lacks_role(p) && (stages || c->role));
	if (p->fetch.timeout > LEARN_TIMEOUT)
		p->fetch.timeout = LEARN_TIMEOUT;
	if (learn && profile_learn(p, &err) < 0)
		die_err(&err);
	if (c->role && strcmp(c->role, "regular") != 0)
		say_unknown(p);
	profile_forget(p);
	if (c->role)
		profile_keep_role(p, c->role);
	if (p->n == 0)
		die(STATUS_IO, "no worker matches --only or --role");
	if (stages && !c->force)
		reject_stages(p);
	if (run->output_dir &&
	    profile_set_dirs(p, run->output_dir, run->shared_dir, &err) < 0)
		die_err(&err);
	if (run->action == PROFILE_START)
		warn_of_names(run);
}
