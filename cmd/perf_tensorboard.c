#include "perf_tensorboard.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/limits.h"
#include "base/num.h"
#include "common.h"

enum {
	HOST_MAX = 256,
	PATH_MAX_BYTES = 4096,
	SAME_SECOND = 1000,
	TAG_MAX = 512
};

/* Create the directory and its parents. */
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

/* events.out.tfevents.SECONDS.HOST.PID.N, the name used by TensorFlow's writer;
 * an existing file belongs to another run. */
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

/* Tags of an evaluation begin with eval/: a training rollout may have the same
 * step. */
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

/* Append complete records in one write. */
static void append(const struct tensorboard *board, int fd, struct buf *records)
{
	if (records->failed)
		die_memory();
	if (!io_write(fd, records->p, records->n))
		die(STATUS_IO, "%s: cannot write: %s", board->directory,
		    strerror(errno));
	buf_free(records);
}

static void keep(struct tensorboard *board, struct tensorboard_step step)
{
	if (!ARRAY_GROW(board->v, board->n, board->cap) || step.dump == NULL)
		die_memory();
	board->v[board->n++] = step;
}

void tensorboard_add(struct tensorboard *board, const struct digest *digest,
		     const struct figures *figures)
{
	int64_t number = board->step;
	struct tensorboard_step step;

	if (board->directory == NULL)
		return;
	if (number >= 0 && board->n > 0)
		die_usage("--step needs a single rollout");
	if (number < 0 && !num_parse_int(digest->rollout_id, &number)) {
		fail("%s: has no rollout_id to be its step; give --step",
		     digest->dump);
		return;
	}
	if (board->n == 0)
		make_directory(board->directory);
	step = (struct tensorboard_step){
		.event = tfevents_event(0, number),
		.dump = strdup(digest->dump),
		.order = board->n,
		.eval = digest_is_eval(digest),
	};
	add_scalars(&step.event, figures, step.eval);
	keep(board, step);
}

static int by_step(const void *left, const void *right)
{
	const struct tensorboard_step *a = left;
	const struct tensorboard_step *b = right;

	if (a->event.step != b->event.step)
		return a->event.step < b->event.step ? -1 : 1;
	if (a->eval != b->eval)
		return a->eval ? 1 : -1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* Two points of one tag at one step would overlap. */
static void warn_equal(const struct tensorboard_step *a,
		       const struct tensorboard_step *b)
{
	if (a->event.step == b->event.step && a->eval == b->eval)
		warn("%s: step %lld is that of %s, too; TensorBoard shows two "
		     "points at one step",
		     b->dump, (long long)b->event.step, a->dump);
}

/* Readers drop earlier points when the step goes down. */
void tensorboard_end(struct tensorboard *board)
{
	double now = (double)clock_wall() / (double)NS_PER_SECOND;
	struct buf records = buf_new(LIMIT_LIST);
	int fd;

	if (board->n == 0)
		return;
	qsort(board->v, board->n, sizeof(*board->v), by_step);
	fd = create(board->directory, now);
	tfevents_begin(&records, now);
	for (size_t i = 0; i < board->n; i++) {
		if (i > 0)
			warn_equal(&board->v[i - 1], &board->v[i]);
		board->v[i].event.wall_time = now;
		tfevents_put(&records, &board->v[i].event);
		append(board, fd, &records);
	}
	if (close(fd) < 0)
		die(STATUS_IO, "%s: cannot write: %s", board->directory,
		    strerror(errno));
	for (size_t i = 0; i < board->n; i++)
		free(board->v[i].dump);
	free(board->v);
}
