/* Arenas, records and buffers: what they hold, and that they stop at their
 * ceiling. */
#include "base/arena.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/limits.h"
#include "check.h"
#include "fmt/value/value_make.h"
#include "fmt/value/value_records.h"

static void check_arena(void)
{
	struct arena a = arena_new(MIB);
	char *first, *big;

	check_case("an arena gives aligned memory, even for nothing");
	CHECK(arena_alloc(&a, 0) != NULL);
	first = arena_alloc(&a, 1);
	CHECK(first != NULL && (uintptr_t)first % 8 == 0);
	CHECK((uintptr_t)arena_alloc(&a, 3) % 8 == 0);
	CHECK_STR(arena_str(&a, str_of("text")), "text");
	CHECK(arena_str(&a, str_of("text")).p[4] == '\0');

	check_case("an arena that is reset keeps its largest block");
	big = arena_alloc(&a, 200 * KIB);
	CHECK(big != NULL);
	arena_reset(&a);
	CHECK(arena_alloc(&a, 200 * KIB) == (void *)big);

	check_case("an arena does not grow past its ceiling");
	CHECK(!a.failed);
	CHECK(arena_alloc(&a, MIB) == NULL);
	CHECK(arena_alloc(&a, SIZE_MAX) == NULL);
	CHECK(arena_alloc(&a, SIZE_MAX - 7) == NULL);
	CHECK(arena_array(&a, SIZE_MAX / 2, 4) == NULL);
	CHECK(a.used <= MIB);
	CHECK(arena_alloc(&a, 16) != NULL);
	CHECK(a.failed);
	arena_reset(&a);
	CHECK(!a.failed);
	arena_free(&a);
}

/* Arrays that grow in turn: none may lose what it holds. */
static int64_t filling(size_t i, size_t n)
{
	return (int64_t)(i + n / 8 % 7);
}

static void check_arena_widen(void)
{
	struct arena a = arena_new(64 * MIB);
	unsigned char *v[3] = {0};
	size_t had = 0;

	check_case("arrays of an arena grow and keep what they hold");
	for (size_t n = 8; n <= 4 * MIB; n *= 2) {
		for (size_t i = 0; i < 3; i++) {
			v[i] = arena_widen(&a, v[i], had, n);
			CHECK(v[i] != NULL);
			if (v[i] == NULL)
				return;
			memset(v[i] + had, (int)filling(i, n), n - had);
			CHECK(arena_alloc(&a, 8) != NULL);
		}
		had = n;
	}
	for (size_t i = 0; i < 3; i++) {
		for (size_t n = 8; n <= 4 * MIB; n *= 2)
			CHECK_INT(v[i][n - 1], filling(i, n));
		CHECK_INT(v[i][0], filling(i, 8));
	}
	CHECK(a.used < 20 * MIB); /* copies would take 24 */

	check_case("an array does not grow past an arena's ceiling");
	CHECK(arena_widen(&a, v[1], had, 60 * MIB) == NULL);
	CHECK(a.failed && a.full);
	CHECK(arena_widen(&a, v[1], had, SIZE_MAX - 8) == NULL);
	CHECK_INT(v[1][had - 1], filling(1, had));
	arena_free(&a);
}

static void check_refusals(void)
{
	static const char nine[9 * KIB];
	struct arena named = arena_new(LIMIT_INT_BYTES);
	struct arena plain = arena_new(3 * KIB);
	struct intern names = intern_new(LIMIT_INT_BYTES);
	struct buf small = buf_new(10);
	struct buf option = buf_limited(10 * MIB, "--max-bytes");
	const struct limit levels = {9, "levels", "LIMIT_DEPTH"};
	struct err err;

	check_case("what is full says by which limit, and how to raise it");
	CHECK(arena_alloc(&named, 9 * KIB) == NULL);
	CHECK_INT(arena_error(&named, &err), ERR_LIMIT);
	CHECK_TEXT(err.text, "takes more than 8 KiB; obstools(7) tells how to "
			     "raise LIMIT_INT_BYTES");
	CHECK_INT(intern_add(&names, str_make(nine, sizeof(nine))),
		  INTERN_FAILED);
	CHECK_INT(intern_error(&names, &err), ERR_LIMIT);
	buf_room(&option, 11 * MIB);
	CHECK_INT(buf_error(&option, &err), ERR_LIMIT);
	CHECK_TEXT(err.text, "takes more than 10 MiB; raise it with "
			     "--max-bytes");

	buf_clear(&option);
	buf_puts(&option, "text");
	buf_reject(&option, &levels);
	buf_puts(&option, " swallowed");
	CHECK(option.failed && option.n == strlen("text"));
	CHECK_INT(buf_error(&option, &err), ERR_LIMIT);
	CHECK_TEXT(err.text, "has more than 9 levels; obstools(7) tells how to "
			     "raise LIMIT_DEPTH");
	buf_clear(&option);
	buf_room(&option, 11 * MIB);

	check_case("a limit that nobody can raise is its size only");
	CHECK(arena_alloc(&plain, 3 * KIB + 1) == NULL);
	arena_error(&plain, &err);
	CHECK_TEXT(err.text, "takes more than 3 KiB");
	buf_puts(&small, "more than ten");
	buf_error(&small, &err);
	CHECK_TEXT(err.text, "takes more than 10 bytes");

	check_case("what the system refuses is a lack of memory");
	named.full = option.full = false;
	CHECK_INT(arena_error(&named, &err), ERR_MEMORY);
	CHECK_INT(buf_error(&option, &err), ERR_MEMORY);
	arena_free(&named);
	arena_free(&plain);
	intern_free(&names);
	buf_free(&small);
	buf_free(&option);
}

