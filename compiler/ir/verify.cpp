// The verifier: scoping and stage legality here, typing in verify_types.cpp, consumption in
// alias.cpp.
#include "ir/verify.h"

#include "ir/alias.h"
#include "ir/fields.h"
#include "ir/print.h"
#include "ir/verify_schedule.h"
#include "ir/verify_types.h"

namespace dagaz::ir {

namespace {

/// Violations after which the rest is not looked for.
constexpr std::size_t enough = 50;

// Which operations occur at which stages: the parallel ones not after flattening, the flat ones
// not before.
template <typename Node>
constexpr bool is_legal(Stage stage) {
  constexpr bool parallel_only =
      std::is_same_v<Node, Differentiate> || std::is_same_v<Node, CustomDerivative> ||
      std::is_same_v<Node, FlatMap>;
  constexpr bool segmented =
      std::is_same_v<Node, SegmentedMap> || std::is_same_v<Node, SegmentedReduce> ||
      std::is_same_v<Node, SegmentedScan> || std::is_same_v<Node, SegmentedHistogram> ||
      std::is_same_v<Node, SegmentedScatter>;
  if (parallel_only) return stage == Stage::parallel;
  if (segmented) return stage == Stage::flat;
  return true;
}

class Verifier {
 public:
  Verifier(const Program& program, Stage stage)
      : program_(program), names_(program.names), stage_(stage), state_(program.names.size()) {}

  std::vector<std::string> run() {
    for (const Function& one : program_.functions) function(one);
    for (const EntryPoint& one : program_.entries) hints(one);
    return std::move(violations_);
  }

  // The visitor of walk_fields.
  void use(const NameId& name) {
    if (!name.valid() || name.index >= names_.size()) {
      fatal_ = true;
      violation("a use of no name");
    } else if (state_[name.index] != State::in_scope) {
      violation("`" + names_.text(name) + "` is not in scope");
    }
  }
  void use(const Operand& operand) {
    if (operand.is_name()) use(operand.name());
  }
  void bind(const Binder& binder) {
    if (!binder.name.valid() || binder.name.index >= names_.size()) {
      fatal_ = true;
      violation("a binder of no name");
      return;
    }
    State& state = state_[binder.name.index];
    if (state != State::unbound) {
      violation("`" + names_.text(binder.name) + "` is bound twice");
    }
    state = State::in_scope;
    scope_.push_back(binder.name);
    pending_types_.push_back(binder.name);
  }
  void type(const Type& type) {
    for (const Operand& size : type.shape) {
      use(size);
      if (!broken() && names_.type(size) != scalar_of(ScalarType::i64)) {
        violation("a size that is no i64");
      }
    }
  }
  void body(const Body& body) {
    check_pending_types();
    const std::size_t mark = scope_.size();
    for (const Statement& one : body.statements) {
      if (broken()) return;
      statement(one);
    }
    for (const Operand& result : body.results) use(result);
    leave(mark);
  }
  void lambda(const Lambda& lambda) {
    const std::size_t mark = scope_.size();
    for (const Binder& parameter : lambda.parameters) bind(parameter);
    body(lambda.body);
    for (const Type& result : lambda.result_types) type(result);
    leave(mark);
  }

 private:
  enum class State : std::uint8_t { unbound, in_scope, gone };

