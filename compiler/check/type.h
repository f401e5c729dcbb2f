// Source types: with sizes, uniqueness and abstract names.  Immutable, owned by the TypeArena of
// the checked program; compare with check::equal, never by address.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "support/name_table.h"
#include "support/source.h"
#include "syntax/ids.h"

namespace dagaz::ast {
struct Exp;
}

namespace dagaz::check {

enum class Primitive : std::uint8_t {
  boolean, i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64
};

struct Size;
struct Type;

// ---------------------------------------------------------------- sizes

struct ConstantSize { std::int64_t value; };
struct NamedSize { BindingId name; };
/// A function or operator applied to arguments: `n + m`, `f n`.  `function` is a checked Variable
/// expression.  Two are equal when function and arguments are, syntactically.
struct AppliedSize {
  const ast::Exp* function;
  std::vector<const Size*> arguments;
};
/// Any other expression (checked, of type i64); equal only to the same expression text.
struct ExpressionSize { const ast::Exp* expression; };
/// `[]` in a written type, before it is instantiated.
struct AnonymousSize {};
/// A unification variable; none is left in a checked program.
struct MetaSize { std::uint32_t index; };

struct Size {
  std::variant<ConstantSize, NamedSize, AppliedSize, ExpressionSize, AnonymousSize, MetaSize> node;
};

// ---------------------------------------------------------------- types

struct PrimitiveType { Primitive primitive; };
struct Array {
  const Size* size;
  const Type* element;  // arrays of arrays nest
  bool unique = false;  // *[n]t, on the outermost array only
};
/// Tuples are records with the fields 0, 1, ….  Sorted: numbers first, by value, then names.
struct Record { std::vector<std::pair<Symbol, const Type*>> fields; };
/// Sorted by constructor name: the tag of a constructor is its position.
struct Sum { std::vector<std::pair<Symbol, std::vector<const Type*>>> constructors; };
struct Arrow {
  BindingId parameter;                 // valid if the result's sizes may mention the argument
  const Type* from;
  bool consumes = false;               // *t parameter
  std::vector<BindingId> existentials; // sizes of `to` that each call decides anew: ?[n].t
  const Type* to;
};
/// An abstract type or a type parameter, with the arguments of its own parameters.
/// Abbreviations are always expanded.
struct Named {
  TypeNameId name;
  std::vector<std::variant<const Size*, const Type*>> arguments;
  bool unique = false;
};
/// A unification variable; none is left in a checked program.
struct MetaType { std::uint32_t index; };

struct Type {
  std::variant<PrimitiveType, Array, Record, Sum, Arrow, Named, MetaType> node;
};

/// A polymorphic type: `[n] 'a 'b. type`.
struct Scheme {
  std::vector<BindingId> size_parameters;
  std::vector<TypeNameId> type_parameters;
  const Type* type;
};

/// How one use of a polymorphic value instantiates its scheme, in the scheme's order.  A size that
/// nothing determines, or that differs from one call to the next, is anonymous.
struct Instance {
  std::vector<const Size*> sizes;
  std::vector<const Type*> types;
};

/// How each operand of a broadcast is aligned.  The result's shape is Exp::type's.
struct BroadcastPlan {
  struct Operand {
    /// For each dimension of the operand, outermost first: whether it has size 1 and is stretched.
    /// The operand is aligned at the innermost dimension; missing outer ones are stretched.
    std::vector<bool> stretched;
  };
  std::vector<Operand> operands;
  int rank = 0;                       // of the result, as far as the broadcast adds dimensions
  std::vector<const Size*> shape;     // `rank` sizes
  const Type* element = nullptr;      // result type of the function
};

/// What happens to a module when it is seen through a signature, or when a parametric module is
/// applied: members get new identities.  The elaborator evaluates the module, then binds each
/// `to` in the surrounding environment to the value of `from`.
struct Coercion {
  struct Value {
    BindingId to;
    BindingId from;
    // Where `from` is polymorphic: the scheme that `to` has (null: none), and how `from` is
    // instantiated in terms of that scheme's parameters.
    const Scheme* scheme = nullptr;
    const Instance* instance = nullptr;
  };
  struct TypeBinding {
    TypeNameId to;
    // Parameters of `to`, which `definition` may mention.
    std::vector<std::variant<BindingId, TypeNameId>> parameters;
    const Type* definition;  // in terms of the inner names
  };
  struct Module {
    ModuleId to;
    ModuleId from;
    const Coercion* members = nullptr;   // of a plain module
    // Of a parametric module: how an argument for `to` becomes one for `from`, and back for the
    // result.
    const Coercion* parameter = nullptr;
    const Coercion* result = nullptr;
  };
  std::vector<Value> values;
  std::vector<TypeBinding> types;
  std::vector<Module> modules;
};

/// Owns sizes, types and the other tables that the syntax tree points to.
class TypeArena {
 public:
  template <typename T>
  const T* make(T node) {
    return &std::get<std::deque<T>>(nodes_).emplace_back(std::move(node));
  }

 private:
  std::tuple<std::deque<Size>, std::deque<Type>, std::deque<Scheme>, std::deque<Instance>,
             std::deque<BroadcastPlan>, std::deque<Coercion>>
      nodes_;
};

}  // namespace dagaz::check
