#include "numbers.h"

#include <cstring>
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <numeric>

namespace {

// add: out[i] += k, for a failure word, an array, a 64-bit and an 8-bit scalar.
void add_function(int64_t grid, int64_t block, void** arguments) {
  auto* data = *static_cast<int64_t**>(arguments[1]);
  const int64_t amount = *static_cast<int64_t*>(arguments[2]) + *static_cast<int8_t*>(arguments[3]);
  for (int64_t i = 0; i < grid * block; ++i) {
    data[i] += amount;
  }
}

// fail: sets the failure word as a kernel does.
void fail_function(int64_t, int64_t, void** arguments) {
  auto* failure = *static_cast<dz_failure_word**>(arguments[0]);
  if (failure->code == 0) {
    *failure = {1, 2, {9, 4}, failure->traces};
  }
}

const int32_t add_bytes[] = {8, 8, 1};
const dz_kernel kernels[] = {{"add", nullptr, 3, add_bytes, "add.fut:1:1-5", 1},
                             {"fail", nullptr, 0, nullptr, "", 1},
                             {"absent", nullptr, 0, nullptr, "", 1},
                             {"add", nullptr, 3, add_bytes, "add.fut:2:1-5", 0}};
const dz_failure failures[] = {{"Index [{}] out of bounds for array of shape [{}].", "a.fut:1:2"}};
const char ptx[] =
    ".version 7.8\n.target sm_70\n.address_size 64\n\n"
    ".visible .entry add(\n\t.param .u64 add_param_0\n)\n{\n\tret;\n}\n"
    "\t// .globl\tfail\n.visible .entry fail()\n{\n\tret;\n}\n";

}  // namespace

extern "C" const FakeKernel add_kernel;
extern "C" const FakeKernel fail_kernel;
const FakeKernel add_kernel = {add_function, 4, {8, 8, 8, 1}};
const FakeKernel fail_kernel = {fail_function, 1, {8}};

namespace cuda_tests {

dz_program make_program(const char* text) {
  return {DZ_ABI_VERSION, DZ_TARGET_CUDA, "cuda", 0, nullptr, 0, nullptr, 4, kernels, 1, failures,
          text, static_cast<int64_t>(std::strlen(text)), nullptr, 0, 0, nullptr, 0,
          0, nullptr, nullptr, nullptr, 0, nullptr, 0, nullptr};
}
const dz_program program = make_program(ptx);

FakeCudaState& fake() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  void* symbol = dlsym(library, "fake_cuda_state");
  REQUIRE(symbol != nullptr);
  return *static_cast<FakeCudaState*>(symbol);
}

void check_nothing_left() {
  CHECK(fake().live_allocations == 0);
  CHECK(fake().memory_in_use == 0);
  CHECK(fake().context_depth == 0);
  CHECK(fake().retained == 0);
  CHECK(fake().misuses == 0);
}

Numbers::Numbers(dz_config* config) : context(config) {
  REQUIRE(context.context->usable);
  REQUIRE(dz_allocate(context, 64 * 8, &block) == DZ_OK);
  std::vector<int64_t> values(64);
  std::iota(values.begin(), values.end(), 0);
  REQUIRE(dz_write(context, block, 0, 64 * 8, values.data()) == DZ_OK);
}

int32_t Numbers::add(int64_t amount, int8_t more, int32_t shared_bytes, bool may_fail) {
  void* arguments[] = {&block->data, &amount, &more};
  return dz_launch(context, may_fail ? 0 : 3, 2, 32, shared_bytes, arguments, "f.fut:1:1", 0);
}

}  // namespace cuda_tests
