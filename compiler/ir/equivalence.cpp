// Structural equality and hashing of operations, up to the names they bind inside.
#include <bit>
#include <unordered_map>

#include "ir/fields.h"
#include "ir/names.h"
#include "support/match.h"

namespace dagaz::ir {

namespace {

/// Compares two trees side by side; binders met in the same place stand for each other.
class Compare {
 public:
  explicit Compare(const Names& names) : names_(names) {}

  template <typename T>
  bool same(const T& a, const T& b) {
    if constexpr (std::is_same_v<T, NameId>) {
      const auto found = stands_for_.find(a);
      return (found == stands_for_.end() ? a : found->second) == b;
    } else if constexpr (std::is_same_v<T, Operand>) {
      if (a.is_name() != b.is_name()) return false;
      return a.is_name() ? same(a.name(), b.name()) : a.constant() == b.constant();
    } else if constexpr (std::is_same_v<T, Binder>) {
      stands_for_[a.name] = b.name;
      return same(names_.type(a.name), names_.type(b.name));
    } else if constexpr (std::is_same_v<T, Type>) {
      return a.element == b.element && a.kind == b.kind && same(a.shape, b.shape);
    } else if constexpr (std::is_same_v<T, Body>) {
      return same(a.statements, b.statements) && same(a.results, b.results);
    } else if constexpr (std::is_same_v<T, Lambda>) {
      return same(a.parameters, b.parameters) && same(a.body, b.body) &&
             same(a.result_types, b.result_types);
    } else if constexpr (std::is_same_v<T, Statement>) {
      return same(a.tokens, b.tokens) && a.mode == b.mode && same(a.operation, b.operation) &&
             same(a.results, b.results);
    } else if constexpr (!detail::Carries<T>::value && !std::is_same_v<T, Statements>) {
      return a == b;
    } else if constexpr (detail::is_vector<T>) {
      if (a.size() != b.size()) return false;
      for (std::size_t i = 0; i < a.size(); ++i) {
        if (!same(a[i], b[i])) return false;
      }
      return true;
    } else if constexpr (detail::is_optional<T>) {
      return a.has_value() == b.has_value() && (!a || same(*a, *b));
    } else if constexpr (detail::is_variant<T>) {
      if (a.index() != b.index()) return false;
      return match(a, [&](const auto& alternative) {
        return same(alternative, *as<std::decay_t<decltype(alternative)>>(b));
      });
    } else {
      return same_members(a.fields(), b.fields(),
                          std::make_index_sequence<std::tuple_size_v<decltype(a.fields())>>());
    }
  }

 private:
  template <typename Tuple, std::size_t... indices>
  bool same_members(const Tuple& a, const Tuple& b, std::index_sequence<indices...>) {
    return (same(std::get<indices>(a), std::get<indices>(b)) && ...);
  }

  const Names& names_;
  std::unordered_map<NameId, NameId> stands_for_;
};

/// Mixes the parts of an operation; names bound inside count by order of binding.  Of scopes deep
/// inside only the length counts, so that hashing every level of a deep nest stays linear.
class Hash {
 public:
  std::size_t value = 0;

  void mix(std::size_t part) {
    value = std::rotl(value, 5) ^ (part * 0x9E3779B97F4A7C15u);
  }
  void use(const NameId& name) {
    const auto found = numbers_.find(name);
    mix(found == numbers_.end() ? name.index : found->second);
  }
  void use(const Operand& operand) {
    if (operand.is_name()) {
      use(operand.name());
    } else {
      mix(static_cast<std::size_t>(operand.constant().bits) + 0x51);
    }
  }
  void bind(const Binder& binder) { numbers_.emplace(binder.name, ~numbers_.size()); }
  void type(const Type& type) {
    mix(static_cast<std::size_t>(type.element));
    for (const Operand& size : type.shape) use(size);
  }
  void body(const Body& body) {
    constexpr int deepest = 2;
    mix(body.statements.size());
    if (depth_ == deepest) return;
    ++depth_;
    for (const Statement& statement : body.statements) {
      mix(statement.operation.index());
      walk_statement(*this, statement);
    }
    --depth_;
    for (const Operand& result : body.results) use(result);
  }
  void lambda(const Lambda& lambda) {
    for (const Binder& parameter : lambda.parameters) bind(parameter);
    body(lambda.body);
  }
  template <typename T>
  void attribute(const T& attribute) {
    if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      mix(static_cast<std::size_t>(attribute));
    } else if constexpr (std::is_same_v<T, std::string>) {
      mix(std::hash<std::string>()(attribute));
    }
  }

 private:
  std::unordered_map<NameId, std::size_t> numbers_;
  int depth_ = 0;
};

}  // namespace

bool equivalent(const Lambda& a, const Lambda& b, const Names& names) {
  return Compare(names).same(a, b);
}
bool equivalent(const Operation& a, const Operation& b, const Names& names) {
  return a.index() == b.index() && Compare(names).same(a, b);
}

std::size_t hash_of(const Operation& operation, const Names& names) {
  static_cast<void>(names);
  Hash hash;
  hash.mix(operation.index());
  walk_fields(hash, operation);
  return hash.value;
}

}  // namespace dagaz::ir
