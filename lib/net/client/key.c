#include "net/client/key.h"

#include <string.h>

#include "base/io.h"
#include "base/limits.h"

static int take(struct str text, struct buf *key, struct err *err)
{
	text = str_trim(str_before(text, '\n'));
	if (text.n == 0)
		return err_set(err, ERR_INPUT, "the key is empty");
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] <= ' ' || text.p[i] >= 0x7f)
			return err_set(err, ERR_INPUT,
				       "the key is not printable ASCII");
	buf_put(key, text.p, text.n);
	buf_putc(key, '\0');
	return key->failed ? buf_error(key, err) : 0;
}

static int take_file(const char *path, struct buf *key, struct err *err)
{
	struct buf text = buf_new(64 * KIB);
	int rc = io_read_file(path, &text, err);

	if (rc == 0 && text.n == 0)
		rc = err_set(err, ERR_INPUT, "the key is empty");
	else if (rc == 0)
		rc = take(buf_str(&text), key, err);
	buf_free(&text);
	if (rc < 0)
		err_in(err, path);
	return rc;
}

int key_read(const char *const files[2], const char *const texts[2],
	     struct buf *key, struct err *err)
{
	for (size_t i = 0; i < 2; i++)
		if (files[i])
			return take_file(files[i], key, err);
	for (size_t i = 0; i < 2; i++)
		if (texts[i])
			return take(str_of(texts[i]), key, err);
	return 0;
}
