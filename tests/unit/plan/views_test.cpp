// Views as arithmetic on strides: the elements are where their numbers say.
#include "plan/views.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "ir/program.h"

namespace dagaz::plan {
namespace {

using Numbers = std::vector<std::int64_t>;

std::vector<ir::Operand> sizes(const Numbers& shape) {
  std::vector<ir::Operand> operands;
  for (const std::int64_t size : shape) operands.push_back(ir::i64_operand(size));
  return operands;
}

/// Where element number `flat` of an array of this shape lies.
std::int64_t address(std::int64_t flat, const Numbers& shape, const Numbers& strides) {
  std::int64_t at = 0;
  for (std::size_t k = shape.size(); k-- > 0;) {
    at += flat % shape[k] * strides[k];
    flat /= shape[k];
  }
  return at;
}

std::optional<Numbers> reshaped(const Numbers& strides, const Numbers& from, const Numbers& to) {
  const auto times = [](std::int64_t stride, const ir::Operand& size) {
    return stride * ir::integer_value(size.constant());
  };
  return reshaped_strides(strides, sizes(from), sizes(to), std::int64_t{1}, times);
}

TEST_CASE("a reshape that is a view keeps each element where it is") {
  struct Case {
    Numbers strides, from, to;
  };
  for (const Case& one : {Case{{1, 5}, {5, 4}, {5, 1, 4}}, Case{{1, 5, 7}, {5, 1, 4}, {5, 4}},
                          Case{{1, 6}, {6, 4}, {2, 3, 4}}, Case{{2, 20}, {3, 8}, {3, 2, 2, 2}}}) {
    const auto strides = reshaped(one.strides, one.from, one.to);
    REQUIRE(strides.has_value());
    std::int64_t count = 1;
    for (const std::int64_t size : one.from) count *= size;
    for (std::int64_t k = 0; k < count; ++k) {
      CHECK(address(k, one.to, *strides) == address(k, one.from, one.strides));
    }
  }
}

TEST_CASE("a reshape that joins dimensions which lie apart is no view") {
  CHECK_FALSE(reshaped({1, 5}, {5, 4}, {20}));
  CHECK_FALSE(reshaped({1, 6}, {6, 4}, {4, 6}));
}

TEST_CASE("a slice keeps the order where only the outermost dimension is cut") {
  const auto range = [](std::int64_t start, std::int64_t count, std::int64_t stride = 1) {
    return ir::SliceDimension{false, ir::i64_operand(start), ir::i64_operand(count),
                              ir::i64_operand(stride)};
  };
  const ir::SliceDimension fixed{true, ir::i64_operand(2), ir::i64_operand(1), ir::i64_operand(1)};
  const std::vector<ir::Operand> shape = sizes({6, 8});
  CHECK(keeps_order({range(1, 3), range(0, 8)}, shape));
  CHECK(keeps_order({fixed, range(1, 3)}, shape));
  CHECK_FALSE(keeps_order({range(0, 6), range(0, 4)}, shape));
  CHECK_FALSE(keeps_order({range(0, 3, 2), range(0, 8)}, shape));
  CHECK_FALSE(keeps_order({range(0, 6), fixed}, shape));
}

}  // namespace
}  // namespace dagaz::plan
