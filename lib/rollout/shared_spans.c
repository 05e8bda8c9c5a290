#include "rollout/shared_spans.h"

#include <stdlib.h>
#include <string.h>

#define FREE UINT32_MAX
#define SEVERAL (UINT32_MAX - 1)

struct shared_slot {
	int64_t start, end;
	uint32_t name;
	uint32_t sample; /* the sample with the span, FREE or SEVERAL */
};

void shared_spans_free(struct shared_spans *shared)
{
	free(shared->slots);
	*shared = (struct shared_spans){0};
}

int shared_spans_begin(struct shared_spans *shared, size_t spans,
		       struct err *err)
{
	size_t slots = 16;

	while (slots / 2 < spans)
		slots *= 2;
	if (slots > shared->cap) {
		free(shared->slots);
		shared->slots = calloc(slots, sizeof(*shared->slots));
		shared->cap = shared->slots == NULL ? 0 : slots;
		if (shared->slots == NULL)
			return err_memory(err);
	}
	shared->mask = slots - 1;
	for (size_t i = 0; i < slots; i++)
		shared->slots[i].sample = FREE;
	return 0;
}

static uint64_t hash_of(const struct timed_span *span)
{
	uint64_t h = (uint64_t)span->start * 0x9e3779b97f4a7c15u;

	h = (h ^ (h >> 29) ^ (uint64_t)span->end) * 0xbf58476d1ce4e5b9u;
	h = (h ^ (h >> 32) ^ span->name) * 0x94d049bb133111ebu;
	return h ^ (h >> 31);
}

/* Its slot, or the free one where it belongs. */
static struct shared_slot *find(const struct shared_spans *shared,
				const struct timed_span *span)
{
	size_t at = (size_t)hash_of(span) & shared->mask;

	for (;; at = (at + 1) & shared->mask) {
		struct shared_slot *slot = &shared->slots[at];

		if (slot->sample == FREE ||
		    (slot->start == span->start && slot->end == span->end &&
		     slot->name == span->name))
			return slot;
	}
}

void shared_spans_see(struct shared_spans *shared,
		      const struct timed_row *timed, uint32_t sample)
{
	for (size_t i = 0; i < timed->count; i++) {
		const struct timed_span *span = &timed->spans[i];
		struct shared_slot *slot;

		if (span->open)
			continue;
		slot = find(shared, span);
		if (slot->sample == FREE)
			*slot = (struct shared_slot){span->start, span->end,
						     span->name, sample};
		else if (slot->sample != sample)
			slot->sample = SEVERAL;
	}
}

void shared_spans_mark(const struct shared_spans *shared,
		       struct timed_row *timed)
{
	for (size_t i = 0; i < timed->count; i++)
		timed->spans[i].is_shared =
			!timed->spans[i].open &&
			find(shared, &timed->spans[i])->sample == SEVERAL;
}
