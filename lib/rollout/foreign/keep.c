#include "rollout/foreign/keep.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/limits.h"

int foreign_parse(struct foreign *f, struct value raw,
		  const struct json_form *form, struct arena *arena,
		  struct value *v, struct err *err)
{
	const struct json_form *kept = f->tree.form;
	int code;

	*v = (struct value){.kind = VALUE_ABSENT};
	if (raw.kind != VALUE_BYTES)
		return 0;
	f->tree.form = form;
	code = json_tree_parse(&f->tree, str_make(raw.p, raw.n), arena, v, NULL,
			       err);
	f->tree.form = kept;
	return code;
}

void foreign_know(struct foreign *f, size_t i, struct value raw)
{
	bool closed = raw.kind == VALUE_BYTES && raw.n > 0 &&
		      (*raw.p == '{' || *raw.p == '[');

	f->tree.known[i] = closed ? value_text(raw) : str_make(NULL, 0);
}

struct kept_values kept_values_new(void)
{
	return (struct kept_values){.keys = intern_new(LIMIT_KEPT)};
}

void kept_values_free(struct kept_values *values)
{
	intern_free(&values->keys);
	free(values->of);
}

/* Values that are equal and of one kind have one key. That of a text is the
 * text, which is UTF-8, so it never begins like the others. */
static uint32_t add_key(struct kept_values *values, struct value v)
{
	char key[2 + sizeof(v.i)] = {'\xff', (char)v.kind};

	if (v.kind == VALUE_STR || v.kind == VALUE_BYTES ||
	    v.kind == VALUE_BIGINT)
		return intern_add(&values->keys, value_text(v));
	if (v.kind > VALUE_NONE)
		memcpy(key + 2, &v.i, v.kind == VALUE_BOOL ? 1 : sizeof(v.i));
	return intern_add(&values->keys, str_make(key, sizeof(key)));
}

uint32_t foreign_keep_number(struct kept_values *values, struct value v,
			     struct err *err)
{
	uint32_t known = values->keys.count;
	uint32_t number;

	if (v.kind >= VALUE_LIST)
		v = (struct value){.kind = VALUE_ABSENT};
	number = add_key(values, v);
	if (number == INTERN_FAILED) {
		intern_error(&values->keys, err);
		return number;
	}
	if (number < known)
		return number;
	if (!ARRAY_GROW(values->of, number, values->cap)) {
		err_memory(err);
		return INTERN_FAILED;
	}
	if (v.kind == VALUE_STR || v.kind == VALUE_BYTES ||
	    v.kind == VALUE_BIGINT)
		v.p = intern_text(&values->keys, number).p;
	values->of[number] = v;
	return number;
}

bool foreign_keep(struct foreign *f, struct intern *texts, struct value v,
		  struct value *kept)
{
	uint32_t number;

	*kept = v.kind < VALUE_LIST ? v : (struct value){.kind = VALUE_ABSENT};
	if (v.kind == VALUE_BYTES) {
		kept->p = arena_str(&f->kept, value_text(v)).p;
	} else if (v.kind == VALUE_STR || v.kind == VALUE_BIGINT) {
		number = intern_add(texts, value_text(v));
		if (number == INTERN_FAILED)
			return false;
		kept->p = intern_text(texts, number).p;
	} else {
		return true;
	}
	return kept->p != NULL;
}
