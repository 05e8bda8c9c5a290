#include "sink/timeline/page.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "fmt/file/base64.h"
#include "sink/timeline/fresh.h"
#include "sink/viewer/embed.h"

#define DATA_OPEN "<script type=\"text/plain\" id=\"data-"
#define DATA_CLOSE "</script>\n"

/* These elements of viewer.html, in order, are replaced by the content they
 * name. viewer.js stands for all scripts and is written amid the data. */
#define TITLE "<title>timeline</title>"
#define STYLE "<link rel=\"stylesheet\" href=\"viewer.css\">"
#define SCRIPT "<script src=\"viewer.js\"></script>"
#define END "\n</body>\n</html>\n"

/* Write viewer.html from `at` to the mark; returns what follows that. */
static const char *put_until(struct out *out, const char *at, const char *mark)
{
	const char *found = strstr(at, mark);

	if (found == NULL)
		return at;
	out_put(out, at, (size_t)(found - at));
	return found + strlen(mark);
}

static void put_title(const struct page *page, struct out *out)
{
	char others[48] = "";

	out_puts(out, "<title>");
	for (const char *p = page->name; *p != '\0'; p++) {
		switch (*p) {
		case '<':
			out_puts(out, "&lt;");
			break;
		case '&':
			out_puts(out, "&amp;");
			break;
		default:
			out_putc(out, *p);
		}
	}
	if (page->others > 0)
		snprintf(others, sizeof(others), " and %zu more", page->others);
	out_puts(out, others);
	out_puts(out, " · timeline</title>");
}

void page_begin(struct page *page, struct out *out)
{
	const char *at;

	if (page->begun)
		return;
	page->begun = true;
	at = put_until(out, viewer_html, TITLE);
	put_title(page, out);
	at = put_until(out, at, STYLE);
	out_puts(out, "<style>\n");
	out_put(out, viewer_css, viewer_css_size);
	out_puts(out, "</style>");
	put_until(out, at, SCRIPT);
}

static void open_stream(const struct page *page, struct out *out)
{
	char number[16];

	snprintf(number, sizeof(number), "%u-", page->dumps);
	out_puts(out, DATA_OPEN);
	out_puts(out, number);
}

/* The piece of that number of a stream. */
static void put_piece(const struct page *page, struct out *out,
		      const char *name, size_t piece, struct str bytes)
{
	char number[24] = "";

	if (piece > 0)
		snprintf(number, sizeof(number), ".%zu", piece);
	open_stream(page, out);
	out_puts(out, name);
	out_puts(out, number);
	out_puts(out, "\">");
	base64_put(out, bytes);
	out_puts(out, DATA_CLOSE);
}

/* In elements of a size that a browser reads in a few ms: it does nothing else
 * until it is through with one. */
void page_put_stream(const struct page *page, struct out *out, const char *name,
		     struct str packed)
{
	enum { PIECE = 3 << 17 }; /* of threes, so that none is padded */

	for (size_t at = 0; at == 0 || at < packed.n; at += PIECE)
		put_piece(page, out, name, at / PIECE,
			  str_make(packed.p + at, packed.n - at < PIECE
							  ? packed.n - at
							  : PIECE));
}

void page_put_code(struct page *page, struct out *out)
{
	if (page->coded)
		return;
	page->coded = true;
	out_puts(out, "<script>\n");
	out_put(out, viewer_js, viewer_js_size);
	out_puts(out, "</script>\n");
}

/* Copy the streams in a page's text, with the script where theirs was; false if
 * it has none, or an incomplete one. */
static bool copy_streams(struct page *page, struct out *out, struct str text)
{
	static const struct str open = STR(DATA_OPEN "0-");
	static const struct str close = STR(DATA_CLOSE);
	const char *end = text.p + text.n;
	const char *last = NULL;
	const char *at = text.p;

	for (;;) {
		const char *stop;

		at = memmem(at, (size_t)(end - at), open.p, open.n);
		if (at == NULL)
			return last != NULL;
		if (last != NULL && at != last)
			page_put_code(page, out);
		at += open.n;
		stop = memmem(at, (size_t)(end - at), close.p, close.n);
		if (stop == NULL)
			return false;
		last = stop + close.n;
		open_stream(page, out);
		out_put(out, at, (size_t)(last - at));
		at = last;
	}
}

int page_copy_dump(struct page *page, struct out *out, const char *path,
		   struct err *err)
{
	struct buf text = buf_new(LIMIT_KEPT);
	int code = io_read_file(path, &text, err);

	if (code == 0) {
		page_begin(page, out);
		if (copy_streams(page, out, buf_str(&text)))
			page->dumps++;
		else
			code = err_set(err, ERR_INPUT,
				       "is not a complete "
				       "page");
	}
	buf_free(&text);
	return code;
}

void page_end(struct page *page, struct out *out, const struct origin *origin)
{
	enum { MADE_BY_MAX = 512 };
	struct buf made_by = buf_new(MADE_BY_MAX);
	const char *at = strstr(viewer_html, SCRIPT);

	page_put_code(page, out);
	if (at != NULL)
		put_until(out, at + strlen(SCRIPT), END);
	page_end_put(&made_by, origin);
	out_put(out, made_by.p, made_by.n);
	buf_free(&made_by);
}
