/*
 * The opcodes for memo, stack, classes and calls, one small function each,
 * and the table of all opcodes, which is the reader's dispatch. CPython's
 * Lib/pickletools.py documents them.
 */
#include "base/num.h"
#include "fmt/pickle/pickle_parts.h"
#include "fmt/value/value_make.h"

/* The memo ---------------------------------------------------------- */

static int line_number(struct pickle *r, int64_t *number)
{
	struct str line;
	int code = pickle_line(r, &line);

	if (code < 0)
		return code;
	if (!num_parse_int(str_trim(line), number) || *number < 0)
		return pickle_bad(r, "an invalid memo number");
	return 0;
}

static int op_put(struct pickle *r)
{
	int64_t number = 0;
	int code = line_number(r, &number);

	return code < 0 ? code : pickle_memo_put(r, (uint64_t)number);
}

static int op_get(struct pickle *r)
{
	int64_t number = 0;
	int code = line_number(r, &number);

	return code < 0 ? code : pickle_memo_get(r, (uint64_t)number);
}

static int op_binput(struct pickle *r)
{
	uint64_t n;

	return pickle_take_size(r, r->argument, &n) < 0 ? r->err->code
							: pickle_memo_put(r, n);
}

static int op_binget(struct pickle *r)
{
	uint64_t n;

	return pickle_take_size(r, r->argument, &n) < 0 ? r->err->code
							: pickle_memo_get(r, n);
}

static int op_memoize(struct pickle *r)
{
	return pickle_memo_put(r, r->memo_n);
}

/* Stack and framing ------------------------------------------------- */

static int op_pop(struct pickle *r)
{
	if (r->stack_n > 0 && r->marks_n > 0 &&
	    r->marks[r->marks_n - 1] == r->stack_n) {
		uint32_t n;

		/* In payload the operand may be a number that was not
		 * pushed. */
		return r->skip_marks != 0 ? PICKLE_GO : pickle_pop_mark(r, &n);
	}
	return pickle_pop(r, 1) == NULL ? r->err->code : PICKLE_GO;
}

static int op_pop_mark(struct pickle *r)
{
	uint32_t n;

	if (pickle_pop_mark(r, &n) < 0)
		return r->err->code;
	pickle_drop(r, n);
	return PICKLE_GO;
}

static int op_dup(struct pickle *r)
{
	struct value *top = pickle_below(r, 0);

	if (top == NULL)
		return r->skip_marks != 0 ? PICKLE_GO : r->err->code;
	return pickle_push(r, *top);
}

static int op_proto(struct pickle *r)
{
	uint64_t protocol;

	if (pickle_take_size(r, 1, &protocol) < 0)
		return r->err->code;
	if (protocol > 5)
		return pickle_bad(r, "pickle protocol %u, known are 0 to 5",
				  (unsigned)protocol);
	r->batches = protocol >= 2;
	return PICKLE_GO;
}

static int op_frame(struct pickle *r)
{
	return pickle_pass(r, 8);
}

static int op_stop(struct pickle *r)
{
	struct value *top = pickle_pop(r, 1);

	if (top == NULL)
		return r->err->code;
	if (r->level.open && r->stack_n != r->level.list)
		return pickle_bad(r, "STOP in the middle of a list");
	r->top = *top;
	if (r->level.seen && !r->level.home &&
	    !(top->kind == VALUE_LIST && r->level.list == 0))
		return pickle_bad(r,
				  "samples inside another object: not a dump");
	return PICKLE_STOP;
}

static int op_nothing(struct pickle *r)
{
	(void)r;
	return PICKLE_GO;
}

/* Classes and calls --------------------------------------------------- */

/* Class names are few and repeat in every element. */
static int push_global(struct pickle *r, struct str module, struct str name)
{
	struct value_global *global = arena_alloc(&r->kept, sizeof(*global));
	struct value v = {.kind = VALUE_GLOBAL, .global = global};

	if (global == NULL)
		return pickle_memory(r);
	global->module = module;
	global->name = name;
	if (pickle_skips_value(r) || pickle_builds_on_skipped(r))
		return pickle_push_skipped(r, v);
	return pickle_push(r, v);
}

static int kept_line(struct pickle *r, struct str *line)
{
	if (pickle_line(r, line) < 0)
		return r->err->code;
	*line = arena_str(&r->kept, *line);
	return line->p == NULL ? pickle_memory(r) : 0;
}

