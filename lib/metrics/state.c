#include "metrics/state.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <unistd.h>

#include "fmt/prom/prom_read.h"
#include "fmt/prom/prom_text.h"

static const struct str arrival = STR("obs_aggregate_arrived_seconds");

static void put_table(struct out *out, const struct series_table *t)
{
	const struct names *names = &t->names;

	out_puts(out, "# obs-aggregate state\n");
	prom_put_family(out, arrival, str_make(NULL, 0), PROM_GAUGE, true);
	prom_put_sample(out, arrival, str_make(NULL, 0), t->arrived,
			(long double)NAN);
	for (uint32_t i = 0; i < names->n_families; i++) {
		const struct family *f = names->families[i];
		struct series_walk w = series_walk_of(t, f);
		const struct series *s = series_walk_next(&w);

		if (s != NULL && !str_eq(f->name, arrival))
			prom_put_family(out, f->name, str_make(NULL, 0),
					f->type, f->typed);
		for (; s != NULL; s = series_walk_next(&w))
			if (!str_eq(f->name, arrival))
				prom_put_sample(out,
						names->metrics[s->metric]->name,
						series_labels(s), s->value,
						series_time(t, s));
	}
}

int state_write(const struct series_table *t, const char *path, struct err *err)
{
	struct out_file file;

	if (out_file_open(&file, path, err) < 0)
		return err->code;
	put_table(&file.out, t);
	return out_file_commit(&file, err);
}

static int read_lines(struct aggregate *a, struct prom_reader *r,
		      struct err *err)
{
	struct prom_line line;
	int code = prom_next(r, &line, err);

	for (; code > 0; code = prom_next(r, &line, err))
		if (aggregate_line(a, &line, r->line, err) < 0)
			return err->code;
	return code;
}

static double arrival_of(const struct series_table *t)
{
	const struct family *f = names_find(&t->names, arrival);
	struct series_walk w;
	const struct series *s;

	if (f == NULL)
		return (double)NAN;
	w = series_walk_of(t, f);
	s = series_walk_next(&w);
	return s == NULL ? (double)NAN : s->value;
}

int state_read(struct aggregate *a, const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct prom_reader r;
	int code;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0) {
		err_sys(err, errno, "cannot open");
		return err_in(err, path);
	}
	r = prom_reader_fd(&fd, PROM_ALL_MILLISECONDS);
	code = aggregate_begin_state(a, path, err);
	if (code == 0)
		code = read_lines(a, &r, err);
	prom_reader_free(&r);
	close(fd);
	if (code < 0)
		return err_in(err, path);
	aggregate_prime(a, arrival_of(a->now));
	return 1;
}
