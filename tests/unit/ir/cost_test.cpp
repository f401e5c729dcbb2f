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

TEST_CASE("only a divisor of zero leaves an operation without a value") {
  const Constant seven = make_i64(7);
  for (const ScalarOp op : all) {
    const bool binary = arity_of(op) == 2 && result_kind_of(op) == ResultKind::same;
    if (!binary || operands_of(op) != Operands::integers) continue;
    CAPTURE(name_of(op));
    for (const std::int64_t second : {0, 1, -1, 3}) {
      const Constant arguments[] = {seven, make_i64(second)};
      const auto value = evaluate(op, ScalarType::i64, ScalarType::i64, arguments);
      CHECK(value.has_value() == !(may_trap(op) && second == 0));
    }
  }
  const Constant arguments[] = {seven, make_i64(-1)};
  CHECK(is_partial(ScalarOp::ipow));
  CHECK(evaluate(ScalarOp::ipow, ScalarType::i64, ScalarType::i64, arguments).has_value());
}

TEST_CASE("domains, classes and costs of some rows") {
  CHECK(domain_of(ScalarOp::sdiv) == Domain::divisor);
  CHECK(domain_of(ScalarOp::ipow) == Domain::exponent);
  CHECK(domain_of(ScalarOp::fmod) == Domain::total);
  CHECK(cost_class(ScalarOp::fmod) == CostClass::division);
  CHECK(cost_class(ScalarOp::hypot) == CostClass::slow);
  CHECK(cost_of(ScalarOp::add) == 1);
  CHECK(cost_of(ScalarOp::sqrt) == 12);
  CHECK(cost_of(ScalarOp::exp) == 12);
  CHECK(cost_of(ScalarOp::fpow) == 20);
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
