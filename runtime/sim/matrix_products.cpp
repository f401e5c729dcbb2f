// The parts are gathered to whole matrices, multiplied as such, and given back.
#include "sim/matrix_products.h"

#include <cstddef>
#include <cstring>

#include "half.h"

namespace dagaz::runtime::sim {

namespace {

struct Place {
  int row;
  int column;
};

/// Where elements are that a thread has `group` = g and `thread` = t.
struct HalfMatrices {
  using Stored = uint16_t;
  using Sum = float;
  static constexpr int rows = 16;
  static constexpr int depth = 16;
  static Place of_a(int g, int t, int i) {
    return {g + 8 * (i / 2 % 2), 2 * t + i % 2 + 8 * (i / 4)};
  }
  static Place of_b(int g, int t, int i) { return {2 * t + i % 2 + 8 * (i / 2), g}; }
  static Sum factor(Stored bits) { return half_to_float(bits); }
};

struct RoundedMatrices {
  using Stored = uint32_t;
  using Sum = float;
  static constexpr int rows = 16;
  static constexpr int depth = 8;
  static Place of_a(int g, int t, int i) { return {g + 8 * (i % 2), t + 4 * (i / 2)}; }
  static Place of_b(int g, int t, int i) { return {t + 4 * i, g}; }
  static Sum factor(Stored bits) {
    constexpr uint32_t seen = ~uint32_t{0} << 13;
    const uint32_t kept = bits & seen;
    Sum value = 0;
    std::memcpy(&value, &kept, sizeof(value));
    return value;
  }
};

struct DoubleMatrices {
  using Stored = double;
  using Sum = double;
  static constexpr int rows = 8;
  static constexpr int depth = 4;
  static Place of_a(int g, int t, int) { return {g, t}; }
  static Place of_b(int g, int t, int) { return {t, g}; }
  static Sum factor(Stored value) { return value; }
};

constexpr int warp_lanes = 32;
constexpr int group_lanes = 4;
constexpr int columns = 8;

Place place_of_sum(int g, int t, int i) { return {g + 8 * (i / 2), 2 * t + i % 2}; }

template <typename T>
T element(const void* part, int number) {
  T value;
  std::memcpy(&value, static_cast<const char*>(part) + static_cast<size_t>(number) * sizeof(T),
              sizeof(T));
  return value;
}

template <typename Matrices>
void multiply(const std::array<MatrixParts, warp_lanes>& warp) {
  using Stored = typename Matrices::Stored;
  using Sum = typename Matrices::Sum;
  Sum a[Matrices::rows][Matrices::depth];
  Sum b[Matrices::depth][columns];
  for (int lane = 0; lane < warp_lanes; ++lane) {
    const MatrixParts& parts = warp[static_cast<size_t>(lane)];
    const int g = lane / group_lanes;
    const int t = lane % group_lanes;
    for (int i = 0; i < Matrices::rows * Matrices::depth / warp_lanes; ++i) {
      const Place at = Matrices::of_a(g, t, i);
      a[at.row][at.column] = Matrices::factor(element<Stored>(parts.rows, i));
    }
    for (int i = 0; i < Matrices::depth * columns / warp_lanes; ++i) {
      const Place at = Matrices::of_b(g, t, i);
      b[at.row][at.column] = Matrices::factor(element<Stored>(parts.points, i));
    }
  }
  for (int lane = 0; lane < warp_lanes; ++lane) {
    void* const sums = warp[static_cast<size_t>(lane)].sums;
    for (int i = 0; i < Matrices::rows * columns / warp_lanes; ++i) {
      const Place at = place_of_sum(lane / group_lanes, lane % group_lanes, i);
      auto sum = element<Sum>(sums, i);
      for (int k = 0; k < Matrices::depth; ++k) sum += a[at.row][k] * b[k][at.column];
      std::memcpy(static_cast<char*>(sums) + static_cast<size_t>(i) * sizeof(Sum), &sum,
                  sizeof(Sum));
    }
  }
}

}  // namespace

void multiply_matrices(MatrixUnit unit, const std::array<MatrixParts, 32>& warp) {
  switch (unit) {
    case MatrixUnit::f16: multiply<HalfMatrices>(warp); return;
    case MatrixUnit::tf32: multiply<RoundedMatrices>(warp); return;
    case MatrixUnit::f64: multiply<DoubleMatrices>(warp); return;
  }
}

}  // namespace dagaz::runtime::sim
