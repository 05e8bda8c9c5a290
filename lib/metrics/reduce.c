#include "metrics/reduce.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/limits.h"
#include "fmt/prom/prom_text.h"
#include "metrics/reduce_run.h"

struct reduce reduce_new(const struct reduce_how *how, struct names *names)
{
	return (struct reduce){.how = how,
			       .arena = names->arena,
			       .names = names,
			       .seen = map_new(false),
			       .by_series = map_new(true),
			       .paths = bucket_paths_new(names->arena),
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
	reduce_close(r);
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

enum { BUCKET_AGAIN = 2 };

/* Groups -------------------------------------------------------------- */

/* What a sample's labels come to. */
struct key {
	uint64_t kept;	 /* fingerprint of the labels that are kept */
	uint64_t series; /* of all but le */
	size_t le;	 /* index of the label, of a bucket */
};

static bool keeps(const struct reduce_how *how, struct str name)
{
	for (size_t i = 0; i < how->n_labels; i++)
		if (str_eq(how->labels[i], name))
			return !how->without;
	return how->without;
}

static const struct str le_name = STR("le");

static bool is_le(struct str name)
{
	return str_eq(name, le_name);
}

static struct key key_of(const struct reduce *r, const struct metric *m,
			 const struct prom_label *labels, size_t n)
{
	struct key key = {.le = n};

	for (size_t i = 0; i < n; i++) {
		uint64_t hash = prom_label_hash(&labels[i]);

		if (is_le(labels[i].name)) {
			key.le = i;
			if (m->role == ROLE_BUCKET)
				continue;
		}
		key.series += hash;
		if (keeps(r->how, labels[i].name))
			key.kept += hash;
	}
	return key;
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
			const struct metric *m, const struct prom_label *labels,
			size_t n, struct err *err)
{
	int code = 0;

	r->scratch.n = 0;
	for (size_t i = 0; code == 0 && i < n; i++)
		if (labels[i].value.n > 0 &&
		    !(m->role == ROLE_BUCKET && is_le(labels[i].name)) &&
		    keeps(r->how, labels[i].name))
			code = label_set_push(&r->scratch, labels[i].name,
					      labels[i].value, err);
	labels_sort(r->scratch.v, r->scratch.n, NULL);
	g->labels = labels_text(r->arena, r->scratch.v, r->scratch.n);
	if (g->labels.p == NULL)
		return arena_refused(r->arena, err);
	return code;
}

/* The group of a key, NULL with err filled when memory ran out. */
static struct group *group_of(struct reduce *r, const struct metric *m,
			      const struct key *key,
			      const struct prom_label *labels, size_t n,
			      struct err *err)
{
	uint32_t i = r->n;
	int code = map_add(&r->by_key, hash_mix(m->hash, key->kept), &i);
	struct group *g;

	if (code == 0)
		return r->groups[i];
	g = code < 0 ? NULL : new_group(r);
	if (g == NULL) {
		arena_refused(r->arena, err);
		return NULL;
	}
	g->metric = m->number;
	if (write_labels(r, g, m, labels, n, err) < 0)
		return NULL;
	return g;
}

/* Among samples that were no buckets, a new histogram may have some. */
static int add_histogram(struct reduce *r)
{
	r->histograms = array_room(r->histograms, &r->histograms_cap,
				   r->n_histograms, sizeof(*r->histograms));
	if (r->n_histograms == r->histograms_cap)
		return ERR_MEMORY;
	r->histograms[r->n_histograms++] =
		(struct histogram){.part = r->names->n_parts,
				   .path = r->plain_le ? NO_PATH : PATH_START};
	return 0;
}

/* Note in g the histogram that a bucket belongs to. */
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

/* Note the bucket of a histogram that is in no path. 1, 0 when it was there,
 * BUCKET_AGAIN when its bound was, in another spelling; ERR_MEMORY. */
static int note_bucket(struct reduce *r, const struct metric *m,
		       uint64_t series, uint64_t le, double bound)
{
	int code = map_add(&r->seen, hash_mix(m->hash, series + le), NULL);

	if (code != 1)
		return code;
	code = map_add(&r->seen, bucket_hash(hash_mix(m->hash, series), bound),
		       NULL);
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

/* Is the open sample, which is no bucket, new? 1, 0 or ERR_MEMORY. */
static int is_new_plain(struct reduce *r, const struct prom_label *labels,
			size_t n)
{
	const struct reduce_open *open = &r->open;

	if (open->le < n &&
	    leave_histogram(r, open->metric,
			    open->series - prom_label_hash(&labels[open->le])) <
		    0)
		return ERR_MEMORY;
	return map_add(&r->seen, hash_mix(open->metric->hash, open->series),
		       NULL);
}

/* Is a bucket of the open histogram new? As note_bucket. */
static int is_new_bucket(struct reduce *r, double bound,
			 const struct prom_label *le)
{
	const struct reduce_open *open = &r->open;
	struct histogram *h = &r->histograms[open->group->histogram];
	int code = 0;

	if (h->part != r->names->n_parts)
		return 0;
	if (h->path != NO_PATH)
		code = bucket_path_step(&r->paths, &h->path, bound, le);
	if (code != 0)
		return code;
	if (h->path != NO_PATH &&
	    leave_path(r, h, open->metric, open->series) < 0)
		return ERR_MEMORY;
	return note_bucket(r, open->metric, open->series, prom_label_hash(le),
			   bound);
}

static void fold_sample(struct reduce *r, struct group *g,
			const struct prom_line *line)
{
	r->names->report->counts[REMARK_NAN] += isnan(line->value) != 0;
	fold_add(&g->fold, line);
}

/* Count a bucket of the open histogram. BUCKET_AGAIN: it is one that was. */
static int count_bucket(struct reduce *r, double bound, int how,
			const struct prom_line *line, struct err *err)
{
	struct group *g = r->open.group;
	double count = line->value;
	int code;

	fold_sample(r, g, line);
	code = how == BUCKET_AGAIN
		       ? buckets_add_again(&g->buckets, bound, count)
		       : buckets_add(&g->buckets, bound, count, g->recent);
	return code < 0 ? buckets_refused(code, r->open.metric->name, err) : 0;
}

/* Go on with the open sample? `code` says whether it is new: it is returned,
 * and a duplicate told of, or an error. */
static int admit(const struct reduce *r, int code, int64_t line_number,
		 struct err *err)
{
	if (code == 0)
		names_tell_duplicate(r->names, r->open.metric, line_number);
	return code < 0 ? err_memory(err) : code;
}

/* Take a bucket of the open histogram. */
static int add_bucket(struct reduce *r, double bound,
		      const struct prom_label *le, const struct prom_line *line,
		      int64_t line_number, struct err *err)
{
	int code = admit(r, is_new_bucket(r, bound, le), line_number, err);

	return code > 0 ? count_bucket(r, bound, code, line, err) : code;
}

/* Take the open sample, which is no bucket. */
static int add_plain(struct reduce *r, const struct prom_label *labels,
		     size_t n, const struct prom_line *line,
		     int64_t line_number, struct err *err)
{
	int code = admit(r, is_new_plain(r, labels, n), line_number, err);

	if (code <= 0)
		return code;
	r->open.group->plain = true;
	fold_sample(r, r->open.group, line);
	return 0;
}

int reduce_add(struct reduce *r, const struct metric *m,
	       const struct prom_label *labels, size_t n,
	       const struct prom_line *line, int64_t line_number,
	       struct err *err)
{
	struct key key = key_of(r, m, labels, n);
	uint64_t series = hash_mix(m->hash, key.series);
	bool bucket = m->role == ROLE_BUCKET;
	double bound = 0;
	struct group *g;

	if (!bucket)
		map_prefetch(&r->seen, series);
	if (m->role == ROLE_QUANTILE ||
	    (bucket &&
	     (key.le == n || !prom_bound(labels[key.le].value, &bound)))) {
		r->names->report->counts[REMARK_DROPPED]++;
		return 0;
	}
	/* A duplicate has its group already, so that none is made for it. */
	g = group_of(r, m, &key, labels, n, err);
	if (g == NULL)
		return err->code;
	r->open = (struct reduce_open){
		.group = g, .metric = m, .series = key.series, .le = key.le};
	if (!bucket)
		return add_plain(r, labels, n, line, line_number, err);
	if (find_histogram(r, g, series) < 0)
		return err_memory(err);
	return add_bucket(r, bound, &labels[key.le], line, line_number, err);
}

int reduce_like(struct reduce *r, const struct prom_line *line,
		const struct prom_change *change, int64_t line_number,
		struct err *err)
{
	for (size_t i = change->first; i < change->end; i++)
		if (keeps(r->how, line->labels[i].name))
			return reduce_add(r, r->open.metric, line->labels,
					  line->n_labels, line, line_number,
					  err);
	r->open.series += change->hash;
	return add_plain(r, line->labels, line->n_labels, line, line_number,
			 err);
}

int reduce_bucket(struct reduce *r, struct str le, const struct prom_line *line,
		  int64_t line_number, struct err *err)
{
	const struct bucket_path_end *next = reduce_next_bucket(r);
	struct prom_label label;
	double bound;

	if (next != NULL && next->text.p == le.p) {
		r->histograms[r->open.group->histogram].path =
			(uint32_t)(next - r->paths.ends);
		return count_bucket(r, next->bound, 1, line, err);
	}
	label = prom_label_of(le_name, le);
	if (prom_bound(le, &bound))
		return add_bucket(r, bound, &label, line, line_number, err);
	r->names->report->counts[REMARK_DROPPED]++;
	return 0;
}
