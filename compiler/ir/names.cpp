// Free names, substitution and renaming.  All are walks over the field lists; a name is bound once
// in a program, so no walk has to care about shadowing.
#include "ir/names.h"

#include "ir/fields.h"
#include "ir/name_flags.h"

namespace dagaz::ir {

namespace {

/// Collects uses in order and binders, through all scopes.  What is bound inside is filtered at
/// the end: the type of an earlier binder may mention a later one.
class FreeNames {
 public:
  explicit FreeNames(const Names& names) : names_(names) {}

  void use(NameId name) {
    if (used_.insert(name)) order_.push_back(name);
  }
  void use(const Operand& operand) {
    if (operand.is_name()) use(operand.name());
  }
  void bind(const Binder& binder) {
    bound_.insert(binder.name);
    type(names_.type(binder.name));
  }
  void type(const Type& type) {
    for (const Operand& size : type.shape) use(size);
  }
  void body(const Body& body) { walk_body(*this, body); }
  void lambda(const Lambda& lambda) { walk_lambda(*this, lambda); }

  std::vector<NameId> take() {
    std::erase_if(order_, [this](NameId name) { return bound_.contains(name); });
    return std::move(order_);
  }

 private:
  const Names& names_;
  NameFlags used_;
  NameFlags bound_;
  std::vector<NameId> order_;
};

class BoundNames {
 public:
  std::vector<NameId> names;

  void use(const NameId&) {}
  void use(const Operand&) {}
  void bind(const Binder& binder) { names.push_back(binder.name); }
  void type(const Type&) {}
  void body(const Body& body) { walk_body(*this, body); }
  void lambda(const Lambda& lambda) { walk_lambda(*this, lambda); }
};

bool mentions(const Operand& operand, const Substitution& with) {
  return operand.is_name() && with.contains(operand.name());
}
bool mentions(const std::vector<Operand>& operands, const Substitution& with) {
  for (const Operand& operand : operands) {
    if (mentions(operand, with)) return true;
  }
  return false;
}

/// Replaces uses everywhere inside, and in the types of what is bound there.
class Substitute {
 public:
  Substitute(const Substitution& with, Names& names) : with_(with), names_(names) {}

  void use(NameId& name) {
    const auto found = with_.find(name);
    if (found == with_.end()) return;
    DZ_CHECK(found->second.is_name(), "a constant cannot stand for " + names_.text(name));
    name = found->second.name();
  }
  void use(Operand& operand) {
    if (!operand.is_name()) return;
    const auto found = with_.find(operand.name());
    if (found != with_.end()) operand = found->second;
  }
  void type(Type& type) {
    for (Operand& size : type.shape) use(size);
  }
  void bind(Binder& binder) {
    const Type& old = names_.type(binder.name);
    if (mentions(old.shape, with_)) names_.set_type(binder.name, ir::substitute(old, with_));
  }
  void body(Body& body) { walk_body(*this, body); }
  void lambda(Lambda& lambda) { walk_lambda(*this, lambda); }
  void schedule(Schedule& schedule) {
    replace_operands(schedule, [this](const Operand& one) { return ir::substitute(one, with_); });
  }

 protected:
  const Substitution& with_;
  Names& names_;
};

/// As Substitute, and replaces binders too.
class Rename : public Substitute {
 public:
  using Substitute::Substitute;

  void bind(Binder& binder) {
    const auto found = with_.find(binder.name);
    if (found != with_.end()) binder.name = found->second.name();
    Substitute::bind(binder);
  }
  void body(Body& body) { walk_body(*this, body); }
  void lambda(Lambda& lambda) { walk_lambda(*this, lambda); }
};

Substitution fresh_names_for(const std::vector<NameId>& bound, Names& names) {
  Substitution with;
  with.reserve(bound.size());
  for (const NameId name : bound) with.emplace(name, names.fresh_like(name));
  return with;
}

}  // namespace

std::vector<NameId> free_names(const Body& body, const Names& names) {
  FreeNames walk(names);
  walk.body(body);
  return walk.take();
}
std::vector<NameId> free_names(const Lambda& lambda, const Names& names) {
  FreeNames walk(names);
  walk.lambda(lambda);
  return walk.take();
}
std::vector<NameId> free_names(const Statement& statement, const Names& names) {
  FreeNames walk(names);
  walk_statement(walk, statement);
  return walk.take();
}
std::vector<NameId> free_names(const Operation& operation, const Names& names) {
  FreeNames walk(names);
  walk_fields(walk, operation);
  return walk.take();
}

std::vector<NameId> bound_names(const Body& body) {
  BoundNames walk;
  walk.body(body);
  return std::move(walk.names);
}
std::vector<NameId> bound_names(const Statement& statement) {
  BoundNames walk;
  walk_statement(walk, statement);
  return std::move(walk.names);
}

void substitute(Body& body, const Substitution& with, Names& names) {
  if (!with.empty()) Substitute(with, names).body(body);
}
void substitute(Lambda& lambda, const Substitution& with, Names& names) {
  if (!with.empty()) Substitute(with, names).lambda(lambda);
}
void substitute(Statement& statement, const Substitution& with, Names& names) {
  if (with.empty()) return;
  Substitute walk(with, names);
  walk_statement(walk, statement);
}
Type substitute(Type type, const Substitution& with) {
  for (Operand& size : type.shape) size = substitute(size, with);
  return type;
}
Operand substitute(const Operand& operand, const Substitution& with) {
  if (!operand.is_name()) return operand;
  const auto found = with.find(operand.name());
  return found == with.end() ? operand : found->second;
}

Body renamed(const Body& body, Names& names) {
  Body copy = body;
  const Substitution with = fresh_names_for(bound_names(body), names);
  Rename(with, names).body(copy);
  return copy;
}
Lambda renamed(const Lambda& lambda, Names& names) {
  Lambda copy = lambda;
  BoundNames bound;
  bound.lambda(lambda);
  const Substitution with = fresh_names_for(bound.names, names);
  Rename(with, names).lambda(copy);
  return copy;
}
Statement renamed(const Statement& statement, Names& names) {
  Statement copy = statement;
  BoundNames bound;
  walk_fields(bound, statement.operation);
  const Substitution with = fresh_names_for(bound.names, names);
  Rename walk(with, names);
  walk_statement(walk, copy);
  return copy;
}

}  // namespace dagaz::ir
