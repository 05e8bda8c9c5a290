#include "fmt/json/json_value.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/num.h"
#include "fmt/value/value_size.h"
#include "fmt/value/value_text.h"

enum {
	TEXT_MAX = 1024 * 1024, /* bytes of a stand-in text; then "..." */
	FEW_KEYS = 64,		/* fewer keys are compared pairwise, not
				 * sorted */
	DROPPED = -1
};

struct value_walk {
	struct json_writer *w;
	enum json_keys keys;
	struct buf text; /* of the latest key or value that is not a str */
};

/* A key of a large dict and the index of its pair. */
struct object_key {
	struct str text;
	uint32_t pair;
};

static void put(struct value_walk *walk, struct value v);

static const char *native_key(struct value key)
{
	if (key.kind == VALUE_NONE)
		return "null";
	if (key.kind == VALUE_BOOL)
		return key.b ? "true" : "false";
	if (key.kind == VALUE_FLOAT && isnan(key.f))
		return "NaN";
	if (key.kind == VALUE_FLOAT && isinf(key.f))
		return key.f < 0 ? "-Infinity" : "Infinity";
	return NULL;
}

/* Valid until the next call. */
static struct str text_of(struct value_walk *walk, struct value v)
{
	buf_clear(&walk->text);
	value_put_str(&walk->text, v);
	if (walk->text.failed) {
		walk->w->cuts++;
		walk->text.failed = false;
		walk->text.n -= walk->text.n < 3 ? walk->text.n : 3;
		buf_puts(&walk->text, "...");
	}
	return buf_str(&walk->text);
}

static struct str key_text(struct value_walk *walk, struct value key)
{
	const char *native = NULL;

	if (key.kind == VALUE_STR)
		return value_text(key);
	if (walk->keys == JSON_KEYS_NATIVE)
		native = native_key(key);
	return native != NULL ? str_of(native) : text_of(walk, key);
}

/* Are any two of a few keys equal as text? A key other than a str counts as
 * equal, so the caller checks further. */
static bool may_collide(const struct value_items *items)
{
	uint64_t seen = 0;

	if (items->n / 2 > FEW_KEYS)
		return true;
	for (uint32_t i = 0; i + 1 < items->n; i += 2) {
		struct str s = value_text(items->v[i]);
		uint64_t bit;

		if (items->v[i].kind != VALUE_STR)
			return true;
		bit = (uint64_t)1
		      << ((s.n == 0 ? 0 : s.n * 7 + (uint8_t)s.p[s.n - 1]) %
			  64);
		for (uint32_t j = 0; (seen & bit) != 0 && j < i; j += 2)
			if (str_eq(value_text(items->v[j]), s))
				return true;
		seen |= bit;
	}
	return false;
}

static int key_order(const void *a, const void *b)
{
	const struct object_key *x = a;
	const struct object_key *y = b;
	int by_text = str_cmp(x->text, y->text);

	if (by_text != 0)
		return by_text;
	return x->pair < y->pair ? -1 : 1;
}

static bool collect_keys(struct value_walk *walk,
			 const struct value_items *items, struct arena *a,
			 struct object_key *keys)
{
	for (uint32_t i = 0; i < items->n / 2; i++) {
		struct value key = items->v[2 * (size_t)i];
		struct str text = key_text(walk, key);

		if (key.kind != VALUE_STR)
			text = arena_str(a, text);
		if (text.p == NULL && text.n > 0)
			return false;
		keys[i] = (struct object_key){text, i};
	}
	return true;
}

