#include "base/source.h"

static int next_of_text(struct byte_source *source, struct str *block,
			struct err *err)
{
	struct text_source *text = (struct text_source *)source;

	(void)err;
	*block = text->left;
	text->left.n = 0;
	return block->n > 0;
}

struct text_source text_source_of(struct str text)
{
	return (struct text_source){{.next = next_of_text, .left = UINT64_MAX},
				    text};
}
