// Writes to accumulators as updates of arrays:
//
// with_accumulator xs ⊙ (\acc -> map (\i -> … accumulate acc i v …) …)
//   =  for each iteration of the map, in turn, xs with [i] = xs[i] ⊙ v
//
// A function that is handed such accumulators gets a version that is handed arrays instead, and
// what the operators use from around.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/builder.h"
#include "ir/names.h"
#include "passes/ad/accumulator_views.h"

namespace dagaz::passes::ad {

/// The functions of a program as they are written, and versions of them that update arrays.
struct AccumulatingFunctions {
  FunctionTable written;
  std::vector<std::string> versions;
};

/// The writes to some accumulators as updates of arrays.
class Sequencer {
 public:
  /// `functions` may be null where no function is handed accumulators.
  Sequencer(ir::Names& names, AccumulatingFunctions* functions)
      : names_(&names), functions_(functions) {}

  /// The statements of the scope of accumulators, which become `inputs`.
  std::vector<ir::Operand> inlined(const ir::WithAccumulator& with, ir::Builder& out);

 private:
  /// What an accumulator has become, and which of the scope's it is a view of.
  struct Cell {
    ir::NameId array;
    std::size_t input;
  };

  bool is_mine(ir::NameId name) const { return cells_.count(name) != 0; }
  bool touches(const ir::Statement& statement) const;
  void enter(ir::NameId accumulator, std::size_t input, ir::NameId array) {
    cells_.insert_or_assign(accumulator, Cell{array, input});
    arrays_.insert_or_assign(accumulator, ir::Operand(array));
  }
  /// A name for the array of a further view of an accumulator.
  ir::NameId next(ir::NameId view, ir::NameId of);

  /// A value of the loop that a map becomes.
  struct Carried {
    ir::NameId parameter;
    ir::Operand initial;
    ir::Operand next;
    ir::NameId result;                 // of the map
    std::optional<std::size_t> input;  // for what an accumulator has become
  };
  void enter_elements(const ir::MapScanReduce& map, ir::NameId index, ir::Builder& inner,
                      std::vector<Carried>& carried);
  void carry_results(const ir::Statement& statement, const ir::MapScanReduce& map, ir::Builder& out,
                     std::vector<Carried>& carried);
  void step(const ir::Statement& statement, const ir::MapScanReduce& map, ir::NameId index,
            ir::Builder& inner, std::vector<Carried>& carried);
  void give_back(std::vector<ir::Binder>& results, const std::vector<ir::Operand>& last);

  /// For each parameter of a function, which accumulator it is handed, if any.
  using Inputs = std::vector<std::optional<std::size_t>>;
  /// The version of a function that is handed arrays for the accumulators `inputs`.
  std::string version(const ir::Function& function, const Inputs& inputs);
  void capture(const ir::Operand& operand);

  ir::Body body(const ir::Body& original, const ir::Builder& around);
  void statements(const std::vector<ir::Statement>& all, ir::Builder& out);
  void statement(const ir::Statement& statement, ir::Builder& out);
  void write(const ir::Statement& statement, const ir::Accumulate& write, ir::Builder& out);
  void map(const ir::Statement& statement, const ir::MapScanReduce& map, ir::Builder& out);
  void loop(ir::Statement statement, ir::Builder& out);
  void branch(ir::Statement statement, ir::Builder& out);
  void with(ir::Statement statement, ir::Builder& out);
  void call(ir::Statement statement, ir::Builder& out);
  ir::Operand operand(const ir::Operand& original) const {
    return ir::substitute(original, arrays_);
  }

  ir::Names* names_;
  AccumulatingFunctions* functions_;
  std::string scope_;  // tells versions of functions for different scopes apart
  std::vector<std::optional<ir::Lambda>> operators_;  // of the scope's accumulators
  std::vector<ir::NameId> captured_;                  // what they use from around
  std::unordered_map<ir::NameId, Cell> cells_;
  ir::Substitution arrays_;  // accumulators and what they have become
};

/// The array that an accumulator stands for.
ir::Type array_type(ir::Type accumulator);

/// `body` with the accumulation in it of which `which` holds written as updates, innermost first.
ir::Body sequenced(ir::Body body, ir::Names& names, AccumulatingFunctions* functions,
                   const std::function<bool(const ir::WithAccumulator&)>& which);

}  // namespace dagaz::passes::ad
