// The generic walk over the members of an instruction.  A member's type says its role (tree.h);
// `visit_fields` hands each to a visitor, in the order of DZ_FIELDS, and stays at one level.  For
// the files of this folder; others use walk.h, whose definitions are compiled once.
#pragma once

#include <tuple>
#include <type_traits>
#include <variant>

#include "ir/fields.h"
#include "tree/tree.h"

namespace dagaz::tree {

template <typename T>
inline constexpr bool is_use = std::is_same_v<T, NameId> || std::is_same_v<T, Operand>;

namespace detail {

/// Whether values of this type can hold anything but attributes.
template <typename T>
struct Carries
    : std::bool_constant<is_use<T> || std::is_same_v<T, Assigned> ||
                         std::is_same_v<T, Counter> || std::is_same_v<T, Code> ||
                         ir::HasFields<T>> {};
template <>
struct Carries<Code> : std::true_type {};
template <typename T>
struct Carries<std::vector<T>> : Carries<T> {};
template <typename T>
struct Carries<std::optional<T>> : Carries<T> {};

}  // namespace detail

/// Hands the roles inside `field` to `visitor`, which has the members
///   use(x) for NameId and Operand, set(Assigned), count(Counter), code(Code)
/// and may have attribute(x); const if `field` is.
template <typename Visitor, typename Field>
void visit_field(Visitor& visitor, Field& field) {
  using T = std::remove_const_t<Field>;
  if constexpr (is_use<T>) {
    visitor.use(field);
  } else if constexpr (std::is_same_v<T, Assigned>) {
    visitor.set(field);
  } else if constexpr (std::is_same_v<T, Counter>) {
    visitor.count(field);
  } else if constexpr (std::is_same_v<T, Code>) {
    visitor.code(field);
  } else if constexpr (!detail::Carries<T>::value) {
    if constexpr (requires { visitor.attribute(field); }) visitor.attribute(field);
  } else if constexpr (ir::detail::is_vector<T>) {
    for (auto& item : field) visit_field(visitor, item);
  } else if constexpr (ir::detail::is_optional<T>) {
    if (field) visit_field(visitor, *field);
  } else {
    std::apply([&](auto&... member) { (visit_field(visitor, member), ...); }, field.fields());
  }
}

/// All members of the instruction, in order.
template <typename Visitor, typename NodeType>
void visit_fields(Visitor& visitor, NodeType& node) {
  std::visit([&](auto& alternative) { visit_field(visitor, alternative); }, node);
}

}  // namespace dagaz::tree
