// New memory that one side of a branch alone needs is made there.
//
//   zs = replicate n 0                          r = if c then …
//   r  = if c then … else hist (+) 0 zs …   =           else let zs = replicate n 0
//                                                            in hist (+) 0 zs …
//
// Reverse mode begins adjoints with zeros, and later passes find ways to make them which have no
// need of these, under a condition.  On the side that needs them they can be made where the
// branch's result is wanted.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "ir/fields.h"
#include "ir/names.h"
#include "passes/passes.h"
#include "support/match.h"

namespace dagaz::passes {

namespace {

using namespace ir;

class Mover {
 public:
  explicit Mover(const Names& names) : names_(names) {}

  bool changed() const { return changed_; }

  void body(Body& body) {
    const Users users = users_of(body);
    std::vector<bool> moved(body.statements.size());
    for (std::size_t k = body.statements.size(); k-- > 0;) {
      Statement& one = body.statements[k];
      Body* const side =
          is_new_memory(one) ? side_alone(body, users, one.results[0].name) : nullptr;
      if (side == nullptr) continue;
      side->statements.insert(side->statements.begin(), std::move(one));
      moved[k] = true;
      changed_ = true;
    }
    std::vector<Statement> kept;
    for (std::size_t k = 0; k < body.statements.size(); ++k) {
      if (!moved[k]) kept.push_back(std::move(body.statements[k]));
    }
    body.statements = std::move(kept);
    for (Statement& one : body.statements) {
      if (is_of_host(one)) for_each_scope(one.operation, [&](Body& inner) { this->body(inner); });
    }
  }

 private:
  /// The statement that mentions a name; none: several do, or the body gives it.
  using Users = std::unordered_map<NameId, std::optional<std::size_t>>;

  static bool is_new_memory(const Statement& one) {
    return one.tokens.empty() && (as<Replicate>(one.operation) || as<Scratch>(one.operation));
  }

  static bool is_of_host(const Statement& one) {
    return as<Loop>(one.operation) || as<Branch>(one.operation) ||
           as<WithAccumulator>(one.operation);
  }

  Users users_of(const Body& body) const {
    Users users;
    for (std::size_t k = 0; k < body.statements.size(); ++k) {
      for (const NameId name : free_names(body.statements[k], names_)) {
        const auto [user, is_first] = users.try_emplace(name, k);
        if (!is_first && user->second != k) user->second.reset();
      }
    }
    for (const Operand& result : body.results) {
      if (result.is_name()) users[result.name()].reset();
    }
    return users;
  }

  /// The side of a branch that alone needs `name`.
  Body* side_alone(Body& body, const Users& users, NameId name) const {
    const auto user = users.find(name);
    if (user == users.end() || !user->second) return nullptr;
    auto* branch = as<Branch>(body.statements[*user->second].operation);
    if (branch == nullptr) return nullptr;
    const auto needs = [&](const Body& side) {
      const std::vector<NameId> names = free_names(side, names_);
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    const bool by_then = needs(branch->then_body);
    const bool by_else = needs(branch->else_body);
    if (by_then && by_else) return nullptr;
    return by_then ? &branch->then_body : &branch->else_body;
  }

  const Names& names_;
  bool changed_ = false;
};

}  // namespace

bool move_to_sides(FlatProgram& program) {
  Mover mover(program.program.names);
  for (Function& function : program.program.functions) mover.body(function.body);
  return mover.changed();
}

}  // namespace dagaz::passes
