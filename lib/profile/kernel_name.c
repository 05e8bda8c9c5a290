#include "profile/kernel_name.h"

#include <string.h>

#include "base/array.h"
#include "base/digits.h"

static const char anonymous[] = "(anonymous namespace)::";

/* Kernels that only call their first template argument. */
static const char *const wrappers[] = {
	"kentry",
	"kernel_entry",
	"device_kernel",
	"Kernel",
	"Kernel2",
	"kernel",
	"trampoline_kernel",
	"enable_sm90_or_later",
	"enable_sm80_to_sm89",
};

/* torch's elementwise loops, which are named by their operation. */
static const char *const loops[] = {
	"elementwise_kernel",
	"vectorized_elementwise_kernel",
	"unrolled_elementwise_kernel",
	"index_elementwise_kernel",
	"elementwise_kernel_manual_unroll",
	"elementwise_kernel_with_index",
	"reduce_kernel",
	"multi_tensor_apply_kernel",
	"distribution_elementwise_grid_stride_kernel",
};

static const char *const prefixes[] = {"CUDAFunctor_", "CUDAFunctorOnSelf_",
				       "launch_"};

static const char *const suffixes[] = {"_kernel_cuda", "_kernel_impl",
				       "_cuda_out",    "_kernel",
				       "Functor",      "Ops"};

/* Names of helpers, which compute nothing themselves. */
static const char *const helpers[] = {
	"gpu",	 "gpu_index", "Binary",	  "AUnary",	 "BUnary",
	"Unary", "UnaryOp",   "BinaryOp", "elementwise", "index_elementwise",
};

static bool is_in(struct str s, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_is(s, list[i]))
			return true;
	return false;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       is_digit(c) || c == '_';
}

/* Brackets ------------------------------------------------------------- */

/* Past the bracket that closes the parenthesis at p, or end. */
static const char *past_round(const char *p, const char *end)
{
	size_t depth = 0;

	for (; p < end; p++) {
		if (*p == '(')
			depth++;
		else if (*p == ')' && --depth == 0)
			return p + 1;
	}
	return end;
}

/* Past the bracket that closes the angle bracket at p, or end. */
static const char *past_angle(const char *p, const char *end)
{
	size_t depth = 0;

	while (p < end) {
		if (*p == '(') {
			p = past_round(p, end);
			continue;
		}
		if (*p == '<')
			depth++;
		else if (*p == '>' && p[-1] != '-' && --depth == 0)
			return p + 1;
		p++;
	}
	return end;
}

/* Past the item at p: a bracket with its content, or a byte. */
static const char *past_piece(const char *p, const char *end)
{
	if (*p == '<')
		return past_angle(p, end);
	return *p == '(' ? past_round(p, end) : p + 1;
}

/* The word with a parameter list, else the last one. */
static struct str word_of(struct str name)
{
	const char *end = name.p + name.n;
	const char *p = name.p;
	struct str word = {name.p, 0};

	while (p < end) {
		const char *begin;
		bool has_list = false;

		while (p < end && *p == ' ')
			p++;
		begin = p;
		while (p < end && *p != ' ') {
			has_list |= *p == '(' && p > begin;
			p = past_piece(p, end);
		}
		if (p > begin)
			word = str_make(begin, (size_t)(p - begin));
		if (has_list)
			break;
	}
	return word;
}

/* The last name in a word, without lists; *lists is what follows. */
static struct str base_of(struct str word, struct str *lists)
{
	const char *end = word.p + word.n;
	const char *begin = word.p, *stop = NULL;

	for (const char *p = word.p; p < end; p = past_piece(p, end)) {
		if (end - p >= 2 && p[0] == ':' && p[1] == ':') {
			begin = p + 2;
			stop = NULL;
		} else if (stop == NULL && p >= begin &&
			   (*p == '<' || *p == '(')) {
			stop = p;
		}
	}
	stop = stop == NULL ? end : stop;
	*lists = str_make(stop, (size_t)(end - stop));
	return str_make(begin, (size_t)(stop - begin));
}

/* The first template argument of the lists after a name. */
static struct str first_argument(struct str lists)
{
	const char *end = lists.p + lists.n;
	const char *p = lists.p + 1;

	if (lists.n == 0 || lists.p[0] != '<')
		return str_make(lists.p, 0);
	end = past_angle(lists.p, end);
	end -= end > p && end[-1] == '>';
	while (p < end && *p != ',')
		p = past_piece(p, end);
	return str_trim(str_make(lists.p + 1, (size_t)(p - lists.p - 1)));
}

/* What loops compute ---------------------------------------------------- */

