// A reference to a callable, for parameters that are called before the function returns.
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace dagaz {

template <typename Signature>
class FunctionRef;

/// Refers to anything callable with `Arguments`; must not outlive it.  Unlike a template parameter,
/// lets the function that takes it be compiled once; unlike std::function, holds and copies
/// nothing.
template <typename Result, typename... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  template <typename Function>
    requires(!std::same_as<std::remove_cvref_t<Function>, FunctionRef> &&
             std::is_invocable_v<Function&, Arguments...>)
  FunctionRef(Function&& function)  // NOLINT: converts
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(function)))),
        call_([](void* object, Arguments... arguments) -> Result {
          using Object = std::remove_reference_t<Function>;
          if constexpr (std::is_void_v<Result>) {
            (*static_cast<Object*>(object))(std::forward<Arguments>(arguments)...);
          } else {
            return (*static_cast<Object*>(object))(std::forward<Arguments>(arguments)...);
          }
        }) {}

  Result operator()(Arguments... arguments) const {
    return call_(object_, std::forward<Arguments>(arguments)...);
  }

 private:
  void* object_;
  Result (*call_)(void*, Arguments...);
};

}  // namespace dagaz
