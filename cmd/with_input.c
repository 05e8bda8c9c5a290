#include "with_input.h"

#include <math.h>

#include "bad_records.h"
#include "common.h"
#include "left_out.h"
#include "rollout/foreign/foreign.h"
#include "rollout/record_line.h"
#include "trace_file.h"

void with_input_free(struct with_input *with)
{
	records_free(with->records);
	engine_logs_free(with->logs);
	with_files_free(&with->files);
	*with = (struct with_input){0};
}

static int read_records(struct with_input *with, struct input *input,
			const char *path, bool strict, struct err *err)
{
	size_t before;

	if (with->records == NULL)
		with->records = records_new();
	if (with->records == NULL)
		return err_memory(err);
	before = records_total(with->records);
	if (trace_input_read(with->records, input, path, strict, err) < 0)
		return err->code;
	if (records_total(with->records) == before)
		fail("%s: no trace records: the file is empty", path);
	return 0;
}

static int read_log(struct with_input *with, struct input *input,
		    const struct with_file *file, bool strict, struct err *err)
{
	struct bad_records bad = {0};
	struct losses lost;
	int got;

	if (with->logs == NULL)
		with->logs = engine_logs_new();
	if (with->logs == NULL)
		return err_memory(err);
	if (engine_logs_begin(with->logs, input, file->path, file->worker,
			      err) < 0)
		return err->code;
	got = engine_logs_next(with->logs, err);
	while (got > 0 ||
	       (got < 0 && !strict && engine_logs_can_continue(with->logs))) {
		if (got < 0) {
			bad_records_add(&bad, file->path, err);
			*err = (struct err){0};
		}
		got = engine_logs_next(with->logs, err);
	}
	bad_records_end(&bad, file->path);
	if (got < 0)
		return err_in(err, file->path);
	lost = engine_logs_losses(with->logs);
	left_out_say(file->path, &lost);
	return 0;
}

/* A file of another framework, whose records have no request id. */
static int wrong_format(const struct foreign_format *format, const char *path,
			struct err *err)
{
	if (format->clockless)
		die_usage("--with: %s: %s has no wall-clock times, and cannot "
			  "join a dump",
			  path, format->name);
	err_set(err, ERR_INPUT,
		"%s: its records have no request IDs to join a dump by",
		format->name);
	return err_in(err, path);
}

static int read_input(struct with_input *with, struct input *input,
		      struct with_file *file, bool strict, struct err *err)
{
	const struct foreign_format *format = NULL;
	bool records = records_detect(input->head);

	if (input->kind == INPUT_JSON && !records)
		format = foreign_detect_input(input);
	if (format != NULL && engine_logs_detect(input->head))
		return read_log(with, input, file, strict, err);
	if (file->listed && !records) {
		detail("%s: neither an engine's log nor trace records",
		       file->path);
		file->ignored = true;
		return 0;
	}
	return format != NULL
		       ? wrong_format(format, file->path, err)
		       : read_records(with, input, file->path, strict, err);
}

static int read_file(struct with_input *with, struct with_file *file,
		     bool strict, struct err *err)
{
	struct input *input = input_open(file->path, err);
	int code;

	if (input == NULL)
		return err_in(err, file->path);
	code = read_input(with, input, file, strict, err);
	input_close(input);
	return code;
}

/* The files that an option named, if all of them were ignored; else 0. */
static size_t count_ignored(const struct with_files *files, size_t given)
{
	size_t n = 0;

	for (size_t i = 0; i < files->n; i++) {
		if (files->v[i].given != given)
			continue;
		if (!files->v[i].ignored)
			return 0;
		n++;
	}
	return n;
}

/* Report directories of which nothing was used: an error if that is all. */
static int check_ignored(const struct with_input *with,
			 const struct opt_list *given, struct err *err)
{
	bool useful = with->records != NULL || with->logs != NULL;

	for (size_t i = 0; i < given->n; i++) {
		size_t n = count_ignored(&with->files, i);

		if (n == 0)
			continue;
		if (n == 1)
			err_set(err, ERR_INPUT,
				"the one file in it is not an engine's log and "
				"has no trace records");
		else
			err_set(err, ERR_INPUT,
				"none of the %zu files in it is an engine's "
				"log or has trace records",
				n);
		err_in(err, with_path(given->v[i]));
		if (!useful)
			return err->code;
		fail_err(err);
		*err = (struct err){0};
	}
	return 0;
}

int with_input_read(struct with_input *with, const struct opt_list *given,
		    bool strict, struct err *err)
{
	*with = (struct with_input){0};
	if (with_files_list(&with->files, given, err) < 0)
		return err->code;
	for (size_t i = 0; i < with->files.n; i++) {
		struct with_file *file = &with->files.v[i];

		if (read_file(with, file, strict, err) == 0)
			continue;
		if (!file->listed || strict || err->code != ERR_INPUT)
			return err->code;
		fail_err(err); /* the others may be enough */
	}
	return check_ignored(with, given, err);
}

/* Remarks ---------------------------------------------------------------- */

static void say_clocks(const struct engine_logs *logs)
{
	const struct engine_log *first = NULL;
	size_t others = 0;

	for (size_t i = 0; i < engine_logs_count(logs); i++) {
		const struct engine_log *log = engine_logs_get(logs, i);

		if (log->offset == 0)
			continue;
		others += first != NULL;
		first = first == NULL ? log : first;
	}
	if (first == NULL)
		return;
	note("%s: its clock is %.3f s %s the dump's, which is corrected%s",
	     first->name, fabs(first->offset),
	     first->offset > 0 ? "ahead of" : "behind",
	     others > 0 ? "; the clocks of other logs differ, too" : "");
}

static void say_outside(const struct engine_logs *logs)
{
	const struct engine_log *first = NULL;
	size_t outside = 0;

	for (size_t i = 0; i < engine_logs_count(logs); i++) {
		const struct engine_log *log = engine_logs_get(logs, i);

		outside += log->outside;
		if (log->outside > 0 && (first == NULL || log->unsure))
			first = log;
	}
	if (first == NULL)
		return;
	warn("%s: %zu request%s in the dump%s: %s no spans of queue, prefill "
	     "and decode",
	     first->name, outside,
	     outside == 1 ? " lies outside of its span"
			  : "s lie outside of their spans",
	     first->unsure && outside > 1 ? ", each by a different time" : "",
	     outside == 1 ? "it gets" : "they get");
}

/* What a remark on all logs is about: the only one, or the option. */
static const char *name_logs(const struct engine_logs *logs)
{
	return engine_logs_count(logs) == 1 ? engine_logs_get(logs, 0)->name
					    : "--with";
}

void with_input_remark(const struct with_input *with, const char *dump)
{
	const char *name;
	size_t all, unused;

	if (with->logs == NULL)
		return;
	name = name_logs(with->logs);
	all = engine_logs_records(with->logs);
	unused = engine_logs_unused(with->logs);
	say_clocks(with->logs);
	say_outside(with->logs);
	if (all == 0)
		fail("%s: no request of the logs has an ID", name);
	else if (unused == all && all == 1)
		fail("%s: the one request in the logs does not have the ID of "
		     "a request in %s",
		     name, dump);
	else if (unused == all)
		fail("%s: none of the %zu requests in the logs has the ID of a "
		     "request in %s",
		     name, all, dump);
	else if (unused > 0)
		note("%s: %zu of the %zu requests in the logs belong%s to no "
		     "request of %s",
		     name, unused, all, unused == 1 ? "s" : "", dump);
}
