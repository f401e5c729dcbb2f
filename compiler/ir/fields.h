// The generic walk over the members of an operation.
//
// A member's type says its role (ops.h).  `walk_fields` hands every use, binder, nested scope,
// type and attribute of a node to a visitor, in the order of DZ_FIELDS.  It stays at one level:
// the visitor decides whether and how to go into a Body or Lambda, for which `walk_body`,
// `walk_lambda` and `walk_statement` are the plain ways.
//
// The walk is compiled once, in fields.cpp, behind the interface RoleVisitor; only a visitor with
// `attribute` has one of its own.
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "ir/ops.h"
#include "support/function_ref.h"

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

template <>
inline constexpr bool is_vector<Statements> = true;
template <>
inline constexpr bool is_variant<Operation> = true;

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
template <>
struct Carries<Schedule> : std::false_type {};
template <typename... Ts>
struct Carries<std::variant<Ts...>> : std::bool_constant<(Carries<Ts>::value || ...)> {};
template <>
struct Carries<Operation> : Carries<Operations> {};

}  // namespace detail

/// What the walk calls.  `is_const`: the visitor changes nothing that it meets.
template <bool is_const>
class RoleVisitor {
 public:
  template <typename T>
  using Node = std::conditional_t<is_const, const T, T>;

  virtual void use(Node<NameId>& name) = 0;
  virtual void use(Node<Operand>& operand) = 0;
  virtual void bind(Node<Binder>& binder) = 0;
  virtual void body(Node<Body>& body) = 0;
  virtual void lambda(Node<Lambda>& lambda) = 0;
  virtual void type(Node<Type>& type) = 0;
  virtual void schedule(Node<Schedule>&) {}

 protected:
  ~RoleVisitor() = default;
};

void walk_roles(RoleVisitor<false>& visitor, Operation& operation);
void walk_roles(RoleVisitor<true>& visitor, const Operation& operation);

namespace detail {

/// A visitor of any class as a RoleVisitor.
template <typename Visitor, bool is_const>
class RoleAdapter final : public RoleVisitor<is_const> {
 public:
  explicit RoleAdapter(Visitor& visitor) : visitor_(visitor) {}
  template <typename T>
  using Node = typename RoleVisitor<is_const>::template Node<T>;

  void use(Node<NameId>& name) override { visitor_.use(name); }
  void use(Node<Operand>& operand) override { visitor_.use(operand); }
  void bind(Node<Binder>& binder) override { visitor_.bind(binder); }
  void body(Node<Body>& body) override { visitor_.body(body); }
  void lambda(Node<Lambda>& lambda) override { visitor_.lambda(lambda); }
  void type(Node<Type>& type) override { visitor_.type(type); }
  void schedule(Node<Schedule>& schedule) override {
    if constexpr (requires { visitor_.schedule(schedule); }) visitor_.schedule(schedule);
  }

 private:
  Visitor& visitor_;
};

template <typename Visitor>
concept HasAttribute = requires(Visitor& visitor, const int& value) { visitor.attribute(value); };

}  // namespace detail

/// Hands the roles inside `field` to `visitor`, which has the members
///   use(NameId&), use(Operand&), bind(Binder&), body(Body&), lambda(Lambda&), type(Type&)
/// and may have schedule(Schedule&), and attribute(x) for every other x; const if `field` is.
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
  } else if constexpr (std::is_same_v<T, Schedule>) {
    if constexpr (requires { visitor.schedule(field); }) visitor.schedule(field);
  } else if constexpr (!detail::Carries<T>::value) {
    if constexpr (detail::HasAttribute<Visitor>) visitor.attribute(field);
  } else if constexpr (detail::is_vector<T>) {
    for (auto& item : field) walk_field(visitor, item);
  } else if constexpr (detail::is_optional<T>) {
    if (field) walk_field(visitor, *field);
  } else if constexpr (detail::is_variant<T>) {
    match(field, [&](auto& alternative) { walk_field(visitor, alternative); });
  } else {
    std::apply([&](auto&... member) { (walk_field(visitor, member), ...); }, field.fields());
  }
}

/// All members of the operation, in order.
template <typename Visitor>
void walk_fields(Visitor& visitor, Operation& operation) {
  if constexpr (detail::HasAttribute<Visitor>) {
    walk_field(visitor, operation);
  } else {
    detail::RoleAdapter<Visitor, false> adapter(visitor);
    walk_roles(adapter, operation);
  }
}
template <typename Visitor>
void walk_fields(Visitor& visitor, const Operation& operation) {
  if constexpr (detail::HasAttribute<Visitor>) {
    walk_field(visitor, operation);
  } else {
    detail::RoleAdapter<Visitor, true> adapter(visitor);
    walk_roles(adapter, operation);
  }
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

/// Calls `function(body)` for each scope directly inside the operation (bodies of lambdas too).
void for_each_scope(Operation& operation, FunctionRef<void(Body&)> function);
void for_each_scope(const Operation& operation, FunctionRef<void(const Body&)> function);
/// Calls `function(lambda)` for each lambda directly inside the operation.
void for_each_lambda(Operation& operation, FunctionRef<void(Lambda&)> function);
void for_each_lambda(const Operation& operation, FunctionRef<void(const Lambda&)> function);
/// Calls `function(operand)` for each operand that the operation itself mentions: not those in its
/// scopes and types.
void for_each_operand(const Operation& operation, FunctionRef<void(const Operand&)> function);

}  // namespace dagaz::ir
