#include "profile/groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/digits.h"
#include "base/limits.h"
#include "base/num.h"
#include "profile/profile_file.h"

/* Members --------------------------------------------------------------- */

int64_t profile_rank(const struct profile_summary *s)
{
	int64_t rank = s->trace->rank;

	if (rank == PROFILE_NONE)
		rank = profile_file_read(str_of(file_name(s->trace->path))).rank;
	return rank == PROFILE_FILE_NO_RANK ? PROFILE_NONE : rank;
}

/* The number in "[TP01-DP00] 0", a device of a merged file; else the rank of
 * the trace. */
static int64_t rank_of(const struct profile_summary *s,
		       const struct device_summary *d)
{
	struct str name = intern_text(&s->trace->devices, d->device);
	int64_t rank;
	size_t n = 0;

	if (!str_skip_prefix(&name, "[TP"))
		return profile_rank(s);
	while (n < name.n && is_digit(name.p[n]))
		n++;
	return num_parse_int(str_make(name.p, n), &rank) ? rank
							 : profile_rank(s);
}

/* The group of a trace by its directory and name, created if needed; NULL if
 * out of memory. */
static struct profile_group *group_of(struct profile_groups *groups,
				      const char *path, struct err *err)
{
	const char *base = file_name(path);
	struct profile_file file = profile_file_read(str_of(base));
	struct buf text = buf_new(LIMIT_STRING);
	struct profile_group group = {
		.directory = str_make(path, (size_t)(base - path))};
	struct str name;

	profile_file_put_group(&text, &file);
	name = buf_str(&text);
	for (size_t i = 0; i < groups->n; i++)
		if (str_eq(groups->v[i].name, name) &&
		    str_eq(groups->v[i].directory, group.directory)) {
			buf_free(&text);
			return &groups->v[i];
		}
	group.name = arena_str(&groups->text, name);
	buf_free(&text);
	if (!ARRAY_GROW(groups->v, groups->n, groups->cap) ||
	    group.name.p == NULL)
		return err_no_memory(err);
	groups->v[groups->n] = group;
	return &groups->v[groups->n++];
}

static int add_members(struct profile_group *group,
		       const struct profile_summary *s, struct err *err)
{
	for (size_t i = 0; i < s->device_n; i++) {
		if (!ARRAY_GROW(group->members, group->n, group->cap))
			return err_memory(err);
		group->members[group->n++] = (struct group_member){
			.trace = s,
			.device = &s->devices[i],
			.rank = rank_of(s, &s->devices[i])};
	}
	return 0;
}

/* By rank, then by file and device, in the order they were added. */
static int compare_members(const void *x, const void *y)
{
	const struct group_member *a = x;
	const struct group_member *b = y;
	int order;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	order = strcmp(a->trace->trace->path, b->trace->trace->path);
	if (order != 0)
		return order;
	return (a->device > b->device) - (a->device < b->device);
}

/* Is a rank in several files? Then they are not of one run. */
static bool ranks_repeat(const struct profile_group *group)
{
	for (size_t i = 1; i < group->n; i++)
		if (group->members[i].rank == group->members[i - 1].rank &&
		    group->members[i].trace != group->members[i - 1].trace)
			return true;
	return false;
}

/* Collectives ----------------------------------------------------------- */

/* A collective kernel of a member, and its class: process group and name. */
struct collective {
	uint32_t class;
	uint32_t member;
	const struct collective_event *event;
};

struct collectives {
	struct collective *v;
	size_t n, cap;
	struct intern classes;
};

static int64_t start_of(const struct group_member *m,
			const struct collective_event *e)
{
	return m->trace->trace->base + e->start;
}

static int add_parts(struct collectives *parts,
		     const struct profile_group *group, struct buf *text,
		     struct err *err)
{
	for (uint32_t m = 0; m < group->n; m++) {
		const struct profile_summary *s = group->members[m].trace;
		const struct device_summary *d = group->members[m].device;

		for (size_t i = 0; i < d->collective_n; i++) {
			const struct collective_event *e =
				&d->collective_events[i];
			struct collective part = {.member = m, .event = e};
			struct str one;

			buf_clear(text);
			one = intern_text(&s->trace->names,
					  trace_work(s->trace, e->work)->group);
			buf_put(text, one.p, one.n);
			buf_putc(text, ':');
			one = gpu_work_name(s, e->work);
			buf_put(text, one.p, one.n);
			part.class = intern_add(&parts->classes, buf_str(text));
			if (text->failed || part.class == INTERN_FAILED ||
			    !ARRAY_GROW(parts->v, parts->n, parts->cap))
				return err_memory(err);
			parts->v[parts->n++] = part;
		}
	}
	return 0;
}

