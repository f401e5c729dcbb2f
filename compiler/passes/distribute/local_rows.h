// Indices of rows in the memory of a rank, in the place of those that a program computes.
#pragma once

#include <vector>

#include "ir/builder.h"
#include "passes/distribute/forms.h"
#include "passes/distribute/reads.h"

namespace dagaz::passes::distributing {

/// Walks the statements of points in order: `forms` follows them.
class RowIndices {
 public:
  RowIndices(const SharedIndex& shared, const LocalRows& local, const Definitions& definitions)
      : forms(definitions, shared.index, shared.extent), local_(local) {
    for (const ir::SpaceDimension& one : *shared.space) {
      if (one.index.name != shared.index) forms.add_index(one.index.name, one.extent);
    }
  }

  /// Of the row that `index` says, in memory that begins with the lowest row of the window.
  ir::Operand in_window(const ir::Operand& index, const Window& window, ir::Builder& out);
  void enter(const ir::Operation& operation);

  Forms forms;

 private:
  LocalRows local_;
};

}  // namespace dagaz::passes::distributing
