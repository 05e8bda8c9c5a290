#include "rollout/saved.h"

#include <math.h>
#include <stdlib.h>

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

bool saved_detect(struct str head)
{
	head = input_text(head);
	if (str_starts(head, "["))
		head = input_text(str_make(head.p + 1, head.n - 1));
	if (!str_starts(head, "{"))
		return false;
	head = input_text(str_make(head.p + 1, head.n - 1));
	return str_starts(head, "\"perf/") || str_starts(head, "\"dump\"");
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

/* Is the key in the list of those that are approximate? */
static bool is_listed(struct value list, struct str key)
{
	if (list.kind != VALUE_LIST)
		return false;
	for (uint32_t i = 0; i < list.items->n; i++)
		if (list.items->v[i].kind == VALUE_STR &&
		    str_eq(value_text(list.items->v[i]), key))
			return true;
	return false;
}

/* Of a member that stands twice the last counts, as in Python. */
static int take_member(struct figures *figures, struct value object,
		       struct str text, struct err *err)
{
	struct value v;
	char key[KEY_MAX];
	struct figure figure = {.key = key};

	if (!str_starts(text, "perf/") || text.n >= KEY_MAX ||
	    memchr(text.p, '\0', text.n) != NULL ||
	    figures_find(figures, text) != NULL)
		return 0;
	memcpy(key, text.p, text.n);
	key[text.n] = '\0';
	v = value_get(object, key);
	if (v.kind == VALUE_BOOL || !value_number(v, &figure.value) ||
	    !isfinite(figure.value))
		return 0;
	figure.count = is_count(key, v);
	figure.approximate = is_listed(value_get(object, "approximate"), text);
	return figures_add(figures, figure, err);
}

static int take_object(struct saved_rollout *rollout, struct value object,
		       struct err *err)
{
	struct figures figures = figures_new();
	int code = 0;

	for (uint32_t i = 0; code == 0 && i + 1 < object.items->n; i += 2)
		code = take_member(&figures, object,
				   value_text(object.items->v[i]), err);
	if (code == 0 && figures.n == 0)
		code = err_set(err, ERR_INPUT,
			       "a saved rollout has no perf/ figures");
	if (code < 0) {
		figures_free(&figures);
		return code;
	}
	rollout->dump = value_get(object, "dump");
	rollout->rollout_id = value_get(object, "rollout_id");
	rollout->figures = figures;
	return 1;
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

	arena_reset(&saved->arena);
	got = json_next_sample(saved->json, &saved->arena, &object, err);
	if (got != 1)
		return got;
	if (object.kind != VALUE_DICT)
		return err_set(err, ERR_INPUT,
			       "a saved rollout is not a JSON "
			       "object");
	return take_object(rollout, object, err);
}
