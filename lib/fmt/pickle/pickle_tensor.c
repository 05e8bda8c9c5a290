/*
 * Single-element tensors: torch._utils._rebuild_tensor_v2(storage, offset,
 * size, stride, requires_grad, hooks), where the storage is a persistent id
 * ("storage", torch.FloatStorage, key, device, count). Its value is read from
 * the storage, which is outside the pickle, and the tensor is printed like
 * torch's own str(). A larger tensor stays an unread object.
 *
 * Source: torch/_utils.py, torch/serialization.py and torch/_tensor_str.py,
 * read at torch 1.13 and 2.7.
 */
#include <math.h>
#include <stdio.h>

#include "base/array.h"
#include "base/num.h"
#include "fmt/pickle/pickle_parts.h"
#include "fmt/value/value_make.h"

enum { ITEM_MAX = 8, SHOWN_MAX = 512, DIMENSIONS_MAX = 64 };

enum form { FORM_FLOAT, FORM_BRAIN, FORM_INT, FORM_UINT, FORM_BOOL };

/* A dtype, by its storage class and by its own name. */
static const struct dtype {
	struct str storage;
	struct str name;
	size_t item; /* bytes */
	enum form form;
	bool usual; /* torch omits its name when printing */
} dtypes[] = {
	{STR("FloatStorage"), STR("float32"), 4, FORM_FLOAT, true},
	{STR("DoubleStorage"), STR("float64"), 8, FORM_FLOAT, false},
	{STR("HalfStorage"), STR("float16"), 2, FORM_FLOAT, false},
	{STR("BFloat16Storage"), STR("bfloat16"), 2, FORM_BRAIN, false},
	{STR("LongStorage"), STR("int64"), 8, FORM_INT, true},
	{STR("IntStorage"), STR("int32"), 4, FORM_INT, false},
	{STR("ShortStorage"), STR("int16"), 2, FORM_INT, false},
	{STR("CharStorage"), STR("int8"), 1, FORM_INT, false},
	{STR("ByteStorage"), STR("uint8"), 1, FORM_UINT, false},
	{STR("BoolStorage"), STR("bool"), 1, FORM_BOOL, true},
	/* These have no storage class of their own. */
	{STR(""), STR("uint16"), 2, FORM_UINT, false},
	{STR(""), STR("uint32"), 4, FORM_UINT, false},
	{STR(""), STR("uint64"), 8, FORM_UINT, false},
};

/* Storages whose items are never read, but which take space in the file. */
static const struct {
	struct str name;
	size_t item;
} other_storages[] = {
	{STR("UntypedStorage"), 1},	 {STR("_UntypedStorage"), 1},
	{STR("ComplexFloatStorage"), 8}, {STR("ComplexDoubleStorage"), 16},
	{STR("QInt8Storage"), 1},	 {STR("QUInt8Storage"), 1},
	{STR("QInt32Storage"), 4},	 {STR("QUInt4x2Storage"), 1},
	{STR("QUInt2x4Storage"), 1},
};

enum { DTYPES = ARRAY_SIZE(dtypes), OTHERS = ARRAY_SIZE(other_storages) };

/* A storage as named by the pickle. */
struct storage {
	const struct dtype *dtype; /* NULL: not listed above */
	size_t item;		   /* 0: unknown */
	struct str key;
	struct str device;
};

/* A single-element tensor. */
struct tensor {
	struct storage storage;
	uint64_t offset; /* in items */
	uint32_t dimensions;
	bool requires_grad;
};

static const struct dtype *dtype_of_storage(struct str name)
{
	for (size_t i = 0; i < DTYPES; i++)
		if (name.n > 0 && str_eq(dtypes[i].storage, name))
			return &dtypes[i];
	return NULL;
}

static const struct dtype *dtype_named(struct value v)
{
	for (size_t i = 0; i < DTYPES; i++)
		if (v.kind == VALUE_GLOBAL &&
		    str_eq(dtypes[i].name, v.global->name))
			return &dtypes[i];
	return NULL;
}

static size_t item_of(const struct dtype *dtype, struct str name)
{
	if (dtype != NULL)
		return dtype->item;
	for (size_t i = 0; i < OTHERS; i++)
		if (str_eq(other_storages[i].name, name))
			return other_storages[i].item;
	return 0;
}

