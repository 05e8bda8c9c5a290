/*
 * What engines and gateways answer: the first byte is the action, the second
 * picks the status, the rest is the body. Whatever it is, there is a verdict,
 * and the text is one short line.
 */
#include <stdint.h>
#include <stdlib.h>

#include "net/client/profile_ask.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int statuses[] = {200, 206, 400, 401, 404, 422, 500, 503};
	struct profile_answer answer = {.end = HTTP_WHOLE, .sent = true};
	struct profile_engine_facts facts;
	char text[PROFILE_TEXT_MAX];
	enum profile_verdict verdict;

	if (size < 2)
		return 0;
	answer.status = statuses[data[1] % 8];
	answer.body = str_make((const char *)data + 2, size - 2);
	verdict = profile_judge(data[0] % 3, &answer, text);
	require(verdict != PROFILE_NOT_SENT);
	require(profile_verdict_name(verdict) != NULL);
	require(strlen(text) < PROFILE_TEXT_MAX);
	for (const char *p = text; *p; p++)
		require((unsigned char)*p >= ' ');
	facts = profile_read_facts(answer.body);
	require(facts.ranks <= (size_t)1e18);
	return 0;
}
