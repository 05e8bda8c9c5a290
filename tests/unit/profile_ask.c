/* net/client/profile_ask: bodies, and what answers mean. */
#include "net/client/profile_ask.h"

#include "check.h"

static void has_body(const struct profile_fields *fields, const char *want)
{
	struct buf body = buf_new(4096);
	struct err err;

	CHECK_INT(profile_put_body(PROFILE_START, PROFILE_SGLANG, fields, NULL,
				   &body, &err),
		  0);
	CHECK_STR(buf_str(&body), want);
	buf_free(&body);
}

static void test_bodies(void)
{
	struct profile_fields fields = {.start_step = -1};

	check_case("nothing set is nothing said");
	has_body(&fields, "{}");

	check_case("activities in any case, once each, in order");
	CHECK(profile_add_activities(&fields, str_of("gpu, Cpu,GPU")));
	CHECK(profile_add_activities(&fields, str_of("cuda_profiler")));
	has_body(&fields,
		 "{\"activities\":[\"GPU\",\"CPU\",\"CUDA_PROFILER\"]}");

	check_case("a name that engines ignore is refused, and an empty one");
	CHECK(!profile_add_activities(&fields, str_of("GPUS")));
	CHECK(!profile_add_activities(&fields, str_of("CPU,,GPU")));
	CHECK(!profile_add_activities(&fields, str_of("")));

	check_case("numbers are numbers, texts are escaped");
	fields = (struct profile_fields){.num_steps = 1000000000,
					 .prefix = "a\"b"};
	has_body(&fields, "{\"profile_prefix\":\"a\\\"b\","
			  "\"num_steps\":1000000000,\"start_step\":0}");
}

/* An answer of this status and body comes to a verdict and a text. */
static void means(enum profile_action action, int status, const char *body,
		  const char *verdict, const char *text)
{
	const struct profile_answer answer = {.end = HTTP_WHOLE,
					      .sent = true,
					      .status = status,
					      .body = str_of(body)};
	char got[PROFILE_TEXT_MAX];

	CHECK_STR(str_of(profile_verdict_name(
			  profile_judge(action, &answer, got))),
		  verdict);
	CHECK_STR(str_of(got), text);
}

static void test_starts(void)
{
	check_case("a start's answers");
	means(PROFILE_START, 200, "Start profiling.\n", "started",
	      "Start profiling.");
	means(PROFILE_START, 200, "", "started", "");
	means(PROFILE_START, 500, "Internal Server Error", "already-running",
	      "Internal Server Error");
	means(PROFILE_START, 500, "", "already-running",
	      "Internal Server Error");
	means(PROFILE_START, 500,
	      "Start Profile failed: Profiling is already in progress.",
	      "already-running",
	      "Start Profile failed: Profiling is already in progress.");
	means(PROFILE_START, 500, "No response from scheduler", "failed",
	      "No response from scheduler");
	means(PROFILE_START, 503, "busy", "failed", "busy");
	means(PROFILE_START, 405, "", "not-configured", "HTTP status 405");
	means(PROFILE_START, 302, "", "failed", "HTTP status 302");

	check_case("200 does not count when the answer says that it failed");
	means(PROFILE_START, 200, "{\"success\":false,\"message\":\"no\"}",
	      "failed", "no");
	means(PROFILE_START, 200, "{\"success\":true,\"message\":\"ok\"}",
	      "started", "ok");
	means(PROFILE_START, 200, "{\"status\":\"error\",\"message\":\"x\"}",
	      "failed", "x");
	means(PROFILE_STOP, 200, "{\"error\":{\"message\":\"bad\"}}", "failed",
	      "bad");
	means(PROFILE_START, 200, "{\"success\":\"false\"}", "failed",
	      "{\"success\":\"false\"}");
	means(PROFILE_START, 200, "{\"success\":0}", "failed",
	      "{\"success\":0}");
	means(PROFILE_START, 200, "Error: no GPU", "failed", "Error: no GPU");
	means(PROFILE_STOP, 200, "Failed to stop.", "failed",
	      "Failed to stop.");
	means(PROFILE_START, 200, "Profiling without error.", "started",
	      "Profiling without error.");
	means(PROFILE_STOP, 200, "{\"error\":null,\"status\":\"OK\"}",
	      "stopped", "{\"error\":null,\"status\":\"OK\"}");
	means(PROFILE_STOP, 200, "{\"status\":\"success\",\"message\":\"2\"}",
	      "stopped", "2");

	check_case("nor when it says what no engine says");
	means(PROFILE_START, 200, "[]", "failed", "not an engine's answer: []");
	means(PROFILE_STOP, 200, "{}", "failed", "not an engine's answer: {}");
	means(PROFILE_START, 200, "null", "failed",
	      "not an engine's answer: null");
	means(PROFILE_START, 200, "Welcome!", "failed",
	      "not an engine's answer: Welcome!");
	means(PROFILE_START, 200, "profiler not started", "failed",
	      "not an engine's answer: profiler not started");
	means(PROFILE_START, 200, "{\"token\":\"ok\"}", "failed",
	      "not an engine's answer: {\"token\":\"ok\"}");
	means(PROFILE_START, 200, "\n<html>Log in</html>", "failed",
	      "an HTML page, not an engine's answer");
	means(PROFILE_START, 404, "<html>", "not-configured",
	      "an HTML page, not an engine's answer");
}

