#include "rollout/row_store.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/limits.h"
#include "fmt/json/json_text.h"

enum { VARINT_MAX = 10 };

/* Bits of a span's first byte; the others are free. */
enum {
	IS_OPEN = 1,
	IS_GROUP = 2,
	HAS_QUEUE = 4,
	HAS_ATTEMPT = 8,
	IS_REQUEST = 16
};
/* Of a call's. */
enum { HAS_CHILD = 1 };

struct row_store row_store_new(void)
{
	return (struct row_store){.packed = buf_new(LIMIT_KEPT),
				  .texts = intern_new(LIMIT_KEPT),
				  .scratch = buf_new(LIMIT_STRING)};
}

void row_store_free(struct row_store *store)
{
	free(store->rows);
	buf_free(&store->packed);
	intern_free(&store->texts);
	free(store->uses);
	buf_free(&store->scratch);
	*store = (struct row_store){0};
}

/* Numbers ------------------------------------------------------------- */

static char *put_unsigned(char *at, uint64_t n)
{
	for (; n >= 0x80; n >>= 7)
		*at++ = (char)(n | 0x80);
	*at++ = (char)n;
	return at;
}

/* Small numbers of either sign become small ones (zigzag). */
static char *put_signed(char *at, int64_t n)
{
	uint64_t doubled = (uint64_t)n << 1;

	return put_unsigned(at, n < 0 ? ~doubled : doubled);
}

static uint64_t get_unsigned(const char **at)
{
	uint64_t n = 0;
	int shift = 0;
	uint8_t byte;

	do {
		byte = (uint8_t) * (*at)++;
		n |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte >= 0x80);
	return n;
}

static int64_t get_signed(const char **at)
{
	uint64_t n = get_unsigned(at);

	return (int64_t)(n & 1 ? ~(n >> 1) : n >> 1);
}

/* Packing ------------------------------------------------------------- */

static char *put_span(char *at, const struct timed_span *span, int64_t *before)
{
	int flags = (span->open ? IS_OPEN : 0) |
		    (span->is_group ? IS_GROUP : 0) |
		    (span->is_request ? IS_REQUEST : 0) |
		    (span->queued != 0 ? HAS_QUEUE : 0) |
		    (span->attempt != 0 ? HAS_ATTEMPT : 0);

	*at++ = (char)flags;
	at = put_unsigned(at, span->name);
	at = put_signed(at, span->start - *before);
	at = put_signed(at, span->end - span->start);
	if (span->queued != 0)
		at = put_signed(at, span->queued);
	if (span->attempt != 0)
		at = put_signed(at, span->attempt);
	*before = span->start;
	return at;
}

static char *put_call(char *at, const struct timed_call *call, int64_t base)
{
	bool has_child = call->child != INT64_MAX;

	*at++ = has_child ? HAS_CHILD : 0;
	at = put_signed(at, call->attempt);
	at = put_signed(at, call->start - base);
	return has_child ? put_signed(at, call->child - call->start) : at;
}

static int pack(struct row_store *store, const struct timed_row *timed,
		struct err *err)
{
	size_t most = 2 * (size_t)VARINT_MAX +
		      timed->count * (1 + 5 * (size_t)VARINT_MAX) +
		      timed->call_count * (1 + 3 * (size_t)VARINT_MAX);
	int64_t before = timed->start;
	char *at = buf_room(&store->packed, most);

	if (at == NULL)
		return buf_error(&store->packed, err);
	at = put_unsigned(at, timed->count);
	at = put_unsigned(at, timed->call_count);
	for (size_t i = 0; i < timed->count; i++)
		at = put_span(at, &timed->spans[i], &before);
	for (size_t i = 0; i < timed->call_count; i++)
		at = put_call(at, &timed->calls[i], timed->start);
	store->packed.n = (size_t)(at - store->packed.p);
	return 0;
}

static struct timed_span get_span(const char **at, int64_t *before)
{
	unsigned char flags = (unsigned char)*(*at)++;
	struct timed_span span = {.open = flags & IS_OPEN,
				  .is_group = flags & IS_GROUP,
				  .is_request = flags & IS_REQUEST};

