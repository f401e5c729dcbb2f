// Measuring a function that puts work on the default stream, and saying it as a line of JSON.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

inline void check(cudaError_t error) {
  if (error != cudaSuccess) {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
    std::exit(1);
  }
}

/// Memory of the device with bits in it that are small positive numbers as f32 and as integers.
template <typename T>
T* make(size_t count) {
  T* memory = nullptr;
  check(cudaMalloc(&memory, count * sizeof(T)));
  check(cudaMemset(memory, 0x3c, count * sizeof(T)));
  return memory;
}

/// The least time of several calls after two that warm up.
template <typename Function>
void show(const std::string& name, const Function& function) {
  cudaEvent_t start, stop;
  check(cudaEventCreate(&start));
  check(cudaEventCreate(&stop));
  float least = 1e30F;
  for (int i = 0; i < 12; ++i) {
    check(cudaEventRecord(start));
    function();
    check(cudaEventRecord(stop));
    check(cudaEventSynchronize(stop));
    check(cudaGetLastError());
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start, stop));
    least = i < 2 ? least : std::min(least, milliseconds);
  }
  std::printf("{\"name\": \"%s\", \"microseconds\": %.3f}\n", name.c_str(), 1000 * least);
  std::fflush(stdout);
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
}
