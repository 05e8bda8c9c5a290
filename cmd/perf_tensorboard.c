#include "perf_tensorboard.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/limits.h"
#include "base/num.h"
#include "common.h"
#include "fmt/file/tfevents.h"

enum {
	HOST_MAX = 256,
	PATH_MAX_BYTES = 4096,
	SAME_SECOND = 1000,
	TAG_MAX = 512
};

/* Make the directory and those above it. */
static void make_directory(const char *directory)
{
	char path[PATH_MAX_BYTES];
	size_t n = strlen(directory);

	if (n >= sizeof(path))
		die(STATUS_IO, "%s: the name is too long", directory);
	for (size_t i = 1; i <= n; i++) {
		if (i < n && directory[i] != '/')
			continue;
		memcpy(path, directory, i);
		path[i] = '\0';
		if (mkdir(path, 0777) < 0 && errno != EEXIST && i == n)
			die(STATUS_IO, "%s: cannot create: %s", directory,
			    strerror(errno));
	}
}

/* events.out.tfevents.SECONDS.HOST.PID.N, as TensorFlow's writer names it; a
 * file that is there is another run's. */
static int create(const char *directory, double now)
{
	char host[HOST_MAX] = "";
	char path[PATH_MAX_BYTES];
	int fd = -1;

	if (gethostname(host, sizeof(host) - 1) < 0 || host[0] == '\0')
		host[0] = '-';
	for (int i = 0; i < SAME_SECOND && fd < 0; i++) {
		snprintf(path, sizeof(path),
			 "%s/events.out.tfevents.%010.0f.%s.%ld.%d", directory,
			 now, host, (long)getpid(), i);
		fd = open(path,
			  O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC,
			  0666);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd < 0)
		die(STATUS_IO, "%s: cannot create: %s", path, strerror(errno));
	return fd;
}

/* Tags of an evaluation begin with eval/: its step is a training rollout's,
 * too. */
static void add_scalars(struct tfevents_event *event,
			const struct figures *figures, bool eval)
{
	for (size_t i = 0; i < figures->n; i++) {
		char tag[TAG_MAX];

		if (!isfinite(figures->v[i].value))
			continue;
		snprintf(tag, sizeof(tag), "%s%s", eval ? "eval/" : "",
			 figures->v[i].key);
		tfevents_scalar(event, str_of(tag), figures->v[i].value);
	}
}

/* Append whole records at once. */
static void append(struct tensorboard *board, struct buf *records)
{
	if (records->failed)
		die_memory();
	if (!io_write(board->fd, records->p, records->n))
		die(STATUS_IO, "%s: cannot write: %s", board->directory,
		    strerror(errno));
	buf_free(records);
}

static void begin(struct tensorboard *board, struct buf *records, double now)
{
	board->begun = true;
	make_directory(board->directory);
	board->fd = create(board->directory, now);
	tfevents_begin(records, now);
}

void tensorboard_add(struct tensorboard *board, const struct digest *digest,
		     const struct figures *figures)
{
	double now = (double)clock_wall() / (double)NS_PER_SECOND;
	struct buf records = buf_new(LIMIT_LIST);
	struct tfevents_event event;
	int64_t step = board->step;

	if (board->directory == NULL)
		return;
	if (step >= 0 && board->begun)
		die_usage("--step is the step of one rollout, not of several");
	if (step < 0 && !num_parse_int(digest->rollout_id, &step)) {
		fail("%s: has no rollout_id to be its step; give --step",
		     digest->dump);
		return;
	}
	if (!board->begun)
		begin(board, &records, now);
	event = tfevents_event(now, step);
	add_scalars(&event, figures, digest_is_eval(digest));
	tfevents_put(&records, &event);
	append(board, &records);
}

void tensorboard_end(struct tensorboard *board)
{
	if (board->begun && close(board->fd) < 0)
		die(STATUS_IO, "%s: cannot write: %s", board->directory,
		    strerror(errno));
}
