// Types of the array IR, and the table of names that holds them.
//
// Every name is bound exactly once in a program, and its type never changes; so types live in one
// table, `Names`, and binders in the tree are names alone.  A pass asks `names.type(x)` wherever it
// stands, without carrying a scope.  Whoever copies code that binds names renames it (names.h).
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ir/scalar.h"
#include "support/check.h"
#include "support/id.h"

namespace dagaz::ir {

struct NameTag {};
using NameId = Id<NameTag>;

/// A use of a name, or a constant.
struct Operand {
  std::variant<NameId, Constant> value;

  Operand() : value(Constant{}) {}
  Operand(NameId name) : value(name) {}
  Operand(Constant constant) : value(constant) {}
  bool is_name() const { return value.index() == 0; }
  bool is_constant() const { return value.index() == 1; }
  NameId name() const { return std::get<NameId>(value); }
  const Constant& constant() const { return std::get<Constant>(value); }
  bool operator==(const Operand&) const = default;
};

/// An i64 constant operand.
inline Operand i64_operand(std::int64_t value) { return Operand(make_i64(value)); }

enum class TypeKind : std::uint8_t {
  value,        // a scalar (rank 0) or an array
  token,        // the result of an assert; statements that carry it cannot move before it
  accumulator,  // write-only view of an array with `shape`, see WithAccumulator
  block         // memory; in imperative code only
};

/// `element` with `shape`; rank 0 is a scalar.  Sizes are i64 operands.
struct Type {
  ScalarType element = ScalarType::i64;
  std::vector<Operand> shape = {};
  TypeKind kind = TypeKind::value;

  std::size_t rank() const { return shape.size(); }
  bool is_scalar() const { return kind == TypeKind::value && shape.empty(); }
  bool is_array() const { return kind == TypeKind::value && !shape.empty(); }
  bool operator==(const Type&) const = default;
};

inline Type scalar_of(ScalarType element) { return Type{element, {}, TypeKind::value}; }
inline Type array_of(ScalarType element, std::vector<Operand> shape) {
  return Type{element, std::move(shape), TypeKind::value};
}
inline Type token_type() { return Type{ScalarType::boolean, {}, TypeKind::token}; }
/// The type of an element of the outermost dimension.
inline Type row_of(const Type& type) {
  DZ_CHECK(!type.shape.empty(), "a scalar has no rows");
  return Type{type.element, {type.shape.begin() + 1, type.shape.end()}, type.kind};
}
/// An array of `width` values of type `row`.
inline Type array_over(Operand width, const Type& row) {
  Type type = row;
  type.shape.insert(type.shape.begin(), width);
  return type;
}

/// All names of a program: a human base name and the type.
class Names {
 public:
  /// A new name, printed as `base_12`.
  NameId fresh(std::string base, Type type) {
    entries_.push_back(Entry{std::move(base), std::move(type)});
    return NameId(entries_.size() - 1);
  }
  /// A new name with the base name and type of `like`.
  NameId fresh_like(NameId like) {
    entries_.push_back(Entry(entries_[like.index]));
    return NameId(entries_.size() - 1);
  }

  const std::string& base(NameId name) const { return entries_[name.index].base; }
  const Type& type(NameId name) const { return entries_[name.index].type; }
  /// Only for binders whose type is being rewritten together with its uses (substitution).
  void set_type(NameId name, Type type) { entries_[name.index].type = std::move(type); }
  std::size_t size() const { return entries_.size(); }

  /// The type of an operand.
  Type type(const Operand& operand) const {
    return operand.is_name() ? type(operand.name()) : scalar_of(operand.constant().type);
  }
  /// `base_12`
  std::string text(NameId name) const { return base(name) + "_" + std::to_string(name.index); }

 private:
  struct Entry {
    std::string base;
    Type type;
  };
  std::deque<Entry> entries_;  // a deque: references stay valid while names are added
};

}  // namespace dagaz::ir
