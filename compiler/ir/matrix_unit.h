// Instructions of a GPU in which the threads of a warp multiply small matrices together (PTX ISA,
// "Warp level matrix multiply-accumulate instructions": mma.m16n8k16, m16n8k8 and m8n8k4), and
// which elements of these a thread has.
//
// Of the thread of lane l, with g = l / 4 and t = l mod 4, in the order of its registers:
//
//             rows, by elements               elements, by points             sums
//   f16   r:  row g + 8·(r mod 2),        r:  point g,                    s:  row g + 8·(s / 2),
//             elements 2·t + 8·(r / 2)        elements 2·t + 8·r              point 2·t + s mod 2
//             and the next one                and the next one
//   tf32  r:  row g + 8·(r mod 2),        r:  point g,                    s:  the same
//             element t + 4·(r / 2)           element t + 4·r
//   f64       row g, element t                point g, element t          s:  row g,
//                                                                             point 2·t + s
#pragma once

#include <cstdint>

#include "ir/scalar.h"

namespace dagaz::ir {

/// By what factors they take.  Sums of f64 are f64.  Others are f32, of products that are exact: in
/// which order they are added, and how sums between are rounded, is not specified.
enum class MatrixUnit : std::uint8_t {
  none,
  f16,
  tf32,  // f32, of which it sees 11 bits
  f64
};

struct MatrixShape {
  int rows;      // of the left matrix
  int elements;  // of a sum
  int points;    // columns of the right one
};
constexpr MatrixShape shape_of(MatrixUnit unit) {
  switch (unit) {
    case MatrixUnit::none: break;
    case MatrixUnit::f16: return {16, 16, 8};
    case MatrixUnit::tf32: return {16, 8, 8};
    case MatrixUnit::f64: return {8, 4, 8};
  }
  return {1, 1, 1};
}

constexpr ScalarType factor_type(MatrixUnit unit) {
  if (unit == MatrixUnit::f64) return ScalarType::f64;
  return unit == MatrixUnit::f16 ? ScalarType::f16 : ScalarType::f32;
}
constexpr ScalarType sum_type(MatrixUnit unit) {
  return unit == MatrixUnit::f64 ? ScalarType::f64 : ScalarType::f32;
}

}  // namespace dagaz::ir
