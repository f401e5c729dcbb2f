// What elaboration computes with: type values, values, and the frames that hold them.
//
// A value is static (closures, intrinsics, not yet evaluated constants) or dynamic (scalars,
// arrays and sums, as leaves: operands of the IR).  Records are neither: they are kept as records
// of values, so that a record may hold functions beside arrays.  Nodes are immutable, live in the
// arena of one elaboration and are passed by pointer.
#pragma once

#include <deque>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "check/check.h"
#include "ir/program.h"

namespace dagaz::elaborate {

struct TypeValue;
struct Value;
struct Frame;
struct ModuleValue;
using TypeRef = const TypeValue*;
using ValueRef = const Value*;

// ---------------------------------------------------------------- types

struct ScalarShape { check::Primitive primitive; };
struct ArrayShape { ir::Operand size; TypeRef element; };
/// Fields in the order of check::Record.
struct RecordShape { std::vector<std::pair<Symbol, TypeRef>> fields; };
/// `slots[i]` says which leaf after the tag holds leaf i of the payload.
struct ConstructorShape {
  Symbol name;
  std::vector<TypeRef> payload;
  std::vector<std::size_t> slots;
};
/// Leaves: an i8 tag, then `slot_types`.  Scalar slots are shared between constructors; array
/// slots are not, because whether two shapes are equal may be known at one place and not at
/// another, and the layout must be the same everywhere.
struct SumShape {
  std::vector<ConstructorShape> constructors;
  std::vector<ir::Type> slot_types;
};
/// An array open for writing: its leaves are accumulators of the array's leaves.
struct AccumulatorShape { TypeRef array; };
/// A function: it has no leaves.
struct FunctionShape {};

/// A type without type variables, all of whose sizes are operands.
struct TypeValue {
  std::variant<ScalarShape, ArrayShape, RecordShape, SumShape, AccumulatorShape, FunctionShape>
      node;
  std::size_t leaf_count = 0;
};

// ---------------------------------------------------------------- values

/// A scalar, an array or a sum.
struct LeafValue { TypeRef type; std::vector<ir::Operand> leaves; };
struct RecordValue { std::vector<std::pair<Symbol, ValueRef>> fields; };

/// A sum that holds functions: which constructor it is is known.
struct StaticSum { Symbol constructor; std::vector<ValueRef> payload; };

/// How a polymorphic value is instantiated, and where its sizes and types are to be evaluated.
struct InstanceHere { const check::Instance* instance = nullptr; Frame* frame = nullptr; };

/// What `#[inline]` and `#[noinline]` ask for.  `shared`: entry points that the program calls too;
/// the inliner decides which of these calls stay.  `sorting`: never, and the function is one that
/// sorts (ir::Sorts), which the library says by `#[sorts]`; `sorting_signed`, by `#[sorts(signed)]`.
enum class Inlining : std::uint8_t { automatic, shared, always, never, sorting, sorting_signed };
ir::Sorts sorts(Inlining inlining);

/// A function of the program with the frame it was defined in.
struct Closure {
  const ast::Function* function;
  const ast::ValueDeclaration* declaration;  // null for lambdas and local functions
  const check::Scheme* scheme;               // null for lambdas
  const check::Type* type;                   // of a lambda, else null
  Frame* frame;
  InstanceHere here;
  bool is_unsafe;                            // defined under #[unsafe]
  Inlining inlining = Inlining::automatic;   // where a call does not say
};
struct Intrinsic;
/// An operation that the compiler provides.
struct IntrinsicValue { const Intrinsic* intrinsic; InstanceHere here; };
/// A function with its first arguments.
struct PartialApplication { ValueRef function; std::vector<ValueRef> arguments; };
/// `(op x)`
struct RightSectionValue { ValueRef operation; ValueRef right; };
/// `(.a[i])`
struct PathFunction { const ast::Exp* section; Frame* frame; };
/// A definition without parameters, evaluated when it is first used in an IR function.
struct DelayedConstant {
  const ast::ValueDeclaration* declaration;
  Frame* frame;
  InstanceHere here;
};
/// A size parameter whose value is given by an instance.
struct DelayedSize { const check::Size* size; Frame* frame; };
/// A member seen through a signature: `inner` instantiated in terms of the parameters of `scheme`.
struct CoercedValue {
  ValueRef inner;
  const check::Scheme* scheme;
  InstanceHere here;
};
/// `???` where a function of this type is wanted.
struct HoleFunction { const check::Type* type; Frame* frame; Range range; };
/// A function that an assert returned: whatever it computes is guarded by the token.
struct GuardedFunction { ValueRef function; ir::NameId token; };
/// A size that is not known here.
struct UnknownValue {};

struct Value {
  std::variant<LeafValue, RecordValue, StaticSum, Closure, IntrinsicValue, PartialApplication,
               RightSectionValue, PathFunction, DelayedConstant, DelayedSize, CoercedValue,
               HoleFunction, GuardedFunction, UnknownValue> node;
};

// ---------------------------------------------------------------- modules and frames

/// A parametric module that waits for its next argument.
struct ModuleValue {
  const ast::ModuleDeclaration* declaration = nullptr;  // one of the two
  const ast::ModuleLambda* lambda = nullptr;
  std::size_t next_parameter = 0;
  Frame* frame = nullptr;
  /// Seen through a signature: `inner` with its argument and its result coerced.
  const ModuleValue* inner = nullptr;
  const check::Coercion* parameter = nullptr;
  const check::Coercion* result = nullptr;
};

/// What a type name stands for; `definition` is evaluated in `frame`.
struct TypeBinding {
  std::vector<std::variant<BindingId, TypeNameId>> parameters;
  const check::Type* definition = nullptr;
  Frame* frame = nullptr;
  TypeRef value = nullptr;  // when it is already evaluated
};

/// The names of one activation of a function or a parametric module.
struct Frame {
  Frame* parent = nullptr;
  std::unordered_map<BindingId, ValueRef> values = {};
  std::unordered_map<TypeNameId, TypeBinding> types = {};
  std::unordered_map<ModuleId, const ModuleValue*> modules = {};

