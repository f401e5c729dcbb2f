#include "ir/classify.h"

#include "support/match.h"

namespace dagaz::ir {

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

}  // namespace dagaz::ir
