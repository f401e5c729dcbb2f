// Loops in lanes.  Where the number of iterations is the same for all points of a block, they run
// alike.  Where it is not, an iteration runs for the points that still have one, until there are
// none.
//
// A loop carries arrays as loops of a thread do: one that the body updates in place stays where it
// is, others alternate between two.
#include "emit/control/loops.h"

#include "emit/lanes/arrays.h"
#include "emit/lanes/masks.h"
#include "emit/lanes/own_accumulators.h"
#include "emit/lanes/rows.h"
#include "emit/lanes/running.h"
#include "emit/lanes/serial.h"
#include "emit/lanes/statements.h"
#include "emit/lanes/values.h"
#include "emit/memory/allocation.h"
#include "plan/array_uses.h"

namespace dagaz::emit {

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
  if (!start_together(result, *carried.next)) copy(l, *carried.next, result, type);
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
      continue_accumulator(l, name, e.body.results[k].name());
    } else if (type.is_array()) {
      bind(l, name, arrays[array++].current);
    } else {
      bind(l, name, scalars[scalar++]);
    }
  }
}

namespace {

/// What a loop carries, and where what it carries next is wanted.
struct Values {
  std::vector<LaneScalar> scalars;
  std::vector<Carried> arrays;
  std::vector<std::optional<LaneArray>> wanted;
};

}  // namespace

static Values start_values(Lanes& l, const ir::Loop& e) {
  Values values;
  for (std::size_t k = 0; k < e.values.size(); ++k) {
    const ir::LoopValue& value = e.values[k];
    const ir::Type& type = l.c.names().type(value.parameter.name);
    values.wanted.emplace_back();
    if (type.kind == ir::TypeKind::accumulator) {
      continue_accumulator(l, value.parameter.name, value.initial.name());
    } else if (type.is_array()) {
      values.arrays.push_back(carry(l, e, k));
      values.wanted[k] = values.arrays.back().next;
      bind(l, value.parameter.name, values.arrays.back().current);
    } else {
      values.scalars.push_back(new_variables(l, type.element, scalar_of(l, value.initial)));
      l.known.scalars.insert_or_assign(value.parameter.name, values.scalars.back());
    }
  }
  return values;
}

// One iteration, for the points that run.
static void emit_iteration(Lanes& l, const ir::Loop& e, const Values& values) {
  const std::vector<LaneResult> results = emit_body(l, e.body, values.wanted);
  std::vector<LaneResult> next;
  for (const LaneResult& one : results) {
    if (one.scalar) {
      next.push_back({where_running(l, *one.scalar, values.scalars[next.size()]), std::nullopt});
    }
  }
  set_running(l, values.scalars, next);
  for (const Carried& one : values.arrays) put_next(l, e, one, *results[one.value].array);
  for (const Carried& one : values.arrays) alternate(l, one);
}

// ------------------------------------------------ as many iterations for all points

static void uniform_loop(Lanes& l, const ir::Statement& s, const ir::Loop& e,
                         const ir::ForForm& form) {
  const Values values = start_values(l, e);
  if (const std::int64_t rows = rows_inside(l, s); rows > 1) {
    in_disjoint_rows(l, form.bound, rows, [&](const LaneScalar& i) {
      bind(l, form.index.name, i);
      emit_body(l, e.body, {});
    });
  } else {
    l.c.record(form.index.name);
    emit_loop(l.c, e, l.c.collect([&] {
      with_private_scope(l.c, [&] { emit_iteration(l, e, values); });
    }));
  }
  bind_results(l, s, e, values.scalars, values.arrays);
}

// ---------------------------------------------------------------- as many as each point needs

// Whether there is another iteration; a loop that counts has run `counter` of them.
static LaneScalar goes_on(Lanes& l, const ir::Loop& e, const Operand& counter) {
  const auto* form = as<ir::ForForm>(e.form);
  if (!form) return scalar_of(l, std::get<ir::WhileForm>(e.form).condition);
  const ScalarType type = l.c.names().type(counter).element;
  return apply(l, ScalarOp::slt, type, ScalarType::boolean,
               {uniform(l, counter), scalar_of(l, form->bound)});
}

static void loop_while_some_run(Lanes& l, const ir::Statement& s, const ir::Loop& e) {
  const Values values = start_values(l, e);
  for (const Carried& one : values.arrays) {
    if (one.next) refuse("a loop that points leave, with arrays in two places");
  }
  const auto* form = as<ir::ForForm>(e.form);
  const ScalarType type =
      form ? l.c.names().type(form->index.name).element : ScalarType::i64;
  const NameId counter = l.c.mutable_variable("i", type, ir::Constant(ir::zero_of(type)));
  const LaneScalar live =
      new_variables(l, ScalarType::boolean, masked(l, goes_on(l, e, counter)));
  const NameId some = l.c.variable("some", ScalarType::boolean);
  Code test = l.c.collect([&] { l.c.move(some, holds_somewhere(l, live)); });
  Code body = l.c.collect([&] {
    with_private_scope(l.c, [&] {
      const std::optional<LaneScalar> outer = l.mask;
      l.mask = live;
      if (form) bind(l, form->index.name, uniform(l, counter));
      emit_iteration(l, e, values);
      if (form) {
        const Operand one = ir::Constant(ir::make_integer(type, 1));
        l.c.emit(Assign{counter, ScalarOp::add, type, type, {counter, one}});
      }
      set_variables(l, live, masked(l, goes_on(l, e, counter)));
      l.mask = outer;
    });
  });
  l.c.emit(While{std::move(test), some, std::move(body)});
  bind_results(l, s, e, values.scalars, values.arrays);
}

void emit_operation(Lanes& l, const ir::Statement& s, const ir::Loop& e) {
  const auto* form = as<ir::ForForm>(e.form);
  if (form && scalar_of(l, form->bound).is_uniform()) {
    uniform_loop(l, s, e, *form);
  } else {
    loop_while_some_run(l, s, e);
  }
}

}  // namespace dagaz::emit