static void test_odd_answers(void)
{
	check_case("a status is an engine's if it describes one");
	means(PROFILE_STATUS, 200, "{\"tp_size\":8}", "reachable",
	      "{\"tp_size\":8}");
	means(PROFILE_STATUS, 200, "{\"version\":\"0.9.1\"}", "reachable",
	      "{\"version\":\"0.9.1\"}");
	means(PROFILE_STATUS, 200, "<html>", "unknown",
	      "not known to be an engine: HTTP status 200, an HTML page");
	means(PROFILE_STATUS, 404, "<html>", "unknown",
	      "not known to be an engine: HTTP status 404, an HTML page");
	means(PROFILE_STATUS, 200, "", "unknown",
	      "not known to be an engine: HTTP status 200, an empty answer");
	means(PROFILE_STATUS, 405, "{\"detail\":\"no\"}", "unknown",
	      "not known to be an engine: HTTP status 405, no");
	means(PROFILE_STATUS, 200, "{\"status\":\"ok\"}", "unknown",
	      "not known to be an engine: HTTP status 200, {\"status\":\"ok\"}");
	CHECK(!profile_is_done(PROFILE_STATUS, PROFILE_UNKNOWN));

	check_case("validation says what is wrong, in any of its shapes");
	means(PROFILE_START, 400, "{\"object\":\"error\",\"message\":\"no\"}",
	      "refused", "no");
	means(PROFILE_START, 400, "{\"error\":{\"message\":\"bad\\n x\"}}",
	      "refused", "bad x");
	means(PROFILE_START, 422,
	      "{\"detail\":[{\"loc\":[\"body\"],\"msg\":\"no int\"}]}",
	      "refused", "no int");
	means(PROFILE_START, 400, "{\"detail\": 3", "refused",
	      "{\"detail\": 3");
}

static void test_stops(void)
{
	check_case("a stop that finds nothing to stop");
	means(PROFILE_STOP, 500, "Internal Server Error", "not-running",
	      "Internal Server Error");
	means(PROFILE_STOP, 400, "Profiling is NOT in progress", "not-running",
	      "Profiling is NOT in progress");
	means(PROFILE_STOP, 400, "no profiler runs", "not-running",
	      "no profiler runs");
	means(PROFILE_STOP, 500, "CUDA error", "failed", "CUDA error");
	CHECK(profile_is_done(PROFILE_STOP, PROFILE_NOT_RUNNING));
	CHECK(!profile_is_done(PROFILE_START, PROFILE_ALREADY_RUNNING));

	check_case("a gateway: the count and the first reason");
	means(PROFILE_STOP, 206,
	      "{\"message\":\"1 failed\",\"failed\":[{\"worker\":\"w\","
	      "\"error\":\"HTTP 500\"}]}",
	      "partly", "1 failed: HTTP 500");
	means(PROFILE_START, 404, "{\"message\":\"No workers available\"}",
	      "not-configured", "No workers available");
	means(PROFILE_START, 403, "{\"error\":\"Forbidden\"}", "unauthorized",
	      "Forbidden");
}

