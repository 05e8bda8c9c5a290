#include "rollout/not_dump.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/array.h"

/* Keys ----------------------------------------------------------------- */

enum { KEYS_MAX = 3 };

/* The kind of an object that has all of these keys. */
struct dict_shape {
	const char *keys[KEYS_MAX];
	const char *name;
};

static const struct dict_shape foreign[] = {
	{{"request_parameters"}, "an SGLang request log"},
	{{"resourceSpans"}, "OpenTelemetry data"},
	{{"resource_spans"}, "OpenTelemetry data"},
	{{"resourceMetrics"}, "OpenTelemetry data"},
	{{"resourceLogs"}, "OpenTelemetry data"},
	{{"traces", "task"}, "prime-rl's rollouts"},
	{{"traces", "env"}, "prime-rl's rollouts"},
	{{"timing", "calls"}, "prime-rl's rollouts"},
	{{"session_id", "submit_ts"}, "AReaL's sessions"},
	{{"ph", "name", "pid"}, "profiler events"},
	{{"ts", "kind", "sample_index"}, "miles' trajectories"},
	{{"t0", "t1", "role"}, "miles' phases"},
	{{"content", "rewards", "idx"},
	 "NeMo-RL's rollout data, which has no times"},
	{{"input", "output", "score"},
	 "verl's rollout data, which has no times"},
	{{"input_prompt", "output_response"},
	 "SkyRL's rollout data, which has no times"},
	{{"responses", "scores"}, "ROLL's rollout data, which has no times"},
};

static const struct dict_shape shapes[] = {
	{{"samples"}, "a dict whose \"samples\" is not a list"},
	{{"rollout_data"},
	 "the trainer's training data (save_debug_train_data)"},
	{{"state", "param_groups"}, "an optimizer state"},
	{{"traceEvents"}, "a Chrome trace or Kineto profile"},
	{{"cache_version", "rows"}, "a timeline cache; give the dump itself"},
	{{"families"}, "metrics that obs-aggregate printed"},
	{{"model_state_dict"}, "a training checkpoint"},
	{{"state_dict"}, "a training checkpoint"},
	{{"optimizer_state_dict"}, "a training checkpoint"},
	{{"model", "optimizer"}, "a training checkpoint"},
	{{"model", "iteration"}, "a training checkpoint"},
	{{"model", "epoch"}, "a training checkpoint"},
	{{"module", "optimizer"}, "a training checkpoint"},
	{{"checkpoint_version"}, "a training checkpoint"},
	{{"optimizer", "lr_scheduler"}, "a training checkpoint"},
	{{"model_type"}, "a model's configuration"},
	{{"architectures"}, "a model's configuration"},
	{{"weight_map"}, "the index of a model's weights"},
	{{"log_history"}, "a trainer's log history"},
	{{"nbformat"}, "a notebook"},
	{{"level", "msg"}, "a log"},
	{{"level", "message"}, "a log"},
	{{"levelname"}, "a log"},
	{{"messages"}, "a data set of conversations"},
	{{"prompt", "chosen"}, "a data set of preferences"},
	{{"instruction", "output"}, "a data set of instructions"},
	{{"question", "answer"}, "a data set of questions"},
	{{"error"}, "an error message"},
};

static bool has_key(struct value dict, const char *key)
{
	return value_get(dict, key).kind != VALUE_ABSENT;
}

static const char *shape_of(struct value dict, const struct dict_shape *known,
			    size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bool all = true;

		for (size_t k = 0; k < KEYS_MAX && known[i].keys[k]; k++)
			all &= has_key(dict, known[i].keys[k]);
		if (all)
			return known[i].name;
	}
	return NULL;
}

const char *not_dump_foreign(struct value v)
{
	return shape_of(v, foreign, ARRAY_SIZE(foreign));
}

/* Values --------------------------------------------------------------- */

static bool is_module(struct value global, const char *prefix)
{
	return global.kind == VALUE_GLOBAL &&
	       str_starts(global.global->module, prefix);
}

static bool is_tensor(struct value v)
{
	return v.kind == VALUE_OBJECT &&
	       is_module(v.object->callable, "torch._") &&
	       str_starts(v.object->callable.global->name, "_rebuild");
}

static bool is_array(struct value v)
{
	return v.kind == VALUE_OBJECT &&
	       is_module(v.object->callable, "numpy") &&
	       (str_is(v.object->callable.global->name, "_reconstruct") ||
		str_is(v.object->callable.global->name, "_frombuffer"));
}

