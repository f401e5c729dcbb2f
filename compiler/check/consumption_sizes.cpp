// Sizes in written types.
#include "check/consumption_checker.h"
#include "support/match.h"

namespace dagaz::check {

void ConsumptionChecker::sizes_of_pattern(const ast::Pattern& pattern) {
  match(
      pattern.node, [](const ast::NamePattern&) {}, [](const ast::WildcardPattern&) {},
      [](const ast::LiteralPattern&) {},
      [&](const ast::TuplePattern& p) {
        for (const ast::Pattern* element : p.elements) sizes_of_pattern(*element);
      },
      [&](const ast::RecordPattern& p) {
        for (const auto& field : p.fields) sizes_of_pattern(*field.second);
      },
      [&](const ast::ConstructorPattern& p) {
        for (const ast::Pattern* argument : p.arguments) sizes_of_pattern(*argument);
      },
      [&](const ast::AscribedPattern& p) {
        sizes_of_pattern(*p.pattern);
        sizes_of_type(*p.type);
      },
      [&](const ast::AttributePattern& p) { sizes_of_pattern(*p.pattern); });
}

void ConsumptionChecker::sizes_of_type(const ast::TypeExp& type) {
  const auto size_of = [&](const ast::Dimension& dimension) {
    if (dimension.size == nullptr || dimension.size->type == nullptr) return;
    ++depth_;
    contained([&] { expression(*dimension.size); });
    --depth_;
  };
  match(
      type.node, [](const ast::TypeName&) {},
      [&](const ast::TupleType& t) {
        for (const ast::TypeExp* element : t.elements) sizes_of_type(*element);
      },
      [&](const ast::RecordType& t) {
        for (const auto& field : t.fields) sizes_of_type(*field.second);
      },
      [&](const ast::SumType& t) {
        for (const auto& constructor : t.constructors) {
          for (const ast::TypeExp* payload : constructor.second) sizes_of_type(*payload);
        }
      },
      [&](const ast::ArrayType& t) {
        size_of(t.dimension);
        sizes_of_type(*t.element);
      },
      [&](const ast::UniqueType& t) { sizes_of_type(*t.type); },
      // Names bound inside a function type are not values here.
      [](const ast::ArrowType&) {},
      [&](const ast::ExistentialType& t) { sizes_of_type(*t.type); },
      [&](const ast::TypeApplication& t) {
        for (const ast::TypeArgument& argument : t.arguments) {
          match(argument.value, size_of,
                [&](const ast::TypeExp* inner) { sizes_of_type(*inner); });
        }
      });
}

}  // namespace dagaz::check
