#include "check/type_size.h"

#include <string>
#include <vector>

#include "support/match.h"

namespace dagaz::check {

bool is_too_large(const Type* type) {
  std::vector<const Type*> open{type};
  for (std::size_t parts = 0; !open.empty(); ++parts) {
    if (parts == most_type_parts) return true;
    const Type* part = open.back();
    open.pop_back();
    match(
        part->node, [](const PrimitiveType&) {}, [&](const Array& a) { open.push_back(a.element); },
        [&](const Record& r) {
          for (const auto& field : r.fields) open.push_back(field.second);
        },
        [&](const Sum& s) {
          for (const auto& constructor : s.constructors) {
            open.insert(open.end(), constructor.second.begin(), constructor.second.end());
          }
        },
        [&](const Arrow& a) {
          open.push_back(a.from);
          open.push_back(a.to);
        },
        [&](const Named& n) {
          for (const auto& argument : n.arguments) {
            if (const Type* const* t = as<const Type*>(argument)) open.push_back(*t);
          }
        },
        [](const MetaType&) {});
  }
  return false;
}

void report_too_large(Context& context, const Range& range) {
  Diagnostic& d = context.diagnostics.report(
      DiagnosticKind::unsupported, range,
      "this type has more than " + std::to_string(most_type_parts) + " parts");
  d.hints.emplace_back("a tuple or record that holds the one before it twice doubles each time; "
                       "an array holds many values of one type");
}

}  // namespace dagaz::check
