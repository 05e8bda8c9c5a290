#include "profile/profile_file.h"

#include "base/limits.h"

#include "check.h"

static void check_file(const char *name, int64_t rank, const char *group)
{
	struct profile_file file = profile_file_read(str_of(name));
	struct buf b = buf_new(MIB);

	CHECK(file.known == (rank != PROFILE_FILE_NO_RANK));
	CHECK_INT(file.rank, rank);
	profile_file_put_group(&b, &file);
	CHECK_STR(buf_str(&b), group);
	buf_free(&b);
}

int main(void)
{
	check_case("SGLang's names: the run, the ranks and the stage");
	check_file("17908-TP-1-DECODE.trace.json.gz", 1, "17908-DECODE");
	check_file("a-TP-3-DP-0-PP-1-EP-2.trace.json", 3, "a");
	check_case("another suffix is part of the run");
	check_file("run-TP-2-x-y.json", 2, "run-TP-2-x-y");
	check_case("vLLM's names: numbers of ranks are left out");
	check_file("dp0_pp0_tp1_dcp0_ep1_rank0.1757400000000000000"
		   ".pt.trace.json.gz",
		   0, "dp_pp_tp_dcp_ep");
	check_file("dp1_pp0_tp12_dcp0_ep3_rank13.1757400000000000001"
		   ".pt.trace.json.gz",
		   13, "dp_pp_tp_dcp_ep");
	check_file("worker_rank-4.json", 4, "worker");
	check_file("worker_rank_5", 5, "worker");
	check_case("other names have no rank");
	check_file("trace.json", PROFILE_FILE_NO_RANK, "trace");
	check_file("-TP-2.trace.json", PROFILE_FILE_NO_RANK, "-TP-2");
	check_file("rank.json.gz", PROFILE_FILE_NO_RANK, "rank");
	check_file("a-TP-x", PROFILE_FILE_NO_RANK, "a-TP-x");
	check_file("rank99999999999999999999", PROFILE_FILE_NO_RANK,
		   "rank99999999999999999999");
	return check_done();
}
