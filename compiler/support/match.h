// Exhaustive dispatch on std::variant: `match(v, [](const A&) {…}, [](const B&) {…})`.
// A missing alternative fails to compile with `Require<Alternative, false>` in the first line.
#pragma once

#include <type_traits>
#include <utility>
#include <variant>

namespace dagaz {

template <typename... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <typename... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

/// Names the alternative that has no handler, in the compiler's error message.
template <typename Alternative, bool Handled>
struct Require {
  static_assert(Handled, "match(): this alternative has no handler");
};

template <typename Handlers, typename Variant>
struct RequireAll;
template <typename Handlers, typename... Ts>
struct RequireAll<Handlers, std::variant<Ts...>> {
  static constexpr bool value =
      ((sizeof(Require<Ts, std::is_invocable_v<Handlers&, Ts&> ||
                               std::is_invocable_v<Handlers&, const Ts&> ||
                               std::is_invocable_v<Handlers&, Ts&&>>) > 0) && ...);
};

/// Calls the handler of the alternative that `variant` holds and returns its result.
template <typename Variant, typename... Fs>
decltype(auto) match(Variant&& variant, Fs&&... handlers) {
  using Handlers = Overloaded<std::decay_t<Fs>...>;
  static_assert(RequireAll<Handlers, std::remove_cvref_t<Variant>>::value);
  return std::visit(Handlers{std::forward<Fs>(handlers)...}, std::forward<Variant>(variant));
}

/// The alternative `T` of `variant`, or null.
template <typename T, typename... Ts>
T* as(std::variant<Ts...>& variant) {
  return std::get_if<T>(&variant);
}
template <typename T, typename... Ts>
const T* as(const std::variant<Ts...>& variant) {
  return std::get_if<T>(&variant);
}

}  // namespace dagaz
