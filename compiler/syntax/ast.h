// The syntax tree, as written by the user, with slots that the checker fills in.
//
// Nodes live in the Arena of their program and are linked by plain pointers; trees are never
// freed node by node, so depth is no danger to destruction.  Lists that programs make long (let
// chains, application arguments) are walked by loops.
//
// Fields below a line "checked:" are empty after parsing and filled by check/.  What they mean to
// the phases that read them is said at each field; the types they point to are in check/type.h.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "support/name_table.h"
#include "support/source.h"
#include "syntax/ids.h"

namespace dagaz::check {
struct Type;
struct Scheme;
struct Instance;
struct Coercion;
struct BroadcastPlan;
}  // namespace dagaz::check

namespace dagaz::ast {

struct Exp;
struct Pattern;
struct TypeExp;
struct ModuleExp;
struct SignatureExp;
struct Declaration;

/// A spelling and where it stands.  Operators are spelled without parentheses: `+`.
struct Name {
  Symbol symbol;
  Range range;
};

/// `A.B.x`: qualifiers `A`, `B` and the name `x`.
struct QualifiedName {
  std::vector<Name> qualifiers;
  Name name;
  Range range;
};

/// `#[unroll]`, `#[stripmine(4)]`, `#[flattening(no_outer)]`: an atom, perhaps with arguments.
struct Attribute {
  Range range;
  Symbol name;                          // invalid for a number
  std::int64_t number = 0;              // when `name` is invalid
  std::vector<Attribute> arguments;
  bool has_arguments = false;           // `f()` differs from `f`
};

// ---------------------------------------------------------------- types

/// `[e]` or `[]` (no expression).
struct Dimension {
  Range range;
  Exp* size = nullptr;
};

/// `t`, `M.t`
struct TypeName {
  QualifiedName name;
  // checked:
  TypeNameId id = {};
};
struct TupleType { std::vector<TypeExp*> elements; };  // () is the empty tuple
struct RecordType { std::vector<std::pair<Name, TypeExp*>> fields; };
struct SumType { std::vector<std::pair<Name, std::vector<TypeExp*>>> constructors; };
struct ArrayType { Dimension dimension; TypeExp* element; };
struct UniqueType { TypeExp* type; };                   // *t
/// `t -> u` or `(x: t) -> u`
struct ArrowType {
  std::optional<Name> parameter;
  TypeExp* from;
  TypeExp* to;
  // checked:
  BindingId parameter_id = {};
};
/// `?[n][m].t`
struct ExistentialType {
  std::vector<Name> sizes;
  TypeExp* type;
  // checked:
  std::vector<BindingId> size_ids = {};
};
/// Application of an abbreviation; each argument is a size in brackets or a type.
struct TypeArgument { std::variant<Dimension, TypeExp*> value; };
struct TypeApplication { TypeExp* function; std::vector<TypeArgument> arguments; };

struct TypeExp {
  Range range;
  std::variant<TypeName, TupleType, RecordType, SumType, ArrayType, UniqueType, ArrowType,
               ExistentialType, TypeApplication> node;
  // checked:
  const check::Type* type = nullptr;
};

/// `[n]`, `'t`, `'~t`, `'^t`
enum class ParameterKind { size, type, size_lifted, lifted };
struct TypeParameter {
  Range range;
  ParameterKind kind;
  Name name;
  // checked (by kind):
  BindingId size_id = {};
  TypeNameId type_id = {};
};

// ---------------------------------------------------------------- patterns

struct NamePattern {
  Name name;
  // checked:
  BindingId id = {};
};
struct WildcardPattern {};
struct TuplePattern { std::vector<Pattern*> elements; };
/// `{a, b = p}`: punned fields hold a NamePattern.
struct RecordPattern { std::vector<std::pair<Name, Pattern*>> fields; };
struct ConstructorPattern { Name constructor; std::vector<Pattern*> arguments; };
/// A literal; negative ones hold a Negate expression.
struct LiteralPattern { Exp* literal; };
struct AscribedPattern { Pattern* pattern; TypeExp* type; };
struct AttributePattern { Attribute attribute; Pattern* pattern; };

struct Pattern {
  Range range;
  std::variant<NamePattern, WildcardPattern, TuplePattern, RecordPattern, ConstructorPattern,
               LiteralPattern, AscribedPattern, AttributePattern> node;
  // checked: the type of the matched value
  const check::Type* type = nullptr;
};

/// What a lambda, a local function and a definition have in common.
struct Function {
  std::vector<TypeParameter> type_parameters;
  std::vector<Pattern*> parameters;
  TypeExp* result_type = nullptr;  // may be absent
  Exp* body = nullptr;
};

// ---------------------------------------------------------------- expressions

enum class LiteralSuffix : std::uint8_t {
  none, i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64
};
/// Also character literals (the code point).  `too_large`: does not fit 64 bits.
struct IntegerLiteral {
  std::uint64_t value;
  LiteralSuffix suffix;
  bool too_large = false;
};
struct FloatLiteral { double value; LiteralSuffix suffix; };
struct BoolLiteral { bool value; };
struct StringLiteral { std::string bytes; };  // UTF-8
struct Hole {};                               // ???

struct Variable {
  QualifiedName name;
  // checked: what it refers to, and how the type and size parameters of a polymorphic value are
  // instantiated here (null if it has none)
  BindingId id = {};
  const check::Instance* instance = nullptr;
};
/// `M.(e)`.  Where `M` names a value this is a broadcast, and the checker rewrites it to one.
struct LocalOpen { QualifiedName module; Exp* body; };
struct Tuple { std::vector<Exp*> elements; };  // () is the empty tuple
struct Record { std::vector<std::pair<Name, Exp*>> fields; };  // puns hold a Variable
struct Project { Exp* record; Name field; };
struct ArrayLiteral { std::vector<Exp*> elements; };

/// One position between the brackets of an index: `i`, or `start:end:stride` with parts elided.
struct IndexDimension {
  Range range;
  bool is_slice = false;
  Exp* index = nullptr;  // of a fixed position
  Exp* start = nullptr;
  Exp* end = nullptr;
  Exp* stride = nullptr;
};
struct Index { Exp* array; std::vector<IndexDimension> dimensions; };

/// `.f` or `[i, j:k]` in an update or a section.
struct PathStep {
  Range range;
  std::variant<Name, std::vector<IndexDimension>> step;
};
/// `source with path = value`.  `let x.f[i] = v in e` is `let x = x with .f[i] = v in e`.
struct Update { Exp* source; std::vector<PathStep> path; Exp* value; };

enum class RangeEnd { inclusive, up_to, down_to };  // ...  ..<  ..>
struct RangeExp { Exp* start; Exp* second; Exp* end; RangeEnd kind; };  // `second` may be null
struct Ascription { Exp* value; TypeExp* type; };
struct Coercion { Exp* value; TypeExp* type; };  // :>
struct Apply { Exp* function; std::vector<Exp*> arguments; };
/// A binary operator other than `&&` and `||`: the operator is a Variable expression.
struct Binary { Exp* operation; Exp* left; Exp* right; };
enum class ShortCircuit { logical_and, logical_or };
struct Logical { ShortCircuit kind; Exp* left; Exp* right; };
struct Negate { Exp* value; };
struct Not { Exp* value; };
struct Lambda { Function function; };
struct OperatorSection { Exp* operation; };              // (+)
struct LeftSection { Exp* left; Exp* operation; };       // (x +)
struct RightSection { Exp* operation; Exp* right; };     // (+ x)
struct PathSection { std::vector<PathStep> path; };      // (.a[i].b), (.[i])

/// `let [n] p = value in body`
struct Let {
  std::vector<TypeParameter> sizes;
  Pattern* pattern;
  Exp* value;
  Exp* body;
};
/// `let f 't (x: t) = … in body`
struct LetFunction {
  Name name;
  Function function;
  Exp* body;
  // checked:
  BindingId id = {};
  const check::Scheme* scheme = nullptr;
};
struct If { Exp* condition; Exp* then_branch; Exp* else_branch; };
struct Case { Range range; Pattern* pattern; Exp* body; };
struct Match { Exp* value; std::vector<Case> cases; };

struct ForLoop { Pattern* index; Exp* bound; };      // for i < n
struct ForInLoop { Pattern* element; Exp* array; };  // for p in xs
struct WhileLoop { Exp* condition; };
/// `loop [n] p = initial for … do body`.  Without `= initial` the parser repeats the pattern's
/// names as an expression.
struct Loop {
  std::vector<TypeParameter> sizes;
  Pattern* pattern;
  Exp* initial;
  std::variant<ForLoop, ForInLoop, WhileLoop> form;
  Exp* body;
  // checked: sizes of the loop-carried value that change between iterations; they stand in
  // pattern->type and are bound anew, from the value, on each entry of the body
  std::vector<BindingId> size_ids = {};
};
struct Construct { Name constructor; std::vector<Exp*> arguments; };
struct Assert { Exp* condition; Exp* value; };
struct Attributed {
  Attribute attribute;
  Exp* value;
  Exp* argument = nullptr;              // the variable n of #[bound(n)]
};

/// `f.(x, y)`, `x .+ y`, `broadcast f x y`.  `function` takes scalars (DESIGN.md §2).
struct Broadcast {
  Exp* function;
  std::vector<Exp*> operands;
  // checked:
  const check::BroadcastPlan* plan = nullptr;
};

struct Exp {
  Range range;
  std::variant<IntegerLiteral, FloatLiteral, BoolLiteral, StringLiteral, Hole, Variable, LocalOpen,
               Tuple, Record, Project, ArrayLiteral, Index, Update, RangeExp, Ascription, Coercion,
               Apply, Binary, Logical, Negate, Not, Lambda, OperatorSection, LeftSection,
               RightSection, PathSection, Let, LetFunction, If, Match, Loop, Construct, Assert,
               Attributed, Broadcast> node;
  // checked: the type of the value.  Sizes in it are in terms of bindings in scope here and of
  // `existentials`.
  const check::Type* type = nullptr;
  // checked: sizes that become known when this expression has been evaluated (the result of
  // `filter`, of a branch, of a slice …).  They occur as whole dimensions of `type`, and are bound
  // by matching the value's shape against it; later types may mention them.
  std::vector<BindingId> existentials = {};
};

// ---------------------------------------------------------------- modules

/// One parameter of a parametric module: `(M: S)`
struct ModuleParameter {
  Name name;
  SignatureExp* signature;
  // checked:
  ModuleId id = {};
};

struct ModuleName {
  QualifiedName name;
  // checked:
  ModuleId id = {};
};
/// `import "path"`; `file` is filled by syntax/imports.
struct ModuleImport {
  std::string path;
  FileId file = {};
};
struct ModuleBody { std::vector<Declaration*> declarations; };
struct ModuleApply {
  ModuleExp* function;
  ModuleExp* argument;
  // checked: how the argument's members meet the parameter's specification, and what the
  // members of the result are called outside
  const check::Coercion* argument_coercion = nullptr;
  const check::Coercion* result_coercion = nullptr;
};
struct ModuleAscription {
  ModuleExp* module;
  SignatureExp* signature;
  // checked:
  const check::Coercion* coercion = nullptr;
};
/// `\(P: S) : R -> body`
struct ModuleLambda {
  ModuleParameter parameter;
  SignatureExp* result = nullptr;  // may be absent
  ModuleExp* body;
  // checked: to the ascribed result
  const check::Coercion* coercion = nullptr;
};
struct ModuleExp {
  Range range;
  std::variant<ModuleName, ModuleImport, ModuleBody, ModuleApply, ModuleAscription, ModuleLambda>
      node;
};

enum class Liftedness { unlifted, size_lifted, lifted };  // type, type~, type^

struct ValueSpec {
  std::vector<Attribute> attributes;
  Name name;
  std::vector<TypeParameter> type_parameters;
  TypeExp* type;
};
struct TypeSpec {
  Liftedness liftedness;
  Name name;
  std::vector<TypeParameter> parameters;
  TypeExp* definition = nullptr;  // absent for an abstract type
};
struct ModuleSpec { Name name; SignatureExp* signature; };
struct IncludeSpec { SignatureExp* signature; };
struct Spec {
  Range range;
  std::string documentation;
  std::variant<ValueSpec, TypeSpec, ModuleSpec, IncludeSpec> node;
};

struct SignatureName { QualifiedName name; };
struct SignatureBody { std::vector<Spec> specs; };
/// `S with t 'a = type`
struct SignatureWith {
  SignatureExp* signature;
  QualifiedName type_name;
  std::vector<TypeParameter> parameters;
  TypeExp* definition;
};
/// `(P: S) -> R`, `S -> R`
struct SignatureArrow {
  std::optional<Name> parameter;
  SignatureExp* from;
  SignatureExp* to;
};
struct SignatureExp {
  Range range;
  std::variant<SignatureName, SignatureBody, SignatureWith, SignatureArrow> node;
};

// ---------------------------------------------------------------- declarations

enum class ValueKeyword { def, let, entry };
struct ValueDeclaration {
  ValueKeyword keyword;
  Name name;
  Function function;
  // checked:
  BindingId id = {};
  const check::Scheme* scheme = nullptr;
  bool is_entry = false;     // `entry`, or `main` in the root file
  bool is_recursive = false;
};
struct TypeDeclaration {
  Liftedness liftedness;
  Name name;
  std::vector<TypeParameter> parameters;
  TypeExp* definition;
  // checked:
  TypeNameId id = {};
};
/// `module M (P: S) … : R = body`; parameters and ascription are kept as written.
struct ModuleDeclaration {
  Name name;
  std::vector<ModuleParameter> parameters;
  SignatureExp* signature = nullptr;  // may be absent
  ModuleExp* body;
  // checked:
  ModuleId id = {};
  const check::Coercion* coercion = nullptr;  // to `signature`
};
struct SignatureDeclaration { Name name; SignatureExp* signature; };
/// `open e`; also `import "f"`, which is `local open import "f"`.
struct OpenDeclaration { ModuleExp* module; };
struct LocalDeclaration { Declaration* declaration; };

struct Declaration {
  Range range;
  std::string documentation;
  std::vector<Attribute> attributes;
  std::variant<ValueDeclaration, TypeDeclaration, ModuleDeclaration, SignatureDeclaration,
               OpenDeclaration, LocalDeclaration> node;
};

/// One file.
struct File {
  FileId id = {};
  std::string path;            // as the user would write it in an import, normalised
  std::string documentation;
  std::vector<Declaration*> declarations;
};

/// Owns the nodes of a program.
class Arena {
 public:
  template <typename T>
  T* make(T node) {
    return &std::get<std::deque<T>>(nodes_).emplace_back(std::move(node));
  }

 private:
  std::tuple<std::deque<Exp>, std::deque<Pattern>, std::deque<TypeExp>, std::deque<ModuleExp>,
             std::deque<SignatureExp>, std::deque<Declaration>>
      nodes_;
};

/// All files of a program, imports before importers.  The last one is the root; the first ones
/// are the embedded prelude, whose `prelude.fut` every other file sees opened.
struct Program {
  Arena arena;
  std::vector<File> files;
};

}  // namespace dagaz::ast
