/* What SGLang's answers say, and the streams they come in. */
#include "rollout/sglang_meta.h"
#include "base/limits.h"
#include "blocks.h"
#include "check.h"
#include "fmt/file/sse.h"

/* What becomes of a stream of events, in blocks of a size. */
static void check_lines(const char *text, size_t size, const char *want)
{
	struct blocks from = {
		{next_block, rewind_blocks, 0}, str_of(text), 0, size, 0};
	struct buf got = buf_new(MIB);
	struct sse_source sse;
	struct err err = {0};
	struct str block;

	sse_open(&sse, &from.source);
	while (sse.source.next(&sse.source, &block, &err) == 1)
		buf_put(&got, block.p, block.n);
	CHECK_STR(buf_str(&got), want);
	sse_close(&sse);
	buf_free(&got);
}

static struct sglang_meta read_text(const char *text)
{
	struct blocks from = {
		{next_block, rewind_blocks, 0}, str_of(text), 0, 3, 0};
	struct sglang_meta meta = sglang_meta_new();
	struct err err = {0};

	sglang_meta_read(&meta, &from.source, &err);
	return meta;
}

static void test_lines(void)
{
	static const char stream[] = ": hi\r\nevent: x\r\ndata: {\"a\":1}\r\n"
				     "\r\ndata:{\"b\"\n:2}\ndata: [DONE]\n"
				     "data : {}\ndat\n data: {}\ndata:\t{}";

	check_case("the data of events are lines, however they are cut");
	for (size_t size = 1; size < 20; size++)
		check_lines(stream, size, "{\"a\":1}\n{\"b\"\n{}");
	check_lines(" \n[1]", 2, "[1]");
}

static void test_meta(void)
{
	struct sglang_meta meta;

	check_case("the last value counts, of the last answer");
	meta = read_text("{\"meta_info\":{\"id\":\"a\",\"queue_time\":1}}\n"
			 "{\"meta_info\":{\"id\":\"a\",\"queue_time\":null,"
			 "\"cached_tokens\":2}}\n");
	CHECK_INT(meta.plain[3].i, 1);
	CHECK_INT(meta.plain[2].i, 2);
	sglang_meta_free(&meta);
	meta = read_text("{\"meta_info\":{\"id\":\"a\",\"queue_time\":1}}\n"
			 "{\"meta_info\":{\"id\":\"b\",\"finish_reason\":"
			 "{\"type\":\"abort\"}}}\n");
	CHECK_INT(meta.plain[3].kind, VALUE_ABSENT);
	CHECK_STR(value_text(meta.plain[6]), "abort");
	CHECK_STR(value_text(meta.plain[7]), "b");
	sglang_meta_free(&meta);

	check_case("only seconds that a request can have make spans");
	meta = read_text("{\"meta_info\":{"
			 "\"pd_prefill_forward_duration\":-1,"
			 "\"pd_prefill_bootstrap_duration\":true,"
			 "\"pd_prefill_alloc_wait_duration\":1e300,"
			 "\"pd_decode_forward_duration\":NaN,"
			 "\"pd_decode_transfer_duration\":2}}");
	for (size_t i = 0; i < SGLANG_SEGMENTS; i++)
		CHECK_DOUBLE(meta.seconds[0][i], 0);
	CHECK_DOUBLE(meta.seconds[1][3], 2);
	CHECK_DOUBLE(meta.seconds[1][4], 0);
	sglang_meta_free(&meta);

	check_case("0 seconds do not replace what was there");
	meta = read_text("{\"meta_info\":{\"id\":\"a\","
			 "\"pd_decode_transfer_duration\":2}}\n"
			 "{\"meta_info\":{\"id\":\"a\","
			 "\"pd_decode_transfer_duration\":0}}\n");
	CHECK_DOUBLE(meta.seconds[1][3], 2);
	sglang_meta_free(&meta);

	check_case("what is no answer says nothing");
	meta = read_text("<html>");
	CHECK(!meta.any);
	sglang_meta_free(&meta);
}

int main(void)
{
	test_lines();
	test_meta();
	return check_done();
}
