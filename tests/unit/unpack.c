#include "fmt/file/unpack.h"

#include "base/limits.h"
#include "fmt/file/gzip_write.h"

#include "check.h"

static int take(void *taker, struct str piece, struct err *err)
{
	struct buf *text = taker;

	buf_put(text, piece.p, piece.n);
	return text->failed ? buf_error(text, err) : 0;
}

/* Unpack input in pieces of this size into text. */
static int unpack(enum unpack_format format, struct str input, size_t size,
		  struct buf *text, struct err *err)
{
	struct unpacker *u =
		unpack_open(format, (struct unpack_taker){take, text});
	int rc = 0;

	buf_clear(text);
	while (input.n > 0 && rc == 0) {
		size_t n = input.n < size ? input.n : size;

		rc = unpack_put(u, str_make(input.p, n), err);
		input = str_make(input.p + n, input.n - n);
	}
	if (rc == 0)
		rc = unpack_end(u, err);
	unpack_close(u);
	return rc;
}

static void pack(struct str text, struct buf *to)
{
	struct err err = {0};
	struct gzip gzip;

	CHECK(gzip_open(&gzip, to, 6, &err) == 0);
	out_put(&gzip.in, text.p, text.n);
	CHECK(gzip_close(&gzip, &err) == 0);
}

/* Every start of the input but the given ends is an error. */
static void check_cuts(enum unpack_format format, struct str input,
		       const size_t *ends, size_t n, const char *whole)
{
	struct buf text = buf_new(MIB);

	for (size_t size = 1; size < 5; size++)
		for (size_t cut = 1; cut <= input.n; cut++) {
			struct err err = {0};
			int rc = unpack(format, str_make(input.p, cut), size,
					&text, &err);
			bool is_end = false;

			for (size_t i = 0; i < n; i++)
				is_end |= cut == ends[i];
			CHECK(rc == (is_end ? 0 : ERR_INPUT));
			if (!is_end)
				CHECK(str_starts(str_of(err.text),
						 "truncated: "));
			if (cut == input.n)
				CHECK_STR(buf_str(&text), whole);
		}
	buf_free(&text);
}

static void check_members(void)
{
	struct buf packed = buf_new(MIB);
	size_t ends[3];

	check_case("gzip ends after a member, and nowhere else");
	pack(str_of("a_total 3\n"), &packed);
	ends[0] = packed.n;
	pack(str_of(""), &packed);
	ends[1] = packed.n;
	pack(str_of("b_total 4\n"), &packed);
	ends[2] = packed.n;
	check_cuts(UNPACK_GZIP, buf_str(&packed), ends, 3,
		   "a_total 3\nb_total 4\n");
	buf_free(&packed);
}

/* "x 1\n" as Python's zlib writes it, with its header and without. */
static const char zlib[] = "\x78\x9c\xab\x50\x30\xe4\x02\x00\x02\xb0\x00\xd4";

static void check_deflate(void)
{
	struct str with_header = str_make(zlib, sizeof(zlib) - 1);
	struct str bare = str_make(zlib + 2, sizeof(zlib) - 1 - 6);

	check_case("deflate has a header or none, and ends once");
	check_cuts(UNPACK_DEFLATE, with_header, &with_header.n, 1, "x 1\n");
	check_cuts(UNPACK_DEFLATE, bare, &bare.n, 1, "x 1\n");
}

static void check_error(enum unpack_format format, struct str input,
			const char *want)
{
	struct buf text = buf_new(MIB);

	for (size_t size = 1; size < 40; size++) {
		struct err err = {0};

		CHECK_INT(unpack(format, input, size, &text, &err), ERR_INPUT);
		CHECK_TEXT(err.text, want);
	}
	buf_free(&text);
}

static void check_errors(void)
{
	struct buf packed = buf_new(MIB);
	struct buf longer = buf_new(MIB);

	check_case("damage and other data are told apart");
	pack(str_of("x 1\n"), &packed);
	buf_put(&longer, packed.p, packed.n);
	buf_puts(&longer, "tail 1\n");
	check_error(UNPACK_GZIP, buf_str(&longer),
		    "other data follows the end of the gzip data");
	buf_clear(&longer);
	buf_put(&longer, zlib, sizeof(zlib) - 1);
	buf_put(&longer, zlib, sizeof(zlib) - 1);
	check_error(UNPACK_DEFLATE, buf_str(&longer),
		    "other data follows the end of the deflate data");
	check_error(UNPACK_GZIP, str_of("x 1\n"), "the data is not gzip");
	packed.p[packed.n - 5] ^= 1;
	check_error(UNPACK_GZIP, buf_str(&packed),
		    "the gzip data is damaged: incorrect data check");
	packed.p[packed.n - 5] ^= 1;
	packed.p[packed.n - 1] ^= 1;
	check_error(UNPACK_GZIP, buf_str(&packed),
		    "the gzip data is damaged: incorrect length check");
	buf_free(&packed);
	buf_free(&longer);
}

static void check_bomb(void)
{
	struct buf zeros = buf_new(64 * MIB);
	struct buf packed = buf_new(MIB);
	struct buf text = buf_new(MIB);
	struct err err = {0};

	check_case("a bomb stops where its taker wants no more");
	if (CHECK(buf_room(&zeros, 32 * MIB) != NULL))
		memset(zeros.p, 0, 32 * MIB);
	pack(str_make(zeros.p, 32 * MIB), &packed);
	CHECK_INT(unpack(UNPACK_GZIP, buf_str(&packed), packed.n, &text, &err),
		  ERR_LIMIT);
	CHECK(text.n <= MIB);
	buf_free(&zeros);
	buf_free(&packed);
	buf_free(&text);
}

static void check_nothing(void)
{
	struct buf text = buf_new(KIB);
	struct err err = {0};

	check_case("no input is no text");
	CHECK_INT(unpack(UNPACK_GZIP, str_of(""), 1, &text, &err), 0);
	CHECK_INT(unpack(UNPACK_DEFLATE, str_of(""), 1, &text, &err), 0);
	CHECK(text.n == 0);
	buf_free(&text);
	unpack_close(NULL);
}

int main(void)
{
	check_members();
	check_deflate();
	check_errors();
	check_bomb();
	check_nothing();
	return check_done();
}
