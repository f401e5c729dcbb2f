// Makes types and sizes in the arena of the checked program; keeps the orders that type.h promises.
#pragma once

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "check/type.h"
#include "support/name_table.h"

namespace dagaz::check {

class TypeBuilder {
 public:
  TypeBuilder(TypeArena& arena, NameTable& names);

  const Size* constant(std::int64_t value);
  const Size* named_size(BindingId name);
  const Size* applied(const ast::Exp* function, std::vector<const Size*> arguments);
  const Size* expression(const ast::Exp* exp);
  /// The one anonymous size, which types without sizes have everywhere.
  const Size* any() const { return any_; }

  const Type* primitive(Primitive p) const { return primitives_[static_cast<std::size_t>(p)]; }
  const Type* boolean() const { return primitive(Primitive::boolean); }
  const Type* i64() const { return primitive(Primitive::i64); }
  /// An array of `element`, which loses its own uniqueness.
  const Type* array(const Size* size, const Type* element, bool unique = false);
  const Type* tuple(const std::vector<const Type*>& elements);
  const Type* record(std::vector<std::pair<Symbol, const Type*>> fields);
  const Type* sum(std::vector<std::pair<Symbol, std::vector<const Type*>>> constructors);
  const Type* arrow(const Type* from, const Type* to);
  const Type* arrow(Arrow arrow);
  const Type* named(Named named);
  const Type* meta(std::uint32_t index);
  const Type* unit() const { return unit_; }

  /// `type` with uniqueness on every component that can have it.
  const Type* unique(const Type* type);
  /// `type` without uniqueness (results of functions inside keep theirs).
  const Type* not_unique(const Type* type);
  /// `type` with every size replaced by `any()`, no existentials, no uniqueness.  Names of
  /// parameters stay.
  const Type* erase(const Type* type);

  Symbol tuple_field(std::size_t index);
  /// The number of elements if `record` is a tuple, else -1.
  int tuple_length(const Record& record) const;
  bool field_before(Symbol a, Symbol b) const;

  const Scheme* scheme(Scheme scheme) { return arena_.make(std::move(scheme)); }
  TypeArena& arena() { return arena_; }
  NameTable& names() const { return names_; }

 private:
  TypeArena& arena_;
  NameTable& names_;
  const Size* any_;
  std::array<const Type*, 12> primitives_;
  const Type* unit_;
  std::vector<Symbol> tuple_fields_;
  std::vector<const Size*> constants_;
};

/// Whether a value of type `type` may hold an array (and so be consumed).
bool may_hold_array(const Type* type);
/// Whether any component of `type` is unique: of a parameter, whether it is consumed.
bool has_unique(const Type* type);
std::string_view primitive_name(Primitive p);
bool is_integer(Primitive p);
bool is_float(Primitive p);
bool is_signed(Primitive p);

}  // namespace dagaz::check
