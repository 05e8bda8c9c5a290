#include "metrics/reduce.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/limits.h"
#include "fmt/prom/prom_text.h"

struct reduce reduce_new(const struct reduce_how *how, struct names *names)
{
	return (struct reduce){.how = how,
			       .arena = names->arena,
			       .names = names,
			       .seen = map_new(how->parted),
			       .by_series = map_new(true),
			       .paths = bucket_paths_new(),
			       .by_key = map_new(true)};
}

static void free_groups(struct reduce *r)
{
	for (uint32_t i = 0; i < r->n; i++) {
		buckets_free(&r->groups[i]->buckets);
		free(r->groups[i]);
	}
	r->n = 0;
}

void reduce_free(struct reduce *r)
{
	free_groups(r);
	free(r->groups);
	label_set_free(&r->scratch);
	map_free(&r->seen);
	map_free(&r->by_series);
	free(r->histograms);
	bucket_paths_free(&r->paths);
	map_free(&r->by_key);
	*r = reduce_new(r->how, r->names);
}

void reduce_clear(struct reduce *r)
{
	free_groups(r);
	map_clear(&r->seen);
	map_clear(&r->by_series);
	r->n_histograms = 0;
	r->plain_le = false;
	bucket_paths_clear(&r->paths);
	map_clear(&r->by_key);
}

/* Folding ------------------------------------------------------------- */

static void fold_time(struct fold *f, const struct prom_line *line)
{
	bool first = f->n + f->nans == 0;

	if (!line->stamped && !f->stamped && !first) {
		f->last = line->value;
		return;
	}
	f->stamped |= line->stamped;
	if (first)
		f->time = f->newest = line->time;
	else if (f->time != line->time && !(isnan(f->time) && !line->stamped))
		f->mixed = true;
	if (!(line->time < f->newest)) {
		f->last = line->value;
		f->newest = line->time;
	}
}

static void fold_add(struct fold *f, const struct prom_line *line)
{
	double value = line->value;

	fold_time(f, line);
	if (isnan(value)) {
		f->nans++;
		return;
	}
	if (f->n == 0)
		f->min = f->max = value;
	f->min = value < f->min ? value : f->min;
	f->max = value > f->max ? value : f->max;
	f->sum += value;
	f->scaled += value * 0x1p-64;
	f->n++;
}

/* Groups -------------------------------------------------------------- */

/* A sample while it is taken in, and what its labels come to. */
struct incoming {
	const struct metric *metric;
	const struct prom_label *labels;
	size_t n;
	const struct prom_line *line;
	int64_t line_number;
	uint64_t kept;	 /* fingerprint of the labels that are kept */
	uint64_t series; /* of all, less le of a bucket */
	size_t le;	 /* index of that label; n: there is none */
	double bound;	 /* of a bucket */
	struct group *group;
};

static bool keeps(const struct reduce_how *how, struct str name)
{
	for (size_t i = 0; i < how->n_labels; i++)
		if (str_eq(how->labels[i], name))
			return !how->without;
	return how->without;
}

static bool is_le(struct str name)
{
	return name.n == 2 && name.p[0] == 'l' && name.p[1] == 'e';
}

static bool is_bucket(const struct incoming *in)
{
	return in->metric->role == ROLE_BUCKET;
}

/* The fingerprint of the label named so, or 0; le of a bucket is none. */
static uint64_t hash_of(const struct incoming *in, struct str name)
{
	for (size_t i = 0; i < in->n; i++)
		if (str_eq(in->labels[i].name, name))
			return i == in->le && is_bucket(in)
				       ? 0
				       : prom_label_hash(&in->labels[i]);
	return 0;
}

/* Names in a set are distinct, and so are those of the reduction. */
static void take_labels(const struct reduce_how *how, struct incoming *in)
{
	uint64_t named = 0;

	in->le = in->n;
	for (size_t i = 0; i < in->n; i++) {
		in->series += prom_label_hash(&in->labels[i]);
		if (is_le(in->labels[i].name))
			in->le = i;
	}
	if (in->le < in->n && is_bucket(in))
		in->series -= prom_label_hash(&in->labels[in->le]);
	for (size_t i = 0; i < how->n_labels; i++)
		named += hash_of(in, how->labels[i]);
	in->kept = how->without ? in->series - named : named;
}

static struct group *new_group(struct reduce *r)
{
	struct group *g;

	r->groups =
		array_room(r->groups, &r->cap, r->n, sizeof(struct group *));
	if (r->n == r->cap)
		return NULL;
	g = calloc(1, sizeof(*g)); /* an arena aligns to 8 only */
	if (g != NULL)
		r->groups[r->n++] = g;
	return g;
}

/* Write the labels of a new group: those kept, sorted. */
static int write_labels(struct reduce *r, struct group *g,
			const struct incoming *in, struct err *err)
{
	int code = 0;

	r->scratch.n = 0;
	for (size_t i = 0; code == 0 && i < in->n; i++) {
		const struct prom_label *label = &in->labels[i];

		if (label->value.n > 0 &&
		    !(is_bucket(in) && is_le(label->name)) &&
		    keeps(r->how, label->name))
			code = label_set_push(&r->scratch, label->name,
					      label->value, err);
	}
	labels_sort(r->scratch.v, r->scratch.n, NULL);
	g->labels = labels_text(r->arena, r->scratch.v, r->scratch.n);
	if (g->labels.p == NULL)
		return arena_refused(r->arena, err);
	return code;
}