static int op_global(struct pickle *r)
{
	struct str module, name;

	if (kept_line(r, &module) < 0 || kept_line(r, &name) < 0)
		return r->err->code;
	return push_global(r, module, name);
}

static int op_stack_global(struct pickle *r)
{
	struct value *v = pickle_pop(r, 2);
	struct value from, of;
	struct str module, name;

	if (v == NULL)
		return r->err->code;
	/* In payload the names are not on the stack; they are kept aside. */
	from = r->skip_marks != 0 ? r->shadow_before : v[0];
	of = r->skip_marks != 0 ? r->shadow : v[1];
	if (from.kind == VALUE_SKIPPED)
		from = r->shadow;
	if (from.kind != VALUE_STR || of.kind != VALUE_STR)
		return pickle_bad(r, "STACK_GLOBAL without names");
	module = arena_str(&r->kept, value_text(from));
	name = arena_str(&r->kept, value_text(of));
	if (module.p == NULL || name.p == NULL)
		return pickle_memory(r);
	return push_global(r, module, name);
}

static int op_ext(struct pickle *r)
{
	uint64_t code;

	if (pickle_take_size(r, r->argument, &code) < 0)
		return r->err->code;
	return push_global(r, str_of("copyreg"), str_of("extension"));
}

static int push_call(struct pickle *r, struct value callable, struct value args)
{
	struct value v;

	if (callable.kind == VALUE_SKIPPED || r->skip_marks != 0)
		return pickle_push_skipped(r, (struct value){0});
	v = pickle_call(r, callable, args);
	if (v.kind == VALUE_ABSENT)
		return pickle_memory(r);
	if (v.kind == VALUE_OBJECT &&
	    (pickle_deepen(r, &v.object->depth, &callable, 1) < 0 ||
	     pickle_deepen(r, &v.object->depth, &args, 1) < 0))
		return r->err->code;
	return pickle_push(r, v);
}

static int op_reduce(struct pickle *r)
{
	struct value *v = pickle_pop(r, 2);

	return v == NULL ? r->err->code : push_call(r, v[0], v[1]);
}

static int op_newobj_ex(struct pickle *r)
{
	struct value *v = pickle_pop(r, 3);

	return v == NULL ? r->err->code : push_call(r, v[0], v[1]);
}

/* MARK class args... OBJ */
static int op_obj(struct pickle *r)
{
	struct value args;
	uint32_t n;

	if (pickle_pop_mark(r, &n) < 0)
		return r->err->code;
	if (n == 0)
		return pickle_bad(r, "OBJ without a class");
	args = value_new(pickle_arena(r), VALUE_TUPLE, n);
	pickle_drop(r, n);
	if (args.kind == VALUE_ABSENT ||
	    !value_push_all(pickle_arena(r), args, r->stack + r->stack_n + 1,
			    n - 1))
		return pickle_memory(r);
	if (pickle_deepen(r, &args.items->depth, r->stack + r->stack_n + 1,
			  n - 1) < 0)
		return r->err->code;
	return push_call(r, r->stack[r->stack_n], args);
}

/* MARK args... INST module\n name\n */
static int op_inst(struct pickle *r)
{
	struct value class;
	struct value *v;
	int code = op_global(r);

	if (code < 0)
		return code;
	v = pickle_pop(r, 1);
	if (v == NULL)
		return r->err->code;
	class = *v; /* the tuple may take its slot */
	r->argument = VALUE_TUPLE;
	if (pickle_op_of_mark(r) < 0)
		return r->err->code;
	return push_call(r, class, r->stack[--r->stack_n]);
}

/* A torch storage, named by a tuple or a line; its bytes are payload. */
static int push_storage(struct pickle *r, struct value id)
{
	static struct value_global storage = {STR("torch"), STR("storage")};
	struct value callable = {.kind = VALUE_GLOBAL, .global = &storage};

	pickle_name_storage(r, id);
	return push_call(r, callable, id);
}

static int op_binpersid(struct pickle *r)
{
	struct value *id = pickle_pop(r, 1);

	return id == NULL ? r->err->code : push_storage(r, *id);
}

static int op_persid(struct pickle *r)
{
	struct str line;

	if (kept_line(r, &line) < 0)
		return r->err->code;
	return push_storage(r, value_str(line));
}

