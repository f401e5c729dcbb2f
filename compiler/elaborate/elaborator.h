// The elaborator's state and its parts, shared by the files of this folder only.  Each group of
// members is implemented in the file named above it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "elaborate/called_functions.h"
#include "elaborate/constants.h"
#include "elaborate/elaborate.h"
#include "elaborate/emission.h"
#include "elaborate/open_type.h"
#include "elaborate/value.h"
#include "ir/builder.h"
#include "ir/names.h"
#include "support/diagnostic.h"
#include "support/match.h"

namespace dagaz::elaborate {

class Elaborator;

/// Thrown where a size is needed whose value is not known; whoever can do without it catches it.
struct UnknownSize { Range range; };

/// A use of an intrinsic with all its arguments.
struct IntrinsicCall {
  const Intrinsic& intrinsic;
  const InstanceHere& here;
  const std::vector<ValueRef>& arguments;
  Range range;
};

struct ScalarRow;
/// An operation that the compiler provides: how many arguments it takes and what it becomes.
struct Intrinsic {
  std::string_view name;
  std::size_t arity;
  ValueRef (*build)(Elaborator&, const IntrinsicCall&);
  const ScalarRow* row = nullptr;  // of scalar operations
};
/// What the attribute of this name asks for, if it is one of these.
std::optional<Inlining> inlining_named(std::string_view attribute);
/// The operation of this name, or null.
const Intrinsic* find_scalar_intrinsic(std::string_view name);
const Intrinsic* find_array_intrinsic(std::string_view name);

/// One of several choices; see choices.cpp.
struct Arm {
  const ast::Exp* exp;  // whose value is chosen
  std::function<ir::Operand()> test;
  std::function<ValueRef()> value;
};

class Elaborator : public Emission {
 public:
  Elaborator(const check::CheckedProgram& program, const SourceFiles& files, NameTable& names,
             Diagnostics& diagnostics, Safety safety);
  ir::ParallelProgram run(const Derivatives& derivatives);

  // ------------------------------------------------------------ state
  const check::CheckedProgram& program;
  NameTable& symbols;
  const bool ignores_unsafe;
  ValueArena arena;
  Frame* root;
  Inlining inlining = Inlining::automatic;  // of the calls in the expression, if it says so
  std::unordered_set<ir::NameId> known_sizes;  // never negative, so no check is needed
  Constants constants;
  CalledFunctions called_functions;
  // The operator of the stream being built, if it works on the array itself: see streams.cpp.
  ValueRef combining = nullptr;
  // Results of `zip`, which the language calls fresh although nothing is copied: whoever consumes
  // one copies it first.
  std::unordered_set<ir::NameId> shared;

  // ------------------------------------------------------------ types.cpp
  TypeRef evaluate_type(const check::Type* type, Frame* frame);
  /// Nothing if a size is not known here.
  TypeRef try_evaluate_type(const check::Type* type, Frame* frame);
  /// Unknown sizes are 0: for the parts of a sum that hold no value.
  TypeRef evaluate_type_or_empty(const check::Type* type, Frame* frame);
  /// Unknown sizes, and those of `unknown`, become fresh names.
  OpenType open_type(const check::Type* type, Frame* frame, const std::vector<BindingId>& unknown);
  /// The same with every size that is a name younger than `mark` opened, but for those in `keep`.
  OpenType open_type(TypeRef type, std::size_t mark,
                     const std::unordered_set<ir::NameId>& keep = {});
  /// The same type with other names for its open sizes, and these names.
  OpenType renew(const OpenType& open);
  TypeRef substitute(TypeRef type, const ir::Substitution& with);
  ir::Operand evaluate_size(const check::Size* size, Frame* frame);
  /// The same as a value: what a size function is applied to may have any type.
  ValueRef evaluate_size_value(const check::Size* size, Frame* frame);
  /// What the open sizes are in `actual`, a type of the same structure.
  std::vector<ir::Operand> match_open(const OpenType& open, TypeRef actual);
  /// The same for those of them that `part`, a part of the open type, mentions.
  void find_sizes(const OpenType& open, TypeRef part, TypeRef actual, ir::Substitution& found);
  /// Binds the sizes in `type` that `frame` does not know from `actual`.
  void bind_new_sizes(const check::Type* type, TypeRef actual, Frame* frame);
  /// Binds exactly `sizes`, again if they are bound.
  void bind_sizes(const check::Type* type, TypeRef actual, Frame* frame,
                  const std::vector<BindingId>& sizes);
  const check::Type* resolve_named(const check::Type* type, Frame*& frame, TypeRef& value);

