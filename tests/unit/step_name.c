#include "profile/step_name.h"

#include "check.h"

static void check_step(const char *name, enum step_kind kind, int64_t batch,
		       int64_t tokens)
{
	struct engine_step_name step;

	CHECK(engine_step_name_read(str_of(name), &step));
	CHECK_INT(step.kind, kind);
	CHECK_INT(step.batch, batch);
	CHECK_INT(step.tokens, tokens);
}

static const char *const others[] = {
	"step[DECODE",
	"aten::mm",
	"execute_context_x(5)",
	"execute_7context_1(5)_generation_0(0)",
	"execute_context_1(5",
	"execute_context_1[5)_generation_0(0)",
	"execute_context_1(5)_generation_0",
	"execute_context_1(5)generation_0(0)",
	"execute_context_9223372036854775807(1)_generation_1(1)",
	"ProfilerStep#",
};

int main(void)
{
	struct engine_step_name step;

	check_case("SGLang's steps: mode, batch and tokens");
	check_step("step[DECODE bs=8]", STEP_DECODE, 8, 8);
	check_step("step[EXTEND bs=2 toks=700]", STEP_PREFILL, 2, 700);
	check_step("step[MIXED bs=3 c_sq=5 g_sq=2]", STEP_MIXED, 3, 7);
	check_step("step[DRAFT_EXTEND bs=1]", STEP_DRAFT, 1, STEP_UNKNOWN);
	check_step("step[NEW]", STEP_OTHER, STEP_UNKNOWN, STEP_UNKNOWN);
	check_case("vLLM's steps: requests and tokens of prefill and decoding");
	check_step("execute_context_2(700)_generation_0(0)", STEP_PREFILL, 2,
		   700);
	check_step("execute_context_0(0)_generation_8(8)", STEP_DECODE, 8, 8);
	check_step("execute_7_context_1(sq5sk9sqsq25sqsk45)_generation_3(sq6"
		   "sk30sqsq12sqsk60)",
		   STEP_MIXED, 4, 11);
	check_step("execute_context_0(0)_generation_0(0)", STEP_IDLE, 0, 0);
	check_case("torch's steps have a number");
	check_step("ProfilerStep#12", STEP_PROFILER, STEP_UNKNOWN,
		   STEP_UNKNOWN);
	check_case("a sum that does not fit is unknown");
	check_step("step[MIXED bs=1 c_sq=9223372036854775807 g_sq=1]",
		   STEP_MIXED, 1, STEP_UNKNOWN);
	check_case("other names are no steps");
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		CHECK(!engine_step_name_read(str_of(others[i]), &step));
	return check_done();
}
