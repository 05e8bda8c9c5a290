/*
 * Fingerprints: a set of 64-bit hashes, each with an optional number.
 *
 * Open addressing with linear probing, at most three quarters full: 11 to 21
 * bytes per member for a set of 8-byte keys, half as much again with values.
 * Keys are hashes, whose bits are mixed little; 0 means "free", so a hash of 0
 * becomes 1. Two texts share a fingerprint by accident with a probability of
 * n^2 / 2^65: 10^-8 for half a million. If that is too likely, compare the text
 * behind the value.
 */
#ifndef OBS_BASE_MAP_H
#define OBS_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct map {
	uint64_t *keys;
	uint32_t *values; /* NULL in a set */
	size_t n;
	size_t cap; /* a power of two, or 0 */
	int shift;  /* so many bits of a hash are not part of a home */
	bool valued;
};

struct map map_new(bool valued);
void map_free(struct map *m);

/* Forget all members and keep the memory. */
void map_clear(struct map *m);

/*
 * Add key with value (ignored in a set). Returns 1 if it was added; 0 if it was
 * present, with its value in *value; ERR_MEMORY.
 */
int map_add(struct map *m, uint64_t key, uint32_t *value);

/* Is key present? Sets *value, unless that is NULL. */
bool map_find(const struct map *m, uint64_t key, uint32_t *value);

/* The slot where the search for a key begins; cap is not 0. */
static inline size_t map_home(const struct map *m, uint64_t key)
{
	return key * 0x9e3779b97f4a7c15u >> m->shift;
}

/* Prefetch the slot of key, to be added: a large table is not in the cache. */
static inline void map_prefetch(const struct map *m, uint64_t key)
{
	size_t home;

	if (m->cap == 0)
		return;
	home = map_home(m, key);
	__builtin_prefetch(&m->keys[home], 1);
	if (m->valued)
		__builtin_prefetch(&m->values[home], 1);
}

/* Mix two words into one (the folded multiplication of wyhash). */
static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
	__extension__ unsigned __int128 product =
		(__extension__(unsigned __int128)(a ^ 0xa0761d6478bd642fu)) *
		(b ^ 0xe7037ed1a0b428dbu);

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Up to 8 bytes as a word. */
static inline uint64_t hash_word(const char *p, size_t n)
{
	uint64_t word = 0;
	uint32_t low, high;

	if (n >= 8) {
		memcpy(&word, p, 8);
	} else if (n >= 4) {
		memcpy(&low, p, 4);
		memcpy(&high, p + n - 4, 4);
		word = (uint64_t)high << 32 | low;
	} else if (n > 0) {
		word = (uint64_t)(unsigned char)p[0] << 16 |
		       (uint64_t)(unsigned char)p[n / 2] << 8 |
		       (unsigned char)p[n - 1];
	}
	return word;
}

static inline uint64_t hash_bytes(const char *p, size_t n, uint64_t seed)
{
	uint64_t h = seed ^ n;

	for (; n > 16; p += 16, n -= 16)
		h = hash_mix(hash_word(p, 8) ^ h, hash_word(p + 8, 8));
	if (n > 8)
		return hash_mix(hash_word(p, 8) ^ h, hash_word(p + n - 8, 8));
	return hash_mix(hash_word(p, n) ^ h, h);
}

#endif
