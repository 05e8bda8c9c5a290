/*
 * Decides what is payload: the values of a sample's unwanted keys.
 *
 * Only the stack is needed. Python's picklers of protocol 2 and later write the
 * items of a sample's dict as `dict MARK key value key value ... SETITEMS`, at
 * most 1,000 pairs per batch, and a dict of one item as `dict key value
 * SETITEM`. If a stack position is ambiguous, the value is built: that costs
 * memory for one sample and never loses a value. A tuple's third member is at
 * the position of an item's value, too, which only shows later: then the dump
 * is read again without skipping.
 */
#include "base/num.h"
#include "fmt/pickle/pickle_parts.h"

/* Where the items of the current sample's dict begin; 0 if not in one. */
static uint32_t fields_of(const struct pickle *r)
{
	uint32_t at = r->level.next;

	if (r->stack_n <= at + 1)
		return 0;
	if (r->stack[at].kind == VALUE_OBJECT &&
	    r->stack[at + 1].kind == VALUE_DICT)
		at++; /* an object's state */
	return r->stack[at].kind == VALUE_DICT ? at + 1 : 0;
}

/* Below it are a batch's mark, the list, its key, and the mark of the items of
 * the dict that has the list. */
bool pickle_is_record(const struct pickle *r, uint32_t slot)
{
	const struct value_filter *f = r->filter;
	uint32_t batch, items, fields;
	const struct value_items *dict = r->stack[slot].items;

	if (f == NULL || r->reading != 1 || !r->level.open ||
	    r->skip_marks != 0 || r->stack[slot].kind != VALUE_DICT ||
	    dict->cap > 0 || dict->kept || r->marks_n < r->level.marks + 2)
		return false;
	fields = fields_of(r);
	batch = r->marks[r->marks_n - 1];
	items = r->marks[r->marks_n - 2];
	/* Behind a key, it is the only item of a dict. */
	if (slot > batch && r->stack[slot - 1].kind == VALUE_STR)
		return false;
	if (fields == 0 || slot < batch || batch < items + 2 ||
	    items < fields || (batch - items) % 2 != 0 ||
	    r->stack[batch - 1].kind != VALUE_LIST ||
	    r->stack[batch - 2].kind != VALUE_STR ||
	    !str_eq(value_text(r->stack[batch - 2]), f->list))
		return false;
	return items == fields ||
	       ((items - fields) % 2 == 0 && r->marks_n > r->level.marks + 2 &&
		r->marks[r->marks_n - 3] == fields &&
		r->stack[items - 1].kind == VALUE_DICT &&
		r->stack[items - 2].kind == VALUE_STR &&
		str_eq(value_text(r->stack[items - 2]), f->records));
}

/* Is the member wanted, whose key this is? */
static bool wants_member(const struct pickle *r, struct value key)
{
	return key.kind == VALUE_STR &&
	       value_filter_wants_member(r->filter, value_text(key));
}

bool pickle_fill_record(struct pickle *r, struct value_items *record,
			const struct value *v, uint32_t n)
{
	uint32_t wanted = 0;

	for (uint32_t i = 0; i < n; i += 2)
		wanted += 2 * wants_member(r, v[i]);
	if (!value_records_make(&r->records, record, wanted))
		return false;
	for (uint32_t i = 0; i < n; i += 2)
		if (wants_member(r, v[i])) {
			record->v[record->n++] = v[i];
			record->v[record->n++] = v[i + 1];
		}
	return true;
}

/* Might the dict below still lack its only item, so that the string on top is a
 * key of that dict and not of the sample? */
bool pickle_may_take_item(struct value v)
{
	return v.kind == VALUE_DICT && v.items->n / 2 % 1000 == 0;
}

/* Is the next value one of the sample's own dict? */
static bool at_field_value(const struct pickle *r)
{
	uint32_t fields = fields_of(r);
	uint32_t depth, place;

	if (fields == 0 || r->stack_n <= fields)
		return false;
	place = r->stack_n - fields;
	depth = r->marks_n - r->level.marks;
	if (place == 1)
		return true;
	return r->batches && depth > 0 && depth <= 2 && place % 2 == 1 &&
	       r->marks[r->marks_n - 1] == fields &&
	       !pickle_may_take_item(r->stack[r->stack_n - 2]);
}

static bool key_is_unwanted(const struct pickle *r)
{
	struct value key = r->stack[r->stack_n - 1];

	return key.kind == VALUE_STR &&
	       !value_filter_wants(r->filter, value_text(key));
}

bool pickle_is_needed(const struct pickle *r, uint32_t number)
{
	return number / 8 < r->later_bytes &&
	       (r->later[number / 8] >> number % 8 & 1);
}

bool pickle_skips_field(const struct pickle *r)
{
	if (r->filter == NULL || r->reading == 3 || r->stack_n == 0)
		return false;
	/* The next object gets the next number, if it is numbered. */
	return at_field_value(r) && key_is_unwanted(r) &&
	       !(r->reading == 2 && pickle_is_needed(r, r->memo_n));
}

bool pickle_sums_value(const struct pickle *r)
{
	return r->filter != NULL && r->skip_marks == 0 && r->stack_n > 0 &&
	       r->stack[r->stack_n - 1].kind == VALUE_STR &&
	       str_eq(value_text(r->stack[r->stack_n - 1]), r->filter->summed);
}

void pickle_sum_one(struct value list, struct value v)
{
	if (list.kind != VALUE_SKIPPED || list.skipped == NULL)
		return;
	if (v.kind == VALUE_INT)
		list.skipped->sum += (double)v.i;
	else if (v.kind == VALUE_FLOAT)
		list.skipped->sum += v.f;
	else if (v.kind == VALUE_BOOL)
		list.skipped->sum += v.b;
	list.skipped->count++;
}

static double big_endian_double(const char *p)
{
	uint64_t bits;

	memcpy(&bits, p, sizeof(bits));
	return num_of_bits(__builtin_bswap64(bits));
}

/* Size of the number that opcode op begins, 0 for other opcodes. */
static const unsigned char number_size[256] = {
	['K'] = 2, ['M'] = 3, ['J'] = 5, ['G'] = 9, [0x88] = 1, [0x89] = 1};

static double number_at(const char *p)
{
	int32_t i;

	switch ((unsigned char)*p) {
	case 'K':
		return (unsigned char)p[1];
	case 'M':
		return (unsigned char)p[1] | (unsigned char)p[2] << 8;
	case 'J':
		memcpy(&i, p + 1, sizeof(i));
		return i;
	case 'G':
		return big_endian_double(p + 1);
	default:
		return (unsigned char)*p == 0x88;
	}
}

static void sum_run(struct value_skipped *sum, const char *p, const char *end)
{
	while (p < end) {
		sum->sum += number_at(p);
		sum->count++;
		p += number_size[(unsigned char)*p];
	}
}

/*
 * Skip the buffered numbers inside a skipped value: this is the hot loop for a
 * dump of token ids.
 */
int pickle_run_of_numbers(struct pickle *r)
{
	const char *p = r->p;
	const char *end = r->end;
	struct value v = r->stack[r->marks[r->marks_n - 1] - 1];

	while (end - p >= 9) {
		size_t size = number_size[(unsigned char)*p];

		if (size == 0)
			break;
		p += size;
	}
	if (r->marks_n == r->skip_marks && v.kind == VALUE_SKIPPED &&
	    v.skipped != NULL)
		sum_run(v.skipped, r->p, p);
	r->p = p;
	return 0;
}