/* By class and member; each member's are already sorted by start. */
static int compare_parts(const void *x, const void *y)
{
	const struct collective *a = x;
	const struct collective *b = y;

	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
	if (a->member != b->member)
		return a->member < b->member ? -1 : 1;
	if (a->event->start != b->event->start)
		return a->event->start < b->event->start ? -1 : 1;
	return (a->event > b->event) - (a->event < b->event);
}

/* A match: one part per member, stride apart. */
struct match_parts {
	const struct collective *first;
	size_t stride;
};

struct found {
	struct match_parts *v;
	size_t n, cap;
};

/* The parts from..to are of one class: match them one by one, or record the
 * class if members differ in their count. */
static int match_class(struct profile_groups *groups,
		       struct profile_group *group,
		       const struct collectives *parts, size_t from, size_t to,
		       struct found *found, struct err *err)
{
	size_t each = (to - from) / group->n;
	bool equal = (to - from) % group->n == 0 && !ranks_repeat(group);

	for (size_t i = from; equal && i < to; i++)
		equal = parts->v[i].member == (i - from) / each;
	if (!equal) {
		struct str class = arena_str(&groups->text,
					     intern_text(&parts->classes,
							 parts->v[from].class));

		if (class.p == NULL ||
		    !ARRAY_GROW(group->unmatched, group->unmatched_n,
				group->unmatched_cap))
			return err_memory(err);
		group->unmatched[group->unmatched_n++] = class;
		return 0;
	}
	for (size_t i = 0; i < each; i++) {
		if (!ARRAY_GROW(found->v, found->n, found->cap))
			return err_memory(err);
		found->v[found->n++] =
			(struct match_parts){&parts->v[from + i], each};
	}
	return 0;
}

static int compare_ints(const void *x, const void *y)
{
	const int64_t *a = x;
	const int64_t *b = y;

	return (*a > *b) - (*a < *b);
}

static int64_t end_of(const struct group_member *m,
		      const struct collective *part)
{
	return start_of(m, part->event) + part->event->dur;
}

/* The lower median of how much later a member's ends are than the first's. */
static int find_offsets(struct profile_group *group, const struct found *found,
			struct err *err)
{
	int64_t *late = malloc((found->n + 1) * sizeof(*late));

	if (late == NULL)
		return err_memory(err);
	for (size_t m = 1; found->n > 0 && m < group->n; m++) {
		struct group_member *members = group->members;

		for (size_t i = 0; i < found->n; i++) {
			const struct match_parts *match = &found->v[i];

			late[i] = end_of(&members[m],
					 match->first + m * match->stride) -
				  end_of(&members[0], match->first);
		}
		qsort(late, found->n, sizeof(*late), compare_ints);
		members[m].offset = late[(found->n - 1) / 2];
	}
	free(late);
	return 0;
}

static int64_t arrival_of(const struct group_member *m,
			  const struct collective *part)
{
	return start_of(m, part->event) - m->offset;
}

struct timed_match {
	struct group_match match;
	struct match_parts parts;
};

static struct timed_match time_match(const struct profile_group *group,
				     struct match_parts parts)
{
	struct timed_match t = {.parts = parts};

	for (uint32_t m = 0; m < group->n; m++) {
		const struct collective *part = parts.first + m * parts.stride;
		int64_t arrival = arrival_of(&group->members[m], part);

		if (m == 0 || arrival > t.match.late) {
			t.match.late = arrival;
			t.match.last = m;
		}
		if (m == 0 || arrival < t.match.early)
			t.match.early = arrival;
		if (m == 0 || part->event->dur < t.match.transfer)
			t.match.transfer = part->event->dur;
	}
	t.match.name = gpu_work_name(group->members[0].trace,
				     parts.first->event->work);
	return t;
}

static int compare_matches(const void *x, const void *y)
{
	const struct timed_match *a = x;
	const struct timed_match *b = y;

	if (a->match.late != b->match.late)
		return a->match.late < b->match.late ? -1 : 1;
	return (a->parts.first > b->parts.first) -
	       (a->parts.first < b->parts.first);
}

/* The wait of each member in a match. In the first one ranks wait until the
 * last profiler has started. */
static int count_waits(struct profile_group *group, const struct timed_match *t,
		       bool first, struct err *err)
{
	int64_t all = 0;

	for (uint32_t m = 0; m < group->n; m++) {
		struct group_member *member = &group->members[m];
		const struct collective *part =
			t->parts.first + m * t->parts.stride;
		int64_t wait = t->match.late - arrival_of(member, part);

		wait = wait < part->event->dur ? wait : part->event->dur;
		all += wait;
		if (first)
			member->start_wait += wait;
		else
			member->waited += wait;
	}
	if (first)
		return 0;
	group->members[t->match.last].caused += all;
	group->members[t->match.last].last++;
	group->transfer += t->match.transfer;
	return stats_add(&group->skews,
			 (double)(t->match.late - t->match.early))
		       ? 0
		       : err_memory(err);
}

