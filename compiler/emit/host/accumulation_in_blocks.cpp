#include "emit/host/accumulation_in_blocks.h"

#include "emit/host/held_blocks.h"
#include "emit/host/rows.h"
#include "emit/points.h"
#include "emit/thread/accumulation.h"
#include "emit/versions.h"

namespace dagaz::emit {

static void add_held(Context& c, const std::vector<const ir::Accumulate*>& additions,
                     const std::vector<Value>& held) {
  auto next = held.begin();
  for (const ir::Accumulate* addition : additions) {
    ir::Accumulate one{addition->accumulator, {}, {}};
    for (std::size_t k = 0; k < addition->indices.size(); ++k) {
      one.indices.push_back((next++)->operand);
    }
    accumulate(c, one, *next++);
  }
}

namespace {

/// A body as what its points compute, and what they add.
struct Divided {
  ir::Body computed;  // its results: the mapped ones, and indices and value of each addition
  std::vector<const ir::Accumulate*> additions;
};

Divided divided(const ir::Body& body, const ir::Names& names) {
  Divided result;
  for (const ir::Statement& one : body.statements) {
    if (const auto* addition = as<ir::Accumulate>(one.operation)) {
      result.additions.push_back(addition);
    } else {
      result.computed.statements.push_back(one);
    }
  }
  std::vector<Operand>& results = result.computed.results;
  for (const Operand& one : body.results) {
    const bool is_memory =
        one.is_name() && names.type(one.name()).kind == ir::TypeKind::accumulator;
    if (!is_memory) results.push_back(one);
  }
  for (const ir::Accumulate* one : result.additions) {
    results.insert(results.end(), one->indices.begin(), one->indices.end());
    results.push_back(one->value);
  }
  return result;
}

}  // namespace

void accumulate_in_blocks(Context& c, const ir::Statement& s, const ir::SegmentedMap& e,
                          const ir::HeldBlocks& blocks, const std::vector<Destination>& targets) {
  for (const ir::Statement& one : e.body.statements) {
    if (const auto* addition = as<ir::Accumulate>(one.operation)) {
      c.accumulators.continue_as(one.results[0].name, addition->accumulator);
    }
  }
  const Divided body = divided(e.body, c.names());
  std::vector<ir::Type> types;
  for (const ir::Accumulate* one : body.additions) {
    types.insert(types.end(), one->indices.size(), ir::scalar_of(ScalarType::i64));
    types.push_back(c.accumulators.of(one->accumulator).row);
  }
  parallel_rows(c, extents_of(e.space), cost_of(c, e.schedule),
                [&](const std::vector<Operand>& outer, const Operand& low, const Operand& high) {
                  const auto point = [&](const Operand& i) { return with(outer, c.add(low, i)); };
                  in_blocks(
                      c, c.sub(high, low), blocks, {e.space, body.computed, targets, types, point},
                      [&](const std::vector<Value>& held) { add_held(c, body.additions, held); });
                });
  for (std::size_t k = 0; k < targets.size(); ++k) {
    if (!targets[k]) c.accumulators.continue_as(s.results[k].name, e.body.results[k].name());
  }
}

}  // namespace dagaz::emit
