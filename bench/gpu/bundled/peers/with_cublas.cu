// The cases of timing.py that cuBLAS has, in f32 without tf32.  usage: with_cublas full|small
#include <cublas_v2.h>

#include "timing.cuh"

static void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    std::fprintf(stderr, "cuBLAS: status %d\n", static_cast<int>(status));
    std::exit(1);
  }
}

int main(int, char** arguments) {
  const bool small = std::string(arguments[1]) == "small";
  const int side = small ? 32 : 4096;
  const int part = side / 8;
  const int count = small ? 3 : 64;
  cublasHandle_t handle = nullptr;
  check(cublasCreate(&handle));
  check(cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH));
  const size_t elements = size_t{1} * side * side;
  const auto* a = make<float>(elements);
  const auto* b = make<float>(elements);
  auto* c = make<float>(elements);
  const float one = 1;
  const float zero = 0;
  const auto product = [&](cublasOperation_t left, cublasOperation_t right) {
    check(cublasSgemm(handle, left, right, side, side, side, &one, a, side, b, side, &zero, c, side));
  };
  show("product", [&] { product(CUBLAS_OP_N, CUBLAS_OP_N); });
  // Both products of the gradient.
  show("product, gradient", [&] {
    product(CUBLAS_OP_N, CUBLAS_OP_T);
    product(CUBLAS_OP_T, CUBLAS_OP_N);
  });
  const long long step = 1LL * part * part;
  show("batch of products", [&] {
    check(cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, part, part, part, &one, a, part,
                                    step, b, part, step, &zero, c, part, step, count));
  });
  // A transposition by a library that knows how.
  const int rows = small ? 64 : 16384;
  const int columns = small ? 48 : 16000;
  const auto* wide = make<float>(size_t{1} * rows * columns);
  auto* turned = make<float>(size_t{1} * rows * columns);
  show("transposition", [&] {
    check(cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, rows, columns, &one, wide, columns, &zero,
                      turned, rows, turned, rows));
  });
}
