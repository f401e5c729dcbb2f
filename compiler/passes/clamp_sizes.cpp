// Sizes that count elements even where nothing asserted that they do.
//
//   map (\x -> … iota n …) xs     =     let m = max(n, 0) in map (\x -> … iota m …) xs
//
// A size that comes from outside a loop or map may be negative, if that runs zero times: what
// asserts that it is not is inside.  Where it runs, n = m from the first array of that size on; so
// that array and what is made of it can leave the scope, with sizes that are valid there.
//
// Comes between two simplifications: the first moves numbers and asserts out of scopes, the second
// the arrays (simplify/existence.cpp).
#include <algorithm>

#include "ir/fields.h"
#include "ir/names.h"
#include "passes/open_scope.h"
#include "passes/passes.h"
#include "support/match.h"

namespace dagaz::passes {

namespace {

using namespace ir;

class Clamper {
 public:
  explicit Clamper(Names& names) : names_(names) {}

  void function(Function& function) {
    Frame frame{OpenScope(function.body), Runs::once, nullptr};
    for (const Binder& parameter : function.parameters) bind(parameter.name, 0);
    body(frame);
  }
  bool changed() const { return changed_; }

 private:
  enum class Runs { once, maybe, repeatedly };
  /// A scope that is being walked.
  struct Frame {
    OpenScope scope;
    Runs runs;
    const std::vector<Type>* result_types;  // of its lambda, if it is one
    std::unordered_map<NameId, NameId> clamped = {};
  };
  struct Scopes;

  void bind(NameId name, std::size_t depth) {
    depths_[name] = depth;
    for (const Operand& size : names_.type(name).shape) {
      if (size.is_name() && counts_.insert(size.name()).second) counted_.push_back(size.name());
    }
  }
  bool is_count(const Operand& size) const {
    return size.is_constant() || counts_.contains(size.name()) || clamped_.contains(size.name());
  }
  void body(Frame& frame);
  void statement(Statement& statement);
  Frame* scope_to_leave(NameId size);
  bool counts_from(const Statement& statement, NameId size) const;
  void record_asserted(const Operand& condition);
  void clamp(NameId size, Frame& frame);

