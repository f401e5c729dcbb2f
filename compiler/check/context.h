// What all parts of the checker share: the tables of values, type names, modules and module types,
// and the means to make new ones.  Names are resolved once, to ids; everything known about an id
// is found here.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "check/check.h"
#include "check/name_record.h"
#include "check/type.h"
#include "check/type_builder.h"
#include "support/diagnostic.h"
#include "support/id.h"
#include "support/name_table.h"
#include "syntax/ast.h"

namespace dagaz::check {

/// A parameter of a type name: of a size or of a type.
using TypeParameterId = std::variant<BindingId, TypeNameId>;

/// Abbreviations, abstract types and type parameters.
struct TypeNameInfo {
  Symbol name;
  Range range;
  ast::Liftedness liftedness = ast::Liftedness::unlifted;
  std::vector<TypeParameterId> parameters;
  std::vector<BindingId> existentials;  // sizes that each use of the abbreviation leaves open
  const Type* definition = nullptr;     // null: abstract, or a type parameter
  int level = 0;                        // of a type parameter: where it is bound
  bool is_parameter = false;
  bool is_builtin = false;
  bool unusable = false;                // its definition has an error, which has been reported
};

/// A set of primitive types, one bit each.
using PrimitiveSet = std::uint16_t;
constexpr PrimitiveSet primitive_bit(Primitive p) {
  return static_cast<PrimitiveSet>(1u << static_cast<unsigned>(p));
}

enum class ValueKind : std::uint8_t {
  ordinary,
  operation,   // t -> t -> t for each primitive of ValueInfo::operands
  comparison,  // t -> t -> bool, likewise
  equality,    // t -> t -> bool for every type without functions
  broadcast,
  unusable,    // its definition has an error, which has been reported
};

/// What the checker knows about a value.
struct ValueInfo {
  ValueKind kind = ValueKind::ordinary;
  PrimitiveSet operands = 0;
  const Type* unsized = nullptr;   // type without sizes; mentions `type_parameters`
  std::vector<TypeNameId> type_parameters;
  const Scheme* scheme = nullptr;  // null until sizes have been inferred
  /// A function inside its own definition when the result type is not written.
  bool sizes_unknown = false;
  /// Whether an expression refers to it.
  bool is_used = false;
};

/// The members of a module, in the order of their definition.  A later one hides an earlier one
/// of the same name.
class Environment {
 public:
  struct Item { NameSpace space; Symbol name; Member member; };
  void add(NameSpace space, Symbol name, Member member);
  void add_all(const Environment& other);
  Member find(NameSpace space, Symbol name) const;
  /// All items, hidden ones included; `is_visible` tells which count.
  const std::vector<Item>& items() const { return items_; }
  bool is_visible(std::size_t position) const;

 private:
  std::vector<Item> items_;
  std::unordered_map<std::uint64_t, std::size_t> index_;
};

struct ModuleType;

/// A module: plain, or a function from modules to modules.
struct ModuleInfo {
  Symbol name;
  Range range;  // of the name where it is defined, if it has one
  Environment members;
  /// Of a parametric module: what it takes and what it gives.
  const ModuleType* parameter = nullptr;
  const ModuleType* result = nullptr;
  bool is_intrinsics = false;
  bool unusable = false;
};

/// A module together with the abstract types that belong to it.
struct ModuleType {
  std::vector<TypeNameId> abstract_types;
  ModuleId module;
};

class Context {
 public:
  Context(ast::Program& the_program, NameTable& the_names, Diagnostics& the_diagnostics,
          CheckedProgram& the_result);

  /// Whether the file being checked is part of the standard library.
  bool in_library = false;

  /// Null unless a tool asks.
  NameRecord* record = nullptr;
  void note_use(const Range& range, Member member) {
    if (record != nullptr) record->uses.push_back({range, member});
  }
  /// Whether `range` is the name that an editor wants to complete.
  bool is_wanted(const Range& range) const { return record != nullptr && record->is_wanted(range); }

  ast::Program& program;
  NameTable& names;
  Diagnostics& diagnostics;
  CheckedProgram& result;
  TypeBuilder types;

  IdVector<BindingId, ValueInfo> values;
  IdVector<TypeNameId, TypeNameInfo> type_names;
  IdVector<ModuleId, const ModuleInfo*> modules;
  /// The module types that have names, by Member::index.
  std::vector<const ModuleType*> signatures;
  /// The operators that the language itself provides.
  std::unordered_map<Symbol, BindingId> operators;

  BindingId new_binding(Symbol name, const Range& range);
  /// A binding of type i64, for a size.
  BindingId new_size(std::string_view name, const Range& range);
  TypeNameId new_type_name(TypeNameInfo info);
  ModuleId new_module(ModuleInfo info);
  ModuleInfo& module_info(ModuleId id) { return module_storage_[id.index]; }
  const ModuleType* new_module_type(ModuleType type);

  std::string_view text(Symbol symbol) const { return names.text(symbol); }
  std::string_view text(BindingId id) const { return names.text(result.bindings[id].name); }
  Range range_of(BindingId id) const { return result.bindings[id].range; }

  /// Gives `id` the monomorphic type `type`.
  void set_type(BindingId id, const Type* type);

 private:
  std::deque<ModuleInfo> module_storage_;
  std::deque<ModuleType> module_types_;
};

}  // namespace dagaz::check
