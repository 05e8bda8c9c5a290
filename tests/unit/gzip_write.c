#include "fmt/file/gzip_write.h"

#include "base/limits.h"
#include "fmt/file/base64.h"

#include "check.h"

static int take(void *taker, const char *p, size_t n)
{
	buf_put(taker, p, n);
	return 0;
}

static void check_round_trip(size_t size)
{
	struct buf packed = buf_new(MIB);
	struct buf back = buf_new(4 * MIB);
	struct err err = {0};
	struct gzip gzip;
	size_t same = 0;

	CHECK(gzip_open(&gzip, &packed, 2, &err) == 0);
	for (size_t i = 0; i < size; i++)
		out_putc(&gzip.in, (char)(i * i >> 7));
	CHECK(gzip_close(&gzip, &err) == 0);
	CHECK(gzip_unpack(buf_str(&packed), take, &back, &err) == 0);
	CHECK(back.n == size);
	while (same < size && back.p[same] == (char)(same * same >> 7))
		same++;
	CHECK(same == size);
	CHECK(gzip_unpack(str_make(packed.p, packed.n - 9), take, &back,
			  &err) == ERR_INPUT);
	buf_free(&packed);
	buf_free(&back);
}

static void check_ceiling(void)
{
	struct buf packed = buf_new(16);
	struct err err = {0};
	struct gzip gzip;

	check_case("a buffer that is too small is an error, once closed");
	CHECK(gzip_open(&gzip, &packed, 2, &err) == 0);
	for (int i = 0; i < 100000; i++)
		out_putc(&gzip.in, (char)(i ^ i >> 5));
	CHECK(gzip_close(&gzip, &err) < 0);
	buf_free(&packed);
}

static void check_base64(void)
{
	static const char *const expected[] = {
		"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE="};
	struct buf text = buf_new(KIB);
	struct err err = {0};
	struct out out;

	check_case("base64 is RFC 4648's");
	for (size_t n = 0; n < 6; n++) {
		buf_clear(&text);
		CHECK(out_open_taker(&out, take, &text, &err) == 0);
		base64_put(&out, str_make("foobar", n));
		CHECK(out_close(&out, &err) == 0);
		CHECK(str_is(buf_str(&text), expected[n]));
	}
	buf_free(&text);
}

int main(void)
{
	check_case("what was compressed comes back, whatever its length");
	check_round_trip(0);
	check_round_trip(1);
	check_round_trip(3 * OUT_SIZE + 17);
	check_ceiling();
	check_base64();
	return check_done();
}
