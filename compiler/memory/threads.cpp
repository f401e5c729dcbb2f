// Threads: a walk over everything inside a parallel operation.
#include "memory/threads.h"

#include "ir/fields.h"
#include "plan/array_uses.h"
#include "support/match.h"

namespace dagaz::memory {

using ir::NameId;
using ir::Operand;

// Whether the array's size changes from iteration to iteration.
static bool varies(const ir::Loop& loop, const ir::Type& type) {
  for (const Operand& size : type.shape) {
    for (const ir::LoopValue& value : loop.values) {
      if (size == Operand(value.parameter.name)) return true;
    }
  }
  return false;
}

static std::optional<std::int64_t> constant_count(const ir::Type& type) {
  std::int64_t count = 1;
  for (const Operand& size : type.shape) {
    if (!size.is_constant()) return std::nullopt;
    count *= ir::integer_value(size.constant());
  }
  return count;
}

Carry carry_of(const ir::Loop& loop, std::size_t k, const ir::Names& names,
               std::int64_t carried_array) {
  const NameId parameter = loop.values[k].parameter.name;
  if (plan::is_updated_in_place(loop.body, k, parameter, names)) return Carry::in_place;
  if (varies(loop, names.type(parameter))) return Carry::following;
  const auto count = constant_count(names.type(parameter));
  // What registers may hold.
  return count && *count <= carried_array ? Carry::copied : Carry::alternating;
}

namespace {

class Threads {
 public:
  Threads(const ir::Names& names, Memory& memory) : names_(names), memory_(memory) {}

  void body(const ir::Body& body) {
    for (const ir::Statement& one : body.statements) statement(one);
    find_destinations(body, names_, memory_);
  }

  void statement(const ir::Statement& one) {
    if (const auto* loop = as<ir::Loop>(one.operation)) {
      for (std::size_t k = 0; k < loop->values.size(); ++k) {
        const NameId parameter = loop->values[k].parameter.name;
        if (names_.type(parameter).is_array()) {
          memory_.carries.insert_or_assign(parameter,
                                           carry_of(*loop, k, names_, memory_.carried_array));
        }
      }
    }
    if (const auto* map = as<ir::SegmentedMap>(one.operation)) {
      memory_.overwritten.merge(plan::overwritten_by(*map, names_));
    }
    ir::for_each_scope(one.operation, [this](const ir::Body& inner) { body(inner); });
  }

 private:
  const ir::Names& names_;
  Memory& memory_;
};

}  // namespace

void place_thread(const ir::Statement& statement, const ir::Names& names, Memory& memory) {
  Threads(names, memory).statement(statement);
}

void place_thread(const ir::Body& body, const ir::Names& names, Memory& memory) {
  Threads(names, memory).body(body);
}

Memory place_thread(const ir::Function& function, const Context& context) {
  Memory memory;
  memory.carried_array = context.settings.carried_array;
  memory.element_only = plan::element_only_arrays(function.body, context.names);
  place_thread(function.body, context.names, memory);
  return memory;
}

}  // namespace dagaz::memory
