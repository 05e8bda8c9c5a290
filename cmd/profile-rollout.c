/*
 * profile-rollout: start and stop the profilers of an engine's workers.
 *
 * The workers are chosen first (profile_workers.h), and the action then runs on
 * all of them together (profile_run.h).
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "common.h"
#include "fleet.h"
#include "fmt/file/gzip_read.h"
#include "opt_read.h"
#include "output.h"
#include "profile_run.h"
#include "profile_workers.h"

static const char *const actions[] = {"start", "stop", "status", "list", NULL};
static const char *const engines[] = {"sglang", "vllm", NULL};
static const char *const roles[] = {"prefill", "decode", "regular", NULL};
static const char *const formats[] = {"table", "json", "jsonl", NULL};

/* Seconds: a stop is answered after the traces are written, in minutes. */
static const double timeouts[] = {[PROFILE_START] = 60,
				  [PROFILE_STOP] = 600,
				  [PROFILE_STATUS] = 10,
				  [PROFILE_LIST] = 10};

static int action = -1, engine, role = -1, format;
static const char *output;
static bool dry_run;
static struct profile profile = {.fields = {.num_steps = 3, .start_step = -1}};
static struct profile_run run = {.profile = &profile, .wait_seconds = -1};
static struct profile_choosing choosing;
static struct fleet fleet = {
	.fetch.concurrency = 4096, /* all in parallel */
	.fetch.limit = "LIMIT_LIST",
	.max_bytes = LIMIT_LIST,
	.rules = {.path = "", .base = true, .sidecar_offset = 1},
};

/* "CPU, GPU, ..." */
static const char *activity_names(void)
{
	static char text[OPT_TEXT_MAX];

	return opt_join_words(&(struct opt){OPT_WORDS(profile_activities)},
			      text);
}

static const char *take_activities(const char *value)
{
	return profile_add_activities(&profile.fields, str_of(value))
		       ? NULL
		       : activity_names();
}

/* clang-format off */
static const struct opt options[] = {
	OPT_GROUP("Workers"),
	OPT_ROUTER(&choosing.routers, "router-url", "router",
		   "profile the workers of the router at URL (default "
		   "$OBS_ROUTER), or the worker at URL"),
	OPT_LIST(0, "worker", "URL", &choosing.workers,
		 "profile the worker at URL; - reads URLs from stdin, one per "
		 "line"),
	OPT_STR(0, "only", "REGEX", &choosing.only,
		"contact only workers whose address matches"),
	OPT_ENUM(0, "role", "ROLE", &role, roles,
		"contact only workers of this role"),
	OPT_ENUM(0, "engine", "ENGINE", &engine, engines,
		"engine of the workers (default sglang)"),
	OPT_FLEET_SIDECARS(&fleet, "1"),
	OPT_GROUP("Action"),
	OPT_ENUM(0, "action", "ACTION", &action, actions,
		"action to take"),
	OPT_FLAG(0, "all-or-nothing", &run.all_or_nothing,
		 "if one worker does not start, stop those that did"),
	OPT_ROW(0, "wait", OPT_KIND_SECONDS, "SECONDS",
		"wait up to SECONDS (default 600) for complete traces in --output-dir",
		.to.dbl = &run.wait_seconds, .min = 0, .max = 1e6, .absent = "600"),
	OPT_FLAG(0, "summary", &run.summary,
		 "with --wait, print what the GPUs did, as profile-summary does"),
	OPT_FLAG(0, "force", &choosing.force,
		"allow --profile-by-stage on prefill or decode workers, and "
		"with --num-steps=0"),
	OPT_FLAG('n', "dry-run", &dry_run,
		"print the requests without sending them"),
	OPT_GROUP("Profile"),
	OPT_INT(0, "num-steps", "N", &profile.fields.num_steps, 0, 1e9,
		"stop after N forward passes (default 3); 0: run until stopped"),
	OPT_INT(0, "start-step", "N", &profile.fields.start_step, 0, 0x1p53,
		"start at the engine's forward pass N"),
	OPT_ROW(0, "activities", OPT_KIND_CALL, "NAME",
		"activities to record, one or more of",
		.to.take = take_activities, OPT_WORDS(profile_activities)),
	OPT_NAME(0, "output-dir", "DIR", &run.output_dir,
		"write traces below DIR on the workers' hosts, in one "
		"subdirectory per worker"),
	OPT_FLAG(0, "shared-dir", &run.shared_dir,
		"write all traces into --output-dir itself"),
	OPT_FLAG(0, "profile-by-stage", &profile.fields.by_stage,
		 "profile prefill and decode separately"),
	OPT_STR(0, "profile-stages", "STAGE,...", &profile.fields.stages,
		"profile only these stages, such as prefill,decode"),
	OPT_FLAG(0, "with-stack", &profile.fields.with_stack,
		 "record stacks"),
	OPT_FLAG(0, "no-with-stack", &profile.fields.no_stack,
		"do not record stacks"),
	OPT_FLAG(0, "record-shapes", &profile.fields.record_shapes,
		 "record tensor shapes"),
	OPT_FLAG(0, "no-record-shapes", &profile.fields.no_shapes,
		"do not record tensor shapes"),
	OPT_FLAG(0, "merge-profiles", &profile.fields.merge,
		 "have each engine merge the traces of its ranks"),
	OPT_STR(0, "profile-prefix", "TEXT", &profile.fields.prefix,
		"start file names with TEXT"),
	OPT_STR(0, "profile-id", "TEXT", &profile.fields.id,
		"name the profile TEXT (default: the current time)"),
	OPT_GROUP("Requests"),
	OPT_FLEET_REQUESTS(&fleet, ": start 60, stop 600, else 10", ": all"),
	OPT_GROUP("Output"),
	OPT_FORMAT(&format, formats, " table"),
	OPT_OUTPUT(&output),
	OPT_COMMON,
};
/* clang-format on */

