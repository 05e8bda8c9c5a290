#include "rollout/foreign/foreign.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/limits.h"
#include "rollout/foreign/foreign_record.h"

struct foreign *foreign_open(const struct foreign_format *format,
			     struct byte_source *source)
{
	struct foreign *f = calloc(1, format->size);

	if (f == NULL)
		return NULL;
	f->format = format;
	f->giving = f;
	f->source = source;
	f->line = buf_new(LIMIT_STRING);
	f->text = buf_new(LIMIT_KEPT);
	f->record = format->document ? arena_new(LIMIT_KEPT)
				     : arena_new(LIMIT_SAMPLE);
	f->kept = arena_new(LIMIT_KEPT);
	json_tree_init(&f->tree, NULL);
	f->tree.borrow = true;
	f->tree.form = format->form;
	f->tree.lean = format->payload;
	f->tree.lean_count = format->payload_count;
	return f;
}

void foreign_close(struct foreign *f)
{
	if (f == NULL)
		return;
	if (f->format->close != NULL)
		f->format->close(f);
	for (size_t i = 0; i < f->other_count; i++)
		foreign_close(f->others[i]);
	free(f->others);
	free(f->more);
	buf_free(&f->line);
	buf_free(&f->text);
	json_tree_free(&f->tree);
	arena_free(&f->record);
	arena_free(&f->kept);
	free(f);
}

int foreign_add(struct foreign *f, struct byte_source *source, const char *name,
		struct err *err)
{
	if (!ARRAY_GROW(f->more, f->more_count, f->more_cap))
		return err_memory(err);
	f->more[f->more_count++] = (struct foreign_more){source, name};
	return 0;
}

/* Rows ----------------------------------------------------------------- */

/* The reader for another format's records; NULL: no memory. */
static struct foreign *other_reader(struct foreign *f,
				    const struct foreign_format *format)
{
	struct foreign *other;

	for (size_t i = 0; i < f->other_count; i++)
		if (f->others[i]->format == format)
			return f->others[i];
	if (!ARRAY_GROW(f->others, f->other_count, f->other_cap))
		return NULL;
	other = foreign_open(format, NULL);
	if (other == NULL)
		return NULL;
	other->requests_only = f->requests_only;
	f->others[f->other_count++] = other;
	err_at(&f->trouble, ERR_INPUT, ERR_LINE, f->number,
	       "another format starts here: %s; both are read", format->name);
	return other;
}

/* The reader has this many rows to return. */
static void give(struct foreign *f, struct foreign *reader, int64_t rows)
{
	reader->position += reader->rows;
	reader->rows = rows > 0 ? (uint64_t)rows : 0;
	reader->next = 0;
	f->giving = reader;
}

/* A record that is not of this format may be of another one: the number of rows
 * that it completes, or an error. */
static int take_other(struct foreign *f, struct err *err)
{
	const struct foreign_format *format = foreign_of_record(f->read);
	struct foreign *other;
	struct value record;
	struct err why = {0};
	int rows;

	if (format == NULL || format == f->format)
		return ERR_INPUT;
	other = other_reader(f, format);
	if (other == NULL)
		return err_memory(err);
	if (foreign_parse_record(other, f->read, &record, NULL, &why) < 0)
		return ERR_INPUT;
	rows = format->take(other, record, &why);
	if (rows < 0) {
		*err = why;
		return rows;
	}
	give(f, other, rows);
	return rows;
}

/* The rows that needed the end. With several formats, it is not an error if one
 * has none. */
static int64_t end_of(struct foreign *f, bool alone, struct err *err)
{
	int64_t rows;

	f->ended = true;
	rows = f->format->end == NULL ? 0 : f->format->end(f, err);
	return rows == ERR_INPUT && !alone ? 0 : rows;
}

/* End the next of the others: 1 if there may be rows, 0 after all, or an
 * error. */
static int end_other(struct foreign *f, struct err *err)
{
	for (size_t i = 0; i < f->other_count; i++) {
		int64_t rows;

		if (f->others[i]->ended)
			continue;
		rows = end_of(f->others[i], false, err);
		if (rows < 0)
			return (int)rows;
		give(f, f->others[i], rows);
		return 1;
	}
	return 0;
}

