#include "dump.h"

#include <pthread.h>

#include "clocks.h"
#include "dump_remark.h"
#include "rollout/worker.h"

bool strict;
struct opt_list with;

/* Several threads may read dumps. */
static struct {
	pthread_mutex_t lock;
	unsigned read_whole;
	unsigned failures;
	enum status worst;
} tally = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Count a dump that was read, or failed with that status. */
static void count(int read, int failed, enum status status)
{
	pthread_mutex_lock(&tally.lock);
	tally.read_whole += (unsigned)read;
	tally.failures += (unsigned)failed;
	if (failed && status > tally.worst)
		tally.worst = status;
	pthread_mutex_unlock(&tally.lock);
}

void dump_fail(struct dump *dump, struct err *err)
{
	err_in(err, dump->name);
	say_err(err);
	dump->failed = true;
	count(-dump->read, 1, status_of_err(err));
	dump->read = false;
}

void dump_count_read(void)
{
	count(1, 0, STATUS_DONE);
}

void dump_check_with(int count, char **names)
{
	bool taken = count == 0 || opt_is_stdin(names[0]);

	opt_check_operands(count, names);
	if (with.n > 0 && count > 1)
		die_usage("--with takes one dump at a time");
	for (size_t i = 0; i < with.n; i++) {
		if (with_path(with.v[i])[0] == '\0')
			die_usage("--with: %s: no path is given",
				  with.v[i][0] == '\0' ? "\"\"" : with.v[i]);
		if (!opt_is_stdin(with_path(with.v[i])))
			continue;
		if (taken)
			die_usage("--with: standard input can be read once");
		taken = true;
	}
}

static int open_rollout(struct dump *dump, struct err *err)
{
	if (rollout_open(dump->input, &dump->rollout, err) < 0)
		return err->code;
	return joined_open(&dump->joined, dump->name, dump->rollout, err);
}

static int see_sample(struct dump *dump, const struct sample *sample,
		      struct err *err)
{
	struct engine_logs *logs = dump->beside.logs;

	if (logs != NULL && engine_logs_see(logs, sample, err) < 0)
		return err->code;
	return dump->mixed ? mix_see(&dump->mix, sample, err) : 0;
}

/* Read the dump once for the times of its requests, to compare the clocks of
 * the engines, and for all times, to find stray records. Errors are reported
 * later. */
static int see_samples(struct dump *dump, struct err *err)
{
	struct engine_logs *logs = dump->beside.logs;
	struct err ignored = {0};
	struct sample sample;
	int code = 0;
	int got = 1;

	while (code == 0 && got != 0) {
		got = rollout_next(dump->rollout, &sample, &ignored);
		if (got > 0)
			code = see_sample(dump, &sample, err);
		else if (got < 0 && !rollout_can_continue(dump->rollout))
			break;
	}
	rollout_close(dump->rollout);
	dump->rollout = NULL;
	if (code < 0 || (logs != NULL && engine_logs_settle(logs, err) < 0) ||
	    input_seek(dump->input, 0, err) < 0)
		return err->code;
	if (dump->mixed)
		mix_settle(&dump->mix);
	return open_rollout(dump, err);
}

/* The data of --with, read once. */
static int open_beside(struct dump *dump, struct err *err)
{
	struct with_input *beside = &dump->beside;

	if (with.n == 0 || dump->again)
		return 0;
	dump_need_clock(dump, "--with");
	if (with_input_read(beside, &with, strict, err) < 0)
		return err->code;
	if (beside->records != NULL) {
		dump->mix = mix_new(beside->records);
		beside->records = NULL;
		dump->mixed = true;
	}
	return beside->logs != NULL || (dump->mixed && mix_must_see(&dump->mix))
		       ? see_samples(dump, err)
		       : 0;
}

static void close_inputs(struct dump *dump)
{
	rollout_close(dump->rollout);
	dump->rollout = NULL;
	if (dump->mixed)
		mix_free(&dump->mix);
	dump->mixed = false;
	with_input_free(&dump->beside);
	joined_close(&dump->joined);
	input_close(dump->input);
	dump->input = NULL;
}

