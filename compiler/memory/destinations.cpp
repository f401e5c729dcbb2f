// Threads: which arrays of a body are its results, seen backwards through what hands an array on,
// so that they are made where the body's result is wanted.  What did not arrive there is copied.
//
//   r = permute t      where r is wanted, t is wanted with its dimensions permuted back
//   r = t with [i] = x, and the like: t is wanted there, too
#include <utility>

#include "ir/fields.h"
#include "memory/threads.h"
#include "plan/array_uses.h"
#include "support/match.h"

namespace dagaz::memory {

using ir::NameId;
using ir::Operand;

namespace {

/// Walks a body backwards.
class Backwards {
 public:
  Backwards(const ir::Body& body, const ir::Names& names, Memory& memory)
      : body_(body), names_(names), memory_(memory) {
    for (const ir::Statement& one : body.statements) {
      for (const ir::Binder& result : one.results) bound_.insert(result.name);
    }
  }

  void run() {
    for (std::size_t k = 0; k < body_.results.size(); ++k) {
      if (!names_.type(body_.results[k]).is_array()) continue;
      want(body_.results[k], {k, {}});
      const auto over = memory_.overwritten.find(body_.results[k].name());
      if (over != memory_.overwritten.end()) want(over->second, {k, {}});
    }
    for (std::size_t k = body_.statements.size(); k-- > 0;) hand_on(body_.statements[k]);
  }

 private:
  /// What is not made in the body stays where it is.
  void want(const Operand& array, Destination destination) {
    if (!array.is_name() || !bound_.contains(array.name())) return;
    memory_.destinations.try_emplace(array.name(), std::move(destination));
  }

  const Destination* wanted(const ir::Statement& statement, std::size_t result) const {
    const auto found = memory_.destinations.find(statement.results[result].name);
    return found == memory_.destinations.end() ? nullptr : &found->second;
  }

  // The place of an array of which `destination` is the permutation.
  static Destination permuted_back(const Destination& destination,
                                   const std::vector<int>& permutation) {
    std::vector<int> back(permutation.size());
    for (std::size_t k = 0; k < permutation.size(); ++k) {
      const auto to = static_cast<std::size_t>(permutation[k]);
      back[to] = destination.permutation.empty() ? static_cast<int>(k) : destination.permutation[k];
    }
    return {destination.result, std::move(back)};
  }

  void hand_on(const ir::Statement& s) {
    const auto hand = [&](std::size_t result, const Operand& to) {
      if (const Destination* one = wanted(s, result)) want(to, Destination(*one));
    };
    if (const auto* update = as<ir::Update>(s.operation)) {
      hand(0, update->array);
    } else if (const auto* identity = as<ir::Identity>(s.operation)) {
      hand(0, identity->value);
    } else if (const auto* permute = as<ir::Permute>(s.operation)) {
      if (const Destination* one = wanted(s, 0)) {
        want(permute->array, permuted_back(*one, permute->permutation));
      }
    } else if (const auto* scatter = as<ir::Scatter>(s.operation)) {
      for (std::size_t k = 0; k < scatter->targets.size(); ++k) {
        hand(k, scatter->targets[k].destination);
      }
    } else if (const auto* histogram = as<ir::Histogram>(s.operation)) {
      std::size_t k = 0;
      for (const ir::HistogramOperator& one : histogram->operators) {
        for (const NameId destination : one.destinations) hand(k++, destination);
      }
    } else if (const auto* with = as<ir::WithAccumulator>(s.operation)) {
      for (std::size_t k = 0; k < with->inputs.size(); ++k) hand(k, with->inputs[k].array);
    } else if (const auto* loop = as<ir::Loop>(s.operation)) {
      for (std::size_t k = 0; k < loop->values.size(); ++k) {
        const auto carry = memory_.carries.find(loop->values[k].parameter.name);
        const bool stays = carry != memory_.carries.end() && carry->second == Carry::in_place;
        if (stays) hand(k, loop->values[k].initial);
      }
    }
  }

  const ir::Body& body_;
  const ir::Names& names_;
  Memory& memory_;
  std::unordered_set<NameId> bound_;
};

}  // namespace

void find_destinations(const ir::Body& body, const ir::Names& names, Memory& memory) {
  Backwards(body, names, memory).run();
}

}  // namespace dagaz::memory
