#include "ir/classify.h"

#include <algorithm>

#include "support/match.h"

namespace dagaz::ir {

bool counts_from_zero(const Iota& range) {
  return range.type == ScalarType::i64 && range.start == i64_operand(0) &&
         range.stride == i64_operand(1);
}

bool is_view(const Operation& operation) {
  return match(
      operation, [](const Identity&) { return true; }, [](const Index&) { return true; },
      [](const Slice&) { return true; }, [](const Reshape&) { return true; },
      [](const Permute&) { return true; },
      // These compute, or make arrays of their own.
      [](const Scalar&) { return false; }, [](const ArrayLiteral&) { return false; },
      [](const Update&) { return false; }, [](const Iota&) { return false; },
      [](const Replicate&) { return false; }, [](const Concat&) { return false; },
      [](const Copy&) { return false; }, [](const Scratch&) { return false; },
      [](const Assert&) { return false; },
      // What these give may be a part of what they read, but need not.
      [](const Branch&) { return false; }, [](const Loop&) { return false; },
      [](const Call&) { return false; },
      // Second-order operations.
      [](const MapScanReduce&) { return false; }, [](const Histogram&) { return false; },
      [](const Scatter&) { return false; }, [](const WithAccumulator&) { return false; },
      [](const Accumulate&) { return false; }, [](const FlatMap&) { return false; },
      [](const Differentiate&) { return false; }, [](const CustomDerivative&) { return false; },
      [](const SegmentedMap&) { return false; }, [](const SegmentedReduce&) { return false; },
      [](const SegmentedScan&) { return false; }, [](const SegmentedHistogram&) { return false; },
      [](const SegmentedScatter&) { return false; });
}

bool allocates(const Statement& statement, const Names& names) {
  return match(
      statement.operation, [](const Identity&) { return false; },
      [](const Index&) { return false; }, [](const Slice&) { return false; },
      [](const Reshape&) { return false; }, [](const Permute&) { return false; },
      [](const Scalar&) { return false; }, [](const Assert&) { return false; },
      // Computed where they are read.
      [](const Iota&) { return false; }, [](const Replicate&) { return false; },
      [&](const MapScanReduce&) {
        return std::any_of(statement.results.begin(), statement.results.end(),
                           [&](const Binder& each) { return !names.type(each.name).is_scalar(); });
      },
      [](const ArrayLiteral&) { return true; }, [](const Update&) { return true; },
      [](const Concat&) { return true; }, [](const Copy&) { return true; },
      [](const Scratch&) { return true; }, [](const Branch&) { return true; },
      [](const Loop&) { return true; }, [](const Call&) { return true; },
      [](const Histogram&) { return true; }, [](const Scatter&) { return true; },
      [](const WithAccumulator&) { return true; }, [](const Accumulate&) { return true; },
      [](const FlatMap&) { return true; }, [](const Differentiate&) { return true; },
      [](const CustomDerivative&) { return true; }, [](const SegmentedMap&) { return true; },
      [](const SegmentedReduce&) { return true; }, [](const SegmentedScan&) { return true; },
      [](const SegmentedHistogram&) { return true; },
      [](const SegmentedScatter&) { return true; });
}

bool only_computes(const Body& body) {
  return std::all_of(body.statements.begin(), body.statements.end(), [](const Statement& one) {
    if (!one.tokens.empty()) return false;
    if (const auto* branch = as<Branch>(one.operation)) return only_computes(*branch);
    const auto* scalar = as<Scalar>(one.operation);
    if (!scalar) return as<Identity>(one.operation) != nullptr;
    return !is_partial(scalar->op);
  });
}

bool only_computes(const Branch& branch) {
  const bool gives_scalars =
      std::all_of(branch.result_types.begin(), branch.result_types.end(),
                  [](const Type& type) { return type.is_scalar(); });
  return gives_scalars && only_computes(branch.then_body) && only_computes(branch.else_body);
}

}  // namespace dagaz::ir
