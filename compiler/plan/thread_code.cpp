#include "plan/thread_code.h"

#include <algorithm>

#include "ir/classify.h"
#include "ir/fields.h"

namespace dagaz::plan {

namespace {

bool any(const ir::Body& body, const std::function<bool(const ir::Statement&)>& test) {
  return std::any_of(body.statements.begin(), body.statements.end(), [&](const auto& one) {
    bool found = test(one);
    ir::for_each_scope(one.operation,
                       [&](const ir::Body& inner) { found = found || any(inner, test); });
    return found;
  });
}

}  // namespace

bool fits_stack(const ir::Type& type, std::int64_t most_bytes) {
  std::int64_t bytes = ir::byte_size(type.element);
  for (const ir::Operand& size : type.shape) {
    if (!size.is_constant()) return false;
    bytes *= std::min(ir::integer_value(size.constant()), most_bytes + 1);
    if (bytes > most_bytes) return false;
  }
  return true;
}

bool has_atomic_instructions(ir::ScalarType type) { return ir::bit_width(type) >= 32; }

bool may_fail(const ir::Body& body) {
  return any(body, [](const ir::Statement& one) {
    return as<ir::Assert>(one.operation) || as<ir::Call>(one.operation);
  });
}

bool takes_memory(const ir::Body& body, const ir::Names& names, std::int64_t stack_array) {
  return any(body, [&](const ir::Statement& one) {
    // What they hand from step to step, or to the caller, has no size of its own.
    const bool hands_on = as<ir::Loop>(one.operation) || as<ir::Branch>(one.operation);
    if (as<ir::Call>(one.operation)) return true;
    if (ir::is_view(one.operation)) return false;
    return std::any_of(one.results.begin(), one.results.end(), [&](const ir::Binder& result) {
      const ir::Type& type = names.type(result.name);
      if (!type.is_array() || type.kind != ir::TypeKind::value) return false;
      return hands_on || !fits_stack(type, stack_array);
    });
  });
}

}  // namespace dagaz::plan
