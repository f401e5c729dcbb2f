// Uniqueness: after an array has been consumed (updated in place, or passed to a parameter `*t`),
// neither it nor anything that may share its memory can be used.  Runs on typed definitions, in
// the order of the text, so that what a function returns is known where it is used.
//
// Each expression is given an AliasTree: what its value may share memory with.  The state is what
// each variable in scope shares, and what has been consumed so far on the path to here, in the
// order of evaluation.
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "check/alias_value.h"
#include "check/check.h"
#include "support/diagnostic.h"
#include "support/name_table.h"
#include "syntax/ast.h"

namespace dagaz::check {

class ConsumptionChecker {
 public:
  ConsumptionChecker(const CheckedProgram& checked, const NameTable& names,
                     Diagnostics& diagnostics);

  /// Checks a definition and remembers how unique its result is.
  void definition(const ast::ValueDeclaration& value);
  /// How unique the result of the function `id` was found to be, where its type is not written;
  /// else null.
  AliasTree inferred_result(BindingId id) const;

 private:
  using Consumed = std::unordered_map<BindingId, Range>;

  struct Entry {
    AliasTree tree;
    bool consumable;
    int depth;      // of the function in which it is bound; outside of it it is not consumable
    std::size_t order;
  };


  // ---- expressions (consumption_checker.cpp)
  AliasTree expression(const ast::Exp& exp);
  AliasTree let_chain(const ast::Exp& exp);
  AliasTree simple(const ast::Exp& exp);
  AliasTree no_aliases(const ast::Exp& exp);
  AliasTree variable(const ast::Exp& exp, const ast::Variable& use);
  AliasTree binary_chain(const ast::Exp& exp);
  AliasTree application(const ast::Apply& apply);
  AliasTree section(const ast::Exp& exp, const ast::Exp& operation, const ast::Exp& operand,
                    bool operand_is_left);
  AliasTree branch(const ast::If& branch);
  AliasTree match_cases(const ast::Match& match);
  AliasTree update(const ast::Update& update);
  AliasTree project(const ast::Project& project);
  AliasTree construct(const ast::Exp& exp, const ast::Construct& construct);
  AliasTree record(const ast::Exp& exp, std::vector<std::pair<Symbol, AliasTree>> fields);
  AliasTree tuple(const ast::Exp& exp, const ast::Tuple& tuple);
  void path(const std::vector<ast::PathStep>& path);
  void dimensions(const std::vector<ast::IndexDimension>& dimensions);

  // ---- functions (consumption_function.cpp)
  /// The tree of a function; its body is checked.
  AliasTree function(const ast::Function& function, const ast::Exp* whole);
  /// The result's uniqueness, from the annotation or from what the body returns.
  AliasTree result_uniqueness(const ast::Function& function, const AliasTree& body);
  void check_returned(const ast::Function& function, const AliasTree& body);
  void check_global_aliases(const ast::Function& function, const AliasTree& body);
  /// The sizes in written types are expressions too, but must not consume anything.
  void sizes_of_pattern(const ast::Pattern& pattern);
  void sizes_of_type(const ast::TypeExp& type);
  void bind_parameter(const ast::Pattern& pattern, const Type* type);
  /// The aliases of the variables in scope that `exp` mentions.
  std::vector<std::pair<BindingId, AliasTree>> free_variables(const ast::Exp& exp) const;

  struct Argument {
    const ast::Exp* exp;
    AliasTree tree;
  };
  AliasTree argument(const std::vector<Argument>& previous, const ast::Exp& exp, bool consumes);
  void check_not_self_aliased(const Range& range, const AliasTree& tree);
  AliasTree call(const ast::Exp* function, const AliasTree& tree,
                 const std::vector<AliasTree>& arguments);

  // ---- loops (consumption_loop.cpp)
  struct LoopParameter;
  struct LoopState;
  AliasTree loop(const ast::Exp& exp, const ast::Loop& loop);
  AliasTree loop_body(const ast::Loop& loop, const std::vector<LoopParameter>& parameters,
                      Consumed& consumed);
  void find_consumed(const Range& range, const AliasTree& body, Consumed& consumed,
                     LoopState& state);
  void check_loop_return(const ast::Pattern& pattern, const AliasTree& tree, LoopState& state);
  AliasTree loop_value(const ast::Pattern& pattern, const AliasTree& initial,
                       const AliasSet& fresh, LoopState& state);
  void check_not_consumed_by(std::string_view what, const ast::Exp& exp,
                             const Consumed& consumed);
  BindingId fresh_result(std::string text);

  // ---- state (consumption_state.cpp)
  void bind(BindingId id, AliasTree tree, bool consumable);
  /// Binds the names of the pattern to the parts of the value.
  void bind_pattern(const ast::Pattern& pattern, const AliasTree& tree,
                    std::vector<BindingId>& bound);
  static void pattern_names(const ast::Pattern& pattern, std::vector<BindingId>& names);
  AliasTree leave_scope(const AliasTree& tree, std::vector<BindingId> bound) const;
  void check_not_consumed(const Range& range, const AliasSet& aliases);
  void consume(const Range& range, const AliasSet& aliases);
  void explain_not_consumable(Diagnostic& d, BindingId id) const;
  /// Runs `action` and returns what it has consumed, which is then consumed no longer.
  template <typename Action>
  Consumed contained(const Action& action);
  void add_consumed(const Consumed& consumed);
  std::string describe(BindingId id) const;
  /// The name alone, in quotes.
  std::string quoted(BindingId id) const;

  const CheckedProgram& checked_;
  const NameTable& names_;
  Diagnostics& diagnostics_;
  AliasTrees trees_;
  std::unordered_map<BindingId, Entry> scope_;
  int depth_ = 0;
  std::size_t order_ = 0;
  Consumed consumed_;
  std::vector<BindingId> consumed_log_;
  /// Variables used after they were consumed, and where that begins; those that may not be
  /// consumed.  Each is reported once.
  std::set<std::pair<BindingId, std::uint32_t>> reported_;
  std::set<BindingId> refused_;
  // What to call the results of applications and loops, which have identities of their own.
  std::vector<std::string> results_;
  // Functions without a result annotation: number of parameters and uniqueness of the result.
  std::unordered_map<BindingId, std::pair<std::size_t, AliasTree>> inferred_;
};

template <typename Action>
ConsumptionChecker::Consumed ConsumptionChecker::contained(const Action& action) {
  const std::size_t start = consumed_log_.size();
  action();
  Consumed result;
  for (std::size_t i = start; i < consumed_log_.size(); ++i) {
    const auto place = consumed_.find(consumed_log_[i]);
    result.insert(*place);
    consumed_.erase(place);
  }
  consumed_log_.resize(start);
  return result;
}

}  // namespace dagaz::check
