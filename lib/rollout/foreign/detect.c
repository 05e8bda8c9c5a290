/* Detects the format of an input by the keys of its first record. */
#include "fmt/input_kind.h"
#include "fmt/json/json_tree.h"
#include "rollout/foreign/foreign.h"

enum { KEYS_MAX = 256, KEY_MAX = 40, PARTS = 3 };

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
} signatures[] = {
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

/* The keys of an object, as far as they were read. */
struct keys {
	struct {
		char text[KEY_MAX];
		char first;
	} v[KEYS_MAX];
	size_t n;
};

static void add_key(struct keys *keys, struct str key, int first)
{
	if (keys->n == KEYS_MAX || key.n >= KEY_MAX)
		return;
	memcpy(keys->v[keys->n].text, key.p, key.n);
	keys->v[keys->n].text[key.n] = '\0';
	keys->v[keys->n++].first = (char)first;
}

/* A key and its value; 0, or less if malformed. */
static int read_member(struct json_tree *tree, struct keys *keys)
{
	struct str key;
	char copy[KEY_MAX];
	int c = json_token_peek(&tree->t, true);

	if (c != '"' || json_token_string(&tree->t, true, &key) < 0)
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

	keys->n = 0;
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

static bool has_part(const struct keys *keys, struct signature_key part)
{
	for (size_t i = 0; i < keys->n; i++)
		if (strcmp(keys->v[i].text, part.key) == 0 &&
		    (part.first == 0 || part.first == keys->v[i].first))
			return true;
	return false;
}

static const struct foreign_format *format_of(const struct keys *keys)
{
	for (size_t i = 0; i < sizeof(signatures) / sizeof(*signatures); i++) {
		bool fits = true;

		for (size_t k = 0; k < PARTS; k++)
			if (signatures[i].parts[k].key != NULL)
				fits &= has_part(keys, signatures[i].parts[k]);
		if (fits)
			return signatures[i].format;
	}
	return NULL;
}

/* Is it a format that may be one object over many lines? */
static const struct foreign_format *document_of(struct str head,
						struct keys *keys)
{
	const struct foreign_format *format =
		read_keys(head, keys) != NO_OBJECT ? format_of(keys) : NULL;

	return format != NULL && format->document ? format : NULL;
}

const struct foreign_format *foreign_of_record(struct str record)
{
	struct keys keys;

	return read_keys(record, &keys) == WHOLE_OBJECT ? format_of(&keys)
							: NULL;
}

/* Read the keys of the record at the start of a line, or after a torn one in
 * it, if no more text is available. */
static bool read_record(struct str line, bool is_last, struct keys *keys)
{
	const char *literal = sglang_log_format.resume;
	const char *at = line.p;

	for (int n = 0; n < TORN_MAX && at != NULL; n++) {
		struct str rest = str_make(at, (size_t)(line.p + line.n - at));
		enum extent found = read_keys(rest, keys);

		if (found == WHOLE_OBJECT || (found == TORN_OBJECT && is_last))
			return true;
		at = memmem(rest.p + 1, rest.n - 1, literal, strlen(literal));
	}
	return false;
}

const struct foreign_format *foreign_detect(struct str head)
{
	struct keys keys;
	struct str text = str_trim(input_text(head));
	bool first = true;

	head = text;
	while (text.n > 0) {
		struct str line = str_trim(str_cut(&text, '\n'));
		bool is_last = text.n == 0;

		if (line.n == 0)
			continue;
		if (read_record(line, is_last, &keys))
			return format_of(&keys);
		if (first && document_of(head, &keys) != NULL)
			return format_of(&keys);
		first = false;
	}
	return NULL;
}