static const struct program program = {
	.name = "profile-rollout",
	.synopsis = "--action=ACTION [OPTION]... [ACTIVITY]...",
	.about = "Start or stop the profilers of all inference engines "
		 "together, and report whether each succeeded. Operands are "
		 "added to --activities.",
	.options = options,
	.examples = {"profile-rollout --router-url http://localhost:3000 "
		     "--action start",
		     "profile-rollout --worker localhost:30000 "
		     "--action start --output-dir /d --wait",
		     "profile-rollout --worker http://localhost:30000 "
		     "--action stop"},
	.libraries = {{"libcurl", http_version}, {"zlib", gzip_version}},
};

/* An engine that does not know a stage silently records nothing. */
static void check_stages(const char *stages)
{
	while (stages) {
		size_t n = strcspn(stages, ",");

		if (n == 0 || n >= PROFILE_STAGE_MAX)
			die_usage("--profile-stages: expected names of 1 to %d "
				  "bytes, separated by commas",
				  PROFILE_STAGE_MAX - 1);
		stages = stages[n] ? stages + n + 1 : NULL;
	}
}

/* Used in JSON, and in file names on the workers. */
static void check_text(const char *option, const char *text, bool is_name)
{
	if (text == NULL)
		return;
	if (*text == '\0')
		die_usage("--%s is empty", option);
	if (utf8_find_bad(text, text + strlen(text)))
		die_usage("--%s=%s: not UTF-8", option, text);
	if (is_name && strchr(text, '/'))
		die_usage("--%s=%s: expected a part of a file name, without /",
			  option, text);
}

static void check_fields(const struct profile_fields *f)
{
	check_text("output-dir", run.output_dir, false);
	check_text("profile-prefix", f->prefix, true);
	check_text("profile-id", f->id, true);
	check_stages(f->stages);
	check_text("profile-stages", f->stages, false);
	if (f->with_stack && f->no_stack)
		die_usage("--with-stack and --no-with-stack cannot be "
			  "combined");
	if (f->record_shapes && f->no_shapes)
		die_usage("--record-shapes and --no-record-shapes cannot be "
			  "combined");
}

