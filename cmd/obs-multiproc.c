/*
 * obs-multiproc: a prometheus_client multiprocess directory as an exposition.
 *
 * Names are listed first and sorted, so that the same directory gives the same
 * text. A file removed meanwhile is ignored.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "common.h"
#include "fmt/file/mpdb.h"
#include "metrics/multiproc/multiproc.h"
#include "output.h"
#include "sink/metrics/metric_sink.h"

static struct {
	const char *output;
	bool live_only;
	bool prune_dead;
} cfg;

static const struct opt options[] = {
	OPT_GROUP("Processes"),
	OPT_FLAG(0, "live-only", &cfg.live_only,
		 "skip gauges of processes that no longer run"),
	OPT_FLAG(0, "prune-dead", &cfg.prune_dead,
		 "delete gauge_live* files of processes that no longer run"),
	OPT_GROUP("Output"),
	OPT_OUTPUT(&cfg.output),
	OPT_COMMON,
};

static const struct program program = {
	.name = "obs-multiproc",
	.synopsis = "[OPTION]... [DIR]",
	.about =
		"Print the metrics of a set of Python processes: the files that "
		"prometheus_client's multiprocess mode keeps in DIR (default: "
		"$PROMETHEUS_MULTIPROC_DIR), merged as the client's own "
		"collector does. The files may be in use.",
	.options = options,
	.examples =
		{"obs-multiproc /dev/shm/metrics",
		 "obs-multiproc --prune-dead | obs-aggregate --by model_name",
		 "obs-serve --grpc-port 30001 -- obs-multiproc "
		 "/dev/shm/metrics"},
};

/* The directory ------------------------------------------------------- */

struct worker_files {
	const char *path;
	int fd;
	struct dirent **names;
	int n;
};

static int is_value_file(const struct dirent *entry)
{
	struct str name = str_of(entry->d_name);

	return name.p[0] != '.' && str_ends(name, ".db");
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static struct worker_files list_directory(const char *path)
{
	struct worker_files dir = {.path = path};

	dir.fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir.fd < 0)
		die(STATUS_IO, "%s: cannot open the directory: %s", path,
		    strerror(errno));
	dir.n = scandirat(dir.fd, ".", &dir.names, is_value_file,
			  compare_names);
	if (dir.n < 0)
		die(STATUS_IO, "%s: cannot list the directory: %s", path,
		    strerror(errno));
	return dir;
}

static void free_directory(struct worker_files *dir)
{
	for (int i = 0; i < dir->n; i++)
		free(dir->names[i]);
	free(dir->names);
	close(dir->fd);
}

/* Processes ----------------------------------------------------------- */

/* Is there certainly no process with that id? Other names can be anything. */
static bool is_gone(struct str process)
{
	int64_t id;

	if (!num_parse_int(process, &id) || id <= 0 || id > INT32_MAX)
		return false;
	return kill((pid_t)id, 0) < 0 && errno == ESRCH;
}

static void prune(const struct worker_files *dir, const char *file)
{
	if (unlinkat(dir->fd, file, 0) == 0)
		note("%s/%s: deleted, its process no longer runs", dir->path,
		     file);
	else if (errno != ENOENT)
		fail("%s/%s: cannot delete: %s", dir->path, file,
		     strerror(errno));
}

/* Skip the file, per the options, because its process is gone? */
static bool passes_over(const struct worker_files *dir, const char *file,
			const struct mpdb_name *name)
{
	bool prunes = cfg.prune_dead && name->live;

	if (name->type != PROM_GAUGE || (!prunes && !cfg.live_only) ||
	    !is_gone(name->process))
		return false;
	if (prunes)
		prune(dir, file);
	else
		detail("%s/%s: skipped, its process no longer runs", dir->path,
		       file);
	return true;
}

/* Files --------------------------------------------------------------- */

/* Report an error of the file, naming it instead of the directory; out of
 * memory is fatal. */
