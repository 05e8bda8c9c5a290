/* Detects new series, and sums the buckets of histograms. */
#include <math.h>

#include "base/array.h"
#include "base/limits.h"
#include "metrics/reduce_incoming.h"

/* Among samples not recognised as buckets, a new histogram may have some. */
static int add_histogram(struct reduce *r)
{
	if (!ARRAY_GROW(r->histograms, r->n_histograms, r->histograms_cap))
		return ERR_MEMORY;
	r->histograms[r->n_histograms++] =
		(struct histogram){.part = r->names->n_parts - 1,
				   .path = r->plain_le ? NO_PATH : PATH_START};
	return 0;
}

/* Record in the group the histogram of a bucket. */
static int find_histogram(struct reduce *r, struct group *g, uint64_t series)
{
	uint32_t i = r->n_histograms;
	int code;

	if (g->buckets.series > 0 && g->recent == series)
		return 0;
	code = map_add(&r->by_series, series, &i);
	if (code < 0 || (code == 1 && add_histogram(r) < 0))
		return ERR_MEMORY;
	g->buckets.series += (uint32_t)code;
	g->recent = series;
	g->histogram = i;
	return 0;
}

/* Duplicates ---------------------------------------------------------- */

int reduce_note(struct reduce *r, uint64_t hash, uint32_t *part)
{
	*part = r->names->n_parts - 1;
	return map_add(&r->seen, hash, part);
}

/* Record the bucket of a histogram without a path. 1, 0 if present,
 * REDUCE_BUCKET_AGAIN if its bound was, with another spelling; ERR_MEMORY. */
static int note_bucket(struct reduce *r, const struct metric *m,
		       uint64_t series, uint64_t le, double bound)
{
	uint32_t part;
	int code = reduce_note(r, hash_mix(m->hash, series + le), &part);

	if (code != 1)
		return code;
	code = reduce_note(r, bucket_hash(hash_mix(m->hash, series), bound),
			   &part);
	return code == 0 ? REDUCE_BUCKET_AGAIN : code;
}

/* If bounds do not rise, a histogram's buckets are recorded like other
 * series. */
static int leave_path(struct reduce *r, struct histogram *h,
		      const struct metric *m, uint64_t series)
{
	uint32_t end = h->path;

	h->path = NO_PATH;
	while (end != PATH_START) {
		const struct bucket_path_end *e = &r->paths.ends[end];

		if (note_bucket(r, m, series, e->le, e->bound) < 0)
			return ERR_MEMORY;
		end = e->before;
	}
	return 0;
}

/* A sample that is not a bucket has le. It may have been one until a TYPE
 * line. */
static int leave_histogram(struct reduce *r, const struct metric *m,
			   uint64_t series)
{
	struct histogram *h;
	uint32_t at;

	r->plain_le = true;
	if (!map_find(&r->by_series, hash_mix(m->hash, series), &at))
		return 0;
	h = &r->histograms[at];
	return h->path == NO_PATH ? 0 : leave_path(r, h, m, series);
}

/* Is a sample that is not a bucket new? 1, 0 with its earlier part, or
 * ERR_MEMORY. */
static int is_new_plain(struct reduce *r, const struct incoming *in,
			uint32_t *part)
{
	if (in->le != NULL &&
	    leave_histogram(r, in->metric,
			    in->series - prom_label_hash(in->le)) < 0)
		return ERR_MEMORY;
	return reduce_note(r, hash_mix(in->metric->hash, in->series), part);
}

/* Is a bucket new? Like note_bucket, with the part of its histogram. */
static int is_new_bucket(struct reduce *r, const struct incoming *in,
			 uint32_t *part)
{
	struct histogram *h = &r->histograms[in->group->histogram];
	int code = 0;

	*part = h->part;
	if (h->part != r->names->n_parts - 1)
		return 0;
	if (h->path != NO_PATH)
		code = bucket_path_step(&r->paths, &h->path, in->bound, in->le);
	if (code != 0)
		return code;
	if (h->path != NO_PATH && leave_path(r, h, in->metric, in->series) < 0)
		return ERR_MEMORY;
	return note_bucket(r, in->metric, in->series, prom_label_hash(in->le),
			   in->bound);
}

struct noted reduce_note_bucket(struct reduce *r, const struct incoming *in)
{
	struct noted noted = {.code = ERR_MEMORY};
	uint32_t n = r->n_histograms;

	if (find_histogram(r, in->group,
			   hash_mix(in->metric->hash, in->series)) < 0)
		return noted;
	noted.fresh = r->n_histograms > n;
	noted.code = is_new_bucket(r, in, &noted.part);
	return noted;
}

/* Counting ------------------------------------------------------------ */

/* Does the value mean "no value"? */
static bool is_absent(const struct reduce_how *how, const struct metric *m,
		      double value)
{
	if (m->row == NULL || m->role != ROLE_VALUE || how->op != OP_DEFAULT)
		return false;
	return (m->row->counts == COUNTS_POSITIVE && value <= 0) ||
	       (m->row->counts == COUNTS_NONNEGATIVE && value < 0);
}

void reduce_count(struct reduce *r, const struct metric *m, struct fold *fold,
		  const struct prom_line *line)
{
	struct report *report = r->names->report;

	if (is_absent(r->how, m, line->value)) {
		report->counts[REMARK_ABSENT]++;
		return;
	}
	report->counts[REMARK_NAN] += isnan(line->value) != 0;
	fold_add(fold, line);
}

int reduce_count_bucket(struct reduce *r, const struct incoming *in,
			struct noted noted, struct err *err)
{
	struct group *g = in->group;
	double count = in->line->value;
	int code;

	if (noted.code < 0)
		return err_memory(err);
	if (noted.code == 0) {
		names_report_duplicate(r->names, in->metric, noted.part,
				       in->line_number);
		return 0;
	}
	reduce_count(r, in->metric, &g->fold, in->line);
	code = noted.code == REDUCE_BUCKET_AGAIN
		       ? buckets_add_again(&g->buckets, in->bound, count)
		       : buckets_add(&g->buckets, in->bound, count, g->recent);
	return code < 0 ? buckets_error(code, in->metric->name, err) : 0;
}

int reduce_take_series(struct reduce *r, const struct incoming *in,
		       struct err *err)
{
	uint32_t part;
	int code;

	if (incoming_is_bucket(in))
		return reduce_count_bucket(r, in, reduce_note_bucket(r, in),
					   err);
	code = is_new_plain(r, in, &part);
	if (code < 0)
		return err_memory(err);
	if (code == 0) {
		names_report_duplicate(r->names, in->metric, part,
				       in->line_number);
		return 0;
	}
	in->group->plain = true;
	reduce_count(r, in->metric, &in->group->fold, in->line);
	return 0;
}