static int add_matches(struct profile_group *group, const struct found *found,
		       struct err *err)
{
	struct timed_match *timed =
		malloc((found->n + 1) * sizeof(struct timed_match));
	int code = timed == NULL ? err_memory(err) : 0;

	for (size_t i = 0; code == 0 && i < found->n; i++)
		timed[i] = time_match(group, found->v[i]);
	if (code == 0 && found->n > 0)
		qsort(timed, found->n, sizeof(*timed), compare_matches);
	group->matches = malloc((found->n + 1) * sizeof(*group->matches));
	if (group->matches == NULL)
		code = err_memory(err);
	for (size_t i = 0; code == 0 && i < found->n; i++) {
		group->matches[group->match_n++] = timed[i].match;
		code = count_waits(group, &timed[i], i == 0, err);
	}
	stats_sort(&group->skews);
	free(timed);
	return code;
}

static int compare_texts(const void *x, const void *y)
{
	return str_cmp(*(const struct str *)x, *(const struct str *)y);
}

static int match_collectives(struct profile_groups *groups,
			     struct profile_group *group, struct err *err)
{
	struct collectives parts = {.classes = intern_new(LIMIT_KEPT)};
	struct buf text = buf_new(LIMIT_STRING);
	struct found found = {0};
	int code = add_parts(&parts, group, &text, err);
	size_t from = 0;

	if (code == 0 && parts.n > 0)
		qsort(parts.v, parts.n, sizeof(*parts.v), compare_parts);
	for (size_t i = 1; code == 0 && i <= parts.n; i++) {
		if (i < parts.n && parts.v[i].class == parts.v[from].class)
			continue;
		code = match_class(groups, group, &parts, from, i, &found, err);
		from = i;
	}
	if (code == 0)
		code = find_offsets(group, &found, err);
	if (code == 0)
		code = add_matches(group, &found, err);
	if (group->unmatched_n > 0)
		qsort(group->unmatched, group->unmatched_n,
		      sizeof(*group->unmatched), compare_texts);
	free(found.v);
	free(parts.v);
	intern_free(&parts.classes);
	buf_free(&text);
	return code;
}

/* Groups ---------------------------------------------------------------- */

static void find_origin(struct profile_group *group)
{
	group->origin = INT64_MAX;
	for (size_t m = 0; m < group->n; m++) {
		const struct profile_trace *t = group->members[m].trace->trace;

		if (t->base + t->earliest < group->origin)
			group->origin = t->base + t->earliest;
	}
}

static int compare_groups(const void *x, const void *y)
{
	const struct profile_group *a = x;
	const struct profile_group *b = y;
	int order = str_cmp(a->directory, b->directory);

	return order != 0 ? order : str_cmp(a->name, b->name);
}

static void free_group(struct profile_group *group)
{
	free(group->members);
	free(group->matches);
	free(group->unmatched);
	stats_free(&group->skews);
}

/* A single device waits for nobody. */
static void drop_lonely(struct profile_groups *groups)
{
	size_t kept = 0;

	for (size_t i = 0; i < groups->n; i++) {
		if (groups->v[i].n < 2)
			free_group(&groups->v[i]);
		else
			groups->v[kept++] = groups->v[i];
	}
	groups->n = kept;
}

int profile_groups_find(struct profile_groups *groups,
			struct profile_summary *const *traces, size_t n,
			struct err *err)
{
	*groups = (struct profile_groups){.text = arena_new(LIMIT_KEPT)};
	for (size_t i = 0; i < n; i++) {
		struct profile_group *group =
			group_of(groups, traces[i]->trace->path, err);

		if (group == NULL || add_members(group, traces[i], err) < 0)
			return err->code;
	}
	drop_lonely(groups);
	if (groups->n > 0)
		qsort(groups->v, groups->n, sizeof(*groups->v), compare_groups);
	for (size_t i = 0; i < groups->n; i++) {
		struct profile_group *group = &groups->v[i];

		qsort(group->members, group->n, sizeof(*group->members),
		      compare_members);
		find_origin(group);
		if (match_collectives(groups, group, err) < 0)
			return err->code;
	}
	return 0;
}

void profile_groups_free(struct profile_groups *groups)
{
	for (size_t i = 0; i < groups->n; i++)
		free_group(&groups->v[i]);
	free(groups->v);
	arena_free(&groups->text);
	*groups = (struct profile_groups){0};
}