/* Process the next record, or end: 1 if there may be rows, 0 after the end. */
static int advance(struct foreign *f, struct err *err)
{
	struct value record;
	int64_t rows = 0;
	int got = f->ended ? 0 : foreign_next_record(f, &record, err);

	if (got < 0)
		return got;
	if (got == 0 && f->ended)
		return end_other(f, err);
	rows = got > 0 ? f->format->take(f, record, err)
		       : end_of(f, f->other_count == 0, err);
	if (got > 0 && rows == ERR_INPUT) {
		int others = take_other(f, err);

		err->unit = ERR_LINE;
		err->at = f->number;
		return others < 0 ? others : 1;
	}
	if (rows < 0)
		return (int)rows;
	f->records += got > 0;
	give(f, f, rows);
	return 1;
}

/* Have the format add the next row's spans. If one needs spans that were left
 * out, this row is read again with all of them, and so are all later rows. */
static int add_spans(struct foreign *f, struct arena *arena, struct err *err)
{
	struct carrier *c = &f->carrier;
	int got;

	do {
		carrier_begin(c, arena);
		c->requests_only = f->requests_only;
		got = f->format->row(f, f->next, c, err);
		f->requests_only = c->requests_only;
	} while (got > 0 && c->incomplete);
	f->next++;
	return got;
}

static int make_row(struct foreign *f, struct arena *arena,
		    struct sample *sample, struct err *err)
{
	struct carrier *c = &f->carrier;
	int got = add_spans(f, arena, err);

	if (got <= 0)
		return got;
	carrier_end(c);
	losses_add(&f->lost, &c->lost);
	*sample = c->sample;
	sample_make_regular(sample, arena);
	f->row_timed = c->events.n + c->events.omitted > 0;
	f->timed |= f->row_timed;
	return c->failed ? arena_error(arena, err) : 1;
}

int foreign_no_times(const struct foreign *f, struct err *err)
{
	uint64_t n = f->position + f->rows;

	return err_set(err, ERR_INPUT, "%s, %llu %s: %s no times",
		       f->format->name, (unsigned long long)n,
		       n == 1 ? f->format->row_name : f->format->rows,
		       n == 1 ? "it has" : "they have");
}

int foreign_no_rows(const struct foreign *f, struct err *err)
{
	if (f->records == 0)
		return err_set(err, ERR_INPUT,
			       "no samples: none of its lines can be read");
	return err_set(err, ERR_INPUT, "%s: no %s in its %llu record%s",
		       f->format->name,
		       f->format->end != NULL ? "times" : f->format->rows,
		       (unsigned long long)f->records, str_plural(f->records));
}

struct losses foreign_losses(const struct foreign *f)
{
	struct losses all = f->lost;

	for (size_t i = 0; i < f->other_count; i++)
		losses_add(&all, &f->others[i]->lost);
	return all;
}

/* Report a pending message: its code, or 0. */
static int say_trouble(struct foreign *f, struct err *err)
{
	if (f->trouble.code == ERR_NONE)
		return 0;
	*err = f->trouble;
	if (f->name != NULL)
		err_in(err, f->name);
	f->trouble = (struct err){0};
	return err->code;
}

int foreign_next(struct foreign *f, struct arena *arena, struct sample *sample,
		 struct err *err)
{
	int got = say_trouble(f, err);

	if (got < 0)
		return got;
	while (got == 0) {
		struct foreign *giving = f->giving;

		if (giving->next < giving->rows) {
			got = make_row(giving, arena, sample, err);
			f->timed |= giving->timed;
			f->row_timed = giving->row_timed;
			continue;
		}
		got = advance(f, err);
		if (got == 0)
			return say_trouble(f, err);
		if (got > 0)
			got = 0;
	}
	f->failed |= got < 0 && (err->code != ERR_INPUT || f->ended);
	if (got < 0 && f->name != NULL && !f->ended)
		err_in(err, f->name);
	return got;
}