  // ------------------------------------------------------------ expressions.cpp
  ValueRef evaluate(const ast::Exp* exp, Frame* frame);
  ValueRef evaluate_node(const ast::Exp* exp, Frame* frame);
  ValueRef evaluate_section(const ast::LeftSection& node, Frame* frame, const Range& where);
  ValueRef evaluate_tuple(const ast::Tuple& node, Frame* frame);
  ir::Operand evaluate_operand(const ast::Exp* exp, Frame* frame);
  ValueRef evaluate_array_literal(const ast::Exp* exp, const ast::ArrayLiteral& node, Frame* frame);
  ValueRef evaluate_record(const ast::Exp* exp, const ast::Record& node, Frame* frame);
  ValueRef evaluate_apply(const ast::Exp* exp, const ast::Apply& node, Frame* frame);
  ValueRef evaluate_binary(const ast::Exp* exp, const ast::Binary& node, Frame* frame);
  ValueRef evaluate_variable(const ast::Variable& node, Frame* frame);
  ValueRef evaluate_construct(const ast::Exp* exp, const ast::Construct& node, Frame* frame);
  ValueRef evaluate_attributed(const ast::Attributed& node, Frame* frame);
  ValueRef evaluate_negation(const ast::Exp* exp, ValueRef value);
  ValueRef evaluate_not(ValueRef value);
  /// A value of `type` that is never looked at: zeros.
  ValueRef blank(TypeRef type);
  ValueRef evaluate_blank(const ast::Exp* exp, Frame* frame);
  /// `value` with its arrays shaped as `type` says; `token` guards the change.
  ValueRef reshape_to(ValueRef value, TypeRef type, std::optional<ir::NameId> token);
  ValueRef project(ValueRef record, Symbol field, const Range& where);
  ir::Operand scalar_of(ValueRef value);
  const LeafValue& leaf_of(ValueRef value);
  check::Primitive primitive_of(ValueRef value);
  Symbol tuple_field(std::size_t index);
  ValueRef tuple(std::vector<ValueRef> elements);
  ValueRef i64_value(ir::Operand operand);
  ValueRef bool_value(ir::Operand operand);

  // ------------------------------------------------------------ assertions.cpp
  ValueRef evaluate_coercion(const ast::Exp* exp, const ast::Coercion& node, Frame* frame);
  /// `value` as of `type`, which has the same structure; fails in the program unless the sizes are
  /// the same.
  ValueRef shaped_as(ValueRef value, TypeRef type);
  ValueRef evaluate_assert(const ast::Exp* exp, const ast::Assert& node, Frame* frame);
  /// `value` renamed under `token`, so that no use of it comes before the assert.
  ValueRef guarded_by(ir::NameId token, ValueRef value);
  /// A value of `type` whose evaluation fails, and says that it is a hole.
  ValueRef evaluate_hole(const check::Type* type, Frame* frame, const Range& where);

  // ------------------------------------------------------------ patterns.cpp
  void bind_pattern(const ast::Pattern* pattern, ValueRef value, Frame* frame);
  /// Names for the leaves of a value of `type` that `pattern`, if it is not null, will be bound to.
  std::vector<ir::NameId> fresh_for(const ast::Pattern* pattern, TypeRef type);
  /// Whether `value` matches the literals and constructors of `pattern`.
  ir::Operand test_pattern(const ast::Pattern* pattern, ValueRef value, Frame* frame);
  ValueRef evaluate_logical(const ast::Exp* exp, const ast::Logical& node, Frame* frame);
  ValueRef constructor_payload(const LeafValue& sum, std::size_t constructor, std::size_t index);

  // ------------------------------------------------------------ choices.cpp
  ValueRef evaluate_match(const ast::Exp* exp, const ast::Match& node, Frame* frame);
  ValueRef evaluate_if(const ast::Exp* exp, Frame* frame);
  using BranchBuilder = std::function<ValueRef()>;
  /// The value of the first arm whose test holds.
  ValueRef choose(std::span<const Arm> arms, const BranchBuilder& otherwise, Frame* frame);
  ValueRef choose_in_nest(std::span<const Arm> arms, const BranchBuilder& otherwise, Frame* frame);
  ValueRef branch(ir::Operand condition, const ast::Exp* exp, Frame* frame,
                  const BranchBuilder& yes, const BranchBuilder& no);

  // ------------------------------------------------------------ loops.cpp
  ValueRef evaluate_loop(const ast::Exp* exp, const ast::Loop& node, Frame* frame);

