// Branches and loops in lanes.  All points of a block go the same way, but for branches that only
// compute.  A loop carries arrays as loops of a thread do: one that the body updates in place stays
// where it is, others alternate between two.
#include "imperative/lanes.h"

#include <algorithm>

#include "plan/array_uses.h"

namespace dagaz::imperative {

// ---------------------------------------------------------------- branches

void Lanes::lower(const ir::Statement& s, const ir::Branch& e) {
  const LaneScalar condition = scalar_of(e.condition);
  if (condition.is_uniform()) {
    uniform_branch(s, e);
    return;
  }
  const std::vector<Result> yes = body(e.then_body, {});
  const std::vector<Result> no = body(e.else_body, {});
  for (std::size_t k = 0; k < yes.size(); ++k) {
    if (!yes[k].scalar) refuse("a branch that gives arrays");
    const ScalarType type = yes[k].scalar->type;
    bind(s.results[k].name,
         apply(ScalarOp::select, type, type, {condition, *yes[k].scalar, *no[k].scalar}));
  }
}

void Lanes::uniform_branch(const ir::Statement& s, const ir::Branch& e) {
  std::vector<LaneScalar> joined;
  for (const ir::Type& type : e.result_types) {
    if (!type.is_scalar()) refuse("a branch that gives arrays");
    joined.push_back(make(type.element, true, true, [&](std::int64_t, std::int64_t) -> Operand {
      return lane_variable("joined", type.element);
    }));
  }
  const auto side = [&](const ir::Body& taken) {
    return low_.collect([&] {
      const std::vector<Result> results = body(taken, {});
      for (std::size_t k = 0; k < results.size(); ++k) move(joined[k], *results[k].scalar);
    });
  };
  Code then_code = side(e.then_body);
  Code else_code = side(e.else_body);
  low_.emit(If{uniform_operand(e.condition), std::move(then_code), std::move(else_code)});
  for (std::size_t k = 0; k < joined.size(); ++k) bind(s.results[k].name, joined[k]);
}

// ---------------------------------------------------------------- loops

// Next values, all read before any is set.
void Lanes::step(const std::vector<LaneScalar>& carried, const std::vector<Result>& next) {
  std::vector<LaneScalar> read;
  for (const Result& one : next) read.push_back(variables(one.scalar->type, *one.scalar));
  for (std::size_t k = 0; k < read.size(); ++k) move(carried[k], read[k]);
}

// How a loop carries one array; `next` only where it alternates.
struct Lanes::Carried {
  std::size_t value;  // its number among the loop's values
  LaneArray current;
  std::optional<LaneArray> next;
};

Lanes::Carried Lanes::carry(const ir::Loop& e, std::size_t k) {
  const NameId parameter = e.values[k].parameter.name;
  const NameId initial = e.values[k].initial.name();
  if (plan::is_updated_in_place(e.body, k, parameter, low_.names())) {
    return {k, own_array(initial), std::nullopt};
  }
  ir::Type both = low_.names().type(parameter);
  both.shape.insert(both.shape.begin(), ir::i64_operand(2));
  const LaneArray buffer = new_array(both, low_.names().base(parameter));
  const auto half = [&](std::int64_t number) {
    LaneArray array = part_of(buffer, {uniform(ir::i64_operand(number))});
    Operand& base = array.offset.affine->base;
    base = low_.mutable_variable("half", ScalarType::i64, base);
    return array;
  };
  Carried carried{k, half(0), half(1)};
  copy(carried.current, array_of(initial), low_.names().type(parameter));
  return carried;
}

// Puts the result where the next iteration finds it, before any half becomes another.
void Lanes::put_next(const ir::Loop& e, const Carried& carried, const LaneArray& result) {
  const ir::Type& type = low_.names().type(e.values[carried.value].parameter.name);
  if (!carried.next) {
    if (result.place.block != carried.current.place.block) copy(carried.current, result, type);
    return;
  }
  const Operand& next = carried.next->offset.affine->base;
  const bool is_there = result.place.block == carried.next->place.block && result.offset.affine &&
                        result.offset.affine->base == next;
  if (!is_there) copy(*carried.next, result, type);
}

// The next half becomes the current one.
void Lanes::step(const Carried& carried) {
  if (!carried.next) return;
  const Operand& current = carried.current.offset.affine->base;
  const Operand& next = carried.next->offset.affine->base;
  const Operand kept = low_.mutable_variable("kept", ScalarType::i64, current);
  low_.move(current.name(), next);
  low_.move(next.name(), kept);
}

void Lanes::lower(const ir::Statement& s, const ir::Loop& e) {
  const auto* form = as<ir::ForForm>(e.form);
  if (!form) refuse("a loop without a bound");
  uniform_operand(form->bound);
  std::vector<LaneScalar> scalars;
  std::vector<Carried> arrays;
  std::vector<std::optional<LaneArray>> wanted(e.values.size());
  for (std::size_t k = 0; k < e.values.size(); ++k) {
    const ir::LoopValue& value = e.values[k];
    const ir::Type& type = low_.names().type(value.parameter.name);
    if (type.kind == ir::TypeKind::accumulator) {
      low_.continue_accumulator(value.parameter.name, value.initial.name());
    } else if (type.is_array()) {
      arrays.push_back(carry(e, k));
      wanted[k] = arrays.back().next;
      bind(value.parameter.name, arrays.back().current);
    } else {
      scalars.push_back(variables(type.element, scalar_of(value.initial)));
      known_.scalars.insert_or_assign(value.parameter.name, scalars.back());
    }
  }
  const RowFunction iteration = [&](const LaneScalar& i) {
    bind(form->index.name, i);
    body(e.body, {});
  };
  if (const std::int64_t rows = rows_inside(s); rows > 1) {
    in_disjoint_rows(form->bound, rows, iteration);
    for (std::size_t k = 0; k < e.values.size(); ++k) {
      low_.continue_accumulator(s.results[k].name, e.body.results[k].name());
    }
    return;
  }
  low_.record(form->index.name);
  Code code = low_.collect([&] {
    low_.with_private_scope([&] {
      const std::vector<Result> results = body(e.body, wanted);
      std::vector<Result> next;
      for (const Result& one : results) {
        if (one.scalar) next.push_back(one);
      }
      step(scalars, next);
      for (const Carried& one : arrays) put_next(e, one, *results[one.value].array);
      for (const Carried& one : arrays) step(one);
    });
  });
  low_.emit_loop(e, std::move(code));
  std::size_t scalar = 0;
  std::size_t array = 0;
  for (std::size_t k = 0; k < e.values.size(); ++k) {
    const NameId name = s.results[k].name;
    const ir::Type& type = low_.names().type(name);
    if (type.kind == ir::TypeKind::accumulator) {
      low_.continue_accumulator(name, e.body.results[k].name());
    } else if (type.is_array()) {
      bind(name, arrays[array++].current);
    } else {
      bind(name, scalars[scalar++]);
    }
  }
}

}  // namespace dagaz::imperative
