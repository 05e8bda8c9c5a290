#include "base/spill_list.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "base/limits.h"

/* A mapped list is trimmed after this many new bytes; blocks sorted in memory
 * are as large. */
enum { WINDOW = 1024 * 1024, LEAST = 64 };

struct spill_list spill_list_new(size_t size, struct spill *spill)
{
	return (struct spill_list){.size = size, .spill = spill, .fd = -1};
}

static void forget(struct spill_list *r)
{
	if (r->in_file) {
		munmap(r->v, r->room * r->size);
		close(r->fd);
	} else {
		free(r->v);
		r->spill->used -= r->room * r->size;
	}
}

void spill_list_free(struct spill_list *r)
{
	if (r->v != NULL)
		forget(r);
	*r = spill_list_new(r->size, r->spill);
}

void spill_list_trim(const struct spill_list *r)
{
	if (r->in_file)
		madvise(r->v, r->n * r->size, MADV_DONTNEED);
}

/* Growing --------------------------------------------------------------- */

/* Bytes until the file is next trimmed: the window after the last record. */
static void set_ready(struct spill_list *r)
{
	size_t window = WINDOW / r->size + 1;

	r->ready = r->room;
	if (r->in_file && r->room - r->n > window)
		r->ready = r->n + window;
}

static bool grow_memory(struct spill_list *r, size_t room)
{
	char *v = realloc(r->in_file ? NULL : r->v, room * r->size);

	if (v == NULL)
		return false;
	if (r->in_file) {
		memcpy(v, r->v, r->n * r->size);
		forget(r);
		r->spill->used += room * r->size;
	} else {
		r->spill->used += (room - r->room) * r->size;
	}
	r->v = v;
	r->room = room;
	r->in_file = false;
	r->fd = -1;
	return true;
}

/* Allocate the space now: a write to a mapped page cannot report failure. */
static bool grow_file(struct spill_list *r, size_t room)
{
	void *v;

	if (posix_fallocate(r->fd, 0, (off_t)(room * r->size)) != 0)
		return false;
	v = mremap(r->v, r->room * r->size, room * r->size, MREMAP_MAYMOVE);
	if (v == MAP_FAILED)
		return false;
	r->v = v;
	r->room = room;
	return true;
}

/* Move everything to a new file. */
static bool move_to_file(struct spill_list *r, size_t room)
{
	struct err ignored = {0};
	int fd = io_unlinked(&ignored);
	void *v = MAP_FAILED;

	if (fd < 0)
		return false;
	if (posix_fallocate(fd, 0, (off_t)(room * r->size)) == 0 &&
	    io_write(fd, r->v, r->n * r->size))
		v = mmap(NULL, room * r->size, PROT_READ | PROT_WRITE,
			 MAP_SHARED, fd, 0);
	if (v == MAP_FAILED) {
		close(fd);
		return false;
	}
	forget(r);
	r->v = v;
	r->room = room;
	r->fd = fd;
	r->in_file = true;
	r->spill->files++;
	return true;
}

bool spill_list_grow(struct spill_list *r)
{
	size_t room = r->room < LEAST ? LEAST : r->room + r->room / 2;
	bool fits, grown;

	spill_list_trim(r);
	if (r->n < r->room) {
		set_ready(r);
		return true;
	}
	if (room > PTRDIFF_MAX / r->size)
		return false;
	fits = r->spill->used + (room - r->room) * r->size <= r->spill->limit;
	grown = r->in_file ? grow_file(r, room)
			   : !fits && move_to_file(r, room);
	if (!grown && !grow_memory(r, room))
		return false;
	set_ready(r);
	return true;
}

/* Sorting --------------------------------------------------------------- */

struct sort_order {
	spill_list_compare *compare;
	const void *context;
};

static int compare(const struct sort_order *order, const char *a, const char *b)
{
	return order->compare(a, b, order->context);
}

