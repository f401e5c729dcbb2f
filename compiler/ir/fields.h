// The generic walk over the members of an operation.
//
// A member's type says its role (ops.h).  `walk_fields` hands every use, binder, nested scope,
// type and attribute of a node to a visitor, in the order of DZ_FIELDS.  It stays at one level:
// the visitor decides whether and how to go into a Body or Lambda, for which `walk_body`,
// `walk_lambda` and `walk_statement` are the plain ways.
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "ir/ops.h"

namespace dagaz::ir {

template <typename T>
concept HasFields = requires(T& node) { node.fields(); };

namespace detail {

template <typename T>
inline constexpr bool is_vector = false;
template <typename T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <typename T>
inline constexpr bool is_optional = false;
template <typename T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <typename T>
inline constexpr bool is_variant = false;
template <typename... Ts>
inline constexpr bool is_variant<std::variant<Ts...>> = true;

template <typename T>
inline constexpr bool is_leaf_role =
    std::is_same_v<T, NameId> || std::is_same_v<T, Operand> || std::is_same_v<T, Binder> ||
    std::is_same_v<T, Body> || std::is_same_v<T, Lambda> || std::is_same_v<T, Type>;

/// Whether values of this type can hold anything but attributes.
template <typename T>
struct Carries : std::bool_constant<is_leaf_role<T> || HasFields<T>> {};
template <typename T>
struct Carries<std::vector<T>> : Carries<T> {};
template <typename T>
struct Carries<std::optional<T>> : Carries<T> {};
template <typename... Ts>
struct Carries<std::variant<Ts...>> : std::bool_constant<(Carries<Ts>::value || ...)> {};

}  // namespace detail

/// Hands the roles inside `field` to `visitor`, which has the members
///   use(NameId&), use(Operand&), bind(Binder&), body(Body&), lambda(Lambda&), type(Type&)
/// and may have attribute(x); const if `field` is.
template <typename Visitor, typename Field>
void walk_field(Visitor& visitor, Field& field) {
  using T = std::remove_const_t<Field>;
  if constexpr (std::is_same_v<T, NameId> || std::is_same_v<T, Operand>) {
    visitor.use(field);
  } else if constexpr (std::is_same_v<T, Binder>) {
    visitor.bind(field);
  } else if constexpr (std::is_same_v<T, Body>) {
    visitor.body(field);
  } else if constexpr (std::is_same_v<T, Lambda>) {
    visitor.lambda(field);
  } else if constexpr (std::is_same_v<T, Type>) {
    visitor.type(field);
  } else if constexpr (!detail::Carries<T>::value) {
    if constexpr (requires { visitor.attribute(field); }) {
      visitor.attribute(field);
    }
  } else if constexpr (detail::is_vector<T>) {
    for (auto& item : field) walk_field(visitor, item);
  } else if constexpr (detail::is_optional<T>) {
    if (field) walk_field(visitor, *field);
  } else if constexpr (detail::is_variant<T>) {
    std::visit([&](auto& alternative) { walk_field(visitor, alternative); }, field);
  } else {
    std::apply([&](auto&... member) { (walk_field(visitor, member), ...); }, field.fields());
  }
}

/// All members of the operation, in order.
template <typename Visitor>
void walk_fields(Visitor& visitor, Operation& operation) {
  std::visit([&](auto& alternative) { walk_field(visitor, alternative); }, operation);
}
template <typename Visitor>
void walk_fields(Visitor& visitor, const Operation& operation) {
  std::visit([&](const auto& alternative) { walk_field(visitor, alternative); }, operation);
}

/// Tokens, operation, then results.
template <typename Visitor, typename StatementType>
void walk_statement(Visitor& visitor, StatementType& statement) {
  for (auto& token : statement.tokens) visitor.use(token);
  walk_fields(visitor, statement.operation);
  for (auto& result : statement.results) visitor.bind(result);
}

template <typename Visitor, typename BodyType>
void walk_body(Visitor& visitor, BodyType& body) {
  for (auto& statement : body.statements) walk_statement(visitor, statement);
  for (auto& result : body.results) visitor.use(result);
}

template <typename Visitor, typename LambdaType>
void walk_lambda(Visitor& visitor, LambdaType& lambda) {
  for (auto& parameter : lambda.parameters) visitor.bind(parameter);
  walk_body(visitor, lambda.body);
  for (auto& type : lambda.result_types) visitor.type(type);
}

namespace detail {

template <typename Function>
struct ScopeVisitor {
  Function& function;
  void use(const NameId&) {}
  void use(const Operand&) {}
  void bind(const Binder&) {}
  void type(const Type&) {}
  void body(Body& body) { function(body); }
  void body(const Body& body) { function(body); }
  void lambda(Lambda& lambda) { function(lambda.body); }
  void lambda(const Lambda& lambda) { function(lambda.body); }
};

template <typename Function>
struct LambdaVisitor {
  Function& function;
  void use(const NameId&) {}
  void use(const Operand&) {}
  void bind(const Binder&) {}
  void type(const Type&) {}
  void body(const Body&) {}
  void lambda(Lambda& lambda) { function(lambda); }
  void lambda(const Lambda& lambda) { function(lambda); }
};

template <typename Function>
struct UseVisitor {
  Function& function;
  void use(NameId name) { function(Operand(name)); }
  void use(const Operand& operand) { function(operand); }
  void bind(const Binder&) {}
  void type(const Type&) {}
  void body(const Body&) {}
  void lambda(const Lambda&) {}
};

}  // namespace detail

/// Calls `function(body)` for each scope directly inside the operation (bodies of lambdas too).
template <typename OperationType, typename Function>
void for_each_scope(OperationType& operation, Function&& function) {
  detail::ScopeVisitor<Function> visitor{function};
  walk_fields(visitor, operation);
}
/// Calls `function(lambda)` for each lambda directly inside the operation.
template <typename OperationType, typename Function>
void for_each_lambda(OperationType& operation, Function&& function) {
  detail::LambdaVisitor<Function> visitor{function};
  walk_fields(visitor, operation);
}
/// Calls `function(operand)` for each operand that the operation itself mentions: not those in its
/// scopes and types.
template <typename Function>
void for_each_operand(const Operation& operation, Function&& function) {
  detail::UseVisitor<Function> visitor{function};
  walk_fields(visitor, operation);
}

namespace detail {

struct AnyMember {
  template <typename T>
  operator T() const;  // NOLINT: declared only, for counting
};
template <typename T, std::size_t... indices>
constexpr bool takes_members(std::index_sequence<indices...>) {
  return requires { T{(static_cast<void>(indices), AnyMember{})...}; };
}
template <typename T, std::size_t count = 12>
constexpr std::size_t member_count() {
  if constexpr (takes_members<T>(std::make_index_sequence<count>())) {
    return count;
  } else {
    return member_count<T, count - 1>();
  }
}
template <typename T>
constexpr bool lists_all_members() {
  using Listed = decltype(std::declval<T&>().fields());
  return std::tuple_size_v<Listed> == member_count<T>();
}
template <typename Variant>
struct AllListed;
template <typename... Ts>
struct AllListed<std::variant<Ts...>> {
  static constexpr bool value = (lists_all_members<Ts>() && ...);
};

static_assert(AllListed<Operation>::value, "an operation's DZ_FIELDS omits a member");
static_assert(AllListed<std::variant<SliceDimension, LoopValue, ForForm, WhileForm, LoopAttributes,
                                     ScanOperator, ReduceOperator, HistogramOperator,
                                     ScatterTarget, AccumulatorInput, SpaceDimension>>::value,
              "a part's DZ_FIELDS omits a member");

}  // namespace detail

}  // namespace dagaz::ir
