// The cases of timing.py that CUB has.  usage: with_cub full|small
#include <cub/cub.cuh>

#include "timing.cuh"

/// Calls a function of CUB with memory of the size that it asks for.
template <typename Function>
void with_scratch(const std::string& name, const Function& function) {
  size_t bytes = 0;
  check(function(nullptr, bytes));
  void* scratch = nullptr;
  check(cudaMalloc(&scratch, bytes));
  show(name, [&] { check(function(scratch, bytes)); });
  cudaFree(scratch);
}

struct AboveHalf {
  __host__ __device__ bool operator()(float x) const { return x > 0.5F; }
};

__global__ void fill(float* xs, int* keys, size_t count, int bins) {
  for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < count;
       i += size_t{blockDim.x} * gridDim.x) {
    unsigned x = static_cast<unsigned>(i) * 0x9e3779b9U + 1;
    x = (x ^ (x >> 16)) * 0x85ebca6bU;
    x ^= x >> 13;
    xs[i] = static_cast<float>(x >> 8) / 16777216;
    keys[i] = static_cast<int>(bins > 0 ? x % static_cast<unsigned>(bins) : x >> 1);
  }
}

static void over_memory(size_t n) {
  auto* in = make<float>(n);
  auto* keys = make<int>(n);
  auto* out = make<float>(n);
  auto* count = make<size_t>(1);
  fill<<<1024, 256>>>(in, keys, n, 0);
  show("copy", [&] { check(cudaMemcpyAsync(out, in, n * 4, cudaMemcpyDeviceToDevice)); });
  const auto size = static_cast<int64_t>(n);
  with_scratch("sum", [&](void* s, size_t& b) { return cub::DeviceReduce::Sum(s, b, in, out, size); });
  with_scratch("scan", [&](void* s, size_t& b) {
    return cub::DeviceScan::InclusiveSum(s, b, in, out, size);
  });
  with_scratch("filter", [&](void* s, size_t& b) {
    return cub::DeviceSelect::If(s, b, in, out, count, size, AboveHalf{});
  });
  with_scratch("partition", [&](void* s, size_t& b) {
    return cub::DevicePartition::If(s, b, in, out, count, size, AboveHalf{});
  });
  cudaFree(in), cudaFree(keys), cudaFree(out), cudaFree(count);
}

static void over_keys(size_t n, bool small) {
  auto* xs = make<float>(n);
  auto* sorted = make<float>(n);
  auto* keys = make<int>(n);
  auto* ordered = make<int>(n);
  const auto size = static_cast<int64_t>(n);
  fill<<<1024, 256>>>(xs, keys, n, 0);
  with_scratch("sort i32", [&](void* s, size_t& b) {
    return cub::DeviceRadixSort::SortKeys(s, b, keys, ordered, size);
  });
  with_scratch("sort f32", [&](void* s, size_t& b) {
    return cub::DeviceRadixSort::SortKeys(s, b, xs, sorted, size);
  });
  for (const int bins : {16, 1000, small ? 2000 : 1000000}) {
    fill<<<1024, 256>>>(xs, keys, n, bins);
    with_scratch("counts, " + std::to_string(bins) + " bins", [&](void* s, size_t& b) {
      return cub::DeviceHistogram::HistogramEven(s, b, keys, ordered, bins + 1, 0, bins,
                                                 static_cast<int>(n));
    });
  }
}

int main(int, char** arguments) {
  const bool small = std::string(arguments[1]) == "small";
  over_memory(small ? size_t{1} << 12 : size_t{1} << 28);
  over_keys(small ? size_t{1} << 12 : size_t{1} << 26, small);
}
