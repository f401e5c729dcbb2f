// Exhaustive dispatch on std::variant: `match(v, [](const A&) {…}, [](const B&) {…})`.
// A missing alternative fails to compile with `Require<Alternative, false>` in the first line.
//
// Works on classes derived from a variant, too.  It is instantiated in nearly every file, so it is
// made to compile fast: a `switch`, where std::visit would make a table of functions for each call.
#pragma once

#include <cstddef>
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

namespace detail {

template <typename T, typename Variant>
inline constexpr bool is_alternative = false;
template <typename T, typename... Ts>
inline constexpr bool is_alternative<T, std::variant<Ts...>> = (std::is_same_v<T, Ts> || ...);

/// `T` with the constness and value category of `Like`, which is deduced for a `Like&&`.
template <typename Like, typename T>
struct Forwarded { using type = T&&; };
template <typename Like, typename T>
struct Forwarded<const Like, T> { using type = const T&&; };
template <typename Like, typename T>
struct Forwarded<Like&, T> { using type = T&; };
template <typename Like, typename T>
struct Forwarded<const Like&, T> { using type = const T&; };

/// The dispatch over the alternatives `Ts` for arguments of type `Variant&&`.
template <typename Variant, typename Handlers, typename... Ts>
struct Dispatch {
  using Base = std::variant<Ts...>;
  using BaseReference =
      std::conditional_t<std::is_const_v<std::remove_reference_t<Variant>>, const Base&, Base&>;
  template <typename T>
  using Argument = typename Forwarded<Variant, T>::type;

  template <typename T>
  static constexpr bool handled() {
    return sizeof(Require<T, requires(Handlers& handlers, Argument<T> argument) {
             handlers(static_cast<Argument<T>>(argument));
           }>) > 0;
  }
  static constexpr bool all_handled() { return (handled<Ts>() && ...); }

  template <std::size_t n>
  static decltype(auto) call(BaseReference variant, Handlers& handlers) {
    using T = std::variant_alternative_t<n, Base>;
    return handlers(static_cast<Argument<T>>(*std::get_if<n>(&variant)));
  }

  /// Alternatives from `first`, eight at a time.
  template <std::size_t first>
  static decltype(auto) run(BaseReference variant, Handlers& handlers) {
    using Result = decltype(call<0>(variant, handlers));
    return [&]() -> Result {
#define DZ_CASE(offset)                                  \
  case first + (offset):                                 \
    if constexpr (first + (offset) < sizeof...(Ts)) {    \
      static_assert(std::is_same_v<decltype(call<first + (offset)>(variant, handlers)), Result>, \
                    "match(): the handlers return different types");                             \
      return call<first + (offset)>(variant, handlers);  \
    }                                                    \
    break;
      switch (variant.index()) {
        DZ_CASE(0)
        DZ_CASE(1)
        DZ_CASE(2)
        DZ_CASE(3)
        DZ_CASE(4)
        DZ_CASE(5)
        DZ_CASE(6)
        DZ_CASE(7)
        default:
          if constexpr (first + 8 < sizeof...(Ts)) return run<first + 8>(variant, handlers);
      }
#undef DZ_CASE
      throw std::bad_variant_access();
    }();
  }
};

/// Deduces the alternatives of a variant or of what derives from one.
template <typename Variant, typename Handlers, typename... Ts>
Dispatch<Variant, Handlers, Ts...> dispatch_of(const std::variant<Ts...>&);

}  // namespace detail

/// One of the types that `Variant` can hold, or a reference to one.
template <typename T, typename Variant>
concept Alternative = detail::is_alternative<std::remove_cvref_t<T>, Variant>;

/// Calls the handler of the alternative that `variant` holds and returns its result.
template <typename Variant, typename... Fs>
decltype(auto) match(Variant&& variant, Fs&&... handlers) {
  using Handlers = Overloaded<std::decay_t<Fs>...>;
  using Dispatch = decltype(detail::dispatch_of<Variant, Handlers>(variant));
  static_assert(Dispatch::all_handled());
  Handlers all{std::forward<Fs>(handlers)...};
  return Dispatch::template run<0>(variant, all);
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
