// Where an array exists.
//
// A loop or map may run zero times, and then nothing in it is asserted: a size in it may be
// negative, a reshape may be to another number of elements.  An array leaves such a scope only if
// all sizes that it depends on are known to count elements outside, and all its reshapes keep the
// number of elements whatever the sizes are.
//
// A size of the scope's result has to count elements even if the scope does not run, since the
// result has it as a size nevertheless: that it does is asserted without regard to the trip count.
#include <algorithm>

#include "ir/fields.h"
#include "passes/simplify/simplifier.h"

namespace dagaz::passes {

bool Simplifier::surely_runs(const Scope& scope) {
  return scope.trip_count && facts_.as_of(scope.facts, [&] {
    return facts_.is_less(i64_operand(0), *scope.trip_count);
  });
}

bool Simplifier::is_count_outside(const Operand& size, const Scope& scope) {
  for (const Scope* outside = scope.outer; outside != nullptr; outside = outside->outer) {
    if (size.is_name() && outside->counts.contains(size.name())) return true;
  }
  return facts_.is_nonnegative(size) &&
         facts_.as_of(scope.facts, [&] { return facts_.is_nonnegative(size); });
}

namespace {

/// A shape's number of elements: a constant times names, which are sorted.
struct Volume {
  std::uint64_t constant = 1;
  std::vector<NameId> names = {};
  bool operator==(const Volume&) const = default;
};

}  // namespace

/// Looks for a size that may be none, or a reshape that may change the number of elements.
struct Simplifier::ExistenceOutside {
  Simplifier& simplifier;
  const Scope& scope;
  NameSet inner = {};
  bool exists = true;

  void multiply(Volume& volume, const Operand& size, int depth = 0) const {
    if (size.is_constant()) {
      volume.constant *= static_cast<std::uint64_t>(integer_value(size.constant()));
      return;
    }
    const Statement* source =
        depth < deepest_definition ? simplifier.definition(size.name()) : nullptr;
    const Scalar* scalar = source == nullptr ? nullptr : as<Scalar>(source->operation);
    if (scalar != nullptr && scalar->op == ScalarOp::mul) {
      for (const Operand& argument : scalar->arguments) multiply(volume, argument, depth + 1);
    } else {
      volume.names.push_back(size.name());
    }
  }
  Volume volume_of(const std::vector<Operand>& shape) const {
    Volume volume;
    for (const Operand& size : shape) multiply(volume, size);
    std::sort(volume.names.begin(), volume.names.end());
    return volume;
  }

  // What is bound inside is computed where it is: its own asserts stand before it.
  void count(const Operand& size) {
    if (!exists || size.is_constant() || inner.contains(size.name())) return;
    exists = simplifier.is_count_outside(size, scope);
  }
  void use(const NameId&) {}
  void use(const Operand&) {}
  void bind(const Binder& binder) {
    inner.insert(binder.name);
    type(simplifier.names_.type(binder.name));
  }
  void type(const Type& type) {
    for (const Operand& size : type.shape) count(size);
  }
  void body(const Body& body) {
    for (const Statement& one : body.statements) statement(one);
  }
  void lambda(const Lambda& lambda) {
    for (const Binder& parameter : lambda.parameters) bind(parameter);
    body(lambda.body);
  }
  void statement(const Statement& statement) {
    if (const auto* reshape = std::get_if<Reshape>(&statement.operation)) {
      exists = exists && volume_of(reshape->shape) ==
                             volume_of(simplifier.names_.type(reshape->array).shape);
    } else if (const auto* map = std::get_if<MapScanReduce>(&statement.operation)) {
      count(map->width);
    }
    walk_fields(*this, statement.operation);
    for (const Binder& result : statement.results) bind(result);
  }
};

bool Simplifier::exists_outside(const Statement& statement, const Scope& scope) {
  if (std::holds_alternative<Scalar>(statement.operation)) return true;
  ExistenceOutside walk{*this, scope};
  walk.statement(statement);
  return walk.exists || surely_runs(scope);
}

namespace {

/// The names of which `condition` says that they are not negative, if it says nothing else.
template <typename Definition>
bool is_about_counts(const Operand& condition, const Definition& scalar_of,
                     std::vector<NameId>& counts) {
  const Scalar* scalar = condition.is_name() ? scalar_of(condition.name()) : nullptr;
  if (scalar == nullptr) return false;
  const auto& arguments = scalar->arguments;
  if (scalar->op == ScalarOp::bit_and && scalar->type == ScalarType::boolean) {
    return is_about_counts(arguments[0], scalar_of, counts) &&
           is_about_counts(arguments[1], scalar_of, counts);
  }
  if (scalar->op != ScalarOp::sle || scalar->type != ScalarType::i64) return false;
  if (arguments[0] != i64_operand(0) || !arguments[1].is_name()) return false;
  counts.push_back(arguments[1].name());
  return true;
}

}  // namespace

std::vector<NameId> Simplifier::asserted_counts(const Statement& assertion) const {
  const auto scalar_of = [this](NameId name) {
    const Statement* source = definition(name);
    return source == nullptr ? nullptr : as<Scalar>(source->operation);
  };
  std::vector<NameId> counts;
  const Operand& condition = std::get<Assert>(assertion.operation).condition;
  return is_about_counts(condition, scalar_of, counts) ? counts : std::vector<NameId>();
}

bool Simplifier::is_asserted_by_result(const Statement& assertion, const Scope& scope) const {
  const auto is_size_of_result = [&](NameId name) {
    return std::any_of(scope.results->begin(), scope.results->end(), [&](const Binder& result) {
      const std::vector<Operand>& shape = names_.type(result.name).shape;
      return std::find(shape.begin(), shape.end(), Operand(name)) != shape.end();
    });
  };
  const std::vector<NameId> counts = asserted_counts(assertion);
  return scope.results != nullptr && !counts.empty() &&
         std::all_of(counts.begin(), counts.end(), is_size_of_result);
}

}  // namespace dagaz::passes