/* Find the sample's group, or make it. */
static int find_group(struct reduce *r, struct incoming *in, struct err *err)
{
	uint64_t key = hash_mix(in->metric->hash, in->kept);
	uint32_t i = r->n;
	int code = map_add(&r->by_key, key, &i);

	if (code < 0)
		return err_memory(err);
	if (code == 0) {
		in->group = r->groups[i];
		return 0;
	}
	in->group = new_group(r);
	if (in->group == NULL)
		return err_memory(err);
	in->group->metric = in->metric->number;
	return write_labels(r, in->group, in, err);
}

/* Among samples that were no buckets, a new histogram may have some. */
static int add_histogram(struct reduce *r)
{
	r->histograms = array_room(r->histograms, &r->histograms_cap,
				   r->n_histograms, sizeof(*r->histograms));
	if (r->n_histograms == r->histograms_cap)
		return ERR_MEMORY;
	r->histograms[r->n_histograms++] =
		(struct histogram){.part = r->names->n_parts - 1,
				   .path = r->plain_le ? NO_PATH : PATH_START};
	return 0;
}

/* Note in the group the histogram that a bucket belongs to. */
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

enum { BUCKET_AGAIN = 2 };

/* Note a series, or bucket, and the part that it is in. 1; 0 when it was there,
 * in *part; ERR_MEMORY. */
static int note(struct reduce *r, uint64_t hash, uint32_t *part)
{
	*part = r->names->n_parts - 1;
	return map_add(&r->seen, hash, part);
}

/* Note the bucket of a histogram that is in no path. 1, 0 when it was there,
 * BUCKET_AGAIN when its bound was, in another spelling; ERR_MEMORY. */
static int note_bucket(struct reduce *r, const struct metric *m,
		       uint64_t series, uint64_t le, double bound)
{
	uint32_t part;
	int code = note(r, hash_mix(m->hash, series + le), &part);

	if (code != 1)
		return code;
	code = note(r, bucket_hash(hash_mix(m->hash, series), bound), &part);
	return code == 0 ? BUCKET_AGAIN : code;
}

/* A histogram whose bounds do not rise has its buckets kept as other series
 * are. */
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

/* A sample that is no bucket has le. It may have been one until a TYPE said
 * otherwise. */
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

/* Is a sample that is no bucket new? 1, 0 with the part where it was, or
 * ERR_MEMORY. */
static int is_new_plain(struct reduce *r, const struct incoming *in,
			uint32_t *part)
{
	if (in->le < in->n &&
	    leave_histogram(r, in->metric,
			    in->series - prom_label_hash(&in->labels[in->le])) <
		    0)
		return ERR_MEMORY;
	return note(r, hash_mix(in->metric->hash, in->series), part);
}

/* Is a bucket new? As note_bucket, with the part where its histogram was. */
static int is_new_bucket(struct reduce *r, const struct incoming *in,
			 uint32_t *part)
{
	const struct prom_label *le = &in->labels[in->le];
	struct histogram *h = &r->histograms[in->group->histogram];
	int code = 0;

	*part = h->part;
	if (h->part != r->names->n_parts - 1)
		return 0;
	if (h->path != NO_PATH)
		code = bucket_path_step(&r->paths, &h->path, in->bound, le);
	if (code != 0)
		return code;
	if (h->path != NO_PATH && leave_path(r, h, in->metric, in->series) < 0)
		return ERR_MEMORY;
	return note_bucket(r, in->metric, in->series, prom_label_hash(le),
			   in->bound);
}

/* Taking in ----------------------------------------------------------- */

/* Count a bucket. `again`: in a bound that its histogram has had. */
static int count_bucket(const struct incoming *in, bool again, struct err *err)
{
	struct group *g = in->group;
	double count = in->line->value;
	int code =
		again ? buckets_add_again(&g->buckets, in->bound, count)
		      : buckets_add(&g->buckets, in->bound, count, g->recent);

	return code < 0 ? buckets_refused(code, in->metric->name, err) : 0;
}

static int take(struct reduce *r, const struct incoming *in, struct err *err)
{
	bool bucket = is_bucket(in);
	uint32_t part = 0;
	int code;

	if (bucket &&
	    find_histogram(r, in->group,
			   hash_mix(in->metric->hash, in->series)) < 0)
		return err_memory(err);
	code = bucket ? is_new_bucket(r, in, &part)
		      : is_new_plain(r, in, &part);
	if (code < 0)
		return err_memory(err);
	if (code == 0) {
		names_tell_duplicate(r->names, in->metric, part,
				     in->line_number);
		return 0;
	}
	r->names->report->counts[REMARK_NAN] += isnan(in->line->value) != 0;
	fold_add(&in->group->fold, in->line);
	in->group->plain |= !bucket;
	return bucket ? count_bucket(in, code == BUCKET_AGAIN, err) : 0;
}

/* A quantile, or a bucket without a bound. */
static bool is_irreducible(struct incoming *in)
{
	if (in->metric->role == ROLE_QUANTILE)
		return true;
	return is_bucket(in) &&
	       (in->le == in->n ||
		!prom_bound(in->labels[in->le].value, &in->bound));
}

int reduce_add(struct reduce *r, const struct metric *m,
	       const struct prom_label *labels, size_t n,
	       const struct prom_line *line, int64_t line_number,
	       struct err *err)
{
	struct incoming in = {.metric = m,
			      .labels = labels,
			      .n = n,
			      .line = line,
			      .line_number = line_number};

	take_labels(r->how, &in);
	if (!is_bucket(&in))
		map_prefetch(&r->seen, hash_mix(m->hash, in.series));
	if (is_irreducible(&in)) {
		r->names->report->counts[REMARK_DROPPED]++;
		return 0;
	}
	/* A duplicate has its group already, so that none is made for it. */
	if (find_group(r, &in, err) < 0)
		return err->code;
	return take(r, &in, err);
}
