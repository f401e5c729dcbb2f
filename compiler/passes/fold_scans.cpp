// What a thread scans only to reduce it is reduced as it comes.
//
//   ys = scan ⊕ 0 (map f xs);  r = reduce ⊗ 1 (map g ys)
//     =  loop (a, r) = (0, 1) for i < n do let a = a ⊕ f xs[i] in (a, r ⊗ g a)
//
// where nothing else reads the ys.  A thread runs both one element after another anyway, and keeps
// no row of its own between them: the paths of a simulation, say, of which only the payoff is
// wanted.  Any number of scans, maps and reductions over each other become one loop, if scalars are
// all that they hand on.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "ir/builder.h"
#include "ir/classify.h"
#include "ir/fields.h"
#include "ir/names.h"
#include "ir/value_count.h"
#include "passes/passes.h"
#include "passes/tokens.h"
#include "support/match.h"

namespace dagaz::passes {

namespace {

using namespace ir;

const MapScanReduce* traversal(const Statement& statement) {
  const auto* found = as<MapScanReduce>(statement.operation);
  return found != nullptr && !found->sequential ? found : nullptr;
}

/// Whether it hands on scalars only, and arrays of them.
bool is_of_scalars(const Statement& statement, const MapScanReduce& one, const Names& names) {
  const auto all_scalars = [&](const std::vector<Binder>& binders) {
    return std::all_of(binders.begin(), binders.end(), [&](const Binder& each) {
      return names.type(each.name).is_scalar();
    });
  };
  const bool has_rows =
      std::any_of(statement.results.begin(), statement.results.end(),
                  [&](const Binder& each) { return names.type(each.name).rank() > 1; });
  if (has_rows || !all_scalars(one.map.parameters)) return false;
  return std::all_of(one.scans.begin(), one.scans.end(),
                     [&](const ScanOperator& each) { return all_scalars(each.op.parameters); }) &&
         std::all_of(one.reductions.begin(), one.reductions.end(),
                     [&](const ReduceOperator& each) { return all_scalars(each.op.parameters); });
}

/// Whether what is left between two traversals may as well come before both.
bool may_come_before(const Operation& operation) {
  return as<Scalar>(operation) || as<Assert>(operation) || as<MapScanReduce>(operation) ||
         is_view(operation);
}

/// The statements of a body that use a name, by their numbers; the number behind the last for the
/// body's results.
using Users = std::unordered_map<NameId, std::vector<std::size_t>>;

Users users_in(const Body& body, const Names& names) {
  Users users;
  for (std::size_t k = 0; k < body.statements.size(); ++k) {
    for (const NameId name : free_names(body.statements[k], names)) users[name].push_back(k);
  }
  for (const Operand& result : body.results) {
    if (result.is_name()) users[result.name()].push_back(body.statements.size());
  }
  return users;
}

/// Traversals of one body that become one loop, by the numbers of their statements.
class Chain {
 public:
  Chain(const Body& body, const Users& users, const Names& names, std::size_t last)
      : body_(body), users_(users), names_(names) {
    members_ = {last};
    for (std::size_t k = last; k-- > 0;) {
      const MapScanReduce* one = traversal(body.statements[k]);
      if (one == nullptr || one->width != at(last).width) continue;
      if (!is_of_scalars(body.statements[k], *one, names)) continue;
      if (feeds_members(body.statements[k])) members_.push_back(k);
    }
    std::reverse(members_.begin(), members_.end());
  }

  bool is_legal() const {
    if (members_.size() < 2) return false;
    const bool scans = std::any_of(members_.begin(), members_.end(),
                                   [&](std::size_t k) { return !at(k).scans.empty(); });
    if (!scans) return false;
    for (std::size_t k = members_.front(); k <= members_.back(); ++k) {
      const Statement& one = body_.statements[k];
      if (!is_member(k)) {
        if (!may_come_before(one.operation)) return false;
        continue;
      }
      // What it reduces is known behind the loop.
      for (std::size_t r = 0; r < value_count(at(k).reductions); ++r) {
        for (const std::size_t user : users_of(one.results[r].name)) {
          if (user <= members_.back()) return false;
        }
      }
    }
    return true;
  }

  const std::vector<std::size_t>& members() const { return members_; }

 private:
  const MapScanReduce& at(std::size_t k) const { return *traversal(body_.statements[k]); }
  bool is_member(std::size_t k) const {
    return std::find(members_.begin(), members_.end(), k) != members_.end();
  }

  /// Whether it reads the array otherwise than element by element.
  bool captures(const MapScanReduce& one, NameId array) const {
    const auto mentions = [&](const Lambda& lambda) {
      const std::vector<NameId> inside = free_names(lambda, names_);
      return std::find(inside.begin(), inside.end(), array) != inside.end();
    };
    return mentions(one.map) || (one.post && mentions(*one.post)) ||
           std::any_of(one.scans.begin(), one.scans.end(),
                       [&](const ScanOperator& each) { return mentions(each.op); }) ||
           std::any_of(one.reductions.begin(), one.reductions.end(),
                       [&](const ReduceOperator& each) { return mentions(each.op); });
  }

  const std::vector<std::size_t>& users_of(NameId name) const {
    static const std::vector<std::size_t> none;
    const auto found = users_.find(name);
    return found == users_.end() ? none : found->second;
  }

  /// Whether it makes arrays, which only members read, element by element.
  bool feeds_members(const Statement& statement) const {
    const std::size_t first = value_count(as<MapScanReduce>(statement.operation)->reductions);
    if (first == statement.results.size()) return false;
    for (std::size_t r = first; r < statement.results.size(); ++r) {
      const NameId made = statement.results[r].name;
      for (const std::size_t user : users_of(made)) {
        if (!is_member(user) || captures(at(user), made)) return false;
      }
    }
    return true;
  }