  Names& names_;
  std::vector<Frame*> frames_;
  std::unordered_map<NameId, std::size_t> depths_;
  NameSet counts_;               // sizes of arrays that exist here
  std::vector<NameId> counted_;  // the same, in order
  NameSet clamped_;              // what is at least 0 by its operation
  NameSet asserted_;
  std::unordered_map<NameId, Scalar> conditions_;
  bool changed_ = false;
};

/// Enters the scopes of a statement.
struct Clamper::Scopes {
  Clamper& clamper;
  Runs runs;
  void use(const NameId&) {}
  void use(const Operand&) {}
  void bind(const Binder& binder) { clamper.bind(binder.name, clamper.frames_.size()); }
  void type(const Type&) {}
  void enter(Body& body, const std::vector<Type>* result_types) {
    Frame frame{OpenScope(body), runs, result_types};
    const std::size_t outside = clamper.counted_.size();
    clamper.body(frame);
    for (; clamper.counted_.size() > outside; clamper.counted_.pop_back()) {
      clamper.counts_.erase(clamper.counted_.back());
    }
  }
  void body(Body& body) { enter(body, nullptr); }
  void lambda(Lambda& lambda) {
    for (const Binder& parameter : lambda.parameters) bind(parameter);
    enter(lambda.body, &lambda.result_types);
  }
};

void Clamper::body(Frame& frame) {
  frames_.push_back(&frame);
  frame.scope.walk([this](Statement& met) { statement(met); });
  frames_.pop_back();
}

void Clamper::statement(Statement& statement) {
  std::vector<NameId> sizes;
  for (const Binder& result : statement.results) {
    for (const Operand& size : names_.type(result.name).shape) {
      if (!is_count(size)) sizes.push_back(size.name());
    }
  }
  for (const NameId size : sizes) {
    Frame* const frame = scope_to_leave(size);
    if (frame != nullptr && counts_from(statement, size)) clamp(size, *frame);
  }
  if (const auto* scalar = std::get_if<Scalar>(&statement.operation)) {
    if (scalar->op == ScalarOp::sle || scalar->op == ScalarOp::bit_or) {
      conditions_.emplace(statement.results.front().name, *scalar);
    }
  } else if (const auto* assertion = std::get_if<Assert>(&statement.operation)) {
    record_asserted(assertion->condition);
  }
  const Runs runs = match(
      statement.operation, [](const WithAccumulator&) { return Runs::once; },
      [](const Differentiate&) { return Runs::once; }, [](const Branch&) { return Runs::maybe; },
      [](const CustomDerivative&) { return Runs::maybe; },
      [](const auto&) { return Runs::repeatedly; });
  Scopes scopes{*this, runs};
  walk_fields(scopes, statement.operation);
  for (const Binder& result : statement.results) bind(result.name, frames_.size() - 1);
}

// The innermost scope that may not run, if the size comes from outside it and stays inside.
Clamper::Frame* Clamper::scope_to_leave(NameId size) {
  const auto is_size_of = [&](const Type& type) {
    return std::find(type.shape.begin(), type.shape.end(), Operand(size)) != type.shape.end();
  };
  const auto bound = depths_.find(size);
  for (std::size_t depth = frames_.size(); bound != depths_.end() && --depth > bound->second;) {
    Frame& frame = *frames_[depth];
    const Frame& outer = *frames_[depth - 1];
    const std::vector<Binder>& results = outer.scope.met().results;
    const bool leaves =
        std::any_of(results.begin(), results.end(), [&](const Binder& result) {
          return is_size_of(names_.type(result.name));
        }) ||
        (frame.result_types != nullptr &&
         std::any_of(frame.result_types->begin(), frame.result_types->end(), is_size_of));
    if (frame.runs == Runs::maybe || leaves) return nullptr;
    if (frame.runs == Runs::repeatedly) return &frame;
  }
  return nullptr;
}

// An array with scopes of its own shows that its sizes count only if an assert stands before it;
// what else makes an array carries the assert.
bool Clamper::counts_from(const Statement& statement, NameId size) const {
  bool has_scopes = false;
  for_each_scope(statement.operation, [&](const Body&) { has_scopes = true; });
  return !has_scopes || asserted_.contains(size);
}

// An assert that 0 ≤ size, or that 0 ≤ size unless a scope that it has left does not run.
void Clamper::record_asserted(const Operand& condition) {
  if (!condition.is_name()) return;
  const auto found = conditions_.find(condition.name());
  if (found == conditions_.end()) return;
  const std::vector<Operand>& arguments = found->second.arguments;
  if (found->second.op == ScalarOp::bit_or) {
    for (const Operand& argument : arguments) record_asserted(argument);
  } else if (arguments[0] == i64_operand(0) && arguments[1].is_name()) {
    asserted_.insert(arguments[1].name());
  }
}

// Nothing before uses it as a size, since there it does not count.
void Clamper::clamp(NameId size, Frame& frame) {
  changed_ = true;
  Frame& outside = *frames_[depths_.at(size)];
  const auto [known, is_new] = outside.clamped.try_emplace(size);
  if (is_new) {
    const NameId count = names_.fresh(names_.base(size), names_.type(size));
    known->second = count;
    depths_[count] = depths_.at(size);
    clamped_.insert(count);
    const Scalar greater{ScalarOp::smax, ScalarType::i64, ScalarType::i64,
                         {Operand(size), i64_operand(0)}};
    outside.scope.insert({Statement{{{count}}, greater, {}, outside.scope.met().location}});
  }
  const Substitution with{{size, Operand(known->second)}};
  Body& body = frame.scope.body();
  for (std::size_t i = frame.scope.at(); i < body.statements.size(); ++i) {
    substitute(body.statements[i], with, names_);
  }
  for (Operand& result : body.results) result = substitute(result, with);
}

}  // namespace

bool clamp_sizes(ParallelProgram& program) {
  bool changed = false;
  for (Function& function : program.program.functions) {
    Clamper clamper(program.program.names);
    clamper.function(function);
    changed = changed || clamper.changed();
  }
  return changed;
}

}  // namespace dagaz::passes
