// Branches and loops in lanes.  All points of a block go the same way, but for branches that only
// compute.  A loop carries arrays as loops of a thread do: one that the body updates in place stays
// where it is, others alternate between two.
#include "emit/control/loops.h"
#include "emit/lanes/arrays.h"
#include "emit/lanes/rows.h"
#include "emit/lanes/running.h"
#include "emit/lanes/statements.h"
#include "emit/lanes/values.h"
#include "emit/memory/allocation.h"
#include "plan/array_uses.h"

namespace dagaz::emit {

// ---------------------------------------------------------------- branches

static void uniform_branch(Lanes& l, const ir::Statement& s, const ir::Branch& e) {
  std::vector<LaneScalar> joined;
  for (const ir::Type& type : e.result_types) {
    if (!type.is_scalar()) refuse("a branch that gives arrays");
    joined.push_back(
        make_pieces(l, type.element, true, true, [&](std::int64_t, std::int64_t) -> Operand {
          return lane_variable(l, "joined", type.element);
        }));
  }
  const auto side = [&](const ir::Body& taken) {
    return l.c.collect([&] {
      const std::vector<LaneResult> results = emit_body(l, taken, {});
      for (std::size_t k = 0; k < results.size(); ++k)
        set_variables(l, joined[k], *results[k].scalar);
    });
  };
  Code then_code = side(e.then_body);
  Code else_code = side(e.else_body);
  l.c.emit(If{uniform_operand(l, e.condition), std::move(then_code), std::move(else_code)});
  for (std::size_t k = 0; k < joined.size(); ++k) bind(l, s.results[k].name, joined[k]);
}

void emit_operation(Lanes& l, const ir::Statement& s, const ir::Branch& e) {
  const LaneScalar condition = scalar_of(l, e.condition);
  if (condition.is_uniform()) {
    uniform_branch(l, s, e);
    return;
  }
  const std::vector<LaneResult> yes = emit_body(l, e.then_body, {});
  const std::vector<LaneResult> no = emit_body(l, e.else_body, {});
  for (std::size_t k = 0; k < yes.size(); ++k) {
    if (!yes[k].scalar) refuse("a branch that gives arrays");
    const ScalarType type = yes[k].scalar->type;
    bind(l, s.results[k].name,
         apply(l, ScalarOp::select, type, type, {condition, *yes[k].scalar, *no[k].scalar}));
  }
}

// ---------------------------------------------------------------- loops

namespace {

/// How a loop carries one array; `next` only where it alternates.
struct Carried {
  std::size_t value;  // its number among the loop's values
  LaneArray current;
  std::optional<LaneArray> next;
};

}  // namespace

static Carried carry(Lanes& l, const ir::Loop& e, std::size_t k) {
  const NameId parameter = e.values[k].parameter.name;
  const NameId initial = e.values[k].initial.name();
  if (plan::is_updated_in_place(e.body, k, parameter, l.c.names())) {
    return {k, own_array(l, initial), std::nullopt};
  }
  ir::Type both = l.c.names().type(parameter);
  both.shape.insert(both.shape.begin(), ir::i64_operand(2));
  const LaneArray buffer = new_array(l, both, l.c.names().base(parameter));
  const auto half = [&](std::int64_t number) {
    LaneArray array = part_of(l, buffer, {uniform(l, ir::i64_operand(number))});
    Operand& base = array.offset.affine->base;
    base = l.c.mutable_variable("half", ScalarType::i64, base);
    return array;
  };
  Carried carried{k, half(0), half(1)};
  copy(l, carried.current, array_of(l, initial), l.c.names().type(parameter));
  return carried;
}

// Puts the result where the next iteration finds it, before any half becomes another.
static void put_next(Lanes& l, const ir::Loop& e, const Carried& carried, const LaneArray& result) {
  const ir::Type& type = l.c.names().type(e.values[carried.value].parameter.name);
  if (!carried.next) {
    if (result.place.block != carried.current.place.block) copy(l, carried.current, result, type);
    return;
  }
  const Operand& next = carried.next->offset.affine->base;
  const bool is_there = result.place.block == carried.next->place.block && result.offset.affine &&
                        result.offset.affine->base == next;
  if (!is_there) copy(l, *carried.next, result, type);
}

// The next half becomes the current one.
static void alternate(Lanes& l, const Carried& carried) {
  if (!carried.next) return;
  const Operand& current = carried.current.offset.affine->base;
  const Operand& next = carried.next->offset.affine->base;
  const Operand kept = l.c.mutable_variable("kept", ScalarType::i64, current);
  l.c.move(current.name(), next);
  l.c.move(next.name(), kept);
}

// What the loop gives are the values that it carried at the end.
static void bind_results(Lanes& l, const ir::Statement& s, const ir::Loop& e,
                         const std::vector<LaneScalar>& scalars,
                         const std::vector<Carried>& arrays) {
  std::size_t scalar = 0;
  std::size_t array = 0;
  for (std::size_t k = 0; k < e.values.size(); ++k) {
    const NameId name = s.results[k].name;
    const ir::Type& type = l.c.names().type(name);
    if (type.kind == ir::TypeKind::accumulator) {
      l.c.accumulators.continue_as(name, e.body.results[k].name());
    } else if (type.is_array()) {
      bind(l, name, arrays[array++].current);
    } else {
      bind(l, name, scalars[scalar++]);
    }
  }
}

void emit_operation(Lanes& l, const ir::Statement& s, const ir::Loop& e) {
  const auto* form = as<ir::ForForm>(e.form);
  if (!form) refuse("a loop without a bound");
  uniform_operand(l, form->bound);
  std::vector<LaneScalar> scalars;
  std::vector<Carried> arrays;
  std::vector<std::optional<LaneArray>> wanted(e.values.size());
  for (std::size_t k = 0; k < e.values.size(); ++k) {
    const ir::LoopValue& value = e.values[k];
    const ir::Type& type = l.c.names().type(value.parameter.name);
    if (type.kind == ir::TypeKind::accumulator) {
      l.c.accumulators.continue_as(value.parameter.name, value.initial.name());
    } else if (type.is_array()) {
      arrays.push_back(carry(l, e, k));
      wanted[k] = arrays.back().next;
      bind(l, value.parameter.name, arrays.back().current);
    } else {
      scalars.push_back(new_variables(l, type.element, scalar_of(l, value.initial)));
      l.known.scalars.insert_or_assign(value.parameter.name, scalars.back());
    }
  }
  const RowFunction iteration = [&](const LaneScalar& i) {
    bind(l, form->index.name, i);
    emit_body(l, e.body, {});
  };
  if (const std::int64_t rows = rows_inside(l, s); rows > 1) {
    in_disjoint_rows(l, form->bound, rows, iteration);
    for (std::size_t k = 0; k < e.values.size(); ++k) {
      l.c.accumulators.continue_as(s.results[k].name, e.body.results[k].name());
    }
    return;
  }
  l.c.record(form->index.name);
  Code code = l.c.collect([&] {
    with_private_scope(l.c, [&] {
      const std::vector<LaneResult> results = emit_body(l, e.body, wanted);
      std::vector<LaneResult> next;
      for (const LaneResult& one : results) {
        if (one.scalar) next.push_back(one);
      }
      set_running(l, scalars, next);
      for (const Carried& one : arrays) put_next(l, e, one, *results[one.value].array);
      for (const Carried& one : arrays) alternate(l, one);
    });
  });
  emit_loop(l.c, e, std::move(code));
  bind_results(l, s, e, scalars, arrays);
}

}  // namespace dagaz::emit