  // ------------------------------------------------------------ functions.cpp
  ValueRef instantiate(ValueRef value, const check::Instance* instance, Frame* frame);
  ValueRef apply(ValueRef function, std::vector<ValueRef> arguments, const Range& where);
  ValueRef apply_closure(const Closure& closure, std::span<const ValueRef> arguments,
                         const Range& where);
  /// What is asked for a call of `closure` here.
  Inlining inlining_of(const Closure& closure) const;
  /// Whether `closure` is called, rather than evaluated in place.
  bool is_called(const Closure& closure, std::span<const ValueRef> arguments);
  /// Whether so much has come of applying `closure` that it is better called from now on.
  bool has_grown(const Closure& closure, std::span<const ValueRef> arguments) const;
  /// Whether what it gives holds no functions.
  bool gives_data(const Closure& closure, std::span<const ValueRef> arguments);
  std::unordered_map<const ast::ValueDeclaration*, std::size_t> grown;  // names made by each
  /// A frame in which the parameters of `closure` are bound.
  Frame* activate(const Closure& closure, std::span<const ValueRef> arguments);
  /// The types of the instance; its sizes that nothing else has bound.
  void bind_instance(const Closure& closure, Frame* frame);
  void bind_instance_sizes(const Closure& closure, Frame* frame);
  ValueRef evaluate_lambda(const ast::Exp* exp, const ast::Lambda& node, Frame* frame);
  ValueRef evaluate_let_function(const ast::LetFunction& node, Frame* frame);
  /// What a parameter of `function` is bound to; null where that is not known.
  const ast::Pattern* parameter_pattern(ValueRef function, std::size_t index);
  /// Base names for the leaves of that parameter, which has such a type.
  std::vector<std::string> parameter_hints(ValueRef function, std::size_t index, TypeRef type);

  // ------------------------------------------------------------ indexing.cpp
  ValueRef evaluate_index(const ast::Exp* exp, const ast::Index& node, Frame* frame);
  ValueRef evaluate_update(const ast::Exp* exp, const ast::Update& node, Frame* frame);
  /// Evaluates the positions in a path once, before what the update consumes.
  using Positions = std::unordered_map<const ast::Exp*, ValueRef>;
  Positions evaluate_positions(const std::vector<ast::PathStep>& path, Frame* frame);
  ValueRef apply_path(const std::vector<ast::PathStep>& path, ValueRef value, Frame* frame,
                      const Range& where);
  ValueRef index_value(ValueRef array, const std::vector<ast::IndexDimension>& dimensions,
                       Frame* frame, const Range& where);
  /// array[index] on the outermost dimension, unchecked.
  ValueRef element_at(ValueRef array, ir::Operand index);
  ValueRef update_value(ValueRef source, std::span<const ast::PathStep> path, ValueRef value,
                        const Positions& positions);
  ValueRef update_array(const LeafValue& source, std::span<const ast::PathStep> path,
                        ValueRef value, const Positions& positions);
  /// The name of an array that may be consumed.
  ir::NameId consumable(const ir::Operand& array);
  /// The leaves of `value`, of which none is the result of a zip.
  std::vector<ir::Operand> unshared_leaves(ValueRef value);
  ValueRef evaluate_range(const ast::Exp* exp, const ast::RangeExp& node, Frame* frame);
  ir::Operand to_i64(ir::Operand value, check::Primitive type);

  // ------------------------------------------------------------ equality.cpp
  ir::Operand equal(ValueRef a, ValueRef b);
  ir::Operand equal_arrays(const LeafValue& a, const LeafValue& b);

  // ------------------------------------------------------------ parallel.cpp
  /// map of `function` over the outer dimension, of size `width`, of `arrays`; `row` is the type
  /// of its result if that is known; `hints` are base names for the leaves of the elements.
  ValueRef map(ir::Operand width, const std::vector<ValueRef>& arrays, TypeRef row,
               const std::function<ValueRef(const std::vector<ValueRef>&)>& function,
               const std::vector<std::string>& hints = {});
  /// A binary operator on values of `type` as a lambda.
  ir::Lambda operator_lambda(ValueRef function, TypeRef type, const Range& where);
  /// The outer size and the element type of an array value.
  const ArrayShape& array_shape(ValueRef array);

  // ------------------------------------------------------------ broadcast.cpp
  ValueRef evaluate_broadcast(const ast::Exp* exp, const ast::Broadcast& node, Frame* frame);

  // ------------------------------------------------------------ modules.cpp
  void evaluate_declaration(const ast::Declaration* declaration, Frame* frame,
                            Inlining around = Inlining::automatic);
  /// Binds the members of a plain module in `frame`; gives a parametric one.
  const ModuleValue* evaluate_module(const ast::ModuleExp* module, Frame* frame);
  const ModuleValue* apply_module(const ast::ModuleApply& application, Frame* frame);
  /// A parametric module as `coercion`, which may be null, shows it.
  const ModuleValue* seen_through(const check::Coercion* coercion, const ModuleValue* module,
                                  Frame* frame);
  /// Applies `module` to the argument whose members `bind_argument` binds in a frame.
  const ModuleValue* apply_module(const ModuleValue* module,
                                  const std::function<void(Frame*)>& bind_argument, Frame*& inner);
  /// Binds what `coercion` names, with the values that `from` has, in `to`.
  void coerce(const check::Coercion& coercion, Frame* from, Frame* to);
};

/// The value of `function` at `argument` and its derivative with `seed`, as a pair.  `result` is
/// the type of the value, or null if that is to be seen from the value.
ValueRef differentiate_function(Elaborator& e, ir::DerivativeMode mode,
                                const std::function<ValueRef(ValueRef)>& function,
                                ValueRef argument, ValueRef seed, TypeRef result);

}  // namespace dagaz::elaborate
