#include "fmt/input_kind.h"

#include <ctype.h>
#include <stdint.h>

#include "base/array.h"
#include "base/num.h"
#include "base/utf8.h"

/* Other formats ----------------------------------------------------------- */

static const struct magic {
	size_t at;
	struct str bytes;
	const char *name;
} magics[] = {
	{0, STR("\x1f\x8b"), "gzip data; decompress it first"},
	{0, STR("\x28\xb5\x2f\xfd"), "zstd data; decompress it first"},
	{0,
	 STR("\xfd"
	     "7zXZ"),
	 "xz data; decompress it first"},
	{0, STR("BZh"), "bzip2 data; decompress it first"},
	{0, STR("\x04\x22\x4d\x18"), "lz4 data; decompress it first"},
	{0, STR("7z\xbc\xaf"), "a 7z archive"},
	{257, STR("ustar"), "a tar archive"},
	{0, STR("\x89HDF\r\n\x1a\n"), "an HDF5 file"},
	{0, STR("\x93NUMPY"), "a NumPy array"},
	{0, STR("GGUF"), "a GGUF model"},
	{0, STR("PAR1"), "a Parquet file"},
	{0, STR("ARROW1"), "an Arrow file"},
	{0, STR("SQLite format 3"), "an SQLite database"},
	{0,
	 STR("\x7f"
	     "ELF"),
	 "an executable or library"},
	{0, STR("\x89PNG"), "a PNG image"},
	{0, STR("\xff\xd8\xff"), "a JPEG image"},
	{0, STR("GIF8"), "a GIF image"},
	{0, STR("%PDF"), "a PDF document"},
	{0, STR("PK\5\6"), "an empty zip archive"},
	{0, STR("Obj\x01"), "an Avro file"},
	{0, STR("ORC"), "an ORC file"},
	{0, STR("TDF$"), "a TDF file"},
	{0, STR("version https://git-lfs"),
	 "a Git LFS pointer; fetch the file"},
	{0, STR("<?xml"), "an XML document"},
	{0, STR("#!"), "a script"},
};

/* safetensors: a length of 8 bytes and a JSON object of tensors by name. */
static bool is_safetensors(struct str head)
{
	uint64_t length;

	if (head.n < 16)
		return false;
	memcpy(&length, head.p, sizeof(length));
	return length < (1u << 30) && head.p[8] == '{' &&
	       (head.p[9] == '"' || head.p[9] == '}');
}

static struct str first_bytes(struct str head, size_t n)
{
	return str_make(head.p, head.n < n ? head.n : n);
}

static bool is_html(struct str head)
{
	head = str_trim(head);
	head = first_bytes(head, 15);
	return head.n > 0 && head.p[0] == '<' &&
	       (str_has_nocase(head, "<!doctype html") ||
		str_has_nocase(head, "<html"));
}

/* Another kind of file; NULL if unknown. */
static const char *foreign_name(struct str head)
{
	struct str begin = first_bytes(head, 64);

	for (size_t i = 0; i < ARRAY_SIZE(magics); i++)
		if (head.n >= magics[i].at + magics[i].bytes.n &&
		    memcmp(head.p + magics[i].at, magics[i].bytes.p,
			   magics[i].bytes.n) == 0)
			return magics[i].name;
	if (is_safetensors(head))
		return "a safetensors file: a model's weights";
	if (is_html(head))
		return "an HTML page";
	if (begin.n > 0 && memmem(begin.p, begin.n, "brain.Event:", 12) != NULL)
		return "a TensorBoard event file";
	return NULL;
}

/* Files of torch.save and pickles ------------------------------------------ */

/* 0x1950a86a20f9469cfc6c, the first pickle of the older layout: as LONG1 from
 * protocol 2 on, after a frame from protocol 4 on, and as digits before. */
static const char legacy_magic[] =
	"\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";
static const char legacy_digits[] = "L119547037146038801333356L\n.";

enum { PROTO_SIZE = 2, FRAME_SIZE = 9, PROTOCOL_MIN = 2, PROTOCOL_MAX = 5 };

