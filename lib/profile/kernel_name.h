/*
 * What a GPU kernel does and its short name, from its full name: demangled C++,
 * a Triton name, or a name left mangled by the writer.
 */
#ifndef OBS_PROFILE_KERNEL_NAME_H
#define OBS_PROFILE_KERNEL_NAME_H

#include "base/buf.h"
#include "base/str.h"

enum kernel_category {
	KERNEL_COMMUNICATION,
	KERNEL_KV_CACHE,
	KERNEL_LINEAR_ATTENTION,
	KERNEL_ATTENTION,
	KERNEL_MOE,
	KERNEL_GEMM,
	KERNEL_NORM,
	KERNEL_ROPE,
	KERNEL_ACTIVATION,
	KERNEL_QUANTIZATION,
	KERNEL_SOFTMAX,
	KERNEL_SAMPLING,
	KERNEL_INDEX,
	KERNEL_COPY,
	KERNEL_ELEMENTWISE,
	KERNEL_REDUCTION,
	KERNEL_TRITON,
	KERNEL_OTHER,
	KERNEL_CATEGORIES
};

extern const char *const kernel_category_names[KERNEL_CATEGORIES];

/* scratch is overwritten. */
enum kernel_category kernel_category_of(struct str name, struct buf *scratch);

/*
 * Append the short name: without return type, namespaces, template and
 * parameter lists; a wrapper that only calls its argument is named after that,
 * and torch's generic loops after their operation:
 * "elementwise_kernel(direct_copy)".
 */
void kernel_put_short_name(struct buf *b, struct str name);

#endif