  const Body& body_;
  const Users& users_;
  const Names& names_;
  std::vector<std::size_t> members_;
};

/// Builds the loop.
class Folding {
 public:
  Folding(const Body& body, Names& names) : body_(body), names_(names), out_(names) {}

  Statement loop(const std::vector<std::size_t>& members) {
    const Statement& last = body_.statements[members.back()];
    Statement statement = last;
    statement.results.clear();
    const NameId index = names_.fresh("i", scalar_of(ScalarType::i64));
    for (const std::size_t k : members) {
      const Statement& one = body_.statements[k];
      add_element(one, *as<MapScanReduce>(one.operation), index);
      add_tokens(statement.tokens, one.tokens);
    }
    statement.results = results_;
    statement.operation = Loop{values_, ForForm{{index}, as<MapScanReduce>(last.operation)->width},
                               out_.take_body(next_), {}};
    return statement;
  }

 private:
  /// What one traversal does with an element.
  void add_element(const Statement& statement, const MapScanReduce& one, NameId index) {
    out_.set_location(statement.location);
    for (std::size_t k = 0; k < one.arrays.size(); ++k) {
      const auto made = elements_.find(one.arrays[k]);
      const Operation element = made != elements_.end()
                                    ? Operation(Identity{made->second})
                                    : Operation(Index{one.arrays[k], {index}});
      add({one.map.parameters[k]}, element);
    }
    splice(one.map.body);
    const std::vector<Operand>& mapped = one.map.body.results;
    std::vector<Operand> outputs;
    std::size_t position = 0;
    for (const ScanOperator& each : one.scans) {
      for (const Operand& value : combine(each.op, each.neutral, mapped, position)) {
        outputs.push_back(value);
        bind({names_.fresh("last", names_.type(each.op.parameters[0].name))}, value);
      }
    }
    std::size_t result = 0;
    for (const ReduceOperator& each : one.reductions) {
      for (const Operand& value : combine(each.op, each.neutral, mapped, position)) {
        bind(statement.results[result++], value);
      }
    }
    outputs.insert(outputs.end(), mapped.begin() + static_cast<std::ptrdiff_t>(position),
                   mapped.end());
    if (one.post) {
      for (std::size_t k = 0; k < outputs.size(); ++k) {
        add({one.post->parameters[k]}, Identity{outputs[k]});
      }
      splice(one.post->body);
      outputs = one.post->body.results;
    }
    for (const Operand& value : outputs) {
      elements_.insert_or_assign(statement.results[result++].name, value);
    }
  }

  /// op's value of what it has so far and of its inputs among `mapped`, from `position` on.
  const std::vector<Operand>& combine(const Lambda& op, const std::vector<Operand>& neutral,
                                      const std::vector<Operand>& mapped, std::size_t& position) {
    const std::size_t width = neutral.size();
    for (std::size_t k = 0; k < width; ++k) {
      values_.push_back({op.parameters[k], neutral[k]});
      add({op.parameters[width + k]}, Identity{mapped[position++]});
    }
    splice(op.body);
    return op.body.results;
  }

  /// One of the loop's results, whose next value in an iteration is this.
  void bind(const Binder& result, const Operand& next) {
    results_.push_back(result);
    next_.push_back(next);
  }

  void add(std::vector<Binder> results, Operation operation) {
    out_.add({std::move(results), std::move(operation), {}, out_.location()});
  }
  void splice(const Body& body) { out_.add_all(body.statements); }

  const Body& body_;
  Names& names_;
  Builder out_;
  std::vector<LoopValue> values_;
  std::vector<Binder> results_;
  std::vector<Operand> next_;
  std::unordered_map<NameId, Operand> elements_;  // of arrays that are never made
};

class ScanFolder {
 public:
  explicit ScanFolder(Names& names) : names_(names) {}

  bool changed() const { return changed_; }

  void body(Body& body, bool in_thread) {
    for (Statement& one : body.statements) {
      const bool inside = in_thread || as<SegmentedMap>(one.operation) ||
                          as<SegmentedReduce>(one.operation) || as<SegmentedScan>(one.operation) ||
                          as<SegmentedHistogram>(one.operation) ||
                          as<SegmentedScatter>(one.operation);
      for_each_scope(one.operation, [&](Body& inner) { this->body(inner, inside); });
    }
    if (in_thread) fold(body);
  }

 private:
  void fold(Body& body) {
    const bool scans = std::any_of(
        body.statements.begin(), body.statements.end(), [](const Statement& one) {
          return traversal(one) != nullptr && !traversal(one)->scans.empty();
        });
    if (!scans) return;
    Users users = users_in(body, names_);
    for (std::size_t k = body.statements.size(); k-- > 0;) {
      const Statement& last = body.statements[k];
      const MapScanReduce* one = traversal(last);
      const bool only_reduces = one != nullptr &&
                                value_count(one->reductions) == last.results.size() &&
                                is_of_scalars(last, *one, names_);
      if (!only_reduces) continue;
      const Chain chain(body, users, names_, k);
      if (!chain.is_legal()) continue;
      body.statements[k] = Folding(body, names_).loop(chain.members());
      for (std::size_t m = chain.members().size() - 1; m-- > 0;) {
        body.statements.erase(body.statements.begin() +
                              static_cast<std::ptrdiff_t>(chain.members()[m]));
        --k;
      }
      users = users_in(body, names_);
      changed_ = true;
    }
  }

  Names& names_;
  bool changed_ = false;
};

}  // namespace

bool fold_scans(FlatProgram& program) {
  ScanFolder folder(program.program.names);
  for (Function& function : program.program.functions) folder.body(function.body, false);
  return folder.changed();
}

}  // namespace dagaz::passes
