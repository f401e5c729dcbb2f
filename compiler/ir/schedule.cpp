// The names that a schedule refers to.
#include "ir/schedule.h"

#include <type_traits>

namespace dagaz::ir {

namespace {

/// Hands every name and operand inside `field` to `visit`.
template <typename Field, typename Visit>
void walk(Field& field, const Visit& visit) {
  using T = std::remove_const_t<Field>;
  if constexpr (std::is_same_v<T, NameId> || std::is_same_v<T, Operand>) {
    visit(field);
  } else if constexpr (std::is_same_v<T, Strategy>) {
    std::visit([&](auto& strategy) { walk(strategy, visit); }, field);
  } else if constexpr (requires { field.fields(); }) {
    std::apply([&](auto&... member) { (walk(member, visit), ...); }, field.fields());
  } else if constexpr (requires { field.begin(); }) {
    for (auto& item : field) walk(item, visit);
  }
}

}  // namespace

void for_each_operand(const Schedule& schedule,
                      const std::function<void(const Operand&)>& function) {
  walk(schedule, [&](const auto& one) { function(Operand(one)); });
}

void replace_operands(Schedule& schedule, const std::function<Operand(const Operand&)>& function) {
  walk(schedule, [&](auto& one) {
    const Operand replaced = function(Operand(one));
    if constexpr (std::is_same_v<std::decay_t<decltype(one)>, Operand>) {
      one = replaced;
    } else {
      one = replaced.name();
    }
  });
}

}  // namespace dagaz::ir
