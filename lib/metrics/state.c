#include "metrics/state.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "fmt/prom/prom_read.h"
#include "fmt/prom/prom_text.h"

static const struct str arrival = STR("obs_aggregate_arrived_seconds");
static const struct str total = STR("obs_aggregate_state_samples");

/* The lock ------------------------------------------------------------ */

static int open_file(const char *path)
{
	const int flags = O_CLOEXEC | O_NONBLOCK; /* for pipes */
	int fd = open(path, O_RDWR | O_CREAT | flags, 0666);

	if (fd < 0 && errno == EACCES)
		fd = open(path, O_RDONLY | flags);
	return fd;
}

/* A pipe or device would never end, or remember nothing. */
static bool is_regular(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

/* Does the name still refer to the open file? */
static bool is_current(int fd, const char *path)
{
	struct stat open, named;

	return fstat(fd, &open) == 0 && stat(path, &named) == 0 &&
	       open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

int state_open(struct state_file *f, const char *path, bool wait,
	       struct err *err)
{
	for (;;) {
		int fd = open_file(path), code;

		if (fd < 0) {
			err_sys(err, errno, "cannot open");
			return err_in(err, path);
		}
		if (!is_regular(fd)) {
			close(fd);
			err_set(err, ERR_INPUT,
				"not a regular file, which a state must be");
			return err_in(err, path);
		}
		do {
			code = flock(fd, wait ? LOCK_EX : LOCK_EX | LOCK_NB);
		} while (code < 0 && errno == EINTR);
		if (code < 0 && errno == EWOULDBLOCK) {
			close(fd);
			return 0;
		}
		if (code < 0 || is_current(fd, path)) {
			*f = (struct state_file){path, fd, code == 0};
			return 1;
		}
		close(fd);
	}
}

void state_close(struct state_file *f)
{
	struct stat st;

	if (f->path == NULL)
		return;
	if (fstat(f->fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 0 &&
	    is_current(f->fd, f->path))
		unlink(f->path);
	close(f->fd);
	f->path = NULL;
}

/* Writing ------------------------------------------------------------- */

static bool is_own(struct str name)
{
	return str_eq(name, arrival) || str_eq(name, total);
}

static void put_own(struct out *out, struct str name, double value)
{
	struct str none = str_make("", 0);

	prom_put_family(out, name, none, PROM_GAUGE, true);
	prom_put_sample(out, name, none, value, (long double)NAN);
}

/* Adds to *n how many samples were written. */
static int put_family(struct out *out, const struct series_table *t,
		      const struct family *f, struct arena *scratch,
		      uint64_t *n, struct err *err)
{
	struct series_walk w = series_walk_of(t, f);
	const struct series *s = series_walk_next(&w);

	if (s == NULL || is_own(f->name))
		return 0;
	prom_put_family(out, f->name, str_make("", 0), f->type, f->typed);
	for (; s != NULL; s = series_walk_next(&w), ++*n) {
		struct str labels;

		arena_reset(scratch);
		labels = series_labels(t, s, scratch);
		if (labels.p == NULL)
			return arena_error(scratch, err);
		prom_put_sample(out, t->names.metrics[s->metric]->name, labels,
				s->value, series_time(t, s));
	}
	return 0;
}

int state_write(const struct series_table *t, const char *path, struct err *err)
{
	struct arena scratch = arena_new(LIMIT_LINE * 4);
	struct out_file file;
	uint64_t n = 0;
	int code = 0;

	if (out_file_open(&file, path, err) < 0)
		return err->code;
	out_puts(&file.out, "# obs-aggregate state\n");
	put_own(&file.out, arrival, t->arrived);
	for (uint32_t i = 0; code == 0 && i < t->names.n_families; i++)
		code = put_family(&file.out, t, t->names.families[i], &scratch,
				  &n, err);
	put_own(&file.out, total, (double)n);
	arena_free(&scratch);
	if (code < 0)
		out_file_abort(&file);
	return code < 0 ? code : out_file_commit(&file, err);
}

/* Reading ------------------------------------------------------------- */

/* The first sample of that name; NaN: none. */
static double value_of(const struct series_table *t, struct str name)
{
	const struct family *f = names_find(&t->names, name);
	struct series_walk w;
	const struct series *s;

	if (f == NULL)
		return (double)NAN;
	w = series_walk_of(t, f);
	s = series_walk_next(&w);
	return s == NULL ? (double)NAN : s->value;
}

/* Read all lines. Returns 1, 0 if there are none, or an error. */
static int read_lines(struct aggregate *a, struct prom_reader *r,
		      struct err *err)
{
	struct prom_line line;
	uint64_t samples = 0;
	int code = prom_next(r, &line, err);

	for (; code > 0; code = prom_next(r, &line, err)) {
		samples += line.kind == PROM_SAMPLE && !is_own(line.name);
		if (aggregate_line(a, &line, r->line, err) < 0)
			return err->code;
	}
	if (code < 0 || r->line == 0)
		return code;
	if (merge_settle(&a->merge, err) < 0)
		return err->code;
	if (value_of(a->now, total) != (double)samples)
		return err_set(err, ERR_INPUT, "its end is missing");
	return 1;
}

int state_read(struct aggregate *a, const struct state_file *f, struct err *err)
{
	int fd = f->fd;
	struct prom_reader r = prom_reader_fd(&fd, PROM_ALL_MILLISECONDS);
	int code = aggregate_begin_state(a, f->path, err);
	struct err why;

	if (code == 0)
		code = read_lines(a, &r, err);
	prom_reader_free(&r);
	if (code == ERR_INPUT || code == ERR_LIMIT) {
		why = *err;
		err_at(err, ERR_INPUT, why.unit, why.at,
		       "the state file is damaged (%.180s); delete it to start "
		       "again",
		       why.text);
	}
	if (code < 0)
		return err_in(err, f->path);
	if (code > 0)
		aggregate_prime(a, value_of(a->now, arrival));
	return code;
}
