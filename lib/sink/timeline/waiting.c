#include "sink/timeline/waiting.h"

#include "rollout/waits.h"
#include "sink/timeline/varint.h"

struct put_rows {
	struct rows_visitor base;
	const struct waiting *waiting;
	struct out *out;
};

struct waiting waiting_new(void)
{
	return (struct waiting){.names = span_names_new(),
				.store = row_store_new()};
}

void waiting_free(struct waiting *waiting)
{
	span_names_free(&waiting->names);
	timed_row_free(&waiting->timed);
	row_store_free(&waiting->store);
}

int waiting_add(struct waiting *waiting, const struct row *row, uint64_t place,
		struct err *err)
{
	const struct stored_row about = {.part = (uint32_t)place,
					 .worker = ROW_NO_WORKER};
	int code = timed_row_read(&waiting->timed, row, &waiting->names, err);

	if (code > 0)
		code = row_store_add(&waiting->store, row, &waiting->timed,
				     &about, err);
	timed_row_release(&waiting->timed);
	return code;
}

/* The row of the page at a position in the store. */
static uint64_t page_row(const struct waiting *waiting, size_t place)
{
	return waiting->store.rows[place].part;
}

/* A phase: its begin relative to the previous one, then what it waited for and
 * whether it worked. */
static void put_phase(struct out *out, const struct phase *phase,
		      int64_t before)
{
	uint64_t wait = phase->wait == ACTIVITIES ? 0
						  : (uint64_t)phase->wait + 1;

	put_varint(out, zigzag(phase->from - before));
	put_varint(out, wait << 1 | (phase->working ? 1 : 0));
}

static void put_phases(struct out *out, const struct timed_row *timed,
		       const struct own_time *own)
{
	int64_t before = timed->start;

	put_varint(out, (uint64_t)own->phase_count << 1 | (own->open ? 1 : 0));
	for (size_t i = 0; i < own->phase_count; i++) {
		put_phase(out, &own->phases[i], before);
		before = own->phases[i].from;
	}
}

/* Begin of the first working phase and end of the last, usually the own start
 * and end; else the row's. */
static struct own_time bounds_of(const struct timed_row *timed,
				 const struct own_time *own)
{
	struct own_time bounds = {.start = timed->end, .end = timed->start};

	for (size_t i = 0; i < own->phase_count; i++) {
		const struct phase *phase = &own->phases[i];

		if (!phase->working)
			continue;
		if (phase->from < bounds.start)
			bounds.start = phase->from;
		bounds.end = i + 1 < own->phase_count ? phase[1].from
						      : timed->end;
	}
	return bounds;
}

static int put_row(struct rows_visitor *visitor, size_t place,
		   const struct timed_row *timed, const struct own_time *own,
		   struct err *err)
{
	const struct put_rows *put = (const struct put_rows *)visitor;
	struct own_time bounds = bounds_of(timed, own);
	struct out *out = put->out;

	(void)err;
	put_varint(out, page_row(put->waiting, place));
	put_phases(out, timed, own);
	put_varint(out, zigzag(own->start - bounds.start));
	put_varint(out, zigzag(own->end - bounds.end));
	put_varint(out, (uint64_t)own->earlier);
	return 0;
}

int waiting_put(const struct waiting *waiting, struct out *out, struct err *err)
{
	struct put_rows put = {{put_row}, waiting, out};
	struct victims victims = {0};
	int code;

	put_varint(out, waiting->store.count);
	code = waits_each(&waiting->store, &waiting->names, &put.base, &victims,
			  err);
	put_varint(out, victims.n);
	for (size_t i = 0; i < victims.n; i++) {
		put_varint(out, page_row(waiting, victims.v[i].culprit));
		put_varint(out, page_row(waiting, victims.v[i].row));
		put_varint(out, (uint64_t)victims.v[i].wait);
	}
	victims_free(&victims);
	return code;
}
