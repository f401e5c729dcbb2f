#include "ir/cost.h"

namespace dagaz::ir {

namespace {

struct CostRow {
  CostClass of;
  std::int64_t cost;
};

constexpr CostRow cost_rows[] = {
#define DZ_SCALAR_OP(name, arity, operands, result, domain, of, cost) {CostClass::of, cost},
#include "ir/scalar_ops.def"
#undef DZ_SCALAR_OP
};

const CostRow& row(ScalarOp op) { return cost_rows[static_cast<std::size_t>(op)]; }

}  // namespace

CostClass cost_class(ScalarOp op) { return row(op).of; }
std::int64_t cost_of(ScalarOp op) { return row(op).cost; }

bool is_light(ScalarOp op) {
  const CostClass of = cost_class(op);
  return of == CostClass::simple || of == CostClass::division;
}

}  // namespace dagaz::ir
