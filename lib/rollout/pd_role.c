#include "rollout/pd_role.h"

const struct pd_role pd_roles[PD_ROLES] = {
	{ROLE_PREFILL,
	 "prefill",
	 " [P]",
	 {"bootstrap_queue", "bootstrap", "alloc_wait", "forward",
	  "transfer_queue"},
	 {"pd_prefill_bootstrap_queue_duration",
	  "pd_prefill_bootstrap_duration", "pd_prefill_alloc_wait_duration",
	  "pd_prefill_forward_duration", "pd_prefill_transfer_queue_duration"}},
	{ROLE_DECODE,
	 "decode",
	 " [D]",
	 {"prealloc", "bootstrap", "alloc_wait", "transfer", "forward"},
	 {"pd_decode_prealloc_duration", "pd_decode_bootstrap_duration",
	  "pd_decode_alloc_wait_duration", "pd_decode_transfer_duration",
	  "pd_decode_forward_duration"}},
};
