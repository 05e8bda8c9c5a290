#include "metrics/copies.h"

#include "metrics/catalogue_table.h"

enum copy_label copy_label_of(struct str name)
{
	const struct catalogue_copy *copy = catalogue_copies;

	while (copy->label != COPY_NO_LABEL && !str_eq(name, copy->name))
		copy++;
	return copy->label;
}

unsigned int copy_labels_of(enum metric_copies copies)
{
	if (copies == COPIES_PODS)
		return COPY_POD;
	if (copies == COPIES_RANKS)
		return COPY_PP | COPY_TP | COPY_EP | COPY_CP | COPY_PID |
		       COPY_PROCESS;
	return 0;
}

/* A number; anything else is not a rank and sorts last. */
static uint64_t number(struct str text, uint64_t most)
{
	uint64_t n = 0;

	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] < '0' || text.p[i] > '9')
			return most;
		n = n * 10 + (uint64_t)(text.p[i] - '0');
		if (n >= most)
			return most;
	}
	return n;
}

void copy_rank_take(struct copy_rank *rank, enum copy_label label,
		    struct str value)
{
	/* The position of each rank in the order: 16 bits. */
	static const int shifts[] = {
		[COPY_PP] = 48, [COPY_TP] = 32, [COPY_EP] = 16, [COPY_CP] = 0};

	if (value.n == 0)
		return;
	if (label == COPY_PID)
		rank->pid = number(value, UINT64_MAX / 16) + 1;
	else if (label <= COPY_CP)
		rank->order |= number(value, UINT16_MAX) << shifts[label];
	else
		rank->blurred = true;
}

int copy_rank_compare(const struct copy_rank *a, const struct copy_rank *b)
{
	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	if (a->pid != b->pid)
		return a->pid > b->pid ? -1 : 1;
	return 0;
}
