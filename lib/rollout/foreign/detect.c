/* Detects the format of an input by the keys of its first record. */
#include "fmt/input_kind.h"
#include "fmt/json/json_tree.h"
#include "rollout/foreign/foreign.h"

enum { KEY_MAX = 40, PARTS = 3, SIGNATURES = 17 };

/* Torn records skipped in a line. */
enum { TORN_MAX = 64 };

/* A key, and the byte that its value begins with; 0: any. */
struct signature_key {
	const char *key;
	char first;
};

/* The keys of a first record. The first row that matches counts. */
static const struct {
	const struct foreign_format *format;
	struct signature_key parts[PARTS];
} signatures[SIGNATURES] = {
	{&sglang_log_format, {{"request_parameters", '"'}}},
	{&otlp_format, {{"resourceSpans", 0}}},
	{&otlp_format, {{"resourceMetrics", 0}}},
	{&otlp_format, {{"resourceLogs", 0}}},
	{&otlp_format, {{"resource_spans", 0}}},
	{&otlp_format, {{"resource_metrics", 0}}},
	{&otlp_format, {{"resource_logs", 0}}},
	{&prime_format, {{"traces", '['}}},
	{&prime_format, {{"timing", '{'}, {"calls", '['}}},
	{&areal_sessions_format, {{"session_id", 0}, {"submit_ts", 0}}},
	{&areal_traces_format, {{"ph", 0}, {"name", 0}, {"pid", 0}}},
	{&miles_trajectories_format,
	 {{"ts", 0}, {"kind", 0}, {"sample_index", 0}}},
	{&miles_phases_format, {{"t0", 0}, {"t1", 0}, {"role", 0}}},
	{&nemo_format, {{"content", 0}, {"rewards", 0}, {"idx", 0}}},
	{&verl_format, {{"input", 0}, {"output", 0}, {"score", 0}}},
	{&skyrl_format, {{"input_prompt", 0}, {"output_response", 0}}},
	{&roll_format, {{"responses", '['}, {"scores", '['}}},
};

/* Which parts of each signature an object has, as far as it was read. */
struct keys {
	bool has[SIGNATURES][PARTS];
	bool has_samples; /* slime's, which may be most of the input */
};

static void add_key(struct keys *keys, struct str key, int first)
{
	keys->has_samples |= str_is(key, "samples");
	for (size_t i = 0; i < SIGNATURES; i++)
		for (size_t k = 0; k < PARTS; k++) {
			struct signature_key part = signatures[i].parts[k];

			if (part.key != NULL && str_is(key, part.key))
				keys->has[i][k] |= part.first == 0 ||
						   part.first == first;
		}
}

/* A key and its value; 0, or less if malformed. */
static int read_member(struct json_tree *tree, struct keys *keys)
{
	struct str key;
	char copy[KEY_MAX];
	int c;

	if (json_token_key(&tree->t, &key) < 0)
		return -1;
	key.n = key.n < sizeof(copy) ? key.n : sizeof(copy);
	memcpy(copy, key.p, key.n);
	if (json_tree_colon(tree) < 0)
		return -1;
	c = json_token_peek(&tree->t, true);
	if (c < 0)
		return -1;
	add_key(keys, str_make(copy, key.n), c);
	return json_tree_skip(tree);
}

enum extent { NO_OBJECT, TORN_OBJECT, WHOLE_OBJECT };

/* The keys of the object at the start of text, which may be incomplete. */
static enum extent read_keys(struct str text, struct keys *keys)
{
	struct text_source source = text_source_of(text);
	struct json_tree tree;
	struct err err = {0};
	enum extent found = NO_OBJECT;
	int c, rc = 0;

	*keys = (struct keys){0};
	json_tree_init(&tree, &source.source);
	tree.t.err = &err;
	c = json_token_peek(&tree.t, true);
	rc = c == '{' ? 0 : -1;
	if (rc == 0)
		tree.t.p++;
	while (rc == 0) {
		rc = read_member(&tree, keys);
		c = rc == 0 ? json_token_peek(&tree.t, true) : 0;
		if (rc == 0 && c == ',')
			tree.t.p++;
		else if (rc == 0)
			break;
	}
	if (rc == 0 && c == '}')
		found = WHOLE_OBJECT;
	else if (json_token_peek(&tree.t, true) == JSON_TOKEN_END)
		found = TORN_OBJECT;
	json_tree_free(&tree);
	return found;
}

static const struct foreign_format *format_of(const struct keys *keys)
{
	for (size_t i = 0; i < SIGNATURES; i++) {
		bool fits = true;

		for (size_t k = 0; k < PARTS; k++)
			fits &= signatures[i].parts[k].key == NULL ||
				keys->has[i][k];
		if (fits)
			return signatures[i].format;
	}
	return NULL;
}

const struct foreign_format *foreign_of_record(struct str record)
{
	struct keys keys;

	return read_keys(record, &keys) == WHOLE_OBJECT ? format_of(&keys)
							: NULL;
}

/* Read the keys of the record at the start of a line, or after a torn one in
 * it, if no more text is available. */
static enum extent read_record(struct str line, bool is_last, struct keys *keys)
{
	const char *literal = sglang_log_format.resume;
	const char *at = line.p;

	for (int n = 0; n < TORN_MAX && at != NULL; n++) {
		struct str rest = str_make(at, (size_t)(line.p + line.n - at));
		enum extent found = read_keys(rest, keys);

		if (found == WHOLE_OBJECT || (found == TORN_OBJECT && is_last))
			return found;
		at = memmem(rest.p + 1, rest.n - 1, literal, strlen(literal));
	}
	return NO_OBJECT;
}

/* The format of the first record in the head; *torn: the head ends in it. */
static const struct foreign_format *detect(struct str head, bool *torn)
{
	struct keys keys;
	struct str text = str_trim(input_text(head));
	bool document = false;

	head = text;
	while (text.n > 0) {
		const struct foreign_format *format = NULL;
		bool first = text.p == head.p;
		struct str line = str_trim(str_cut(&text, '\n'));
		enum extent found = NO_OBJECT;

		if (line.n > 0)
			found = read_record(line, text.n == 0, &keys);
		if (found != NO_OBJECT)
			format = format_of(&keys);
		*torn = found == TORN_OBJECT && !keys.has_samples;
		if (found != NO_OBJECT)
			return format;
		if (!first)
			continue;
		/* One object over many lines? */
		found = read_keys(head, &keys);
		format = found == NO_OBJECT ? NULL : format_of(&keys);
		if (format != NULL && format->document)
			return format;
		document = found == TORN_OBJECT && !keys.has_samples;
	}
	*torn = document;
	return NULL;
}

const struct foreign_format *foreign_detect(struct str head)
{
	bool torn = false;

	return detect(head, &torn);
}

const struct foreign_format *foreign_detect_input(struct input *input)
{
	const struct foreign_format *format;
	bool torn;

	do {
		torn = false;
		format = detect(input->head, &torn);
	} while (format == NULL && torn && input_widen_head(input));
	return format;
}
