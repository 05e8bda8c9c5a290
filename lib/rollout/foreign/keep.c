#include "rollout/foreign/keep.h"

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

bool foreign_keep(struct foreign *f, struct intern *texts, struct value v,
		  struct value *kept)
{
	struct str text = str_make(NULL, 0);
	uint32_t number;

	*kept = v.kind < VALUE_LIST ? v : (struct value){.kind = VALUE_ABSENT};
	if (v.kind == VALUE_BYTES) {
		text = arena_str(&f->kept, value_text(v));
		kept->p = text.p;
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
