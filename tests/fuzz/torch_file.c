/*
 * Any bytes as a file of torch.save: the pickle in it must be the same when
 * it is read a second time.
 */
#include <stdlib.h>

#include "../unit/bytes.h"
#include "base/buf.h"
#include "base/limits.h"
#include "fmt/file/torch_file.h"

static void read_all(struct byte_source *source, struct buf *b, struct err *err)
{
	struct str block;

	while (b->n < b->max && source->next(source, &block, err) > 0)
		buf_put(b, block.p, block.n);
}

static void read_twice(struct torch_file *file)
{
	struct byte_source *source = torch_file_source(file);
	struct buf first = buf_new(16 * MIB);
	struct buf second = buf_new(16 * MIB);
	struct err err;

	read_all(source, &first, &err);
	if (source->rewind(source, &err) == 0) {
		read_all(source, &second, &err);
		if (!str_eq(buf_str(&first), buf_str(&second)))
			abort();
		torch_file_finish(file, 1, &err);
	}
	buf_free(&first);
	buf_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct input *input = input_of_bytes(str_make((const char *)bytes, n));
	enum input_kind kind = input->kind;
	struct torch_file *file;
	struct err err;

	if ((kind == INPUT_ZIP || kind == INPUT_LEGACY ||
	     kind == INPUT_PICKLE) &&
	    torch_file_open(input, &file, &err) == 0) {
		read_twice(file);
		torch_file_close(file);
	}
	input_close(input);
	return 0;
}
