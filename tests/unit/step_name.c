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

int main(void)
{
	struct engine_step_name step;

	check_case("SGLang's steps: mode, batch and tokens");
	check_step("step[DECODE bs=8]", STEP_DECODE, 8, 8);
	check_step("step[EXTEND bs=2 toks=700]", STEP_PREFILL, 2, 700);
	check_step("step[MIXED bs=3 c_sq=5 g_sq=2]", STEP_MIXED, 3, 7);
	check_step("step[DRAFT_EXTEND bs=1]", STEP_DRAFT, 1, STEP_UNKNOWN);
	check_step("step[NEW]", STEP_OTHER, STEP_UNKNOWN, STEP_UNKNOWN);
	check_case("a sum that does not fit is unknown");
	check_step("step[MIXED bs=1 c_sq=9223372036854775807 g_sq=1]",
		   STEP_MIXED, 1, STEP_UNKNOWN);
	check_case("other names are no steps");
	CHECK(!engine_step_name_read(str_of("step[DECODE"), &step));
	CHECK(!engine_step_name_read(str_of("aten::mm"), &step));
	CHECK(!engine_step_name_read(str_of("execute_context_x(5)"), &step));
	return check_done();
}