static bool is_action(const char *word)
{
	for (size_t i = 0; actions[i]; i++)
		if (strcmp(word, actions[i]) == 0)
			return true;
	return false;
}

static void check_options(char **operands, int n)
{
	for (int i = 0; i < n; i++) {
		if (!take_activities(operands[i]))
			continue;
		if (action < 0 && is_action(operands[i]))
			die_usage("%s: did you mean --action %s?", operands[i],
				  operands[i]);
		die_usage("%s: expected an activity: %s", operands[i],
			  activity_names());
	}
	check_fields(&profile.fields);
	if (action < 0)
		die_usage("--action is missing");
	if (run.wait_seconds >= 0 && run.output_dir == NULL)
		die_usage("--wait needs --output-dir");
	if (run.summary && run.wait_seconds < 0)
		die_usage("--summary needs --wait");
	if (run.summary && format != 0)
		die_usage("--summary needs --format table; for %s, run "
			  "profile-summary on the directory",
			  formats[format]);
	if (run.wait_seconds >= 0 && action > PROFILE_STOP)
		die_usage("--wait is not for --action %s", actions[action]);
	if (run.all_or_nothing && action != PROFILE_START)
		die_usage("--all-or-nothing is for --action start");
	if (profile.fields.by_stage && profile.fields.num_steps == 0 &&
	    !choosing.force)
		die_usage("--profile-by-stage with --num-steps=0 may never "
			  "finish; to insist, add --force");
}

/* Sending to all at once takes a few descriptors per worker. */
static void raise_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static void open_fleet(void)
{
	/* NOLINTNEXTLINE(*-core.uninitialized.Assign): it has an action here */
	double seconds = fleet.timeout > 0 ? fleet.timeout : timeouts[action];

	if (fleet.timeout <= 0 || fleet.timeout > timeouts[PROFILE_LIST])
		fleet.timeout = timeouts[PROFILE_LIST];
	raise_descriptors();
	if (choosing.routers.n + choosing.workers.n == 0)
		fleet_default_router(&choosing.routers);
	fleet_open(&fleet);
	run.timeout = (int64_t)(seconds * NS_PER_SECOND);
	profile.fetch = fleet.fetch;
	profile.key = fleet.worker_key;
}

static void print_requests(struct out *out)
{
	struct buf text = buf_new(LIMIT_LIST);
	size_t bad = 0;
	struct err err;

	for (size_t i = 0; i < profile.n; i++) {
		const struct profile_worker *w = &profile.v[i];

		if (w->verdict != PROFILE_UNREACHABLE)
			continue;
		fail("%s: unreachable: %s", w->target->address, w->text);
		bad++;
	}
	if (bad == profile.n)
		status_raise(STATUS_INPUT);
	if (profile_put_requests(&profile, run.action, &text, &err) < 0)
		die_err(&err);
	if (text.n > 0)
		out_put(out, text.p, text.n);
	buf_free(&text);
}

int main(int argc, char **argv)
{
	int first = opt_parse(&program, argc, argv);
	struct target_list list = target_list_new();
	struct output to;

	check_options(argv + first, argc - first);
	run.action = (enum profile_action)action;
	run.format = (enum report_format)format;
	profile.engine = (enum profile_engine)engine;
	/* vLLM's directory is set on its own command line. */
	run.shared_dir |= profile.engine == PROFILE_VLLM;
	choosing.role = role < 0 ? NULL : roles[role];
	open_fleet();
	workers_discover(&choosing, &fleet, &list);
	workers_choose(&choosing, &run, &list);
	output_open(&to, output);
	sigpipe_ignore(); /* a TLS peer may close the connection */
	run.out = &to.file.out;
	if (dry_run && action != PROFILE_LIST)
		print_requests(run.out);
	else
		profile_run(&run);
	if (status_remembered() == STATUS_INPUT)
		output_drop(&to);
	else
		output_close(&to);
	profile_free(&profile);
	target_list_free(&list);
	fleet_close(&fleet);
	return profile_run_finish();
}