/* A state dict: its values are tensors. */
static bool is_state_dict(struct value dict)
{
	uint32_t tensors = 0;

	for (uint32_t i = 1; i < dict.items->n; i += 2)
		tensors += is_tensor(dict.items->v[i]);
	return tensors > 0 && tensors >= dict.items->n / 4;
}

static bool has_metrics(struct value dict)
{
	for (uint32_t i = 0; i + 1 < dict.items->n; i += 2)
		if (dict.items->v[i].kind == VALUE_STR &&
		    str_starts(value_text(dict.items->v[i]), "perf/"))
			return true;
	return false;
}

struct phrase {
	char *text;
	size_t n;
};

__attribute__((format(printf, 2, 3))) static void add(struct phrase *p,
						      const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(p->text + p->n, NOT_DUMP_MAX - p->n, format, args);
	va_end(args);
	if (n > 0)
		p->n += (size_t)n < NOT_DUMP_MAX - p->n
				? (size_t)n
				: NOT_DUMP_MAX - 1 - p->n;
}

static void add_keys(struct phrase *p, const struct value_items *items)
{
	enum { SHOWN = 4, KEY_MAX = 24 };
	uint32_t shown = 0;

	for (uint32_t i = 0; i + 1 < items->n && shown < SHOWN; i += 2) {
		struct str key = value_text(items->v[i]);

		if (items->v[i].kind != VALUE_STR)
			continue;
		add(p, "%s\"%.*s%s\"",
		    shown++ > 0	    ? ", "
		    : items->n == 2 ? " with the key "
				    : " with the keys ",
		    key.n > KEY_MAX ? KEY_MAX : (int)key.n, key.p,
		    key.n > KEY_MAX ? "..." : "");
	}
	if (shown > 0 && shown < items->n / 2)
		add(p, " ...");
}

static void add_dict(struct phrase *p, struct value dict, bool json)
{
	const char *known = not_dump_foreign(dict);

	if (known != NULL) /* but not its types, or in a list or a pickle */
		add(p, "an object with the keys of ");
	else
		known = shape_of(dict, shapes, ARRAY_SIZE(shapes));
	if (known == NULL && has_metrics(dict))
		known = "metrics of rollouts";
	if (known == NULL && is_state_dict(dict))
		known = "a model checkpoint";
	if (known != NULL) {
		add(p, "%s", known);
		return;
	}
	if (dict.items->n == 0)
		add(p, "an empty ");
	else
		add(p, json ? "an " : "a ");
	add(p, json ? "object" : "dict");
	add_keys(p, dict.items);
}

/* The class of an object. Old torch files name a model's by a persistent id:
 * ("module", class, file, source). */
static struct value class_of(const struct value_object *object)
{
	struct value v = object->callable;

	if (v.kind == VALUE_OBJECT && v.object->args.kind == VALUE_TUPLE &&
	    v.object->args.items->n > 1 &&
	    value_is_str(v.object->args.items->v[0], "module"))
		return v.object->args.items->v[1];
	return v;
}

static void add_object(struct phrase *p, const struct value_object *object)
{
	struct value v = class_of(object);

	if (has_key(object->state, "_parameters") ||
	    has_key(object->state, "_modules"))
		add(p, "a model");
	else if (is_module(v, "__torch__."))
		add(p, "a TorchScript model");
	else
		add(p, "an object");
	if (v.kind == VALUE_GLOBAL)
		add(p, " of the class %.*s.%.*s", STR_ARG(v.global->module),
		    STR_ARG(v.global->name));
}

static const char *const kinds[] = {
	[VALUE_ABSENT] = "nothing",
	[VALUE_NONE] = "None",
	[VALUE_BOOL] = "a boolean",
	[VALUE_INT] = "a number",
	[VALUE_BIGINT] = "a number",
	[VALUE_FLOAT] = "a number",
	[VALUE_STR] = "a text",
	[VALUE_BYTES] = "bytes",
	[VALUE_LIST] = "a list",
	[VALUE_TUPLE] = "a tuple",
	[VALUE_SET] = "a set",
	[VALUE_DICT] = "a dict",
	[VALUE_GLOBAL] = "a class or function",
	[VALUE_OBJECT] = "an object",
	[VALUE_SKIPPED] = "a list",
};

void not_dump_by_value(struct value v, bool json, char text[NOT_DUMP_MAX])
{
	struct phrase p = {.text = text};

	text[0] = '\0';
	if (v.kind == VALUE_DICT)
		add_dict(&p, v, json);
	else if (is_tensor(v))
		add(&p, "a tensor");
	else if (is_array(v))
		add(&p, "a NumPy array");
	else if (v.kind == VALUE_OBJECT)
		add_object(&p, v.object);
	else
		add(&p, "%s", kinds[v.kind]);
}