  ValueRef find(BindingId id) const {
    for (const Frame* frame = this; frame != nullptr; frame = frame->parent) {
      const auto it = frame->values.find(id);
      if (it != frame->values.end()) return it->second;
    }
    return nullptr;
  }
  const TypeBinding* find(TypeNameId id) const {
    for (const Frame* frame = this; frame != nullptr; frame = frame->parent) {
      const auto it = frame->types.find(id);
      if (it != frame->types.end()) return &it->second;
    }
    return nullptr;
  }
  const ModuleValue* find(ModuleId id) const {
    for (const Frame* frame = this; frame != nullptr; frame = frame->parent) {
      const auto it = frame->modules.find(id);
      if (it != frame->modules.end()) return it->second;
    }
    return nullptr;
  }
};

// ---------------------------------------------------------------- building

/// Owns everything that one elaboration makes.
class ValueArena {
 public:
  template <typename Node>
  ValueRef value(Node node) { return &values_.emplace_back(Value{std::move(node)}); }
  Frame* frame(Frame* parent) { return &frames_.emplace_back(Frame{parent}); }
  const ModuleValue* module(ModuleValue module) {
    return &modules_.emplace_back(std::move(module));
  }

  TypeRef scalar(check::Primitive primitive);
  TypeRef array(ir::Operand size, TypeRef element);
  TypeRef record(std::vector<std::pair<Symbol, TypeRef>> fields);
  /// Lays out the payloads; `slots` of the constructors are filled in.
  TypeRef sum(std::vector<ConstructorShape> constructors);
  TypeRef accumulator(TypeRef array);
  TypeRef function();

  /// The value of `type` with these leaves; records are taken apart.
  ValueRef from_leaves(TypeRef type, const ir::Operand* leaves);
  ValueRef from_leaves(TypeRef type, const std::vector<ir::NameId>& leaves);
  ValueRef leaf(TypeRef type, ir::Operand operand) {
    return value(LeafValue{type, {std::move(operand)}});
  }
  /// The type of a value; functions in it have the type `function()`.
  TypeRef type_of(ValueRef value);

 private:
  std::deque<Value> values_;
  std::deque<TypeValue> types_;
  std::deque<Frame> frames_;
  std::deque<ModuleValue> modules_;
  TypeRef scalars_[12] = {};
  TypeRef function_ = nullptr;
};

/// The IR's name for a primitive type: integers lose their sign.
ir::ScalarType scalar_type(check::Primitive primitive);
constexpr bool is_unsigned(check::Primitive primitive) {
  return primitive >= check::Primitive::u8 && primitive <= check::Primitive::u64;
}

/// Appends the leaves of `value`; functions have none.
void append_leaves(ValueRef value, std::vector<ir::Operand>& out);
std::vector<ir::Operand> leaves_of(ValueRef value);
/// The IR types of the leaves of `type`.
void append_leaf_types(TypeRef type, std::vector<ir::Type>& out);
std::vector<ir::Type> leaf_types(TypeRef type);
/// Whether the value has arrays, and so its type sizes.
bool has_arrays(ValueRef value);
/// Whether a value of the type is a number or an array, or is made of some.
bool is_data(TypeRef type);

}  // namespace dagaz::elaborate
