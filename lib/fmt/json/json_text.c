#include "fmt/json/json_text.h"

#include "fmt/json/json_value.h"

/* The values are usually numbers and short words. */
static bool put_plain(struct buf *b, struct value v)
{
	if (v.kind == VALUE_ABSENT || v.kind == VALUE_NONE)
		buf_puts(b, "null");
	else if (v.kind == VALUE_INT)
		buf_printf(b, "%lld", (long long)v.i);
	else
		return false;
	return true;
}

int json_text(struct buf *b, struct value v, struct err *err)
{
	struct json_writer w;
	struct out out;

	if (put_plain(b, v))
		return b->failed ? buf_error(b, err) : 0;
	if (out_open_buf(&out, b, err) < 0)
		return err->code;
	w = json_writer_on(&out);
	json_put_value(&w, v, JSON_KEYS_STR);
	if (w.passed != NULL)
		buf_reject(b, w.passed);
	return out_close_buf(&out, b, err);
}
