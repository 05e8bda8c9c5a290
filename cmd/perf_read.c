#include "perf_read.h"

#include "dump.h"

struct digest *perf_read(const char *name, const struct digest_plan *plan)
{
	struct err err = {0};
	struct digest *digest;
	struct sample sample;
	struct dump dump;

	if (!dump_open(&dump, name))
		return NULL;
	digest = digest_new(plan, name, &err);
	while (err.code == 0 && dump_next(&dump, &sample))
		digest_add(digest, &sample, &err);
	if (err.code == 0 && !dump.failed)
		digest_end(digest, rollout_id(dump.rollout), &err);
	if (err.code != 0)
		dump_fail(&dump, &err);
	if (dump_close(&dump))
		return digest;
	digest_free(digest);
	return NULL;
}