static void fail_file(const struct worker_files *dir, const char *file,
		      struct err *err)
{
	char path[sizeof(err->source)];
	int n = snprintf(path, sizeof(path), "%s/%s", dir->path, file);

	err_in(err, n < (int)sizeof(path) ? path : file);
	if (err->code == ERR_MEMORY)
		die_err(err);
	fail_err(err);
}

/* A descriptor of the regular file, or -1 if there is nothing to read. Does not
 * block on a pipe of that name. */
static int open_file(const struct worker_files *dir, const char *file)
{
	int fd = openat(dir->fd, file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 && errno != ENOENT)
		fail("%s/%s: cannot open: %s", dir->path, file,
		     strerror(errno));
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) < 0)
		fail("%s/%s: cannot stat: %s", dir->path, file,
		     strerror(errno));
	else if (S_ISREG(st.st_mode))
		return fd;
	else if (!S_ISDIR(st.st_mode))
		fail("%s/%s: not a regular file", dir->path, file);
	close(fd);
	return -1;
}

static void add_file(struct multiproc *m, struct mpdb *db,
		     const struct worker_files *dir, const char *file)
{
	struct mpdb_name name;
	struct err err = {0};
	int fd;

	if (!mpdb_name_read(file, &name)) {
		fail("%s/%s: not TYPE_PROCESS.db or gauge_MODE_PROCESS.db",
		     dir->path, file);
		return;
	}
	if (passes_over(dir, file, &name))
		return;
	fd = open_file(dir, file);
	if (fd < 0)
		return;
	if (mpdb_read(db, fd, &err) < 0)
		fail_file(dir, file, &err);
	close(fd);
	err = (struct err){0};
	if (multiproc_add(m, &name, db, &err) == 0)
		return;
	if (err.code == ERR_LIMIT) /* half of the file has been added */
		err.code = ERR_MEMORY;
	fail_file(dir, file, &err);
}

/* Returns the number of files. */
static int add_directory(struct multiproc *m, const char *path)
{
	struct worker_files dir = list_directory(path);
	struct mpdb db = mpdb_new();

	if (dir.n == 0)
		fail("%s: no .db files; give the directory that the "
		     "application has as PROMETHEUS_MULTIPROC_DIR",
		     path);
	for (int i = 0; i < dir.n; i++)
		add_file(m, &db, &dir, dir.names[i]->d_name);
	mpdb_free(&db);
	free_directory(&dir);
	return dir.n;
}

/* The whole ----------------------------------------------------------- */

static const char *directory_named(int operands, char **operand)
{
	const char *path = operands > 0 ? operand[0]
					: getenv("PROMETHEUS_MULTIPROC_DIR");

	if (operands > 1)
		die_usage("one directory at a time");
	if (path == NULL || path[0] == '\0')
		die_usage("no directory: give DIR or set "
			  "PROMETHEUS_MULTIPROC_DIR");
	return path;
}

static void write_metrics(struct multiproc *m)
{
	struct metric_sink *sink;
	struct output output;
	struct err err;

	output_open(&output, cfg.output);
	sink = client_out_new(&output.file.out, &err);
	if (sink == NULL || multiproc_walk(m, sink, &err) < 0)
		die_err(&err);
	sink->free(sink);
	output_close(&output);
}

/* Is there anything to write? An empty exposition is, if nothing failed. */
static bool is_useful(const struct multiproc *m, const char *path, int files)
{
	if (m->series.names.count > 0)
		return true;
	if (status_remembered() == STATUS_DONE) {
		note("%s: no samples in %d file%s", path, files,
		     str_plural((uint64_t)files));
		return true;
	}
	if (files > 0)
		status_raise(STATUS_INPUT);
	return false;
}

int main(int argc, char **argv)
{
	int first = opt_parse(&program, argc, argv);
	const char *path = directory_named(argc - first, argv + first);
	struct multiproc m = multiproc_new();
	int files = add_directory(&m, path);

	if (is_useful(&m, path, files))
		write_metrics(&m);
	multiproc_free(&m);
	return finish();
}
