/*
 * Any bytes as value files: the first byte chooses two names, the rest is
 * read under them, the first twice over, and written. Each line written must
 * be a line of an exposition.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/limits.h"
#include "metrics/multiproc/multiproc.h"
#include "sink/metrics/metric_sink.h"

static const char *const names[] = {
	"counter_1.db",	      "histogram_1.db",		  "summary_1.db",
	"gauge_all_1.db",     "gauge_min_1.db",		  "gauge_max_1.db",
	"gauge_livesum_1.db", "gauge_mostrecent_x_\".db",
};

static void must_parse(struct str text)
{
	struct prom_parser parser = prom_parser_new();

	while (text.n > 0) {
		const char *newline = memchr(text.p, '\n', text.n);
		struct prom_line line;
		struct err err;
		size_t n;

		if (newline == NULL)
			abort();
		n = (size_t)(newline - text.p);
		if (prom_parse(&parser, str_make(text.p, n), PROM_MILLISECONDS,
			       &line, &err) != 0)
			abort();
		text = str_make(newline + 1, text.n - n - 1);
	}
	prom_parser_free(&parser);
}

static void write_metrics(struct multiproc *m)
{
	struct buf text = buf_new(64 * MIB);
	struct err err;
	struct out out;
	struct metric_sink *sink;

	if (out_open_buf(&out, &text, &err) != 0)
		abort();
	sink = client_out_new(&out, &err);
	if (multiproc_walk(m, sink, &err) != 0)
		abort();
	sink->free(sink);
	out_close_buf(&out, &text, &err);
	must_parse(buf_str(&text));
	buf_free(&text);
}

static void add_file(struct multiproc *m, struct mpdb *db, uint8_t number,
		     int fd)
{
	struct mpdb_name name;
	struct err err;

	if (!mpdb_name_read(names[number % 8], &name))
		abort();
	mpdb_read(db, fd, &err);
	multiproc_add(m, &name, db, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct multiproc m = multiproc_new();
	struct mpdb db = mpdb_new();
	int fd = memfd_create("db", MFD_CLOEXEC);

	if (n == 0 || fd < 0 || write(fd, bytes + 1, n - 1) != (ssize_t)n - 1)
		goto out;
	add_file(&m, &db, bytes[0], fd);
	add_file(&m, &db, bytes[0], fd);
	add_file(&m, &db, (uint8_t)(bytes[0] / 8), fd);
	write_metrics(&m);
out:
	close(fd);
	mpdb_free(&db);
	multiproc_free(&m);
	return 0;
}