static void check_arena_array(void)
{
	struct arena a = arena_new(MIB);
	char *p = arena_alloc(&a, 64);

	check_case("an array is cleared, what was there before too");
	memset(p, 0xff, 64);
	arena_reset(&a);
	p = arena_array(&a, 8, 8);
	for (int i = 0; i < 64; i++)
		CHECK_INT(p[i], 0);
	arena_free(&a);
}

enum { RECORDS = 30000, MEMBERS = 16 };

static void make_records(struct value_records *records, struct value *dicts)
{
	for (int i = 0; i < RECORDS; i++) {
		struct value_items *items = dicts[i].items;

		CHECK(value_records_make(records, items, MEMBERS));
		for (int k = 0; k < MEMBERS; k++)
			items->v[items->n++] = value_int(i);
	}
}

static void check_records(void)
{
	struct arena a = arena_new(64 * MIB);
	struct value_records records = {.arena = arena_new(64 * MIB)};
	struct value *dicts = arena_array(&a, RECORDS, sizeof(*dicts));
	size_t all;

	for (int i = 0; i < RECORDS; i++)
		dicts[i] = value_new(&a, VALUE_DICT, 0);
	make_records(&records, dicts);
	all = records.arena.used;

	check_case("records read in order give their memory back on the way");
	for (int i = 0; i < RECORDS / 2; i++)
		value_records_pass(&records, dicts[i].items);
	CHECK(records.arena.used < all);
	CHECK_INT(dicts[0].items->n, 0);
	for (int i = RECORDS / 2; i < RECORDS; i++)
		CHECK_INT(dicts[i].items->v[MEMBERS - 1].i, i);

	check_case("one read before others waits for them");
	value_records_pass(&records, dicts[RECORDS - 2].items);
	CHECK_INT(dicts[RECORDS - 2].items->n, MEMBERS);

	check_case("records that were added to keep what they have");
	CHECK(value_push(&a, dicts[RECORDS / 2], value_int(7)));
	value_records_pass(&records, dicts[RECORDS / 2].items);
	value_records_release(&records);
	CHECK(records.arena.used == 0);
	CHECK_INT(dicts[RECORDS / 2].items->v[MEMBERS].i, 7);
	CHECK_INT(dicts[RECORDS - 1].items->n, 0);
	arena_free(&a);
}

static void check_buf(void)
{
	struct buf b = buf_new(10);

	check_case("an empty buffer can be walked over and compared");
	CHECK(buf_str(&b).p != NULL);
	CHECK(!str_ends(buf_str(&b), "x"));
	CHECK(str_ends((struct str){NULL, 0}, ""));
	CHECK(str_starts((struct str){NULL, 0}, ""));

	check_case("a buffer holds as much as its ceiling");
	buf_printf(&b, "%05d", 12345);
	buf_puts(&b, "67890");
	CHECK(!b.failed);
	CHECK_STR(buf_str(&b), "1234567890");

	check_case("past its ceiling a buffer swallows and remembers");
	buf_putc(&b, 'x');
	CHECK(b.failed);
	buf_clear(&b);
	CHECK(!b.failed);
	buf_printf(&b, "%011d", 7);
	CHECK(b.failed && b.n <= 10);
	buf_puts(&b, "x");
	CHECK(b.n <= 10);

	check_case("a buffer that failed gives no room");
	buf_clear(&b);
	CHECK(buf_room(&b, 11) == NULL);
	CHECK(buf_room(&b, SIZE_MAX) == NULL);
	CHECK(b.failed);
	buf_free(&b);
}

int main(void)
{
	check_arena();
	check_arena_widen();
	check_refusals();
	check_arena_array();
	check_records();
	check_buf();
	return check_done();
}
