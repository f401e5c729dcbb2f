// What is known about integers of 64 bits: index variables run from 0 to below a bound, sizes are
// not negative.  Questions are answered on linear forms, so that the usual bounds checks go away.
#pragma once

#include <functional>
#include <vector>

#include "ir/ops.h"
#include "support/match.h"

namespace dagaz::passes {

/// Facts about names.
class Facts {
 public:
  using Definition = std::function<const ir::Statement*(ir::NameId)>;
  explicit Facts(Definition definition) : definition_(std::move(definition)) {}

  void set_nonnegative(ir::NameId name);
  /// 0 ≤ name < bound.
  void set_index(ir::NameId name, ir::Operand bound);

  bool is_nonnegative(const ir::Operand& operand) const;
  bool is_less(const ir::Operand& a, const ir::Operand& b) const;
  bool is_less_or_equal(const ir::Operand& a, const ir::Operand& b) const;

 private:
  /// constant + Σ coefficient · name
  struct Linear {
    std::int64_t constant = 0;
    std::vector<std::pair<ir::NameId, std::int64_t>> terms;
    bool too_large = false;
  };
  struct Known {
    bool nonnegative = false;
    bool has_bound = false;
    ir::Operand bound;
  };

  void add(Linear& to, const ir::Operand& operand, std::int64_t factor, int depth) const;
  void add_name(Linear& to, ir::NameId name, std::int64_t factor) const;
  bool is_nonnegative(Linear form) const;
  const Known* known(ir::NameId name) const;

  Definition definition_;
  std::vector<Known> known_;
};

}  // namespace dagaz::passes
