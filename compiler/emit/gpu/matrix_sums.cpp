#include "emit/gpu/matrix_sums.h"

#include <algorithm>

#include "emit/gpu/block.h"

namespace dagaz::emit {

namespace {

constexpr std::int64_t groups = 8;         // of a warp's threads, along rows
constexpr std::int64_t group_threads = 4;  // along points
constexpr std::int64_t loaded_side = 8;    // of what load_matrices loads
constexpr std::int64_t own_points = 2;     // of a thread, in a matrix

}  // namespace

MatrixSums::MatrixSums(Context& c, const ir::Contraction& plan)
    : Emitter(c),
      c_(c),
      plan_(plan),
      shape_(ir::shape_of(plan.unit)),
      in_lines_(plan.unit == ir::MatrixUnit::f16) {
  rows_.by_elements = plan.row_packing == ir::Packing::by_elements;
  rows_.own = groups * plan.block_rows;
  points_.by_elements = plan.point_packing == ir::Packing::by_elements;
  points_.own = group_threads * plan.columns * plan.width;
}

// Warps lie side by side along points, and one below the other where there is no more room.
void MatrixSums::go_to(TileSides& sides) {
  const Lane here = this_lane(c_);
  const Operand warps = ir::i64_operand(plan_.most_points / group_threads);
  const Operand warp_row = divide(here.warp, warps);
  const Operand warp_point = remainder(here.warp, warps);
  const Operand group = divide(here.lane, ir::i64_operand(group_threads));
  const Operand thread = remainder(here.lane, ir::i64_operand(group_threads));
  sides.rows().thread = add(mul(warp_row, ir::i64_operand(groups)), group);
  thread_point_ = add(mul(warp_point, ir::i64_operand(group_threads)), thread);
  sides.points().thread = thread_point_;
  type_ = sides.parts().operators->front().op.result_types[0];
  rows_.staged = sides.rows().staged[0];
  points_.staged = sides.points().staged[0];
  const Operand first_row = mul(warp_row, ir::i64_operand(rows_.own));
  const Operand first_point = mul(warp_point, ir::i64_operand(points_.own));
  if (in_lines_) {
    find_lines(here.lane, first_row, first_point);
  } else {
    rows_.first = first_of(rows_, thread, add(first_row, group));
    points_.first = first_of(points_, thread, add(first_point, group));
  }
}

void MatrixSums::start() {
  const auto along_rows = static_cast<std::size_t>(rows_.own / shape_.rows);
  const auto along_points = static_cast<std::size_t>(points_.own / shape_.points);
  const ScalarType type = ir::sum_type(plan_.unit);
  sums_.assign(along_rows, std::vector<std::vector<NameId>>(along_points));
  for (auto& row : sums_) {
    for (std::vector<NameId>& matrix : row) {
      for (int s = 0; s < shape_.rows * shape_.points / warp_threads; ++s) {
        matrix.push_back(mutable_variable("sum", type, ir::make_float(type, 0)));
      }
    }
  }
}

// Thread 8·m + r says where row r of the m-th matrix begins that its warp loads.  Of four, these
// are the upper and the lower rows for the first elements and then for the others, and for points
// the first and the other elements, of a matrix and then of the next one.
void MatrixSums::find_lines(const Operand& lane, const Operand& first_row,
                            const Operand& first_point) {
  const Operand matrix = divide(lane, ir::i64_operand(loaded_side));
  const Operand row = remainder(lane, ir::i64_operand(loaded_side));
  const Operand two = ir::i64_operand(2);
  const auto part = [&](const Operand& number) {
    return mul(number, ir::i64_operand(loaded_side));
  };
  const Operand inner = part(remainder(matrix, two));
  const Operand outer = part(divide(matrix, two));
  const auto first = [&](const Factors& factors, const Operand& element, const Operand& own) {
    return factors.by_elements ? first_of(factors, element, add(own, row))
                               : first_of(factors, add(element, row), own);
  };
  rows_.first = first(rows_, outer, add(first_row, inner));
  points_.first = first(points_, inner, add(first_point, outer));
}

Operand MatrixSums::first_of(const Factors& factors, const Operand& element, const Operand& own) {
  const Operand zero = ir::i64_operand(0);
  return element_at(*this, factors.staged, {zero, element, own, zero});
}

Operand MatrixSums::further(const Factors& factors, const Operand& start, std::int64_t elements,
                            std::int64_t own) {
  const Operand distance = add(mul(ir::i64_operand(elements), factors.staged.strides[1]),
                               mul(ir::i64_operand(own), factors.staged.strides[2]));
  return add(start, distance);
}

// Chunks are whole: elements after the end are zeros of both sides.
void MatrixSums::add_chunk(const Operand& chunk, const Operand& half, Reach reach) {
  if (reach == Reach::inside) {
    multiply(half);
    return;
  }
  branch(less(ir::i64_operand(-1), chunk), [&] { multiply(half); });
}

void MatrixSums::multiply(const Operand& half) {
  const Operand rows = add(mul(half, rows_.staged.strides[0]), rows_.first);
  const Operand points = add(mul(half, points_.staged.strides[0]), points_.first);
  for (std::int64_t element = 0; element < plan_.depth; element += shape_.elements) {
    const std::vector<Registers> of_rows =
        in_lines_ ? lines_of_rows(rows, element) : each_of_rows(rows, element);
    const std::vector<Registers> of_points =
        in_lines_ ? lines_of_points(points, element) : each_of_points(points, element);
    for (std::size_t r = 0; r < of_rows.size(); ++r) {
      for (std::size_t p = 0; p < of_points.size(); ++p) {
        const std::vector<NameId>& sums = sums_[r][p];
        emit(MultiplyMatrices{{sums.begin(), sums.end()},
                              plan_.unit,
                              of_rows[r],
                              of_points[p],
                              {sums.begin(), sums.end()}});
      }
    }
  }
}

MatrixSums::Registers MatrixSums::load_lines(const Factors& factors, const Operand& index,
                                             int count) {
  std::vector<NameId> loaded;
  for (int m = 0; m < count; ++m) loaded.push_back(variable("factors", ScalarType::i32));
  emit(LoadMatrices{
      {loaded.begin(), loaded.end()}, factors.staged.block, index, !factors.by_elements});
  return {loaded.begin(), loaded.end()};
}

std::vector<MatrixSums::Registers> MatrixSums::lines_of_rows(const Operand& start,
                                                             std::int64_t element) {
  std::vector<Registers> all;
  for (std::int64_t row = 0; row < rows_.own; row += shape_.rows) {
    all.push_back(load_lines(rows_, further(rows_, start, element, row), 4));
  }
  return all;
}

// Two matrices at a time, while there are two.
std::vector<MatrixSums::Registers> MatrixSums::lines_of_points(const Operand& start,
                                                               std::int64_t element) {
  std::vector<Registers> all;
  for (std::int64_t point = 0; point < points_.own; point += 2 * shape_.points) {
    const bool is_pair = point + shape_.points < points_.own;
    const Registers loaded =
        load_lines(points_, further(points_, start, element, point), is_pair ? 4 : 2);
    all.push_back({loaded[0], loaded[1]});
    if (is_pair) all.push_back({loaded[2], loaded[3]});
  }
  return all;
}

Operand MatrixSums::load_one(const Factors& factors, const Operand& index) {
  const ScalarType type = ir::factor_type(plan_.unit);
  const NameId loaded = variable("factor", type);
  emit(Load{loaded, factors.staged.block, index, type, Space::shared});
  return loaded;
}

std::vector<MatrixSums::Registers> MatrixSums::each_of_rows(const Operand& start,
                                                            std::int64_t element) {
  std::vector<Registers> all;
  for (std::int64_t row = 0; row < rows_.own; row += shape_.rows) {
    all.emplace_back();
    for (std::int64_t k = 0; k < shape_.elements; k += group_threads) {
      for (std::int64_t r = 0; r < shape_.rows; r += groups) {
        all.back().push_back(load_one(rows_, further(rows_, start, element + k, row + r)));
      }
    }
  }
  return all;
}

std::vector<MatrixSums::Registers> MatrixSums::each_of_points(const Operand& start,
                                                              std::int64_t element) {
  std::vector<Registers> all;
  for (std::int64_t point = 0; point < points_.own; point += shape_.points) {
    all.emplace_back();
    for (std::int64_t k = 0; k < shape_.elements; k += group_threads) {
      all.back().push_back(load_one(points_, further(points_, start, element + k, point)));
    }
  }
  return all;
}

std::vector<Value> MatrixSums::sums(std::int64_t row, std::int64_t point) {
  const std::int64_t own_rows = shape_.rows / groups;
  const auto number = [](std::int64_t value) { return static_cast<std::size_t>(value); };
  const std::vector<NameId>& matrix = sums_[number(row / own_rows)][number(point / own_points)];
  const NameId sum = matrix[number(row % own_rows * own_points + point % own_points)];
  if (type_.element == ir::sum_type(plan_.unit)) return {{sum, type_, std::nullopt}};
  const NameId rounded = variable("rounded", type_.element);
  emit(Assign{rounded, ScalarOp::float_convert, ir::sum_type(plan_.unit), type_.element, {sum}});
  return {{rounded, type_, std::nullopt}};
}

Operand MatrixSums::row_of(const Operand& thread, const Operand& own) {
  const Operand group = remainder(thread, ir::i64_operand(groups));
  const Operand warp = divide(thread, ir::i64_operand(groups));
  return add(add(mul(warp, ir::i64_operand(rows_.own)), mul(own, ir::i64_operand(groups))), group);
}

Operand MatrixSums::place_of_point(std::int64_t own) {
  const Operand threads = ir::i64_operand(group_threads);
  const Operand warp = mul(divide(thread_point_, threads), ir::i64_operand(points_.own));
  const Operand in_matrix = mul(remainder(thread_point_, threads), ir::i64_operand(own_points));
  const std::int64_t matrix = own / own_points * shape_.points;
  return add(add(warp, in_matrix), ir::i64_operand(matrix + own % own_points));
}

}  // namespace dagaz::emit