/* ("storage", class, key, device, count); old files append a view. */
static bool storage_of(struct value id, struct storage *storage)
{
	const struct value *v;

	if (id.kind != VALUE_TUPLE || id.items->n < 5)
		return false;
	v = id.items->v;
	if (!value_is_str(v[0], "storage") || v[1].kind != VALUE_GLOBAL ||
	    v[2].kind != VALUE_STR || v[3].kind != VALUE_STR ||
	    (id.items->n > 5 && v[5].kind != VALUE_NONE))
		return false;
	storage->dtype = dtype_of_storage(v[1].global->name);
	storage->item = item_of(storage->dtype, v[1].global->name);
	storage->key = value_text(v[2]);
	storage->device = value_text(v[3]);
	return true;
}

void pickle_name_storage(struct pickle *r, struct value id)
{
	struct storage storage;

	if (r->storages != NULL && r->storages->name != NULL &&
	    storage_of(id, &storage))
		r->storages->name(r->storages, storage.key, storage.item);
}

/* Does the size mean one element? */
static bool is_single(struct value size)
{
	if (size.kind != VALUE_TUPLE && size.kind != VALUE_LIST)
		return false;
	for (uint32_t i = 0; i < size.items->n; i++)
		if (size.items->v[i].kind != VALUE_INT ||
		    size.items->v[i].i != 1)
			return false;
	return true;
}

/* Is the object a _rebuild_tensor, _v2 or _v3 of one element? */
static bool tensor_of(const struct value_object *object, struct tensor *t)
{
	struct str name = object->callable.global->name;
	const struct value *v;
	uint32_t n;

	if (!str_starts(name, "_rebuild_tensor") ||
	    object->args.kind != VALUE_TUPLE || object->args.items->n < 4)
		return false;
	v = object->args.items->v;
	n = object->args.items->n;
	if (v[0].kind != VALUE_OBJECT ||
	    !storage_of(v[0].object->args, &t->storage) ||
	    v[1].kind != VALUE_INT || v[1].i < 0 || !is_single(v[2]))
		return false;
	if (str_is(name, "_rebuild_tensor_v3"))
		t->storage.dtype = n > 6 ? dtype_named(v[6]) : NULL;
	t->offset = (uint64_t)v[1].i;
	t->dimensions = v[2].items->n;
	t->requires_grad = n > 4 && v[4].kind == VALUE_BOOL && v[4].b;
	return t->storage.dtype != NULL && t->dimensions < DIMENSIONS_MAX;
}

/* The value ---------------------------------------------------------------- */

static double float_of_bits(uint32_t bits)
{
	float v;

	memcpy(&v, &bits, sizeof(v));
	return (double)v;
}

static double half_of_bits(uint32_t bits)
{
	int exponent = bits >> 10 & 31;
	double mantissa = bits & 1023;
	double v;

	if (exponent == 31)
		v = mantissa != 0 ? (double)NAN : (double)INFINITY;
	else if (exponent == 0)
		v = ldexp(mantissa, -24);
	else
		v = ldexp(mantissa + 1024, exponent - 25);
	return bits >> 15 ? -v : v;
}

static double float_value(const struct dtype *dtype, uint64_t bits)
{
	if (dtype->form == FORM_BRAIN)
		return float_of_bits((uint32_t)bits << 16);
	if (dtype->item == 2)
		return half_of_bits((uint32_t)bits);
	return dtype->item == 4 ? float_of_bits((uint32_t)bits)
				: num_of_bits(bits);
}

/* Beyond int64 the digits are kept. */
static struct value unsigned_value(struct pickle *r, uint64_t bits)
{
	char digits[NUM_INT_MAX];
	struct value v = {.kind = VALUE_INT, .i = (int64_t)bits};

	if (bits <= INT64_MAX)
		return v;
	v = value_str(arena_str(pickle_arena(r),
				str_make(digits, num_put_uint(digits, bits))));
	v.kind = v.p == NULL ? VALUE_ABSENT : VALUE_BIGINT;
	return v;
}

static struct value number_of(struct pickle *r, const struct dtype *dtype,
			      uint64_t bits)
{
	unsigned unused = (unsigned)(64 - 8 * dtype->item);

	switch (dtype->form) {
	case FORM_BOOL:
		return value_bool(bits != 0);
	case FORM_INT:
		return value_int((int64_t)(bits << unused) >> unused);
	case FORM_UINT:
		return unsigned_value(r, bits);
	default:
		return value_float(float_value(dtype, bits));
	}
}

