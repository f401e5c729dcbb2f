// Statements are met from the last to the first: where an array is mentioned that none after it
// mentions, it is used for the last time.
#include "ir/last_uses.h"

#include <span>

#include "ir/fields.h"
#include "ir/name_flags.h"

namespace dagaz::ir {

namespace {

/// The arrays that a statement mentions, in order; `once` if it does so once, and in no scope.
class Mentions {
 public:
  struct Mention {
    NameId array;
    bool once;
  };

  explicit Mentions(const Names& names) : names_(names) {}

  void use(NameId name) {
    if (!names_.type(name).is_array()) return;
    const auto [found, is_new] = places_.emplace(name, list.size());
    if (is_new) {
      list.push_back({name, !in_scope_});
    } else {
      list[found->second].once = false;
    }
  }
  void use(const Operand& operand) {
    if (operand.is_name()) use(operand.name());
  }
  void bind(const Binder&) {}
  void type(const Type&) {}  // sizes are scalars
  void body(const Body& body) {
    const bool outer = std::exchange(in_scope_, true);
    walk_body(*this, body);
    in_scope_ = outer;
  }
  void lambda(const Lambda& lambda) { body(lambda.body); }

  std::vector<Mention> list;

 private:
  const Names& names_;
  std::unordered_map<NameId, std::size_t> places_;
  bool in_scope_ = false;
};

}  // namespace

class LastUseWalk {
 public:
  LastUseWalk(const Names& names, LastUses& found) : names_(names), found_(found) {}

  /// `own`: names from around that each run of `scope` finds anew, or that nothing uses after it.
  void scope(const Body& scope, std::span<const NameId> own) {
    NameFlags mine;
    for (const NameId name : own) mine.insert(name);
    for (const Statement& statement : scope.statements) {
      for (const Binder& result : statement.results) mine.insert(result.name);
    }
    NameFlags used_later;
    Mentions results(names_);
    for (const Operand& result : scope.results) results.use(result);
    note(&scope, results, mine, used_later);
    for (auto at = scope.statements.rbegin(); at != scope.statements.rend(); ++at) {
      Mentions mentions(names_);
      walk_fields(mentions, at->operation);
      const std::vector<NameId> last = note(&*at, mentions, mine, used_later);
      if (const auto* branch = as<Branch>(at->operation)) {
        for (const Body* arm : {&branch->then_body, &branch->else_body}) this->scope(*arm, last);
      } else {
        InnerScopes inner{*this, {}};
        walk_fields(inner, at->operation);
      }
    }
  }

 private:
  /// Walks the scopes of one operation, whose binders stand before its body.
  struct InnerScopes {
    LastUseWalk& walk;
    std::vector<NameId> bound;

    void use(const NameId&) {}
    void use(const Operand&) {}
    void bind(const Binder& binder) { bound.push_back(binder.name); }
    void type(const Type&) {}
    void body(const Body& body) { walk.scope(body, bound); }
    void lambda(const Lambda& lambda) {
      std::vector<NameId> parameters;
      for (const Binder& parameter : lambda.parameters) parameters.push_back(parameter.name);
      walk.scope(lambda.body, parameters);
    }
  };

  // Gives the arrays of the scope that are used for the last time at `place`.
  std::vector<NameId> note(const void* place, const Mentions& mentions, const NameFlags& mine,
                           NameFlags& used_later) {
    std::vector<NameId> last;
    std::vector<NameId> once;
    for (const Mentions::Mention& mention : mentions.list) {
      if (!used_later.insert(mention.array) || !mine.contains(mention.array)) continue;
      last.push_back(mention.array);
      if (mention.once) once.push_back(mention.array);
    }
    if (!once.empty()) found_.arrays_.emplace(place, std::move(once));
    return last;
  }

  const Names& names_;
  LastUses& found_;
};

void LastUses::add(const Function& function, const Names& names) {
  std::vector<NameId> parameters;
  for (const Binder& parameter : function.parameters) parameters.push_back(parameter.name);
  LastUseWalk(names, *this).scope(function.body, parameters);
}

const std::vector<NameId>& LastUses::at(const void* place) const {
  static const std::vector<NameId> none;
  const auto found = arrays_.find(place);
  return found == arrays_.end() ? none : found->second;
}

}  // namespace dagaz::ir