	span.name = (uint32_t)get_unsigned(at);
	span.start = *before + get_signed(at);
	span.end = span.start + get_signed(at);
	if (flags & HAS_QUEUE)
		span.queued = get_signed(at);
	if (flags & HAS_ATTEMPT)
		span.attempt = get_signed(at);
	*before = span.start;
	return span;
}

static struct timed_call get_call(const char **at, int64_t base)
{
	unsigned char flags = (unsigned char)*(*at)++;
	struct timed_call call = {.child = INT64_MAX};

	call.attempt = get_signed(at);
	call.start = base + get_signed(at);
	if (flags & HAS_CHILD)
		call.child = call.start + get_signed(at);
	return call;
}

int row_store_get(const struct row_store *store, const struct stored_row *row,
		  struct timed_row *timed, struct err *err)
{
	const char *at = store->packed.p + row->at;
	int64_t before = row->start;

	timed->start = row->start;
	timed->end = row->end;
	timed->count = (size_t)get_unsigned(&at);
	timed->call_count = (size_t)get_unsigned(&at);
	if (timed_row_room(timed, timed->count, timed->call_count, err) < 0)
		return err->code;
	for (size_t i = 0; i < timed->count; i++)
		timed->spans[i] = get_span(&at, &before);
	for (size_t i = 0; i < timed->call_count; i++)
		timed->calls[i] = get_call(&at, row->start);
	return 0;
}

/* Rows ---------------------------------------------------------------- */

/* The number of a value's JSON among the texts; INTERN_FAILED with err. */
static uint32_t add_text(struct row_store *store, struct value v,
			 struct err *err)
{
	uint32_t number;

	buf_clear(&store->scratch);
	if (json_text(&store->scratch, v, err) < 0)
		return INTERN_FAILED;
	number = intern_add(&store->texts, buf_str(&store->scratch));
	if (number == INTERN_FAILED)
		intern_error(&store->texts, err);
	return number;
}

static bool is_nothing(struct value v)
{
	return v.kind == VALUE_ABSENT || v.kind == VALUE_NONE;
}

static int name_row(struct row_store *store, struct stored_row *kept,
		    const struct row *row, struct err *err)
{
	kept->indexed = !is_nothing(row->sample_index);
	kept->sample = add_text(store, row->sample_index, err);
	kept->group = ROW_NO_GROUP;
	if (kept->sample == INTERN_FAILED)
		return err->code;
	if (!is_nothing(row->group_index)) {
		kept->group = add_text(store, row->group_index, err);
		if (kept->group == INTERN_FAILED)
			return err->code;
	}
	if (!ARRAY_GROW_ZEROED(store->uses, store->texts.count, store->use_cap))
		return err_memory(err);
	store->uses[kept->sample]++;
	return 0;
}

int row_store_add(struct row_store *store, const struct row *row,
		  const struct timed_row *timed, const struct stored_row *about,
		  struct err *err)
{
	struct stored_row kept = *about;

	kept.row_id = row->row_id;
	kept.start = timed->start;
	kept.end = timed->end;
	kept.at = store->packed.n;
	if (!ARRAY_GROW(store->rows, store->count, store->cap))
		return err_memory(err);
	if (name_row(store, &kept, row, err) < 0 || pack(store, timed, err) < 0)
		return err->code;
	store->rows[store->count++] = kept;
	return 0;
}

size_t stored_row_spans(const struct row_store *store,
			const struct stored_row *row)
{
	const char *at = store->packed.p + row->at;

	return (size_t)get_unsigned(&at);
}

struct str stored_row_sample(const struct row_store *store,
			     const struct stored_row *row)
{
	return intern_text(&store->texts, row->sample);
}

struct str stored_row_group(const struct row_store *store,
			    const struct stored_row *row)
{
	return row->group == ROW_NO_GROUP
		       ? str_of("null")
		       : intern_text(&store->texts, row->group);
}

bool stored_row_repeats(const struct row_store *store,
			const struct stored_row *row)
{
	return store->uses[row->sample] > 1;
}
