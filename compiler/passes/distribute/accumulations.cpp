// What is added to arrays: histograms and accumulators.  Each rank adds what its rows have, one of
// them to what the arrays hold, the others to neutral elements; then all are combined.
#include <iterator>
#include <utility>

#include "ir/names.h"
#include "passes/distribute/rewrite.h"
#include "support/match.h"

namespace dagaz::passes::distributing {

using ir::NameId;
using ir::Operand;

// What all elements of an array are, if it was made so.
Operand Rewriter::element_of(Operand value) const {
  while (value.is_name()) {
    const auto found = replicated_.find(value.name());
    if (found == replicated_.end()) break;
    value = found->second;
  }
  return value;
}

NameId Rewriter::start(NameId array, std::size_t outer, const Operand& neutral, ir::Builder& out) {
  if (element_of(array) == element_of(neutral)) return array;
  const std::vector<Operand>& shape = names_.type(array).shape;
  const Operand is_first = out.scalar(ir::ScalarOp::eq, ir::ScalarType::i64,
                                      {collectives_.index(out), ir::i64_operand(0)}, "is_first");
  return out.branch(
      is_first, [&](ir::Builder&) { return std::vector<Operand>{array}; },
      [&](ir::Builder& b) {
        const std::vector<Operand> bins(shape.begin(),
                                        shape.begin() + static_cast<std::ptrdiff_t>(outer));
        return std::vector<Operand>{b.add(ir::Replicate{bins, neutral}, "neutral")};
      },
      names_.base(array))[0];
}

std::vector<Combined> Rewriter::start_histogram(ir::Statement& statement, ir::Builder& out) {
  auto& histogram = std::get<ir::SegmentedHistogram>(statement.operation);
  std::vector<Combined> all;
  std::size_t at = 0;
  for (ir::HistogramOperator& one : histogram.operators) {
    Combined combined = take_results(statement, at, one.destinations.size());
    at += one.destinations.size();
    combined.op = one.op;
    combined.neutral = one.neutral;
    for (const ir::SpaceDimension& outer : histogram.space) {
      combined.outer.push_back(outer.extent);
    }
    combined.outer.pop_back();
    combined.outer.insert(combined.outer.end(), one.shape.begin(), one.shape.end());
    for (std::size_t k = 0; k < one.destinations.size(); ++k) {
      one.destinations[k] = start(one.destinations[k], combined.outer.size(), one.neutral[k], out);
    }
    all.push_back(std::move(combined));
  }
  return all;
}

void Rewriter::keep_rows_of_bins(ir::SegmentedHistogram& histogram, const Rows& rows,
                                 ir::Builder& out) {
  for (ir::HistogramOperator& one : histogram.operators) {
    for (NameId& destination : one.destinations) {
      ir::Slice slice{destination, {}};
      for (const Operand& size : names_.type(destination).shape) {
        slice.dimensions.push_back({false, ir::i64_operand(0), size, ir::i64_operand(1)});
      }
      slice.dimensions.front().start = rows.first;
      slice.dimensions.front().count = rows.count;
      const NameId part = out.add(std::move(slice), names_.base(destination) + "_part");
      destination = out.add(ir::Copy{part}, names_.base(destination) + "_part");
    }
  }
}

void Rewriter::share_additions(ir::Statement statement, ir::Builder& out) {
  auto& with = std::get<ir::WithAccumulator>(statement.operation);
  std::vector<Combined> all;
  for (std::size_t k = 0; k < with.inputs.size(); ++k) {
    ir::AccumulatorInput& input = with.inputs[k];
    Combined combined = take_results(statement, k, 1);
    combined.op = *input.op;
    combined.neutral = input.neutral;
    combined.outer = input.shape;
    combined.commutative = true;
    input.array = start(input.array, input.shape.size(), input.neutral.front(), out);
    all.push_back(std::move(combined));
  }
  std::vector<Combined> outside = std::exchange(pending_, {});
  with.body.body = body(std::move(with.body.body), {});
  pending_ = std::move(outside);
  out.add(std::move(statement));
  std::move(all.begin(), all.end(), std::back_inserter(pending_));
}

}  // namespace dagaz::passes::distributing
