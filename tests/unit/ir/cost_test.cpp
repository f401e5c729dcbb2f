// What operations cost, and classes of operations.
#include "ir/cost.h"

#include <doctest/doctest.h>

#include "ir/classify.h"

namespace dagaz::ir {
namespace {

constexpr ScalarOp all[] = {
#define DZ_SCALAR_OP(name, ...) ScalarOp::name,
#include "ir/scalar_ops.def"
#undef DZ_SCALAR_OP
};

TEST_CASE("what costs less is not dearer in another way of asking") {
  for (const ScalarOp op : all) {
    CAPTURE(name_of(op));
    CHECK(cost_of(op) >= cost_of(ScalarOp::add));
    if (is_cheap(op)) CHECK(is_light(op));
    if (is_light(op)) CHECK(!is_transcendental(op));
    if (is_cheap(op)) CHECK(!is_partial(op));
    if (is_cheap(op)) CHECK(cost_of(op) == cost_of(ScalarOp::add));
    if (is_transcendental(op)) CHECK(cost_of(op) > cost_of(ScalarOp::fdiv));
  }
}

TEST_CASE("operations that round, test or copy a sign are cheap; roots are slow, no exponentials") {
  for (const ScalarOp op : {ScalarOp::floor, ScalarOp::trunc, ScalarOp::isnan, ScalarOp::copysign,
                            ScalarOp::fma, ScalarOp::select}) {
    CAPTURE(name_of(op));
    CHECK(is_cheap(op));
  }
  for (const ScalarOp op : {ScalarOp::sqrt, ScalarOp::hypot, ScalarOp::ipow}) {
    CAPTURE(name_of(op));
    CHECK(!is_light(op));
    CHECK(!is_transcendental(op));
  }
  CHECK(is_transcendental(ScalarOp::exp));
  CHECK(is_transcendental(ScalarOp::fpow));
}

TEST_CASE("operations that have no result for some operands") {
  for (const ScalarOp op : {ScalarOp::sdiv, ScalarOp::urem, ScalarOp::smod_floor, ScalarOp::ipow}) {
    CHECK(is_partial(op));
  }
  CHECK(!is_partial(ScalarOp::fdiv));
  CHECK(!is_partial(ScalarOp::shl));
}

TEST_CASE("views take no memory, and what counts or repeats is computed where it is read") {
  Names names;
  const NameId array = names.fresh("a", array_of(ScalarType::f32, {i64_operand(8)}));
  const auto statement = [&](Operation operation) {
    return Statement{{{names.fresh("r", names.type(array))}}, std::move(operation), {}, {}};
  };
  CHECK(!allocates(statement(Permute{array, {0}}), names));
  CHECK(is_view(Permute{array, {0}}));
  CHECK(allocates(statement(Copy{array}), names));
  CHECK(!is_view(Copy{array}));
}

}  // namespace
}  // namespace dagaz::ir