/* False: its bytes are missing. */
static bool read_bits(struct pickle *r, const struct tensor *t, uint64_t *bits)
{
	struct pickle_storages *from = r->storages;
	size_t n = t->storage.dtype->item;
	unsigned char bytes[ITEM_MAX];
	bool big;

	if (t->offset > UINT64_MAX / ITEM_MAX ||
	    !from->get(from, t->storage.key, t->offset * n, bytes, n))
		return false;
	big = from->is_big_endian != NULL && from->is_big_endian(from);
	*bits = 0;
	for (size_t i = 0; i < n; i++)
		*bits = *bits << 8 | bytes[big ? i : n - 1 - i];
	return true;
}

/* The text ----------------------------------------------------------------- */

/* As torch's formatter prints a tensor with only this number. */
static void put_float(struct buf *b, double v)
{
	double size = fabs(v);
	bool whole = !isfinite(v) || v == ceil(v);

	if (!isfinite(v))
		buf_puts(b, isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
	else if (size > 1e8 || (!whole && size < 1e-4))
		buf_printf(b, "%.4e", v);
	else if (whole)
		buf_printf(b, "%.0f.", v);
	else
		buf_printf(b, "%.4f", v);
}

static void put_number(struct buf *b, struct value v)
{
	if (v.kind == VALUE_FLOAT)
		put_float(b, v.f);
	else if (v.kind == VALUE_BOOL)
		buf_puts(b, v.b ? "True" : "False");
	else if (v.kind == VALUE_INT)
		buf_printf(b, "%lld", (long long)v.i);
	else
		buf_put(b, v.p, v.n);
}

static void put_tensor(struct buf *b, const struct tensor *t,
		       struct value number)
{
	const struct dtype *dtype = t->storage.dtype;

	buf_puts(b, "tensor(");
	for (uint32_t i = 0; i < t->dimensions; i++)
		buf_putc(b, '[');
	put_number(b, number);
	for (uint32_t i = 0; i < t->dimensions; i++)
		buf_putc(b, ']');
	if (!str_is(t->storage.device, "cpu"))
		buf_printf(b, ", device='%.*s'", STR_ARG(t->storage.device));
	if (!dtype->usual)
		buf_printf(b, ", dtype=torch.%.*s", STR_ARG(dtype->name));
	if (t->requires_grad)
		buf_puts(b, ", requires_grad=True");
	buf_putc(b, ')');
}

/* A longer text is not a device and is dropped. */
static bool keep_text(struct pickle *r, struct value_object *object,
		      struct buf *b)
{
	bool fits = !b->failed;

	if (fits)
		object->text = arena_str(pickle_arena(r), buf_str(b));
	buf_free(b);
	return !fits || object->text.p != NULL;
}

static bool is_true(const struct value_items *args, uint32_t at)
{
	return args->n > at && args->v[at].kind == VALUE_BOOL && args->v[at].b;
}

/* torch.nn.Parameter(tensor, requires_grad) */
static bool wrap_parameter(struct pickle *r, struct value_object *object)
{
	struct value data = {.kind = VALUE_ABSENT};
	struct buf b = buf_new(SHOWN_MAX);
	struct str text;

	if (object->args.kind == VALUE_TUPLE && object->args.items->n > 0)
		data = object->args.items->v[0];
	if (data.kind != VALUE_OBJECT ||
	    data.object->number.kind == VALUE_ABSENT)
		return true;
	object->number = data.object->number;
	text = data.object->text;
	buf_puts(&b, "Parameter containing:\n");
	buf_put(&b, text.p, text.n > 0 ? text.n - 1 : 0);
	if (is_true(object->args.items, 1) &&
	    !str_ends(text, "requires_grad=True)"))
		buf_puts(&b, ", requires_grad=True");
	buf_putc(&b, ')');
	return keep_text(r, object, &b);
}

bool pickle_find_number(struct pickle *r, struct value_object *object)
{
	struct tensor t;
	struct buf b;
	uint64_t bits;

	if (r->storages == NULL || r->storages->get == NULL ||
	    object->callable.kind != VALUE_GLOBAL ||
	    !str_is(object->callable.global->module, "torch._utils"))
		return true;
	if (str_is(object->callable.global->name, "_rebuild_parameter"))
		return wrap_parameter(r, object);
	if (!tensor_of(object, &t) || !read_bits(r, &t, &bits))
		return true;
	object->number = number_of(r, t.storage.dtype, bits);
	if (object->number.kind == VALUE_ABSENT)
		return false;
	b = buf_new(SHOWN_MAX);
	put_tensor(&b, &t, object->number);
	return keep_text(r, object, &b);
}
