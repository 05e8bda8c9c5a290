#include "profile/kernel_name.h"

#include "base/limits.h"

#include "check.h"

static void check_short(const char *name, const char *want)
{
	struct buf b = buf_new(MIB);

	kernel_put_short_name(&b, str_of(name));
	CHECK_STR(buf_str(&b), want);
	buf_free(&b);
}

static void test_demangled(void)
{
	check_case("return type, namespaces and lists are left out");
	check_short("void a::b<int, (x)3>::gemm<4, true>(float*, int)", "gemm");
	check_short("(anonymous namespace)::copy(int)", "copy");
	check_short("triton_poi_fused_add_0", "triton_poi_fused_add_0");
	check_case("an open bracket is taken to end with the name");
	check_short("void gemm<4, (x", "gemm");
	check_short("gemm(float*, (int", "gemm");
	check_case("nothing but lists is a name");
	check_short("<int>", "<int>");
	check_short("", "");
}

static void test_loops(void)
{
	check_case("torch's loops are named by what they compute");
	check_short("void at::native::vectorized_elementwise_kernel<4, "
		    "at::native::CUDAFunctor_add<float>, std::array<char*, "
		    "3ul> >(int, float)",
		    "vectorized_elementwise_kernel(add)");
	check_short("void at::native::elementwise_kernel<128, 2, "
		    "at::native::gpu_kernel_impl<at::native::"
		    "direct_copy_kernel_cuda(at::TensorIteratorBase&)::"
		    "{lambda()#3}>>(int)",
		    "elementwise_kernel(direct_copy)");
	check_case("a loop that computes nothing known has its own name");
	check_short("void reduce_kernel<512, 1, float>(int)", "reduce_kernel");
}

static void test_wrappers(void)
{
	check_case("a wrapper is named after its first argument");
	check_short("void cutlass::device_kernel<flash::enable_sm90_or_later"
		    "<flash::FlashAttnFwd<int, 2>, 3> >(flash::Params)",
		    "FlashAttnFwd");
	check_short("void cutlass::Kernel2<cutlass_80_gemm, 5>(int)",
		    "cutlass_80_gemm");
	check_case("without arguments it has its own name");
	check_short("void kernel(int)", "kernel");
}

static void test_mangled(void)
{
	check_case("a mangled name is its last part");
	check_short("_Z4gemmPfi", "gemm");
	check_short("_ZN2at6native13reduce_kernelILi512EEEvT_",
		    "reduce_kernel");
	check_short("_ZNKSt6vector4copyEv", "copy");
	check_short("_ZNS0_4copyEv", "copy");
	check_case("so is the argument of a wrapper");
	check_short("_ZN7cutlass13device_kernelIN5flash12FlashAttnFwdIiEEEEvT_",
		    "FlashAttnFwd");
	check_short("_ZN7cutlass13device_kernelINS_4gemm6kernel13GemmUniversal"
		    "IiEEEEvT_",
		    "GemmUniversal");
	check_short("_Z13device_kernelI20enable_sm90_or_laterI9FlashAttnE"
		    "EvT_",
		    "FlashAttn");
	check_short("_ZN7ck_tile6kentryILi2ELb1ENS_11RmsnormAFwdIiEEJfEEEvT_",
		    "RmsnormAFwd");
	check_short("_Z6kernelIiS0_2abE", "kernel");
	check_short("_Z6kernelILi1", "kernel");
	check_case("a damaged one is kept");
	check_short("_Z", "_Z");
	check_short("_Z99gemm", "_Z99gemm");
	check_short("_ZNS", "_ZNS");
}

int main(void)
{
	test_demangled();
	test_loops();
	test_wrappers();
	test_mangled();
	return check_done();
}
