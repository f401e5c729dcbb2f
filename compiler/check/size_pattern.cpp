// Patterns with sizes.  See sizes.h.
#include <algorithm>

#include "check/expression_walk.h"
#include "check/sizes.h"
#include "support/match.h"

namespace dagaz::check {

const Type* Sizes::check_pattern(ast::Pattern& pattern, const Type* expected) {
  pattern.type = check_pattern_node(pattern, expected);
  return pattern.type;
}

const Type* Sizes::check_pattern_node(ast::Pattern& pattern, const Type* expected) {
  const Type* known = pattern.type;  // without sizes
  const auto leaf = [&] {
    return expected != nullptr ? expected
                               : fresh_sizes(known, pattern.range, Liftedness::unlifted);
  };
  const auto field_type = [&](Symbol name) -> const Type* {
    return expected == nullptr ? nullptr : field(expected, name);
  };
  return match(
      pattern.node,
      [&](ast::NamePattern& p) {
        const Type* type = leaf();
        context_.set_type(p.id, context_.types.not_unique(type));
        return type;
      },
      [&](ast::WildcardPattern&) { return leaf(); },
      [&](ast::TuplePattern& p) {
        std::vector<const Type*> elements;
        for (std::size_t i = 0; i < p.elements.size(); ++i) {
          const Type* element = field_type(context_.types.tuple_field(i));
          elements.push_back(check_pattern(*p.elements[i], element));
        }
        return context_.types.tuple(elements);
      },
      [&](ast::RecordPattern& p) {
        std::vector<std::pair<Symbol, const Type*>> fields;
        for (auto& [name, part] : p.fields) {
          fields.emplace_back(name.symbol, check_pattern(*part, field_type(name.symbol)));
        }
        return context_.types.record(std::move(fields));
      },
      [&](ast::ConstructorPattern& p) {
        const Type* whole = leaf();
        const auto* sum = as<Sum>(whole->node);
        if (sum == nullptr) return whole;
        for (const auto& [name, payload] : sum->constructors) {
          if (name != p.constructor.symbol) continue;
          for (std::size_t i = 0; i < p.arguments.size() && i < payload.size(); ++i) {
            check_pattern(*p.arguments[i], payload[i]);
          }
        }
        return whole;
      },
      [&](ast::LiteralPattern& p) { return check(*p.literal); },
      [&](ast::AscribedPattern& p) {
        const Type* declared = written(*p.type, nullptr, expected == nullptr).type;
        if (expected != nullptr) {
          // Sizes that the pattern binds stand for whatever the value has.
          const Type* wanted =
              bound_sizes_ == nullptr ? declared : bound_sizes_->type(declared);
          unify(wanted, expected, pattern.range, Site::pattern);
        }
        return check_pattern(*p.pattern, declared);
      },
      [&](ast::AttributePattern& p) { return check_pattern(*p.pattern, expected); });
}

void Sizes::bind_pattern(ast::Pattern& pattern) {
  for_each_name(pattern, [&](ast::NamePattern& name) { solver_.add_parameter(name.id); });
}

void Sizes::check_sized_pattern(const std::vector<ast::TypeParameter>& sizes,
                                ast::Pattern& pattern, const Type* expected) {
  if (sizes.empty()) {
    check_pattern(pattern, expected);
    return;
  }
  Substitution sizes_of_value(context_);
  for (const ast::TypeParameter& p : sizes) {
    const BindingId flexible = solver_.fresh(
        SizeKind::free, {p.range, "size of bound expression"}, context_.text(p.name.symbol));
    sizes_of_value.add(p.size_id, flexible);
    SizeConstraint c;
    c.kind = SizeKind::parameter;
    c.name = p.size_id;
    c.level = solver_.level - 1;
    solver_.constrain(std::move(c));
  }
  bound_sizes_ = &sizes_of_value;
  check_pattern(pattern, expected);
  bound_sizes_ = nullptr;
  const Witnesses witnesses = size_witnesses(pattern.type);
  for (const ast::TypeParameter& p : sizes) {
    if (contains(witnesses.constructive, p.size_id)) continue;
    const std::string name(context_.text(p.name.symbol));
    if (contains(witnesses.others, p.size_id)) {
      error(DiagnosticKind::unused_size, p.range,
            "cannot bind `[" + name +
                "]` as it is never used as the size of a concrete (non-function) value");
    } else {
      error(DiagnosticKind::unused_size, p.range, "size `" + name + "` unused in pattern");
    }
  }
}

}  // namespace dagaz::check