static int op_build(struct pickle *r)
{
	struct value *state = pickle_pop(r, 1);
	struct value *v;

	if (state == NULL)
		return r->err->code;
	v = pickle_below(r, 0);
	if (v == NULL)
		return r->skip_marks != 0 ? PICKLE_GO : r->err->code;
	if (v->kind == VALUE_OBJECT) {
		if (pickle_is_frozen(r, v, v->object->kept))
			return pickle_bad(r, "BUILD of an earlier object");
		v->object->state = *state;
		return pickle_deepen(r, &v->object->depth, state, 1);
	}
	return PICKLE_GO;
}

/* A buffer stored outside the pickle. */
static int op_next_buffer(struct pickle *r)
{
	return pickle_push_skipped(r, (struct value){0});
}

/* clang-format off */
/* NULL: unknown. T and U are Python 2 text; 0x81 NEWOBJ calls like R. */
const struct pickle_opcode pickle_ops[256] = {
	[0x80] = {op_proto, 0}, [0x95] = {op_frame, 0}, ['.'] = {op_stop, 0},
	['('] = {pickle_op_mark, 0}, ['0'] = {op_pop, 0},
	['1'] = {op_pop_mark, 0}, ['2'] = {op_dup, 0},
	['N'] = {pickle_op_none, 0}, [0x88] = {pickle_op_bool, true},
	[0x89] = {pickle_op_bool, false}, ['I'] = {pickle_op_int, 0},
	['J'] = {pickle_op_binint, 0}, ['K'] = {pickle_op_binuint, 1},
	['M'] = {pickle_op_binuint, 2}, ['L'] = {pickle_op_long, 0},
	[0x8a] = {pickle_op_binlong, 1}, [0x8b] = {pickle_op_binlong, 4},
	['F'] = {pickle_op_float, 0}, ['G'] = {pickle_op_binfloat, 0},
	['S'] = {pickle_op_string, 0}, ['T'] = {pickle_op_binunicode, 4},
	['U'] = {pickle_op_binunicode, 1}, ['V'] = {pickle_op_unicode, 0},
	['X'] = {pickle_op_binunicode, 4}, [0x8c] = {pickle_op_binunicode, 1},
	[0x8d] = {pickle_op_binunicode, 8}, ['B'] = {pickle_op_binbytes, 4},
	['C'] = {pickle_op_binbytes, 1}, [0x8e] = {pickle_op_binbytes, 8},
	[0x96] = {pickle_op_binbytes, 8}, [0x97] = {op_next_buffer, 0},
	[0x98] = {op_nothing, 0}, [']'] = {pickle_op_empty, VALUE_LIST},
	['}'] = {pickle_op_empty, VALUE_DICT},
	[')'] = {pickle_op_empty, VALUE_TUPLE},
	[0x8f] = {pickle_op_empty, VALUE_SET},
	['l'] = {pickle_op_of_mark, VALUE_LIST},
	['d'] = {pickle_op_of_mark, VALUE_DICT},
	['t'] = {pickle_op_of_mark, VALUE_TUPLE},
	[0x91] = {pickle_op_of_mark, VALUE_SET}, [0x85] = {pickle_op_tuple, 1},
	[0x86] = {pickle_op_tuple, 2}, [0x87] = {pickle_op_tuple, 3},
	['a'] = {pickle_op_append, 0},
	['e'] = {pickle_op_add_marked, VALUE_LIST},
	[0x90] = {pickle_op_add_marked, VALUE_LIST},
	['u'] = {pickle_op_add_marked, VALUE_DICT},
	['s'] = {pickle_op_setitem, 0}, ['p'] = {op_put, 0},
	['q'] = {op_binput, 1}, ['r'] = {op_binput, 4},
	[0x94] = {op_memoize, 0}, ['g'] = {op_get, 0}, ['h'] = {op_binget, 1},
	['j'] = {op_binget, 4}, ['c'] = {op_global, 0},
	[0x93] = {op_stack_global, 0}, [0x82] = {op_ext, 1},
	[0x83] = {op_ext, 2}, [0x84] = {op_ext, 4}, ['R'] = {op_reduce, 0},
	[0x81] = {op_reduce, 0}, [0x92] = {op_newobj_ex, 0},
	['o'] = {op_obj, 0}, ['i'] = {op_inst, 0}, ['b'] = {op_build, 0},
	['P'] = {op_persid, 0}, ['Q'] = {op_binpersid, 0},
};
/* clang-format on */
