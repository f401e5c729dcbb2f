// Where the points of an operation add to accumulators that are around it.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "ir/program.h"
#include "passes/distribute/local_rows.h"

namespace dagaz::passes::distributing {

/// Which input each name of an accumulator is of, in the scope that opens them.
using Accumulators = std::unordered_map<ir::NameId, std::size_t>;

/// Nothing where that cannot be told.
std::optional<Accumulators> accumulators_of(const ir::WithAccumulator& with,
                                            const ir::Names& names);

/// For each input of `count` the rows that all additions of the operation are in; nothing:
/// anywhere. Those that it adds nothing to are not in `adds`.
struct AdditionWindows {
  std::vector<std::optional<Window>> windows;
  std::vector<bool> adds;
};
AdditionWindows additions_of(const ir::Operation& operation, const SharedIndex& shared,
                             const Definitions& definitions, const Accumulators& accumulators,
                             std::size_t count);

/// Makes additions to accumulators of `input` additions to the rows of its window.
void add_in_window(ir::Body& body, const SharedIndex& shared, const LocalRows& local,
                   const Definitions& definitions, const Accumulators& accumulators,
                   std::size_t input, const Window& window, ir::Names& names);

/// Gives the accumulators of an input so many rows.
void set_rows(ir::WithAccumulator& with, const Accumulators& accumulators, std::size_t input,
              const ir::Operand& rows, ir::Names& names);

}  // namespace dagaz::passes::distributing
