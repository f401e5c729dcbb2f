// What a nest of maps adds to an accumulator, addition by addition.
#pragma once

#include <vector>

#include "passes/scatter_to_gather/nest_values.h"
#include "passes/without_accumulator.h"

namespace dagaz::passes::gathering {

/// One accumulate: at each point of its levels where its conditions hold.
struct Addition {
  struct Condition {
    Operand holds;
    bool sense = true;
  };
  std::vector<int> levels;  // outermost first
  std::vector<Condition> conditions;
  bool has_levels_under_conditions = false;
  std::vector<Operand> indices;
  Operand value;
};

/// What an addition computes: the conditions that it stands under, and the value.
std::vector<Operand> terms_of(const Operand& value,
                              const std::vector<Addition::Condition>& conditions);

/// Whether `before` is true and then all conditions of an addition hold at a point.  Those that
/// read elements are asked only where those before them hold, which may be why there are such.
Operand all_hold(Operand before, const std::vector<Addition::Condition>& conditions,
                 const NestValues& values, Point& point, Builder& out);

/// Finds the additions to the accumulator that enters `body` as `enters` and leaves it as `leaves`.
class Additions {
 public:
  Additions(const Names& names, NestValues& values) : names_(names), values_(values) {}

  /// False if something else happens to the accumulator than additions in maps, branches, and the
  /// scopes of other accumulators inside maps.
  bool find(const Body& body, NameId enters, const Operand& leaves) {
    return find(body, enters, leaves, Addition{});
  }
  const std::vector<Addition>& all() const { return all_; }
  /// Tokens of maps and additions that are not of the nest.
  const std::vector<NameId>& tokens() const { return tokens_; }

 private:
  bool find(const Body& body, NameId enters, const Operand& leaves, const Addition& around);
  bool find_in(const Statement& statement, NameId enters, const Addition& around);
  bool add_tokens(const Statement& statement);

  const Names& names_;
  NestValues& values_;
  std::vector<Addition> all_;
  std::vector<NameId> tokens_;
};

/// Whether what is combined into the accumulator are numbers that are added.
bool adds_numbers(const AccumulatorInput& input, const Names& names);

}  // namespace dagaz::passes::gathering
