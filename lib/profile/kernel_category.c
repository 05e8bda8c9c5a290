#include <string.h>

#include "profile/kernel_name.h"

const char *const kernel_category_names[KERNEL_CATEGORIES] = {
	[KERNEL_COMMUNICATION] = "communication",
	[KERNEL_KV_CACHE] = "kv-cache",
	[KERNEL_LINEAR_ATTENTION] = "linear-attention",
	[KERNEL_ATTENTION] = "attention",
	[KERNEL_MOE] = "moe",
	[KERNEL_GEMM] = "gemm",
	[KERNEL_NORM] = "norm",
	[KERNEL_ROPE] = "rope",
	[KERNEL_ACTIVATION] = "activation",
	[KERNEL_QUANTIZATION] = "quantization",
	[KERNEL_SOFTMAX] = "softmax",
	[KERNEL_SAMPLING] = "sampling",
	[KERNEL_INDEX] = "index",
	[KERNEL_COPY] = "copy",
	[KERNEL_ELEMENTWISE] = "elementwise",
	[KERNEL_REDUCTION] = "reduction",
	[KERNEL_TRITON] = "triton",
	[KERNEL_OTHER] = "other",
};

/* Substrings of lower-case names, separated by blanks; ^ anchors at the begin.
 * The first category with a match wins. */
static const char *const patterns[KERNEL_CATEGORIES] = {
	[KERNEL_COMMUNICATION] =
		"nccl rccl allreduce all_reduce cross_device_reduce "
		"reduce_scatter reducescatter allgather all_gather alltoall "
		"all_to_all deep_ep deepep nvshmem rocshmem mscclpp mooncake "
		"lamport multimem oneccl hccl",
	[KERNEL_KV_CACHE] =
		"reshape_and_cache concat_and_cache store_kv set_kv_buffer "
		"set_mla_kv copy_kv kv_indices transfer_kv",
	[KERNEL_LINEAR_ATTENTION] = "mamba selective_scan chunk_scan "
				    "causal_conv gated_delta gdn_",
	[KERNEL_ATTENTION] =
		"flash_ flash:: flashattn flashmla fmha sdpa attention attn "
		"mla_ _mla ::mla paged_mqa prefillwith decodewith mergestate "
		"merge_state reduce_segments ^_fwd_",
	[KERNEL_MOE] = "moe expert groupproblemshape grouped_gemm group_gemm "
		       "groupgemm matmul_ogs finalize_matmul topkgating "
		       "grouped_topk topk_forward routing bitmatrix",
	[KERNEL_GEMM] = "gemm gemv matmul cublas cutlass nvjet cijk_ "
			"splitkreduce bmm_ marlin machete xmma scaled_mm",
	[KERNEL_NORM] =
		"rmsnorm rms_norm layernorm layer_norm l2norm norm_kernel",
	[KERNEL_ROPE] = "rotary rope",
	[KERNEL_ACTIVATION] = "act_and_mul silu gelu swiglu relu sigmoid",
	[KERNEL_QUANTIZATION] = "quant mxfp nvfp4 cvt_",
	[KERNEL_SOFTMAX] = "softmax",
	[KERNEL_SAMPLING] = "topk top_k topp top_p sampl argmax multinomial "
			    "penalt logits",
	[KERNEL_INDEX] = "embedding indexselect index_ gather scatter",
	[KERNEL_COPY] = "copy memcpy memset fill transpose",
	[KERNEL_ELEMENTWISE] =
		"elementwise pointwise triton_poi multi_tensor_apply",
	[KERNEL_REDUCTION] = "reduce triton_red triton_per scan",
	[KERNEL_TRITON] = "triton",
	[KERNEL_OTHER] = "",
};

static bool has_part(struct str name, struct str part)
{
	if (part.p[0] == '^')
		return name.n >= part.n - 1 &&
		       memcmp(name.p, part.p + 1, part.n - 1) == 0;
	return memmem(name.p, name.n, part.p, part.n) != NULL;
}

static bool has_one_of(struct str name, const char *parts)
{
	while (*parts != '\0') {
		size_t n = strcspn(parts, " ");

		if (has_part(name, str_make(parts, n)))
			return true;
		parts += n + (parts[n] == ' ');
	}
	return false;
}

/* The name in lower case, without fbgemm, whose kernels are of all kinds. */
static struct str lower(struct str name, struct buf *scratch)
{
	static const char library[] = "fbgemm";
	size_t from = 0;

	buf_clear(scratch);
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];

		buf_putc(scratch,
			 c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c);
	}
	while (!scratch->failed && scratch->n > 0) {
		char *at = memmem(scratch->p + from, scratch->n - from, library,
				  sizeof(library) - 1);
		size_t rest;

		if (at == NULL)
			break;
		rest = (size_t)(scratch->p + scratch->n - at) -
		       (sizeof(library) - 1);
		memmove(at, at + sizeof(library) - 1, rest);
		from = (size_t)(at - scratch->p);
		scratch->n -= sizeof(library) - 1;
	}
	return buf_str(scratch);
}

enum kernel_category kernel_category_of(struct str name, struct buf *scratch)
{
	struct str text = lower(name, scratch);

	for (int c = 0; text.n > 0 && c < KERNEL_OTHER; c++)
		if (has_one_of(text, patterns[c]))
			return (enum kernel_category)c;
	return KERNEL_OTHER;
}
