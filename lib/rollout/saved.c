#include "rollout/saved.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/intern.h"
#include "base/limits.h"
#include "base/num.h"
#include "fmt/input_kind.h"
#include "fmt/json/json_read.h"
#include "fmt/value/value_python.h"

enum { KEY_MAX = 256 };

struct saved {
	struct json_reader *json;
	struct arena arena; /* of one object */
};

/* The length of the string at the start of the text, with its quotes; 0 if it
 * is truncated. */
static size_t string_length(struct str text)
{
	for (size_t i = 1; i < text.n; i++) {
		if (text.p[i] == '\\')
			i++;
		else if (text.p[i] == '"')
			return i + 1;
	}
	return 0;
}

static void skip(struct str *text, size_t n)
{
	*text = str_make(text->p + n, text->n - n);
}

/* The next key of the object whose inside is *text; p is NULL at its end, or if
 * the text is truncated. */
static struct str next_key(struct str *text)
{
	int depth = 0;

	while (text->n > 0 && depth >= 0) {
		size_t n = *text->p == '"' ? string_length(*text) : 1;
		struct str token = str_make(text->p, n);

		if (n == 0)
			break;
		skip(text, n);
		depth += *token.p == '{' || *token.p == '[';
		depth -= *token.p == '}' || *token.p == ']';
		if (depth == 0 && n > 1 && str_starts(input_text(*text), ":"))
			return str_make(token.p + 1, n - 2);
	}
	return str_make(NULL, 0);
}

/* A key of samples and dumps. */
static bool is_of_dump(struct str key)
{
	static const char *const keys[] = {"samples",	  "trace",
					   "traces",	  "events",
					   "meta_info",	  "reward",
					   "tokens",	  "response_length",
					   "group_index", "loss_mask"};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (str_is(key, keys[i]))
			return true;
	return false;
}

bool saved_detect(struct str head)
{
	struct str key;

	head = input_text(head);
	if (str_starts(head, "["))
		head = input_text(str_skip(head, 1));
	if (!str_starts(head, "{"))
		return false;
	skip(&head, 1);
	key = next_key(&head);
	if (str_is(key, "dump"))
		return true;
	for (; key.p != NULL && !is_of_dump(key); key = next_key(&head))
		if (str_starts(key, "perf/"))
			return true;
	return false;
}

struct saved *saved_open(struct byte_source *source)
{
	struct saved *saved = calloc(1, sizeof(*saved));

	if (saved == NULL)
		return NULL;
	saved->arena = arena_new(LIMIT_LIST);
	saved->json = json_open(source, NULL);
	if (saved->json != NULL)
		return saved;
	saved_close(saved);
	return NULL;
}

void saved_close(struct saved *saved)
{
	if (saved == NULL)
		return;
	if (saved->json != NULL)
		json_close(saved->json);
	arena_free(&saved->arena);
	free(saved);
}

static bool is_count(const char *key, struct value v)
{
	return v.kind == VALUE_INT && v.i >= 0 &&
	       str_ends(str_of(figure_statistic(key)), "count");
}

/* The value of a key in an object. */
struct figure_member {
	struct value v; /* of a duplicate key the last, as in Python */
	bool approximate;
};

/* The perf/ members of an object, by the numbers of their keys. */
struct figure_members {
	struct intern keys;
	struct figure_member *v;
	size_t cap;
};

static bool is_figure(struct value key)
{
	struct str text = value_text(key);

	return key.kind == VALUE_STR && str_starts(text, "perf/") &&
	       text.n < KEY_MAX && memchr(text.p, '\0', text.n) == NULL;
}

static int find_members(struct figure_members *members, struct value object,
			struct err *err)
{
	for (uint32_t i = 0; i + 1 < object.items->n; i += 2) {
		uint32_t known = members->keys.count;
		uint32_t number;

		if (!is_figure(object.items->v[i]))
			continue;
		if (known == LIMIT_FIGURES)
			return err_set(err, ERR_LIMIT,
				       "a saved rollout has more than %d "
				       "metrics" ERR_RAISE(LIMIT_FIGURES),
				       LIMIT_FIGURES);
		number = intern_add(&members->keys,
				    value_text(object.items->v[i]));
		if (number == INTERN_FAILED)
			return intern_error(&members->keys, err);
		if (!ARRAY_GROW(members->v, known, members->cap))
			return err_memory(err);
		members->v[number] =
			(struct figure_member){.v = object.items->v[i + 1]};
	}
	return 0;
}

static void mark_approximate(struct figure_members *members, struct value list)
{
	if (list.kind != VALUE_LIST)
		return;
	for (uint32_t i = 0; i < list.items->n; i++) {
		uint32_t number = INTERN_FAILED;

		if (list.items->v[i].kind == VALUE_STR)
			number = intern_find(&members->keys,
					     value_text(list.items->v[i]));
		if (number != INTERN_FAILED)
			members->v[number].approximate = true;
	}
}

static int take_member(struct figures *figures, struct str text,
		       const struct figure_member *member, struct err *err)
{
	char key[KEY_MAX];
	struct figure figure = {.key = key, .approximate = member->approximate};

	memcpy(key, text.p, text.n);
	key[text.n] = '\0';
	if (member->v.kind == VALUE_BOOL ||
	    !value_number(member->v, &figure.value) || !isfinite(figure.value))
		return 0;
	figure.count = is_count(key, member->v);
	return figures_add(figures, figure, err);
}

static int take_figures(struct figures *figures, struct value object,
			struct err *err)
{
	struct figure_members members = {.keys = intern_new(LIMIT_LIST)};
	int code = find_members(&members, object, err);

	mark_approximate(&members, value_get(object, "approximate"));
	for (uint32_t i = 0; code == 0 && i < members.keys.count; i++)
		code = take_member(figures, intern_text(&members.keys, i),
				   &members.v[i], err);
	free(members.v);
	intern_free(&members.keys);
	return code;
}

static int take_object(struct saved_rollout *rollout, struct value object,
		       struct err *err)
{
	struct figures figures = figures_new();
	int code = take_figures(&figures, object, err);

	if (code == 0 && figures.n == 0)
		code = err_set(err, ERR_INPUT,
			       "no perf/ metrics in it: obs-perfsum did not "
			       "save this");
	if (code < 0) {
		figures_free(&figures);
		return code;
	}
	rollout->dump = value_get(object, "dump");
	rollout->rollout_id = value_get(object, "rollout_id");
	rollout->figures = figures;
	return 1;
}

/* The line that --what-if ends with, about all dumps together. */
static bool is_summary(struct value object)
{
	return object.kind == VALUE_DICT &&
	       value_get(object, "dumps").kind == VALUE_INT &&
	       value_get(object, "remedies").kind == VALUE_LIST;
}

bool saved_can_continue(const struct saved *saved)
{
	return json_can_continue(saved->json);
}

int saved_next(struct saved *saved, struct saved_rollout *rollout,
	       struct err *err)
{
	struct value object;
	int got;

	do {
		arena_reset(&saved->arena);
		got = json_next_sample(saved->json, &saved->arena, &object,
				       err);
		if (got != 1)
			return got;
	} while (is_summary(object));
	if (object.kind != VALUE_DICT)
		return err_set(err, ERR_INPUT,
			       "a saved rollout is not a JSON "
			       "object");
	return take_object(rollout, object, err);
}
