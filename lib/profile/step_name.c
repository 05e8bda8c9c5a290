#include "profile/step_name.h"

#include <string.h>

#include "base/array.h"
#include "base/digits.h"
#include "base/num.h"

const char *const step_kind_names[STEP_KINDS] = {
	[STEP_DECODE] = "decode",     [STEP_DRAFT] = "draft",
	[STEP_IDLE] = "idle",	      [STEP_MIXED] = "mixed",
	[STEP_OTHER] = "other",	      [STEP_PREFILL] = "prefill",
	[STEP_PROFILER] = "profiler", [STEP_VERIFY] = "verify",
};

/* Names --------------------------------------------------------------- */

static const struct {
	const char *mode;
	enum step_kind kind;
} modes[] = {
	{"DECODE", STEP_DECODE},
	{"EXTEND", STEP_PREFILL},
	{"SPLIT_PREFILL", STEP_PREFILL},
	{"DLLM_EXTEND", STEP_PREFILL},
	{"MIXED", STEP_MIXED},
	{"TARGET_VERIFY", STEP_VERIFY},
	{"IDLE", STEP_IDLE},
};

static enum step_kind kind_of_mode(struct str mode)
{
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		if (str_is(mode, modes[i].mode))
			return modes[i].kind;
	return str_starts(mode, "DRAFT") ? STEP_DRAFT : STEP_OTHER;
}

/* The value of KEY=VALUE in the text; STEP_UNKNOWN if missing. */
static int64_t value_of(struct str text, const char *key)
{
	while (text.n > 0) {
		struct str word = str_cut(&text, ' ');
		size_t n = strlen(key);
		int64_t value;

		if (word.n > n + 1 && memcmp(word.p, key, n) == 0 &&
		    word.p[n] == '=' &&
		    num_parse_int(str_skip(word, n + 1), &value))
			return value;
	}
	return STEP_UNKNOWN;
}

static int64_t add(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? STEP_UNKNOWN : sum;
}

/* SGLang: step[MODE key=value ...] */
static bool read_sglang(struct str name, struct engine_step_name *step)
{
	int64_t prefill, decode;
	struct str mode;

	if (!str_skip_prefix(&name, "step[") || !str_drop_suffix(&name, "]"))
		return false;
	mode = str_cut(&name, ' ');
	step->kind = kind_of_mode(mode);
	step->batch = value_of(name, "bs");
	step->tokens = value_of(name, "toks");
	if (step->tokens != STEP_UNKNOWN)
		return true;
	prefill = value_of(name, "c_sq");
	decode = value_of(name, "g_sq");
	if (prefill != STEP_UNKNOWN || decode != STEP_UNKNOWN)
		step->tokens =
			add(prefill > 0 ? prefill : 0, decode > 0 ? decode : 0);
	else if (step->kind == STEP_DECODE)
		step->tokens = step->batch;
	return true;
}

/* Digits at the front of text, which is advanced past them. */
static bool take_number(struct str *text, int64_t *number)
{
	size_t n = 0;

	while (n < text->n && is_digit(text->p[n]))
		n++;
	if (n == 0 || !num_parse_int(str_make(text->p, n), number))
		return false;
	*text = str_make(text->p + n, text->n - n);
	return true;
}

static bool take_literal(struct str *text, const char *literal)
{
	size_t n = strlen(literal);

	if (!str_starts(*text, literal))
		return false;
	*text = str_make(text->p + n, text->n - n);
	return true;
}

/* COUNT(TOKENS...) or COUNT(sqTOKENS...) */
static bool take_side(struct str *text, int64_t *count, int64_t *tokens)
{
	const char *close;

	if (!take_number(text, count) || !take_literal(text, "("))
		return false;
	take_literal(text, "sq");
	close = memchr(text->p, ')', text->n);
	if (!take_number(text, tokens) || close == NULL)
		return false;
	close++;
	*text = str_make(close, (size_t)(text->p + text->n - close));
	return true;
}

/* vLLM: execute_[N_]context_C(T)_generation_G(U) */
static bool read_vllm(struct str name, struct engine_step_name *step)
{
	int64_t number, context, generation, read, made;
	struct str text = name;

	if (!take_literal(&text, "execute_"))
		return false;
	if (take_number(&text, &number) && !take_literal(&text, "_"))
		return false;
	if (!take_literal(&text, "context_") ||
	    !take_side(&text, &context, &read) ||
	    !take_literal(&text, "_generation_") ||
	    !take_side(&text, &generation, &made))
		return false;
	step->kind = context > 0 ? generation > 0 ? STEP_MIXED : STEP_PREFILL
		     : generation > 0 ? STEP_DECODE
				      : STEP_IDLE;
	if (__builtin_add_overflow(context, generation, &step->batch) ||
	    __builtin_add_overflow(read, made, &step->tokens))
		return false;
	return true;
}

static bool read_profiler(struct str name, struct engine_step_name *step)
{
	int64_t number;

	if (!take_literal(&name, "ProfilerStep#") ||
	    !take_number(&name, &number))
		return false;
	step->kind = STEP_PROFILER;
	return true;
}

bool engine_step_name_read(struct str name, struct engine_step_name *step)
{
	*step = (struct engine_step_name){STEP_OTHER, STEP_UNKNOWN,
					  STEP_UNKNOWN};
	return read_sglang(name, step) || read_vllm(name, step) ||
	       read_profiler(name, step);
}
