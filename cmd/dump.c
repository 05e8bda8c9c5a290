#include "dump.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/limits.h"
#include "common.h"

bool strict;

static unsigned read_whole;
static unsigned failures;
static enum status worst;

void dump_fail(struct dump *dump, struct err *err)
{
	enum status status = status_of_err(err);

	err_in(err, dump->name);
	say_err(err);
	dump->failed = true;
	failures++;
	read_whole -= dump->read;
	dump->read = false;
	if (status > worst)
		worst = status;
}

/* Start reading at the descriptor's place. */
static bool begin(struct dump *dump)
{
	struct err err = {0};

	dump->begin = lseek(dump->fd, 0, SEEK_CUR);
	if (rollout_open(dump->fd, &dump->rollout, &err) == 0)
		return true;
	dump_fail(dump, &err);
	if (dump->fd > 0)
		close(dump->fd);
	dump->fd = -1;
	return false;
}

static bool open_file(struct dump *dump, const char *name)
{
	struct err err = {0};

	*dump = (struct dump){.name = name};
	if (strcmp(name, "-") != 0)
		dump->fd = open(name, O_RDONLY | O_CLOEXEC);
	if (dump->fd >= 0)
		return true;
	err_sys(&err, errno, "cannot open");
	dump_fail(dump, &err);
	return false;
}

bool dump_open(struct dump *dump, const char *name)
{
	return open_file(dump, name) && begin(dump);
}

bool dump_open_kept(struct dump *dump, const char *name)
{
	struct err err = {0};
	int kept;

	if (!open_file(dump, name))
		return false;
	if (lseek(dump->fd, 0, SEEK_CUR) >= 0)
		return begin(dump);
	kept = io_spool(dump->fd, str_make("", 0), LIMIT_SPOOL, &err);
	if (dump->fd > 0)
		close(dump->fd);
	dump->fd = kept;
	if (kept >= 0)
		return begin(dump);
	dump_fail(dump, &err);
	return false;
}

bool dump_rewind(struct dump *dump)
{
	struct err err = {0};

	rollout_close(dump->rollout);
	dump->rollout = NULL;
	dump->again = true;
	if (lseek(dump->fd, dump->begin, SEEK_SET) >= 0)
		return begin(dump);
	err_sys(&err, errno, "cannot rewind");
	dump_fail(dump, &err);
	return false;
}

bool dump_next(struct dump *dump, struct sample *sample)
{
	struct err err = {0};
	int got = rollout_next(dump->rollout, sample, &err);

	while (got < 0 && rollout_goes_on(dump->rollout) && !strict) {
		err_in(&err, dump->name);
		if (!dump->again)
			fail_err(&err);
		err = (struct err){0};
		got = rollout_next(dump->rollout, sample, &err);
	}
	if (got < 0)
		dump_fail(dump, &err);
	return got > 0;
}

bool dump_close(struct dump *dump)
{
	struct err err = {0};
	int doubt = dump->failed ? 0 : rollout_finish(dump->rollout, &err);

	if (doubt < 0)
		dump_fail(dump, &err);
	if (doubt > 0) {
		err_in(&err, dump->name);
		fail_err(&err);
	}
	rollout_close(dump->rollout);
	if (dump->fd > 0)
		close(dump->fd);
	dump->read = !dump->failed;
	read_whole += dump->read;
	return dump->read;
}

bool dump_set_status(void)
{
	if (failures > 0)
		status_raise(read_whole > 0 ? STATUS_PARTLY : worst);
	return read_whole > 0;
}
