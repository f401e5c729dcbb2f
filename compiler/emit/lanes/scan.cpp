// plan/lane_scans.h says how lanes are combined.
#include "emit/lanes/scan.h"

#include <cmath>
#include <functional>
#include <optional>

#include "emit/lanes/arrays.h"
#include "emit/lanes/lanes.h"
#include "emit/lanes/statements.h"
#include "emit/lanes/values.h"
#include "emit/statements.h"
#include "emit/thread/loops.h"

namespace dagaz::emit {

static LaneScalar shifted(Lanes& l, const LaneScalar& value, int by, const Operand& first) {
  const Operand lanes = with_lanes(l, piece_of(l, value, 0, 0), value.type);
  return make_pieces(l, value.type, false, true, [&](std::int64_t, std::int64_t) {
    const NameId target = lane_variable(l, "shifted", value.type);
    l.c.emit(ShiftLanes{target, lanes, by, first, value.type});
    return target;
  });
}

// The least or greatest of floats, where a number is neutral.  A number wins over what is none, so
// running values are numbers, and so are elements that were combined with it first: of two of these
// one comparison says which.
static std::optional<ScalarOp> extremum_of(const ir::ScanOperator& scan) {
  const bool is_float = ir::is_float(scan.op.result_types.front().element);
  if (scan.neutral.size() > 1 || !is_float || !is_simple(scan.op)) return std::nullopt;
  const auto* only = as<ir::Scalar>(scan.op.body.statements.front().operation);
  const Operand& neutral = scan.neutral.front();
  const bool is_number = neutral.is_constant() && !std::isnan(ir::float_value(neutral.constant()));
  const bool is_extremum = only->op == ScalarOp::fmin || only->op == ScalarOp::fmax;
  return is_number && is_extremum ? std::optional(only->op) : std::nullopt;
}

static std::vector<LaneScalar> numbers(Lanes& l, const ir::ScanOperator& scan,
                                       std::vector<LaneScalar> values) {
  if (const auto extremum = extremum_of(scan)) {
    const LaneScalar neutral = uniform(l, scan.neutral.front());
    const ScalarType type = values.front().type;
    values.front() = apply(l, *extremum, type, type, {values.front(), neutral});
  }
  return values;
}

static std::vector<LaneScalar> combined(Lanes& l, const ir::ScanOperator& scan,
                                        const std::vector<LaneScalar>& before,
                                        const std::vector<LaneScalar>& values) {
  if (const auto extremum = extremum_of(scan)) {
    const LaneScalar& a = before.front();
    const LaneScalar& b = values.front();
    const bool is_least = *extremum == ScalarOp::fmin;
    const LaneScalar first =
        apply(l, ScalarOp::flt, b.type, ScalarType::boolean, {is_least ? a : b, is_least ? b : a});
    return {apply(l, ScalarOp::select, b.type, b.type, {first, a, b})};
  }
  const ir::Lambda fresh = copy_of(l.c, scan.op);
  std::vector<LaneResult> arguments;
  for (const LaneScalar& one : before) arguments.push_back({one, std::nullopt});
  for (const LaneScalar& one : values) arguments.push_back({one, std::nullopt});
  std::vector<LaneScalar> results;
  for (const LaneResult& one : emit_lambda(l, fresh, arguments, {})) {
    results.push_back(*one.scalar);
  }
  return results;
}

// What lanes take that have none so far before them: the neutral element.  A sum of reals takes -0,
// which changes not even a zero's sign, and which LLVM does not shift in by an instruction for
// zeros (vexpandpd), slow on some processors.
static Operand nothing_before(const ir::ScanOperator& scan, std::size_t k) {
  const Operand& neutral = scan.neutral[k];
  const ScalarType type = scan.op.result_types[k].element;
  if (!is_simple(scan.op) || !ir::is_float(type)) return neutral;
  const auto& sum = std::get<ir::Scalar>(scan.op.body.statements.front().operation);
  const bool is_zero = neutral == Operand(ir::make_float(type, 0));
  return sum.op == ScalarOp::add && is_zero ? Operand(ir::make_float(type, -0.0)) : neutral;
}

// Each lane's value with those of all lanes before it.
static std::vector<LaneScalar> prefixes(Lanes& l, const ir::ScanOperator& scan,
                                        std::vector<LaneScalar> values) {
  values = numbers(l, scan, std::move(values));
  for (int by = 1; by < l.plan.width; by *= 2) {
    std::vector<LaneScalar> before;
    for (std::size_t k = 0; k < values.size(); ++k) {
      before.push_back(shifted(l, values[k], by, nothing_before(scan, k)));
    }
    values = combined(l, scan, before, values);
  }
  return values;
}

// The running values take in the last lane's, which has those of the whole block.
static void take_in(Lanes& l, const ir::ScanOperator& scan, const Running& running,
                    const std::vector<LaneScalar>& block) {
  std::vector<Value> totals;
  for (const LaneScalar& one : block) {
    const Operand lanes = with_lanes(l, piece_of(l, one, 0, 0), one.type);
    const NameId last = l.c.variable("last", one.type);
    l.c.emit(LastLane{last, lanes, one.type});
    totals.push_back({last, ir::scalar_of(one.type), std::nullopt});
  }
  if (const auto extremum = extremum_of(scan)) {
    const Operand& a = running.values.front().operand;
    const Operand& b = totals.front().operand;
    const ScalarType type = scan.op.result_types.front().element;
    const bool is_least = *extremum == ScalarOp::fmin;
    const NameId first = l.c.variable("first", ScalarType::boolean);
    l.c.emit(Assign{
        first, ScalarOp::flt, type, ScalarType::boolean, {is_least ? a : b, is_least ? b : a}});
    l.c.move(a.name(), l.c.scalar(ScalarOp::select, type, {first, a, b}));
    return;
  }
  combine(l.c, running, totals);
}

// What the operators give at the points of a block.
static std::vector<LaneResult> scan_lanes(Lanes& l, const ir::SegmentedScan& e,
                                          const std::vector<LaneResult>& values,
                                          const std::vector<Running>& running) {
  std::vector<LaneResult> outputs;
  for (std::size_t k = 0; k < e.operators.size(); ++k) {
    std::vector<LaneScalar> own;
    std::vector<LaneScalar> before;
    for (std::size_t v = 0; v < running[k].values.size(); ++v) {
      own.push_back(*values[outputs.size() + v].scalar);
      const Value& current = running[k].values[v];
      const NameId held = l.c.variable("before", current.type.element);
      l.c.move(held, current.operand);
      before.push_back(uniform(l, held));
    }
    const std::vector<LaneScalar> block = prefixes(l, e.operators[k], own);
    for (const LaneScalar& one : combined(l, e.operators[k], before, block)) {
      outputs.push_back({one, std::nullopt});
    }
    take_in(l, e.operators[k], running[k], block);
  }
  outputs.insert(outputs.end(), values.begin() + static_cast<std::ptrdiff_t>(outputs.size()),
                 values.end());
  return outputs;
}

// The values of the points of block after block.
static void for_each_block(Context& c, Lanes& lanes, const ir::SegmentedScan& e,
                           const ScannedBlocks& blocks, const std::vector<NameId>& indices,
                           const std::function<void(const std::vector<LaneResult>&)>& use) {
  for (std::size_t d = 0; d < blocks.outer.size(); ++d) {
    bind_index(lanes, indices[d], blocks.outer[d], false, false);
  }
  const Operand width = ir::i64_operand(lanes.plan.width);
  thread_loop(c, blocks.count, false, [&](const Operand& b) {
    bind_index(lanes, indices.back(), c.add(blocks.start, c.mul(b, width)), false, true);
    use(emit_body(lanes, e.body, {}));
  });
}

static std::vector<NameId> indices_of(const ir::SegmentedScan& e) {
  std::vector<NameId> indices;
  for (const ir::SpaceDimension& dimension : e.space) indices.push_back(dimension.index.name);
  return indices;
}

Operand for_blocks(Context& c, const ir::LaneBlocks* lanes, const std::vector<Operand>& outer,
                   const Operand& low, const Operand& high,
                   const std::function<void(const ScannedBlocks&)>& use) {
  if (lanes == nullptr) return low;
  const Operand width = ir::i64_operand(lanes->width);
  const Operand count = c.divide(c.sub(high, low), width);
  use({outer, low, count});
  return c.add(low, c.mul(count, width));
}

void combine_blocks(Context& c, const ir::SegmentedScan& e, const ir::LaneBlocks& plan,
                    const ScannedBlocks& blocks, const std::vector<Running>& running) {
  Lanes lanes(c, plan);
  const auto use = [&](const std::vector<LaneResult>& values) {
    auto next = values.begin();
    for (std::size_t k = 0; k < e.operators.size(); ++k) {
      std::vector<LaneScalar> own;
      for (std::size_t v = 0; v < running[k].values.size(); ++v) own.push_back(*(next++)->scalar);
      take_in(lanes, e.operators[k], running[k], prefixes(lanes, e.operators[k], own));
    }
  };
  for_each_block(c, lanes, e, blocks, indices_of(e), use);
}

void scan_blocks(Context& c, const ir::Statement& s, const ir::SegmentedScan& e,
                 const ir::LaneBlocks& plan, const std::vector<Destination>& targets,
                 const ScannedBlocks& blocks, const std::vector<Running>& running) {
  Lanes lanes(c, plan);
  const std::vector<NameId> indices = indices_of(e);
  for_each_block(c, lanes, e, blocks, indices, [&](const std::vector<LaneResult>& values) {
    std::vector<LaneResult> outputs = scan_lanes(lanes, e, values, running);
    if (e.post) outputs = emit_lambda(lanes, *e.post, outputs, {});
    for (std::size_t k = 0; k < targets.size(); ++k) {
      const ir::Type type = c.names().type(s.results[k].name);
      put(lanes, part_at(lanes, *targets[k], indices), outputs[k], ir::scalar_of(type.element));
    }
  });
}

}  // namespace dagaz::emit