static bool begin(struct dump *dump)
{
	struct err err = {0};

	if ((with.n == 0 || dump->again ||
	     input_keep(dump->input, &err) == 0) &&
	    open_rollout(dump, &err) == 0 && open_beside(dump, &err) == 0) {
		workers_want(dump->rollout);
		return true;
	}
	dump_fail(dump, &err);
	close_inputs(dump);
	return false;
}

bool dump_open_input(struct dump *dump, const char *name, struct input *input)
{
	*dump = (struct dump){.name = name, .input = input};
	return begin(dump);
}

static bool open_file(struct dump *dump, const char *name, bool rewindable)
{
	struct err err = {0};

	*dump = (struct dump){.name = name, .input = input_open(name, &err)};
	if (dump->input != NULL &&
	    (!rewindable || input_keep(dump->input, &err) == 0))
		return begin(dump);
	dump_fail(dump, &err);
	close_inputs(dump);
	return false;
}

bool dump_open(struct dump *dump, const char *name)
{
	return open_file(dump, name, false);
}

bool dump_open_rewindable(struct dump *dump, const char *name)
{
	return open_file(dump, name, true);
}

bool dump_rewind(struct dump *dump)
{
	struct err err = {0};

	rollout_close(dump->rollout);
	dump->rollout = NULL;
	if (dump->mixed)
		mix_rewind(&dump->mix);
	dump->again = true;
	if (input_seek(dump->input, 0, &err) == 0)
		return begin(dump);
	dump_fail(dump, &err);
	return false;
}

bool dump_next(struct dump *dump, struct sample *sample)
{
	struct err err = {0};
	int got = rollout_next(dump->rollout, sample, &err);

	while (got < 0 && rollout_can_continue(dump->rollout) && !strict) {
		if (!dump->again)
			bad_records_add(&dump->bad, dump->name, &err);
		err = (struct err){0};
		got = rollout_next(dump->rollout, sample, &err);
	}
	if (dump->mixed && got > 0 && mix_add(&dump->mix, sample, &err) < 0)
		got = err.code;
	else if (dump->mixed && got == 0)
		got = mix_next(&dump->mix, sample, &err);
	if (got > 0 && dump->beside.logs != NULL &&
	    engine_logs_join(dump->beside.logs, sample, &err) < 0)
		got = err.code;
	if (got < 0)
		dump_fail(dump, &err);
	return got > 0;
}

void dump_need_clock(const struct dump *dump, const char *option)
{
	if (rollout_clock(dump->rollout) != ROLLOUT_WALL_CLOCK)
		die_usage("%s: %s: %s has no wall-clock times that other files "
			  "could be placed by",
			  option, dump->name, rollout_format(dump->rollout));
}

/* Records are often about what followed the dump's own spans: a gap of a minute
 * or more means that the clocks differ, or that it is another rollout. */
static void check_clocks(const struct dump *dump)
{
	const struct mix *mix = &dump->mix;
	const char *name = with.n == 1 ? with_path(with.v[0]) : "--with";
	size_t skipped = mix->far + mix->elsewhere;

	if (skipped > 0)
		clocks_say_skipped(name, skipped, records_total(mix->records),
				   mix->before, mix->after);
	clocks_check(name, "recording", records_times(mix->records), "dump",
		     mix->own, 60, NULL);
}

bool dump_close(struct dump *dump)
{
	struct err err = {0};
	int doubt = dump->failed ? 0 : rollout_finish(dump->rollout, &err);

	bad_records_end(&dump->bad, dump->name);
	if (doubt < 0)
		dump_fail(dump, &err);
	if (doubt > 0) {
		err_in(&err, dump->name);
		fail_err(&err);
	}
	if (!dump->failed)
		dump_remark(dump->name, dump->rollout);
	if (!dump->failed && dump->mixed)
		check_clocks(dump);
	if (!dump->failed)
		with_input_remark(&dump->beside, dump->name);
	close_inputs(dump);
	dump->read = !dump->failed;
	count(dump->read, 0, STATUS_DONE);
	return dump->read;
}

enum status dump_failure(void)
{
	return tally.worst;
}

bool dump_set_status(void)
{
	if (tally.failures > 0)
		status_raise(tally.read_whole > 0 ? STATUS_PARTLY
						  : tally.worst);
	return tally.read_whole > 0;
}
