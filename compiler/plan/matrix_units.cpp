#include "plan/matrix_units.h"

#include <algorithm>

#include "ir/kernel_threads.h"
#include "plan/operators.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::MatrixUnit;
using ir::NameId;
using ir::Operand;
using ir::ScalarOp;
using ir::ScalarType;

namespace {

constexpr int oldest_with_units = 80;  // that have them for all of these types

/// The scalar operation that makes `value`; null where none does.
const ir::Scalar* maker_of(const Operand& value, const ir::Body& body) {
  for (const ir::Statement& one : body.statements) {
    const auto* scalar = as<ir::Scalar>(one.operation);
    if (scalar != nullptr && Operand(one.results[0].name) == value) return scalar;
  }
  return nullptr;
}

bool adds(const std::vector<ir::ReduceOperator>& operators) {
  if (operators.size() != 1 || !is_simple(operators[0].op)) return false;
  const ir::Body& body = innermost_lambda(operators[0].op).body;
  const auto* sum = as<ir::Scalar>(body.statements[0].operation);
  return sum->op == ScalarOp::add;
}

/// The f16 that `factor`, an f32, was.
std::optional<NameId> narrowed(NameId factor, const ir::Body& body) {
  const ir::Scalar* made = maker_of(factor, body);
  const bool widens = made != nullptr && made->op == ScalarOp::float_convert &&
                      made->type == ScalarType::f16 && made->arguments[0].is_name();
  return widens ? std::optional(made->arguments[0].name()) : std::nullopt;
}

}  // namespace

MatrixUnit matrix_unit(ir::Contraction& plan, const SumParts& parts, const Surroundings& around) {
  const bool has_pair = plan.of_rows.size() == 1 && plan.of_points.size() == 1 &&
                        plan.kept_rows.empty() && plan.kept_points.empty();
  if (around.target.gpu < oldest_with_units || !has_pair || !adds(*parts.operators)) {
    return MatrixUnit::none;
  }
  const ir::Scalar* product = maker_of(parts.elements.results[0], parts.elements);
  if (product == nullptr || product->op != ScalarOp::mul) return MatrixUnit::none;
  const std::vector<Operand> pair = {plan.of_rows[0], plan.of_points[0]};
  if (!std::is_permutation(pair.begin(), pair.end(), product->arguments.begin())) {
    return MatrixUnit::none;
  }
  switch (product->type) {
    case ScalarType::f16: return MatrixUnit::f16;
    case ScalarType::f64: return MatrixUnit::f64;
    case ScalarType::f32: break;
    default: return MatrixUnit::none;
  }
  const auto row = narrowed(plan.of_rows[0], parts.elements);
  const auto point = narrowed(plan.of_points[0], parts.elements);
  if (row && point) {
    plan.of_rows = {*row};
    plan.of_points = {*point};
    return MatrixUnit::f16;
  }
  return around.target.rounds_factors ? MatrixUnit::tf32 : MatrixUnit::none;
}

void choose_lines(ir::Contraction& plan) {
  // What a thread loads of the next chunk waits in registers, of which two blocks with large tiles
  // have no more left.
  constexpr int chunk_elements = 8;
  const auto bytes = static_cast<int>(ir::byte_size(ir::factor_type(plan.unit)));
  const auto gap = [&](ir::Packing packing) {
    const bool reads_lines = packing == ir::Packing::by_elements;
    const bool is_narrow = plan.unit == MatrixUnit::f16;
    const bool is_wide = plan.unit == MatrixUnit::f64;
    return (is_narrow || (reads_lines && !is_wide) ? 16 : 32) / bytes;
  };
  plan.depth = std::max(chunk_elements, ir::shape_of(plan.unit).elements);
  plan.row_gap = gap(plan.row_packing);
  plan.point_gap = gap(plan.point_packing);
}

bool has_whole_matrices(const ir::Contraction& plan) {
  constexpr int groups = 8;   // of the threads of a warp, along rows
  constexpr int threads = 4;  // of each, along points
  const ir::MatrixShape shape = ir::shape_of(plan.unit);
  return plan.block_rows * groups % shape.rows == 0 &&
         plan.columns * plan.width * threads % shape.points == 0 &&
         plan.depth % shape.elements == 0 && plan.most_rows % groups == 0 &&
         plan.most_points % threads == 0;
}

std::int64_t staged_bytes(const ir::Contraction& plan, std::int64_t row_bytes,
                          std::int64_t point_bytes) {
  const bool has_matrices = plan.unit != MatrixUnit::none;
  const auto elements = [&](std::int64_t width, ir::Packing packing, std::int64_t gap) {
    const bool in_lines = has_matrices && packing == ir::Packing::by_elements;
    return in_lines ? width * (plan.depth + gap) : plan.depth * (width + gap);
  };
  const std::int64_t rows = std::int64_t{plan.most_rows} * plan.block_rows;
  const std::int64_t points = std::int64_t{plan.most_points} * plan.columns * plan.width;
  return plan.stages *
         (elements(rows, plan.row_packing, has_matrices ? plan.row_gap : widest_row_gap) *
              row_bytes +
          elements(points, plan.point_packing, has_matrices ? plan.point_gap : widest_point_gap) *
              point_bytes);
}

}  // namespace dagaz::plan