  bool broken() const { return violations_.size() >= enough || fatal_; }
  /// Of arrays that the function has, and dimensions of these.
  void hints(const EntryPoint& entry) {
    if (broken()) return;
    for (const Function& one : program_.functions) {
      if (one.name != entry.function) continue;
      function_ = &one;
      for (const RankHint& hint : entry.hints) {
        const auto k = static_cast<std::size_t>(hint.parameter);
        const std::size_t rank =
            k < one.parameters.size() ? names_.type(one.parameters[k].name).shape.size() : 0;
        if (static_cast<std::size_t>(hint.dimension) >= rank) violation("a hint of no dimension");
      }
    }
  }
  void violation(std::string message) {
    std::string text = "in `" + (function_ == nullptr ? "?" : function_->name) + "`: " + message;
    if (current_ != nullptr && !fatal_ && violations_.size() < 3) {
      text += "\n" + print(*current_, names_);
    }
    violations_.push_back(std::move(text));
  }
  void leave(std::size_t mark) {
    while (scope_.size() > mark) {
      state_[scope_.back().index] = State::gone;
      scope_.pop_back();
    }
  }
  /// Types are checked once all binders of a group are in scope: they may mention each other.
  void check_pending_types() {
    const std::vector<NameId> pending = std::exchange(pending_types_, {});
    for (const NameId name : pending) type(names_.type(name));
  }

  void function(const Function& function) {
    function_ = &function;
    const std::size_t before = violations_.size();
    for (const Binder& parameter : function.parameters) bind(parameter);
    const std::size_t mark = scope_.size();
    check_pending_types();
    for (const Statement& one : function.body.statements) {
      if (broken()) return;
      statement(one);
    }
    current_ = nullptr;
    for (const Operand& result : function.body.results) use(result);
    results(function);
    leave(mark);
    for (const Binder& parameter : function.parameters) {
      state_[parameter.name.index] = State::gone;
    }
    scope_.clear();
    if (violations_.size() > before) return;
    const AliasInfo aliases = analyse_aliases(function, program_);
    for (const std::string& message : aliases.violations()) violation(message);
  }
  void results(const Function& function) {
    if (function.body.results.size() != function.result_types.size()) {
      violation("the number of results of the function");
      return;
    }
    for (std::size_t i = 0; i < function.result_types.size() && !broken(); ++i) {
      if (!compatible(names_.type(function.body.results[i]), function.result_types[i])) {
        violation("result " + std::to_string(i) + " of the function has another type");
      }
    }
  }

  void statement(const Statement& statement) {
    const Statement* const outer = std::exchange(current_, &statement);
    const std::size_t before = violations_.size();
    for (const NameId token : statement.tokens) {
      use(token);
      if (!fatal_ && names_.type(token).kind != TypeKind::token) {
        violation("`" + names_.text(token) + "` is no token");
      }
    }
    std::visit([&](const auto& node) { walk(node); }, statement.operation);
    for (const Binder& result : statement.results) bind(result);
    check_pending_types();
    // With operands out of scope or unknown, typing would only repeat it.
    if (violations_.size() == before) {
      for (std::string& error : type_errors(statement, program_)) violation(std::move(error));
    }
    current_ = outer;
  }

  template <typename Node>
  void walk(const Node& node) {
    if (!is_legal<Node>(stage_)) {
      violation(std::string(Node::mnemonic) + " is not legal at this stage");
    }
    if constexpr (requires { node.schedule; }) {
      const std::string problem = problem_of(node.schedule);
      if (!problem.empty()) violation("a schedule where " + problem);
    }
    const std::size_t mark = scope_.size();
    pending_types_.clear();
    // Result types of branches and calls may mention the statement's own results.
    if constexpr (std::is_same_v<Node, Branch>) {
      use(node.condition);
      body(node.then_body);
      body(node.else_body);
    } else if constexpr (std::is_same_v<Node, Call>) {
      for (const Operand& argument : node.arguments) use(argument);
    } else {
      walk_field(*this, node);
    }
    leave(mark);
  }

  const Program& program_;
  const Names& names_;
  Stage stage_;
  std::vector<State> state_;
  std::vector<NameId> scope_;
  std::vector<NameId> pending_types_;
  std::vector<std::string> violations_;
  const Function* function_ = nullptr;
  const Statement* current_ = nullptr;
  bool fatal_ = false;  // a name that is none: its type cannot be looked up
};

}  // namespace

std::vector<std::string> verify(const Program& program, Stage stage) {
  return Verifier(program, stage).run();
}

}  // namespace dagaz::ir
