/*
 * Any bytes as a Chrome trace: the events are the same whether they come in
 * one block or byte by byte, and each is one strict JSON object that holds the
 * members found in it.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/map.h"
#include "fmt/file/chrome_member.h"
#include "fmt/file/chrome_read.h"
#include "fmt/json/json_read.h"

#include "fuzz.h"

struct blocks {
	struct byte_source source;
	struct str left;
	size_t size;
};

static int next_block(struct byte_source *source, struct str *block,
		      struct err *err)
{
	struct blocks *b = (struct blocks *)source;
	size_t n = b->left.n < b->size ? b->left.n : b->size;

	(void)err;
	*block = str_make(b->left.p, n);
	b->left = str_make(b->left.p + n, b->left.n - n);
	return n > 0;
}

static void check_event(const struct chrome_event *e)
{
	struct arena arena = arena_new(256 * MIB);
	struct value v;
	struct err err;
	int64_t ns;

	require(json_parse(e->text, &arena, &v, &err) == 0 &&
		v.kind == VALUE_DICT);
	arena_free(&arena);
	for (size_t i = 0; i < CHROME_MEMBERS; i++)
		require(e->member[i].p == NULL ||
			(e->member[i].p > e->text.p && e->member[i].n > 0 &&
			 e->member[i].p + e->member[i].n <
				 e->text.p + e->text.n));
	chrome_parse_time(e->member[CHROME_TS], &ns);
	chrome_find(e->member[CHROME_ARGS], "name");
}

/* A fingerprint of all events and of how the reading ended. */
static uint64_t read_in(struct str text, size_t size)
{
	struct blocks blocks = {{.next = next_block}, text, size};
	struct chrome_reader *reader = chrome_open(&blocks.source);
	struct chrome_event event;
	struct err err = {0};
	uint64_t hash = 0;
	int rc = 1;

	while (rc == 1) {
		rc = chrome_next(reader, &event, &err);
		if (rc != 1)
			break;
		check_event(&event);
		hash = hash_bytes(event.text.p, event.text.n, hash);
	}
	hash = hash_mix(hash, (uint64_t)chrome_found(reader)->base ^ (rc < 0));
	hash = hash_mix(hash, chrome_found(reader)->truncated);
	hash = hash_mix(hash, chrome_found(reader)->elements);
	hash = hash_mix(hash, chrome_found(reader)->damaged);
	chrome_close(reader);
	return hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = {(const char *)data, size};

	require(read_in(text, size + 1) == read_in(text, 1));
	return 0;
}