/* Which pair's value goes to each pair's place, or DROPPED. */
static int64_t *places(struct value_walk *walk, const struct value_items *items)
{
	struct arena scratch = arena_new(LIMIT_SAMPLE);
	uint32_t pairs = items->n / 2;
	struct object_key *keys = calloc(pairs, sizeof(*keys));
	int64_t *place = calloc(pairs, sizeof(*place));
	uint32_t first = 0;

	if (keys == NULL || place == NULL ||
	    !collect_keys(walk, items, &scratch, keys)) {
		walk->w->out->failed = ENOMEM;
		free(place);
		place = NULL;
		goto out;
	}
	qsort(keys, pairs, sizeof(*keys), key_order);
	for (uint32_t i = 0; i < pairs; i++) {
		place[keys[i].pair] = DROPPED;
		if (i == 0 || !str_eq(keys[i].text, keys[first].text))
			first = i;
		place[keys[first].pair] = keys[i].pair;
	}
out:
	free(keys);
	arena_free(&scratch);
	return place;
}

static void put_pair(struct value_walk *walk, struct value key, struct value v)
{
	json_key_str(walk->w, key_text(walk, key));
	put(walk, v);
}

static void put_places(struct value_walk *walk, const struct value_items *items)
{
	const struct value *v = items->v;
	int64_t *place = places(walk, items);

	if (place == NULL)
		return;
	for (uint32_t i = 0; i < items->n / 2; i++)
		if (place[i] != DROPPED)
			put_pair(walk, v[2 * (size_t)i], v[2 * place[i] + 1]);
	free(place);
}

static void put_dict(struct value_walk *walk, const struct value_items *items)
{
	json_begin(walk->w, '{');
	if (may_collide(items))
		put_places(walk, items);
	else
		for (uint32_t i = 0; i + 1 < items->n; i += 2)
			put_pair(walk, items->v[i], items->v[i + 1]);
	json_end(walk->w, '}');
}

static void put_list(struct value_walk *walk, const struct value_items *items)
{
	json_begin(walk->w, '[');
	for (uint32_t i = 0; i < items->n; i++)
		put(walk, items->v[i]);
	json_end(walk->w, ']');
}

static void put_container(struct value_walk *walk, struct value v)
{
	if (!value_enter(v.items)) {
		json_str(walk->w, str_of("..."));
		walk->w->cuts++;
		return;
	}
	if (v.kind == VALUE_DICT)
		put_dict(walk, v.items);
	else
		put_list(walk, v.items);
	value_leave(v.items);
}

/* Digits that a double may lose: 2^53 is the last exact one. */
static void put_digits(struct json_writer *w, struct str digits)
{
	if (!w->marks_large) {
		json_verbatim(w, digits);
		return;
	}
	json_begin(w, '{');
	json_add_str(w, "$int", digits);
	json_end(w, '}');
}

static void put_int(struct json_writer *w, int64_t i)
{
	static const int64_t most = INT64_C(1) << 53;
	char digits[NUM_INT_MAX];

	if (!w->marks_large || (i <= most && i >= -most))
		json_int(w, i);
	else
		put_digits(w, str_make(digits, num_put_int(digits, i)));
}

static void put(struct value_walk *walk, struct value v)
{
	switch ((enum value_kind)v.kind) {
	case VALUE_ABSENT:
	case VALUE_NONE:
		json_null(walk->w);
		break;
	case VALUE_BOOL:
		json_bool(walk->w, v.b);
		break;
	case VALUE_INT:
		put_int(walk->w, v.i);
		break;
	case VALUE_BIGINT:
		put_digits(walk->w, value_text(v));
		break;
	case VALUE_FLOAT:
		json_double(walk->w, v.f);
		break;
	case VALUE_STR:
		json_str(walk->w, value_text(v));
		break;
	case VALUE_LIST:
	case VALUE_TUPLE:
	case VALUE_DICT:
		put_container(walk, v);
		break;
	default:
		json_str(walk->w, text_of(walk, v));
	}
}

void json_put_value(struct json_writer *w, struct value v, enum json_keys keys)
{
	struct value_walk walk = {
		.w = w, .keys = keys, .text = buf_new(TEXT_MAX)};

	if (w->passed == NULL)
		w->passed = value_size_add(&w->size, v);
	if (w->passed != NULL) {
		json_null(w);
		return;
	}
	put(&walk, v);
	buf_free(&walk.text);
}
