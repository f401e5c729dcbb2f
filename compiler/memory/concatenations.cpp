// Concatenations whose pieces are made where they end up, as far as a map of their body makes them
// and nothing else reads them: memory for the whole is there before the first of them.  The others
// are copied.  What is put together only to be permuted is put together in that order.
#include <algorithm>
#include <utility>

#include "memory/host.h"
#include "support/match.h"

namespace dagaz::memory {

using ir::NameId;
using ir::Operand;

namespace {

// No origin if something else reads the piece, or no map makes it.
Piece piece_made_by_map(NameId name, const Scope& scope) {
  Piece piece{name};
  for (NameId at = name;;) {
    const auto bound = scope.uses.bindings.find(at);
    if (bound == scope.uses.bindings.end() || scope.uses.count_of(at) != 1) return {name};
    const ir::Statement& statement = scope.body.statements[bound->second];
    if (as<ir::SegmentedMap>(statement.operation)) {
      piece.origin = at;
      return piece;
    }
    View view{statement.results[0].name, {}, {}};
    if (const auto* reshape = as<ir::Reshape>(statement.operation)) {
      view.array = reshape->array;
    } else if (const auto* permute = as<ir::Permute>(statement.operation)) {
      view.array = permute->array;
      view.permutation = permute->permutation;
    } else {
      return {name};
    }
    at = view.array;
    piece.views.push_back(std::move(view));
  }
}

bool is_known_before(NameId array, std::size_t statement, const Scope& scope) {
  const auto& shape = scope.names.type(array).shape;
  return std::all_of(shape.begin(), shape.end(), [&](const Operand& size) {
    if (!size.is_name()) return true;
    const auto bound = scope.uses.bindings.find(size.name());
    return bound == scope.uses.bindings.end() || bound->second < statement;
  });
}

// Whether all sizes that it takes to place a piece are known.  The length of a list follows from
// the array whose elements it lists.
bool is_sized_before(const Piece& piece, std::size_t statement, const Scope& scope) {
  const bool all_but_first = std::all_of(
      piece.views.begin(), piece.views.end(), [&](const View& view) {
        return view.result == piece.name || is_known_before(view.result, statement, scope);
      });
  if (!all_but_first || (piece.origin && !is_known_before(*piece.origin, statement, scope))) {
    return false;
  }
  const bool follows = piece.origin && scope.names.type(piece.name).rank() == 1;
  return follows || is_known_before(piece.name, statement, scope);
}

std::optional<Whole> whole_of(const ir::Concat& concat, NameId result, std::size_t statement,
                              const Scope& scope) {
  Whole whole{result, {}};
  std::size_t first = statement;
  std::unordered_set<NameId> made;
  for (const NameId name : concat.arrays) {
    whole.pieces.push_back(piece_made_by_map(name, scope));
    const auto& origin = whole.pieces.back().origin;
    if (!origin) continue;
    if (!made.insert(*origin).second) return std::nullopt;
    first = std::min(first, scope.uses.bindings.at(*origin));
  }
  const bool known = std::all_of(whole.pieces.begin(), whole.pieces.end(), [&](const Piece& one) {
    return is_sized_before(one, first, scope);
  });
  if (!known || made.empty()) return std::nullopt;
  return whole;
}

}  // namespace

std::unordered_map<NameId, Whole> find_wholes(const Scope& scope) {
  std::unordered_map<NameId, Whole> wholes;
  for (std::size_t k = 0; k < scope.body.statements.size(); ++k) {
    const ir::Statement& one = scope.body.statements[k];
    const auto* concat = as<ir::Concat>(one.operation);
    if (concat == nullptr) continue;
    auto whole = whole_of(*concat, one.results[0].name, k, scope);
    if (whole) wholes.emplace(whole->result, std::move(*whole));
  }
  return wholes;
}

std::unordered_map<NameId, NameId> find_turned(const Scope& scope) {
  std::unordered_map<NameId, NameId> turned;
  std::unordered_set<NameId> concatenations;
  for (const ir::Statement& one : scope.body.statements) {
    if (as<ir::Concat>(one.operation)) concatenations.insert(one.results[0].name);
    const auto* permute = as<ir::Permute>(one.operation);
    if (!permute || !concatenations.contains(permute->array)) continue;
    if (scope.uses.count_of(permute->array) > 1) continue;
    turned.emplace(permute->array, one.results[0].name);
  }
  return turned;
}

}  // namespace dagaz::memory