/* The name in a word; n is 0 if there is none. */
static struct str computed(struct str word)
{
	struct str none = {word.p, 0};

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (str_skip_prefix(&word, prefixes[i]))
			return word;
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		struct str rest = word;

		if (!str_drop_suffix(&rest, suffixes[i]))
			continue;
		return is_in(rest, helpers, ARRAY_SIZE(helpers)) ? none : rest;
	}
	return none;
}

static struct str computed_in(struct str lists)
{
	const char *end = lists.p + lists.n;
	const char *p = lists.p;

	while (p < end) {
		const char *begin = p;
		struct str found;

		while (p < end && is_word(*p))
			p++;
		found = computed(str_make(begin, (size_t)(p - begin)));
		if (found.n > 0)
			return found;
		p += p == begin;
	}
	return str_make(lists.p, 0);
}

/* Demangled names ------------------------------------------------------- */

static void put_demangled(struct buf *b, struct str name)
{
	struct str lists, found;
	struct str base = base_of(word_of(name), &lists);

	while (is_in(base, wrappers, ARRAY_SIZE(wrappers)) && lists.n > 0 &&
	       lists.p[0] == '<')
		base = base_of(word_of(first_argument(lists)), &lists);
	buf_put(b, base.p, base.n);
	if (!is_in(base, loops, ARRAY_SIZE(loops)))
		return;
	found = computed_in(lists);
	if (found.n == 0)
		return;
	buf_putc(b, '(');
	buf_put(b, found.p, found.n);
	buf_putc(b, ')');
}

/* Mangled names (Itanium C++ ABI, section 5.1) -------------------------- */

/* A length-prefixed part at p; n is 0 if there is none. */
static struct str part_at(const char *p, const char *end)
{
	size_t n = 0;

	while (p < end && is_digit(*p) && n < 100000)
		n = n * 10 + (size_t)(*p++ - '0');
	if (n > (size_t)(end - p))
		n = 0;
	return str_make(p, n);
}

/* Past a substitution, S_ or S1_ or St. */
static const char *past_substitution(const char *p, const char *end)
{
	const char *q = p + 1;

	if (q < end && *q >= 'a' && *q <= 'z')
		return q + 1;
	while (q < end && *q != '_')
		q++;
	return q < end ? q + 1 : end;
}

/* The last part of the name at *p, which is advanced past it; n is 0 if there
 * is none. */
static struct str last_part(const char **p, const char *end)
{
	struct str last = {*p, 0};

	while (*p < end) {
		struct str part = part_at(*p, end);

		if (**p == 'N' || **p == 'K' || **p == 'V' || **p == 'r') {
			++*p;
		} else if (**p == 'S') {
			*p = past_substitution(*p, end);
		} else if (part.n > 0) {
			last = part;
			*p = part.p + part.n;
		} else {
			break;
		}
	}
	return last;
}

/* The first name of three letters or more in the template arguments at *p. */
static struct str argument_name(const char **p, const char *end)
{
	while (*p < end) {
		const char *begin = *p;
		struct str name;

		if (*begin == 'L') {
			while (*p < end && **p != 'E')
				++*p;
			*p += *p < end;
			continue;
		}
		name = last_part(p, end);
		if (name.n >= 3)
			return name;
		*p += *p == begin;
	}
	return str_make(*p, 0);
}

static void put_mangled(struct buf *b, struct str name)
{
	const char *end = name.p + name.n;
	const char *p = name.p + 2;
	struct str part = last_part(&p, end), inner = part;

	while (inner.n > 0 && is_in(part, wrappers, ARRAY_SIZE(wrappers)) &&
	       p < end && *p == 'I') {
		p++;
		inner = argument_name(&p, end);
		part = inner.n > 0 ? inner : part;
	}
	buf_put(b, part.p, part.n);
}

/* The name without "(anonymous namespace)::", appended to b. */
static void put_named(struct buf *b, struct str name)
{
	const size_t n = sizeof(anonymous) - 1;

	while (name.n > 0) {
		const char *at = memmem(name.p, name.n, anonymous, n);
		size_t keep = at == NULL ? name.n : (size_t)(at - name.p);

		buf_put(b, name.p, keep);
		keep += at == NULL ? 0 : n;
		name = str_skip(name, keep);
	}
}

void kernel_put_short_name(struct buf *b, struct str name)
{
	size_t before = b->n;
	struct buf plain = buf_new(name.n + 1);

	put_named(&plain, name);
	if (str_starts(name, "_Z"))
		put_mangled(b, name);
	else if (!plain.failed)
		put_demangled(b, buf_str(&plain));
	buf_free(&plain);
	if (b->n == before)
		buf_put(b, name.p, name.n);
}
