// Equality of code: exactly, and up to the names of variables.  From the field lists, so that no
// member can be forgotten; source locations alone do not count.
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "tree/tree.h"

namespace dagaz::tree {

/// Whether the programs are the same but for locations and the spelling of names; what names that
/// do not occur are called and of which type they are does not count.
bool equal(const Program& a, const Program& b);

/// Whether code does the same with the variables that it captures, in order: one-to-one renaming of
/// variables, of the same types, makes them equal.
bool same_form(const Code& a, const Code& b, const ir::Names& names);
/// The same for the bodies of loops, whatever the loops' counts and grains.  The failures that they
/// end with are renamed one-to-one as well.
bool same_form(const ParallelFor& a, const ParallelFor& b, const ir::Names& names);
/// A hash that code of one form shares.
std::size_t hash_of_form(const Code& code, const ir::Names& names);
std::size_t hash_of_form(const ParallelFor& loop, const ir::Names& names);

/// Pieces of code by form, each with the number that its user gave it.  A piece is Code, a
/// ParallelFor, or a pointer to one.
template <typename Piece>
class Forms {
 public:
  explicit Forms(const ir::Names& names) : names_(names) {}

  /// The number of a piece of the same form; nothing if there is none.
  std::optional<std::size_t> find(const Piece& piece) const {
    const auto [begin, end] = pieces_.equal_range(hash_of_form(code_of(piece), names_));
    for (auto known = begin; known != end; ++known) {
      if (same_form(code_of(known->second.piece), code_of(piece), names_)) {
        return known->second.number;
      }
    }
    return std::nullopt;
  }
  void add(Piece piece, std::size_t number) {
    const std::size_t hash = hash_of_form(code_of(piece), names_);
    pieces_.emplace(hash, Entry{std::move(piece), number});
  }

 private:
  struct Entry {
    Piece piece;
    std::size_t number;
  };
  static const auto& code_of(const Piece& piece) {
    if constexpr (std::is_pointer_v<Piece>) {
      return *piece;
    } else {
      return piece;
    }
  }

  const ir::Names& names_;
  std::unordered_multimap<std::size_t, Entry> pieces_;
};

}  // namespace dagaz::tree
