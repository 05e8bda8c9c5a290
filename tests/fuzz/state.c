/*
 * Any bytes as the file of --state: what is read becomes the previous snapshot;
 * written again and read again, it is the same; and what follows in the stream
 * gives its increases as an exposition that can be read.
 */
#include <fcntl.h>
#include <unistd.h>

#include "base/limits.h"
#include "fmt/prom/prom_read.h"
#include "metrics/sequence.h"
#include "metrics/state.h"
#include "sink/metrics/metric_sink.h"

#include "fuzz.h"

static char path[] = "/tmp/obstools-fuzz-XXXXXX";

static void remove_file(void)
{
	unlink(path);
}

static void open_state(struct state_file *f)
{
	static bool made;

	if (!made) {
		int fd = mkstemp(path);

		require(fd >= 0);
		close(fd);
		atexit(remove_file);
		made = true;
	}
	*f = (struct state_file){.path = path,
				 .fd = open(path, O_RDWR | O_CREAT, 0600)};
	require(f->fd >= 0);
}

static void put_state(struct str text)
{
	struct state_file f;

	open_state(&f);
	require(ftruncate(f.fd, 0) == 0);
	require(write(f.fd, text.p, text.n) == (ssize_t)text.n);
	close(f.fd);
}

static int read_state(struct aggregate *a, struct err *err)
{
	struct state_file f;
	int code;

	open_state(&f);
	code = state_read(a, &f, err);
	close(f.fd);
	return code;
}

static void say_nothing(void *to, enum remark remark, const struct err *err)
{
	(void)to;
	(void)remark;
	require(err->text[0] != '\0');
}

static const struct aggregate_how how = {
	.delta = true, .rate = true, .remembers = true};

/* Its series in any order, but for those of the state itself. */
static uint64_t hash_of(const struct series_table *table)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < table->n; i++) {
		const struct series *s = series_at(table, i);
		struct str name = table->names.metrics[s->metric]->name;

		if (!str_starts(name, "obs_aggregate_"))
			sum += s->hash;
	}
	return sum;
}

static void check_again(const struct series_table *table)
{
	struct report report = report_new(say_nothing, NULL);
	struct aggregate again;
	struct err err;

	require(state_write(table, path, &err) == 0);
	aggregate_init(&again, &how, &report);
	require(read_state(&again, &err) == 1);
	require(hash_of(again.before) == hash_of(table));
	aggregate_free(&again);
}

static void check_output(struct str text)
{
	struct prom_reader reader =
		prom_reader_new(read_text, &text, PROM_ALL_MILLISECONDS);
	struct prom_line line;
	struct err err;
	int code;

	do
		code = prom_next(&reader, &line, &err);
	while (code > 0);
	require(code == 0);
	prom_reader_free(&reader);
}

static int answered(struct err *err)
{
	(void)err;
	return 0;
}

static void read_next(struct aggregate *a, struct str left)
{
	struct sequence sequence = {.aggregate = a, .answered = answered};
	struct metric_stream stream = metric_stream_new(
		read_text, &left, PROM_ALL_MILLISECONDS, false);
	struct buf text = buf_new(256 * MIB);
	struct err err = {0};
	struct out out;

	require(out_open_buf(&out, &text, &err) == 0);
	sequence.sink = prom_out_new(&out, &err);
	require(sequence.sink != NULL);
	if (sequence_read(&sequence, &stream, "input", NULL, 1e9, false,
			  &err) == 0)
		sequence_end(&sequence, &err);
	sequence.sink->free(sequence.sink);
	require(out_close_buf(&out, &text, &err) == 0);
	check_output(buf_str(&text));
	metric_stream_free(&stream);
	buf_free(&text);
}

/* A zero byte ends the state. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str next = str_make((const char *)data, size);
	struct str state = str_cut(&next, '\0');
	struct report report = report_new(say_nothing, NULL);
	struct aggregate a;
	struct err err = {0};
	int code;

	put_state(state);
	aggregate_init(&a, &how, &report);
	code = read_state(&a, &err);
	require(code >= 0 || err.text[0] != '\0');
	if (code == 1 && a.before != NULL)
		check_again(a.before);
	if (code >= 0)
		read_next(&a, next);
	aggregate_free(&a);
	return 0;
}
