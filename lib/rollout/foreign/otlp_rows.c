/* Groups the spans of an OTLP file into rows. */
#include <stdlib.h>

#include "base/array.h"
#include "rollout/foreign/otlp_parts.h"

/*
 * Indices with parents before their children. A cycle of parents is cut at its
 * first span.
 */
static int order_spans(struct otlp *o, struct err *err)
{
	enum { NEW, PENDING, DONE };
	uint8_t *state = calloc(o->n + 1, 1);
	int32_t *path = malloc((o->n + 1) * sizeof(*path));
	size_t n = 0;

	o->order = malloc((o->n + 1) * sizeof(*o->order));
	if (state == NULL || path == NULL || o->order == NULL) {
		free(state);
		free(path);
		return err_memory(err);
	}
	for (size_t i = 0; i < o->n; i++) {
		int32_t at = (int32_t)i;
		size_t depth = 0;

		while (at != OTLP_NONE && state[at] == NEW) {
			state[at] = PENDING;
			path[depth++] = at;
			at = o->spans[at].parent;
		}
		if (depth > 0 && at != OTLP_NONE && state[at] == PENDING)
			o->spans[path[depth - 1]].parent = OTLP_NONE;
		while (depth > 0) {
			state[path[--depth]] = DONE;
			o->order[n++] = path[depth];
		}
	}
	free(state);
	free(path);
	return 0;
}

static bool has_attr(const struct otlp_span *span, const char *key)
{
	struct value v = value_get(span->attrs, key);

	return v.kind != VALUE_ABSENT && v.kind != VALUE_NONE;
}

/* Prompts, and the nearest one above each span. */
static void find_prompts(struct otlp *o)
{
	for (size_t i = 0; o->some_prompt && i < o->n; i++) {
		struct otlp_span *span = &o->spans[o->order[i]];
		struct otlp_span *parent = span->parent == OTLP_NONE
						   ? NULL
						   : &o->spans[span->parent];

		span->is_prompt = span->name == NAME_PROMPT &&
				  has_attr(span, "prompt_id");
		if (parent == NULL)
			continue;
		span->prompt = parent->is_prompt ? span->parent
						 : parent->prompt;
		if (span->prompt != OTLP_NONE && span->name == NAME_RESPONSE)
			o->spans[span->prompt].has_responses = true;
	}
}

/* Sample spans, and the outermost one that each span belongs to. */
static void find_samples(struct otlp *o)
{
	for (size_t i = 0; i < o->n; i++) {
		int32_t place = o->order[i];
		struct otlp_span *span = &o->spans[place];

		if (span->parent != OTLP_NONE)
			span->sample = o->spans[span->parent].sample;
		if (span->sample != OTLP_NONE)
			continue;
		span->is_sample = has_attr(span, "traj_id") ||
				  (span->prompt != OTLP_NONE &&
				   span->name == NAME_RESPONSE) ||
				  (span->is_prompt && !span->has_responses);
		if (!span->is_sample)
			continue;
		span->sample = place;
		if (has_attr(span, "traj_id") || span->is_prompt)
			span->prompt = OTLP_NONE;
	}
}

/* Spans between a sample span and its prompt are in all its rows. */
static void find_shared(struct otlp *o)
{
	for (size_t i = 0; o->some_prompt && i < o->n; i++) {
		int32_t at = (int32_t)i;
		int32_t prompt = o->spans[i].prompt;

		if (!o->spans[i].is_sample || prompt == OTLP_NONE)
			continue;
		do {
			at = o->spans[at].parent;
			o->spans[at].is_shared = true;
		} while (at != prompt);
	}
}

static int new_row(struct otlp *o, struct otlp_row row, struct err *err)
{
	if (!ARRAY_GROW(o->rows, o->row_count, o->row_cap) ||
	    o->row_count == INT32_MAX)
		return err_memory(err);
	o->rows[o->row_count++] = row;
	return 0;
}

/* A row for each sample span, and one for the rest of a trace: numbered by
 * their first own spans. */
static int number_rows(struct otlp *o, int32_t *rest, struct err *err)
{
	int code = 0;

	for (size_t i = 0; i < o->traces.n; i++)
		rest[i] = OTLP_NONE;
	for (size_t i = 0; code == 0 && i < o->n; i++) {
		struct otlp_span *span = &o->spans[i];
		int32_t *row = span->sample == OTLP_NONE
				       ? &rest[span->trace]
				       : &o->spans[span->sample].row;

		if (span->is_shared)
			continue;
		if (*row == OTLP_NONE) {
			*row = (int32_t)o->row_count;
			code = new_row(o,
				       (struct otlp_row){.sample = span->sample,
							 .trace = span->trace,
							 .first = (uint32_t)i},
				       err);
		}
		if (code < 0)
			break;
		span->row = *row;
		o->rows[*row].n++;
	}
	return code;
}

/* Mark the rows that are what sample spans leave of their trace. */
static void note_rests(struct otlp *o, const int32_t *rest)
{
	for (size_t i = 0; i < o->row_count; i++)
		if (o->rows[i].sample != OTLP_NONE &&
		    rest[o->rows[i].trace] != OTLP_NONE)
			o->rows[rest[o->rows[i].trace]].is_rest = true;
}

/* The spans of each row, in file order. */
static int list_members(struct otlp *o, struct err *err)
{
	uint32_t begin = 0;

	o->members = malloc((o->n + 1) * sizeof(*o->members));
	if (o->members == NULL)
		return err_memory(err);
	for (size_t i = 0; i < o->row_count; i++) {
		o->rows[i].begin = begin;
		begin += o->rows[i].n;
		o->rows[i].n = 0;
	}
	for (size_t i = 0; i < o->n; i++) {
		struct otlp_row *row;

		if (o->spans[i].row == OTLP_NONE)
			continue;
		row = &o->rows[o->spans[i].row];
		o->members[row->begin + row->n++] = (uint32_t)i;
	}
	return 0;
}

int otlp_find_rows(struct otlp *o, struct err *err)
{
	int32_t *rest = malloc((o->traces.n + 1) * sizeof(*rest));
	int code = rest == NULL ? err_memory(err) : order_spans(o, err);

	if (code == 0) {
		find_prompts(o);
		find_samples(o);
		find_shared(o);
		code = number_rows(o, rest, err);
	}
	if (code == 0) {
		note_rests(o, rest);
		code = list_members(o, err);
	}
	if (code == 0)
		code = otlp_find_requests(o, err);
	free(rest);
	return code;
}