/* Sort n records at v; spare has room for half of them. */
static void sort_block(char *v, size_t n, size_t size, char *spare,
		       const struct sort_order *order)
{
	size_t half = n / 2;
	char *left = spare, *left_end = spare + half * size;
	char *right = v + half * size, *end = v + n * size, *out = v;

	if (n < 2)
		return;
	sort_block(v, half, size, spare, order);
	sort_block(right, n - half, size, spare, order);
	if (compare(order, right - size, right) <= 0)
		return;
	memcpy(spare, v, half * size);
	while (left < left_end && right < end) {
		char **from = compare(order, left, right) <= 0 ? &left : &right;

		memcpy(out, *from, size);
		*from += size;
		out += size;
	}
	memcpy(out, left, (size_t)(left_end - left));
}

/* A sorted run of a list being merged. */
struct sorted_run {
	size_t at, end;
};

struct sorted_runs {
	struct sorted_run *v;
	size_t n, cap;
};

/* Sorted runs of the list, adjacent ones joined. Works on blocks, either as
 * they are or after sorting. */
static int find_runs(struct spill_list *r, const struct sort_order *order,
		     struct sorted_runs *runs, struct err *err)
{
	size_t block = WINDOW / r->size + 2;
	char *spare = malloc(block * r->size);

	if (spare == NULL)
		return err_memory(err);
	for (size_t at = 0; at < r->n; at += block) {
		size_t n = r->n - at < block ? r->n - at : block;
		struct sorted_run *last = runs->n > 0 ? &runs->v[runs->n - 1]
						      : NULL;

		sort_block(spill_list_at(r, at), n, r->size, spare, order);
		if (last != NULL && compare(order, spill_list_at(r, at - 1),
					    spill_list_at(r, at)) <= 0) {
			last->end = at + n;
		} else if (!ARRAY_GROW(runs->v, runs->n, runs->cap)) {
			free(spare);
			return err_memory(err);
		} else {
			runs->v[runs->n++] = (struct sorted_run){at, at + n};
		}
		spill_list_trim(r);
	}
	free(spare);
	return 0;
}

/* Does run a come before b? Runs are numbered in list order. */
static bool comes_before(const struct spill_list *r,
			 const struct sort_order *order,
			 const struct sorted_run *a, const struct sorted_run *b)
{
	int c = compare(order, spill_list_at(r, a->at),
			spill_list_at(r, b->at));

	return c != 0 ? c < 0 : a->end < b->end;
}

/* Restore the heap of runs after a change at its top. */
static void sift(const struct spill_list *r, const struct sort_order *order,
		 struct sorted_run *heap, size_t n, size_t at)
{
	for (;;) {
		size_t child = 2 * at + 1;
		struct sorted_run kept = heap[at];

		if (child >= n)
			return;
		if (child + 1 < n &&
		    comes_before(r, order, &heap[child + 1], &heap[child]))
			child++;
		if (!comes_before(r, order, &heap[child], &kept))
			return;
		heap[at] = heap[child];
		heap[child] = kept;
		at = child;
	}
}

static int merge(const struct spill_list *r, const struct sort_order *order,
		 struct sorted_runs *runs, struct spill_list *merged,
		 struct err *err)
{
	struct sorted_run *heap = runs->v;

	for (size_t i = runs->n; i-- > 0;)
		sift(r, order, heap, runs->n, i);
	for (size_t done = 1; runs->n > 0; done++) {
		void *to = spill_list_add(merged);

		if (to == NULL)
			return err_memory(err);
		memcpy(to, spill_list_at(r, heap[0].at++), r->size);
		if (heap[0].at == heap[0].end)
			heap[0] = heap[--runs->n];
		sift(r, order, heap, runs->n, 0);
		if (done % (WINDOW / 64) == 0)
			spill_list_trim(r);
	}
	return 0;
}

int spill_list_sort(struct spill_list *r, spill_list_compare *by,
		    const void *context, struct err *err)
{
	struct sort_order order = {by, context};
	struct spill_list merged = spill_list_new(r->size, r->spill);
	struct sorted_runs runs = {0};
	int code = find_runs(r, &order, &runs, err);

	if (code == 0 && runs.n > 1) {
		code = merge(r, &order, &runs, &merged, err);
		if (code == 0) {
			struct spill_list unsorted = *r;

			*r = merged;
			merged = unsorted;
		}
		spill_list_free(&merged);
	}
	free(runs.v);
	return code;
}
