#include "rollout/foreign/otlp_ids.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/pages.h"
#include "fmt/value/value_make.h"

enum {
	WORD = 16, /* hex digits of one */
	FIRST_SLOTS = 64
};
#define IS_TEXT (UINT32_C(1) << 31)

struct otlp_ids otlp_ids_new(size_t digits)
{
	return (struct otlp_ids){.digits = digits,
				 .texts = intern_new(LIMIT_KEPT),
				 .key = buf_new(LIMIT_STRING)};
}

void otlp_ids_free(struct otlp_ids *ids)
{
	intern_free(&ids->texts);
	buf_free(&ids->key);
	free(ids->v);
	free(ids->slots);
}

/* Eight hex digits as a number, all at once: the values of the digits are in the
 * bytes of a word. False: other characters are among them. */
static bool eight_digits(const char *p, uint64_t *number)
{
	const uint64_t ones = 0x0101010101010101u;
	uint64_t word, letters, values, wrong;

	memcpy(&word, p, 8);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	letters = word >> 6 & ones;
	values = (word & ones * 15) + letters * 9;
	/* 3x is a digit, 4x or 6x a letter, whose value is 10 to 15 */
	wrong = ((word & ones * 0xf0) | letters * 0x20) ^
		(ones * 0x30 + letters * 0x30);
	wrong |= values & ones * 0xf0;
	wrong |= ((values + ones * 6) & ones * 16) ^ letters * 16;
	values = (values | values >> 4) & 0x00ff00ff00ff00ffu;
	values = (values | values >> 8) & 0x0000ffff0000ffffu;
	*number = (values | values >> 16) & 0xffffffffu;
	return wrong == 0;
}

/* 16 hex digits as a word. False: other characters are among them. */
static bool hex_word(const char *p, uint64_t *word)
{
	uint64_t low;

	if (!eight_digits(p, word) || !eight_digits(p + 8, &low))
		return false;
	*word = *word << 32 | low;
	return true;
}

/* False: it is not so many hex digits. */
static bool hex_id(const struct otlp_ids *ids, struct str text,
		   struct otlp_id *id)
{
	return text.n == ids->digits &&
	       (text.n == WORD || hex_word(text.p, &id->high)) &&
	       hex_word(text.p + text.n - WORD, &id->low);
}

/* Another id: its text in lower case, as hex of another length may be in either
 * case. False: no memory. */
static bool text_id(struct otlp_ids *ids, struct str text, struct otlp_id *id)
{
	char *room;
	uint32_t number;

	buf_clear(&ids->key);
	room = buf_room(&ids->key, text.n);
	if (ids->key.failed)
		return false;
	for (size_t i = 0; i < text.n; i++)
		room[i] =
			(char)(text.p[i] + (text.p[i] >= 'A' && text.p[i] <= 'F'
						    ? 'a' - 'A'
						    : 0));
	ids->key.n = text.n;
	number = intern_add(&ids->texts, buf_str(&ids->key));
	*id = (struct otlp_id){.low = number,
			       .within = id->within | IS_TEXT,
			       .place = id->place};
	return number != INTERN_FAILED;
}

static bool same(const struct otlp_id *a, const struct otlp_id *b)
{
	return a->low == b->low && a->high == b->high && a->within == b->within;
}

static uint32_t hash_of(const struct otlp_id *id)
{
	uint64_t h = hash_mix(id->low, id->high + id->within);

	return (uint32_t)(h ^ h >> 32);
}

/* The slot that holds the id, or the free one where it belongs. */
static struct intern_slot *find(const struct otlp_ids *ids,
				const struct otlp_id *id, uint32_t hash)
{
	size_t at = hash & (ids->cap - 1);

	while (ids->slots[at].entry != 0 &&
	       (ids->slots[at].hash != hash ||
		!same(&ids->v[ids->slots[at].entry - 1], id)))
		at = (at + 1) & (ids->cap - 1);
	return &ids->slots[at];
}

static bool grow(struct otlp_ids *ids)
{
	struct otlp_ids wider = *ids;
	size_t size;

	wider.cap = ids->cap == 0 ? FIRST_SLOTS : 2 * ids->cap;
	if (wider.cap > UINT32_MAX)
		return false;
	size = wider.cap * sizeof(*wider.slots);
	wider.slots = pages_alloc(size);
	if (wider.slots == NULL)
		return false;
	memset(wider.slots, 0, size);
	for (size_t i = 0; i < ids->cap; i++) {
		size_t at = ids->slots[i].hash & (wider.cap - 1);

		if (ids->slots[i].entry == 0)
			continue;
		while (wider.slots[at].entry != 0)
			at = (at + 1) & (wider.cap - 1);
		wider.slots[at] = ids->slots[i];
	}
	free(ids->slots);
	ids->slots = wider.slots;
	ids->cap = wider.cap;
	return true;
}

uint32_t otlp_ids_add(struct otlp_ids *ids, struct str text, uint32_t within,
		      uint32_t last)
{
	struct otlp_id id = {.within = within, .place = -1};
	struct intern_slot *slot;
	uint32_t hash;

	if (!hex_id(ids, text, &id) && !text_id(ids, text, &id))
		return INTERN_FAILED;
	if (last != INTERN_FAILED && same(&ids->v[last], &id))
		return last;
	if (ids->n >= INT32_MAX || (ids->n >= ids->cap / 2 && !grow(ids)) ||
	    !ARRAY_GROW_PAGES(ids->v, ids->n, ids->v_cap))
		return INTERN_FAILED;
	hash = hash_of(&id);
	slot = find(ids, &id, hash);
	if (slot->entry != 0)
		return slot->entry - 1;
	ids->v[ids->n] = id;
	*slot = (struct intern_slot){(uint32_t)++ids->n, hash};
	return slot->entry - 1;
}

int otlp_ids_error(const struct otlp_ids *ids, struct err *err)
{
	if (ids->key.failed)
		return buf_error(&ids->key, err);
	return intern_error(&ids->texts, err);
}

uint32_t otlp_ids_expect(const struct otlp_ids *ids, struct str text,
			 uint32_t within, uint32_t last)
{
	struct otlp_id id = {.within = within};

	if (ids->cap == 0 || !hex_id(ids, text, &id))
		return (uint32_t)ids->n;
	if (last != INTERN_FAILED && same(&ids->v[last], &id))
		return last;
	__builtin_prefetch(&ids->slots[hash_of(&id) & (ids->cap - 1)], 1);
	return (uint32_t)ids->n;
}

static void put_hex(char *p, uint64_t word)
{
	for (int i = WORD; i-- > 0; word >>= 4)
		p[i] = "0123456789abcdef"[word & 15];
}

struct value otlp_ids_text(const struct otlp_ids *ids, uint32_t number,
			   struct arena *arena)
{
	const struct otlp_id *id = &ids->v[number];
	char *p;

	if ((id->within & IS_TEXT) != 0)
		return value_str(intern_text(&ids->texts, (uint32_t)id->low));
	p = arena_alloc(arena, ids->digits);
	if (p == NULL)
		return (struct value){.kind = VALUE_ABSENT};
	if (ids->digits > WORD)
		put_hex(p, id->high);
	put_hex(p + ids->digits - WORD, id->low);
	return value_str(str_make(p, ids->digits));
}