static bool is_legacy(struct str head)
{
	if (str_starts(head, legacy_digits))
		return true;
	if (head.n < PROTO_SIZE + FRAME_SIZE || head.p[0] != '\x80' ||
	    head.p[1] < PROTOCOL_MIN || head.p[1] > PROTOCOL_MAX)
		return false;
	head = str_skip(head, PROTO_SIZE);
	if (head.p[0] == '\x95')
		head = str_skip(head, FRAME_SIZE);
	return str_starts(head, legacy_magic);
}

/* After the opcode: letters, digits, dots and underscores up to the end of the
 * line, which may be past the head. */
static bool names_module(struct str head)
{
	for (size_t i = 1; i < head.n && head.p[i] != '\n'; i++)
		if (head.p[i] != '.' && head.p[i] != '_' &&
		    !isalnum((unsigned char)head.p[i]))
			return false;
	return true;
}

static bool is_pickle(struct str head)
{
	/* PROTO, or how protocols 0 and 1 begin a container or call. */
	return head.n >= 2 &&
	       (head.p[0] == '\x80' || head.p[0] == '(' || head.p[0] == '}' ||
		head.p[0] == ']' || (head.p[0] == 'c' && names_module(head)));
}

/* JSON and text ------------------------------------------------------------ */

struct str input_text(struct str head)
{
	head = str_skip_bom(head);
	while (head.n > 0 && (*head.p == ' ' || *head.p == '\t' ||
			      *head.p == '\n' || *head.p == '\r'))
		head = str_skip(head, 1);
	return head;
}

/* Could it be JSON: { or [ and a valid next byte? A torn record may be only a
 * brace. */
static bool begins_json(struct str head)
{
	static const char *const words[] = {"true", "false", "null", "NaN",
					    "Infinity"};
	bool array = str_starts(head, "[");

	if (!array && !str_starts(head, "{"))
		return false;
	head = str_trim(str_skip(head, 1));
	if (head.n == 0)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(words) && array; i++)
		if (str_starts(head, words[i]))
			return true;
	return strchr(array ? "\"{[]-0123456789" : "\"}{", head.p[0]) != NULL;
}

bool input_is_scalar(struct str head)
{
	static const char *const words[] = {"true", "false", "null", "NaN"};
	double number;

	head = str_trim(input_text(head));
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (str_is(head, words[i]))
			return true;
	if (head.n >= 2 && head.p[0] == '"')
		return memchr(head.p + 1, '"', head.n - 1) ==
		       head.p + head.n - 1;
	return num_parse_double(head, &number);
}

/* Control bytes allowed in text: blanks, and terminal colours. */
static bool is_control(uint32_t point)
{
	return point == 0x7f ||
	       (point < 0x20 && point != '\t' && point != '\n' &&
		point != '\r' && point != '\f' && point != 0x1b);
}

bool input_is_text(struct str head)
{
	const char *p = head.p;
	const char *end = p + head.n;

	while (p < end) {
		uint32_t point;
		size_t n = utf8_next(p, end, &point);

		if (point == UTF8_BAD && end - p < UTF8_MAX && p > head.p)
			return true; /* cut inside a character */
		if (point == UTF8_BAD || is_control(point))
			return false;
		p += n;
	}
	return true;
}

/* Any --------------------------------------------------------------------- */

enum input_kind input_kind_of(struct str head, const char **name)
{
	struct str text = input_text(head);

	*name = foreign_name(head);
	if (*name != NULL)
		return str_starts(head, "\x1f\x8b") ? INPUT_GZIP
						    : INPUT_FOREIGN;
	if (str_starts(head, "PK\x03\x04"))
		return INPUT_ZIP;
	if (is_legacy(head))
		return INPUT_LEGACY;
	if (is_pickle(head))
		return INPUT_PICKLE;
	if (text.n == 0)
		return INPUT_EMPTY;
	if (begins_json(text))
		return INPUT_JSON;
	return input_is_text(head) ? INPUT_TEXT : INPUT_BINARY;
}
