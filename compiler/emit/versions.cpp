#include "emit/versions.h"

#include "emit/gpu/kernels.h"
#include "emit/memory/host_scope.h"

namespace dagaz::emit {

Operand resident_threads(Context& c) {
  const NameId threads = c.variable("resident", ScalarType::i64);
  c.emit(DeviceProperty{threads, Property::resident_threads});
  return threads;
}

static Operand value_of_product(Context& c, const ir::Product& wanted) {
  Operand value = ir::i64_operand(wanted.factor);
  for (const Operand& size : wanted.sizes) value = c.mul(value, size);
  if (wanted.resident) value = c.mul(value, resident_threads(c));
  return wanted.block_bytes ? c.mul(value, block_bytes(c)) : value;
}

Operand sum_of(Context& c, const std::vector<ir::Product>& terms) {
  Operand sum = ir::i64_operand(0);
  for (const ir::Product& term : terms) sum = c.add(sum, value_of_product(c, term));
  return sum;
}

Operand grain_for(Context& c, const Operand& cost) {
  return c.maximum(ir::i64_operand(1), c.divide_up(ir::i64_operand(c.settings.task),
                                                   c.maximum(cost, ir::i64_operand(1))));
}

// What a guard compares with its size.  An empty dimension does not make room for others, in which
// a loop that does not run would have read.
static Operand least_of(Context& c, const ir::Guard& guard) {
  ir::Product least = guard.least;
  if (guard.size.is_number() && least.sizes.size() > 1) {
    for (Operand& size : least.sizes) size = c.maximum(size, ir::i64_operand(1));
  }
  return value_of_product(c, least);
}

static Operand holds(Context& c, const std::vector<ir::Guard>& guards) {
  Operand all = ir::Constant(ir::make_bool(true));
  for (const ir::Guard& guard : guards) {
    const Operand size = value_of_product(c, guard.size);
    const Operand enough =
        guard.least.is_number()
            ? c.less(ir::i64_operand(guard.least.factor - 1), size)
            : c.scalar(ScalarOp::sle, ScalarType::i64, {least_of(c, guard), size});
    all = all.is_constant() ? enough : c.both(all, enough);
  }
  return all;
}

void run_versions(Context& c, const ir::Schedule& schedule,
                  const std::function<void(const ir::Strategy&)>& run) {
  const std::function<void(std::size_t)> take = [&](std::size_t k) {
    DZ_CHECK(k < schedule.versions.size(), "a schedule without a last version");
    const ir::Version& version = schedule.versions[k];
    if (version.when.empty()) {
      run(version.strategy);
      return;
    }
    Operand any = holds(c, version.when);
    for (; schedule.versions[k + 1].strategy == version.strategy; ++k) {
      const Operand other = holds(c, schedule.versions[k + 1].when);
      any = c.scalar(ScalarOp::bit_or, ScalarType::boolean, {any, other});
    }
    const auto yes = [&] { run(version.strategy); };
    const auto no = [&] { take(k + 1); };
    if (c.mode == Mode::host) {
      host_branch(c, any, yes, no);
    } else {
      c.branch(any, yes, no);
    }
  };
  take(0);
}

Operand cost_of(Context& c, const ir::Schedule& schedule) {
  const Operand operations = sum_of(c, schedule.operations);
  if (schedule.lanes == 0) return operations;
  // Memory is no faster in vectors.
  return c.maximum(c.divide(operations, ir::i64_operand(schedule.lanes)), ir::i64_operand(1));
}

}  // namespace dagaz::emit