static void test_sidecar(void)
{
	struct profile_answer answer = {.end = HTTP_WHOLE,
					.sidecar = true,
					.sent = true,
					.status = 404,
					.body = str_of("404: Not Found")};
	char text[PROFILE_TEXT_MAX];

	check_case("a sidecar has no page that describes its engine");
	CHECK_INT(profile_judge(PROFILE_STATUS, &answer, text),
		  PROFILE_REACHABLE);
	answer.body = str_of("<html>");
	CHECK_INT(profile_judge(PROFILE_STATUS, &answer, text),
		  PROFILE_UNKNOWN);
}

static void test_no_answer(void)
{
	struct profile_answer answer = {.end = HTTP_TIMEOUT, .error = "late"};
	char text[PROFILE_TEXT_MAX];

	check_case("what was never sent cannot have been obeyed");
	CHECK_INT(profile_judge(PROFILE_START, &answer, text),
		  PROFILE_UNREACHABLE);
	CHECK(!profile_may_run(PROFILE_UNREACHABLE));
	answer.sent = true;
	CHECK_INT(profile_judge(PROFILE_START, &answer, text), PROFILE_TIMEOUT);
	CHECK(profile_may_run(PROFILE_TIMEOUT));
	CHECK_STR(str_of(text), "late");

	check_case("what was sent may have been obeyed, answer or not");
	answer.end = HTTP_FAILED;
	CHECK_INT(profile_judge(PROFILE_START, &answer, text), PROFILE_FAILED);
	CHECK(profile_may_run(PROFILE_FAILED));
}

static void test_lost_bodies(void)
{
	struct profile_answer answer = {.end = HTTP_FAILED,
					.sent = true,
					.status = 404,
					.error = "HTTP status 404"};
	char text[PROFILE_TEXT_MAX];

	check_case("a status counts where only the body is lost");
	CHECK_INT(profile_judge(PROFILE_START, &answer, text),
		  PROFILE_NOT_CONFIGURED);
	CHECK_STR(str_of(text), "HTTP status 404");
	answer.status = 200;
	answer.error = "truncated";
	CHECK_INT(profile_judge(PROFILE_START, &answer, text), PROFILE_FAILED);
	CHECK_STR(str_of(text), "truncated");
	answer.status = 500; /* its text would say what it means */
	CHECK_INT(profile_judge(PROFILE_START, &answer, text), PROFILE_FAILED);
}

static int64_t ranks_in(const char *body)
{
	return (int64_t)profile_read_facts(str_of(body)).ranks;
}

static void test_facts(void)
{
	check_case("ranks: with attention by dp, dp is inside tp");
	CHECK_INT(ranks_in("{\"tp_size\":4,\"pp_size\":2,\"dp_size\":2}"), 16);
	CHECK_INT(ranks_in("{\"tp_size\":4,\"dp_size\":2,"
			   "\"enable_dp_attention\":true}"),
		  4);
	CHECK_INT(ranks_in("{\"server_args\":{\"tp_size\":2}}"), 2);

	check_case("what is not told, or is nonsense, stays unknown");
	CHECK_INT(ranks_in("{}"), 0);
	CHECK_INT(ranks_in("[1"), 0);
	CHECK_INT(ranks_in("{\"tp_size\":-1}"), 1);
	CHECK_INT(ranks_in("{\"tp_size\":1e300}"), 1);
	CHECK(profile_read_facts(str_of("{}")).role == NULL);
	CHECK_STR(str_of(profile_read_facts(
				 str_of("{\"tp_size\":1,\"disaggregation_mode"
					"\":\"decode\"}"))
				 .role),
		  "decode");
}

int main(void)
{
	test_bodies();
	test_starts();
	test_odd_answers();
	test_stops();
	test_sidecar();
	test_no_answer();
	test_lost_bodies();
	test_facts();
	return check_done();
}
