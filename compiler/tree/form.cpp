// Two walks over the field lists: one compares in lockstep, keeping a one-to-one relation of
// names, and of failures where these are renamed; one hashes, with names numbered in order of
// appearance and whatever the failures.
#include "tree/form.h"

#include "tree/fields.h"

namespace dagaz::tree {

namespace {

enum class Naming { exact, renamed, renamed_with_failures };

class Comparison {
 public:
  Comparison(Naming naming, const ir::Names& a_names, const ir::Names& b_names)
      : naming_(naming), a_names_(a_names), b_names_(b_names) {}

  bool same(NameId a, NameId b) {
    if (!a.valid() || !b.valid()) return a == b;
    if (naming_ == Naming::exact && a != b) return false;
    const auto [there, fresh] = a_to_b_.try_emplace(a, b);
    if (!fresh) return there->second == b;
    return b_to_a_.try_emplace(b, a).second && same(a_names_.type(a), b_names_.type(b));
  }
  bool same(const Operand& a, const Operand& b) {
    if (a.is_name() != b.is_name()) return false;
    return a.is_name() ? same(a.name(), b.name()) : a.constant() == b.constant();
  }
  bool same(const Assigned& a, const Assigned& b) { return same(a.name, b.name); }
  bool same(const Counter& a, const Counter& b) { return same(a.name, b.name); }
  bool same(const ir::Type& a, const ir::Type& b) {
    return a.element == b.element && a.kind == b.kind && same(a.shape, b.shape);
  }
  bool same(const ir::LocationId&, const ir::LocationId&) { return true; }
  bool same(const Instruction& a, const Instruction& b) {
    if (a.node.index() != b.node.index()) return false;
    return std::visit(
        [&]<typename T>(const T& one) { return same(one, std::get<T>(b.node)); }, a.node);
  }
  bool same(const Function& a, const Function& b) {
    return a.name == b.name && a.device == b.device && same(a.parameters, b.parameters) &&
           same(a.body, b.body) && same(a.results, b.results);
  }
  bool same(const Failure& a, const Failure& b) { return a.text == b.text; }
  bool same(const Fail& a, const Fail& b) {
    return same_failure(a.failure, b.failure) && same(a.arguments, b.arguments);
  }
  template <typename T>
  bool same(const std::optional<T>& a, const std::optional<T>& b) {
    return a.has_value() == b.has_value() && (!a || same(*a, *b));
  }
  template <typename T>
  bool same(const std::vector<T>& a, const std::vector<T>& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t k = 0; k < a.size(); ++k) {
      if (!same(a[k], b[k])) return false;
    }
    return true;
  }
  template <typename T>
  bool same(const T& a, const T& b) {
    if constexpr (ir::HasFields<const T>) {
      const auto a_fields = a.fields();
      const auto b_fields = b.fields();
      return [&]<std::size_t... k>(std::index_sequence<k...>) {
        return (same(std::get<k>(a_fields), std::get<k>(b_fields)) && ...);
      }(std::make_index_sequence<std::tuple_size_v<decltype(a.fields())>>());
    } else {
      return a == b;
    }
  }

 private:
  bool same_failure(int a, int b) {
    if (naming_ != Naming::renamed_with_failures || a < 0 || b < 0) return a == b;
    return failures_there_.try_emplace(a, b).first->second == b &&
           failures_back_.try_emplace(b, a).first->second == a;
  }

  Naming naming_;
  const ir::Names& a_names_;
  const ir::Names& b_names_;
  std::unordered_map<NameId, NameId> a_to_b_;
  std::unordered_map<NameId, NameId> b_to_a_;
  std::unordered_map<int, int> failures_there_;
  std::unordered_map<int, int> failures_back_;
};

class Hash {
 public:
  explicit Hash(const ir::Names& names) : names_(names) {}
  std::size_t result() const { return hash_; }

  void use(const NameId& name) {
    const auto [found, fresh] = numbers_.try_emplace(name, numbers_.size());
    mix(found->second);
    if (!fresh || !name.valid()) return;
    const ir::Type& type = names_.type(name);
    mix(static_cast<std::size_t>(type.element));
    mix(static_cast<std::size_t>(type.kind));
    mix(type.shape.size());
  }
  void use(const Operand& operand) {
    if (operand.is_name()) {
      use(operand.name());
    } else {
      attribute(operand.constant());
    }
  }
  void set(const Assigned& one) { use(one.name); }
  void count(const Counter& one) { use(one.name); }
  void code(const Code& code) {
    mix(code.size());
    for (const Instruction& instruction : code) {
      mix(instruction.node.index());
      if (const auto* fail = std::get_if<Fail>(&instruction.node)) {
        for (const Operand& argument : fail->arguments) use(argument);
      } else {
        visit_fields(*this, instruction.node);
      }
    }
  }
  template <typename T>
  void attribute(const T& value) {
    if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
      mix(static_cast<std::size_t>(value));
    } else if constexpr (std::is_same_v<T, std::string>) {
      mix(std::hash<std::string>()(value));
    } else if constexpr (std::is_same_v<T, ir::Constant>) {
      mix(static_cast<std::size_t>(value.type));
      mix(value.bits);
    } else if constexpr (std::is_same_v<T, std::optional<int>>) {
      mix(static_cast<std::size_t>(value.value_or(-1)));
    } else if constexpr (std::is_same_v<T, std::vector<ir::Constant>>) {
      for (const ir::Constant& one : value) attribute(one);
    } else {
      static_assert(std::is_same_v<T, ir::LocationId>, "an attribute without a hash");
    }
  }

 private:
  void mix(std::size_t value) {
    hash_ = (hash_ ^ value) * 0x9E3779B97F4A7C15u;
    hash_ ^= hash_ >> 29;
  }

  const ir::Names& names_;
  std::size_t hash_ = 0;
  std::unordered_map<NameId, std::size_t> numbers_;
};

}  // namespace

bool equal(const Program& a, const Program& b) {
  Comparison comparison(Naming::exact, a.names, b.names);
  return a.target == b.target && comparison.same(a.functions, b.functions) &&
         comparison.same(a.failures, b.failures) && comparison.same(a.entries, b.entries) &&
         comparison.same(a.external_types, b.external_types) &&
         comparison.same(a.entry_inputs, b.entry_inputs) &&
         comparison.same(a.entry_outputs, b.entry_outputs);
}

bool same_form(const Code& a, const Code& b, const ir::Names& names) {
  Comparison comparison(Naming::renamed, names, names);
  return comparison.same(a, b);
}

bool same_form(const ParallelFor& a, const ParallelFor& b, const ir::Names& names) {
  Comparison comparison(Naming::renamed_with_failures, names, names);
  return comparison.same(a.begin, b.begin) && comparison.same(a.end, b.end) &&
         comparison.same(a.body, b.body);
}

std::size_t hash_of_form(const Code& code, const ir::Names& names) {
  Hash hash(names);
  hash.code(code);
  return hash.result();
}

std::size_t hash_of_form(const ParallelFor& loop, const ir::Names& names) {
  Hash hash(names);
  hash.count(loop.begin);
  hash.count(loop.end);
  hash.code(loop.body);
  return hash.result();
}

}  // namespace dagaz::tree
