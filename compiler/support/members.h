// Counts the members of an aggregate, to check that a list of them is complete.
#pragma once

#include <cstddef>
#include <tuple>
#include <utility>
#include <variant>

namespace dagaz {

namespace detail {

struct AnyMember {
  template <typename T>
  operator T() const;  // NOLINT: declared only, for counting
};
template <typename T, std::size_t... indices>
constexpr bool takes_members(std::index_sequence<indices...>) {
  return requires { T{(static_cast<void>(indices), AnyMember{})...}; };
}
template <typename T, std::size_t count = 32>
constexpr std::size_t member_count() {
  if constexpr (takes_members<T>(std::make_index_sequence<count>())) {
    return count;
  } else {
    return member_count<T, count - 1>();
  }
}

/// Also of the class that T says to be its `Base`, which itself counts as one.
template <typename T>
constexpr std::size_t all_members() {
  if constexpr (requires { typename T::Base; }) {
    return member_count<T>() - 1 + member_count<typename T::Base>();
  } else {
    return member_count<T>();
  }
}

}  // namespace detail

/// Whether `fields()` of T, which has at most 32 members, is as long as T has members.
template <typename T>
constexpr bool lists_all_members() {
  using Listed = decltype(std::declval<T&>().fields());
  return std::tuple_size_v<Listed> == detail::all_members<T>();
}

/// The same for each alternative of a variant.
template <typename Variant>
inline constexpr bool alternatives_list_all_members = false;
template <typename... Ts>
inline constexpr bool alternatives_list_all_members<std::variant<Ts...>> =
    (lists_all_members<Ts>() && ...);

}  // namespace dagaz
