// Sequential loops.
//
// In host code a carried array is a block variable and an offset variable; one that the body
// updates in place stays where it was before the loop, one that each iteration replaces point by
// point stays where it is, and one that is kept is made in its row (memory/checkpoints.cpp).  In a
// thread an array that the body updates in place stays where it is; one of the same size in every
// iteration alternates between the halves of one buffer, or is copied back if it is small enough
// for registers; an array of changing size is followed wherever each iteration makes it.
#include "imperative/lowering.h"

namespace dagaz::imperative {

// Emits the loop itself around the code of its body.
void Lowering::emit_loop(const ir::Loop& e, Code body) {
  if (const auto* form = as<ir::ForForm>(e.form)) {
    const ScalarType type = names().type(form->index.name).element;
    const Operand bound = to_i64(form->bound, type);
    if (type == ScalarType::i64) {
      emit(For{form->index.name, bound, std::move(body), {}});
      return;
    }
    const NameId index = variable("i", ScalarType::i64);
    body.insert(body.begin(),
                Instruction{Assign{form->index.name, ScalarOp::sign_extend, ScalarType::i64, type,
                                   {index}}});
    emit(For{index, bound, std::move(body), LoopHints{false, e.attributes.unroll}});
    return;
  }
  const NameId parameter = std::get<ir::WhileForm>(e.form).condition;
  const NameId condition = variable("continue", ScalarType::boolean);
  Code test = collect([&] { move(condition, parameter); });
  emit(While{std::move(test), condition, std::move(body)});
}

// Next values of scalar parameters, all read before any is set.
void Lowering::step_scalars(const ir::Loop& e, const std::vector<Value>& values) {
  std::unordered_set<NameId> parameters;
  for (const ir::LoopValue& value : e.values) parameters.insert(value.parameter.name);
  std::vector<std::pair<NameId, Operand>> moves;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const NameId parameter = e.values[k].parameter.name;
    if (!values[k].type.is_scalar() || values[k].operand == Operand(parameter)) continue;
    Operand next = values[k].operand;
    if (next.is_name() && parameters.contains(next.name())) {
      next = mutable_variable("next", values[k].type.element, next);
    }
    moves.emplace_back(parameter, next);
  }
  for (const auto& [parameter, next] : moves) move(parameter, next);
}

void Lowering::lower(const ir::Statement& s, const ir::Loop& e) {
  for (const ir::LoopValue& value : e.values) {
    const Value initial = value_of(value.initial);
    if (!initial.place) assign(value.parameter.name, initial);
  }
  if (mode_ == Mode::host) {
    lower_host_loop(e);
  } else {
    lower_thread_loop(e);
  }
  for (std::size_t k = 0; k < e.values.size(); ++k) {
    Value last = value_of(e.values[k].parameter.name);
    if (!last.place) assign(s.results[k].name, last);
  }
  for (std::size_t k = 0; k < e.values.size(); ++k) {
    const NameId parameter = e.values[k].parameter.name;
    if (names().type(parameter).is_array()) bind(s.results[k].name, place_of(parameter));
  }
}

void Lowering::lower_host_loop(const ir::Loop& e) {
  std::vector<Join> joins(e.values.size());
  for (std::size_t k = 0; k < e.values.size(); ++k) {
    const NameId parameter = e.values[k].parameter.name;
    const Value initial = value_of(e.values[k].initial);
    if (!initial.place) continue;
    if (memory_.carries.at(parameter) == memory::Carry::in_place) {
      bind(parameter, *initial.place);
      continue;
    }
    joins[k] = new_join(parameter);
    set_join(joins[k], initial);
    own(joins[k].block, parameter);
  }
  for (const ir::LoopValue& value : e.values) {
    if (memory_.given.contains(value.parameter.name)) {
      release(place_of(value.initial.name()).block);
    }
  }
  count_checkpoints(e);
  Code body = collect([&] {
    // Strides of arrays whose size changes are computed anew in each iteration.
    bind_joins(e, joins);
    lower_body(e.body, {}, [&](const std::vector<Value>& values) {
      step_host_arrays(e, joins, values);
      step_scalars(e, values);
    });
  });
  emit_loop(e, std::move(body));
  bind_joins(e, joins);
}

// Binds the parameters to their variables; strides follow the sizes of the moment.
void Lowering::bind_joins(const ir::Loop& e, const std::vector<Join>& joins) {
  for (std::size_t k = 0; k < e.values.size(); ++k) {
    if (!joins[k].block.valid()) continue;
    const NameId parameter = e.values[k].parameter.name;
    bind(parameter,
         row_major(*this, joins[k].block, joins[k].offset, shape_of(parameter)));
  }
}

void Lowering::step_host_arrays(const ir::Loop& e, const std::vector<Join>& joins,
                                const std::vector<Value>& values) {
  std::vector<std::pair<std::size_t, Join>> next;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!values[k].place || !joins[k].block.valid()) continue;
    if (values[k].place->block == joins[k].block &&
        values[k].place->offset == Operand(joins[k].offset) && values[k].place->is_dense()) {
      continue;
    }
    const Join join = new_join(e.values[k].parameter.name);
    set_join(join, values[k]);
    next.emplace_back(k, join);
  }
  for (const auto& [k, join] : next) {
    emit(Release{joins[k].block});
    emit(Share{joins[k].block, join.block});
    emit(Release{join.block});
    move(joins[k].offset, join.offset);
  }
}

// Where a loop in a thread carries one array.
struct Lowering::Carried {
  std::optional<memory::Carry> how;  // none: a scalar
  Place current;
  Place next;
};

Lowering::Carried Lowering::carry(const ir::Loop& e, std::size_t k) {
  using memory::Carry;
  const NameId parameter = e.values[k].parameter.name;
  const ir::Type type = names().type(parameter);
  const Value initial = value_of(e.values[k].initial);
  if (!initial.place) return {};
  const Carry how = memory_.carries.at(parameter);
  if (how == Carry::in_place) return {how, *initial.place, {}};
  if (how == Carry::following) return carry_following(type, *initial.place);
  Carried carried{how, {}, {}};
  if (how == Carry::copied) {
    carried.current = private_array(type, "current");
    carried.next = private_array(type, "next");
  } else {
    ir::Type both = type;
    both.shape.insert(both.shape.begin(), ir::i64_operand(2));
    const Place buffer = private_array(both, names().base(parameter));
    const auto half = [&](std::int64_t number, std::string_view base) {
      Place place = part_at(*this, buffer, {ir::i64_operand(number)});
      place.offset = mutable_variable(base, ScalarType::i64, place.offset);
      return place;
    };
    carried.current = half(0, "current");
    carried.next = half(1, "next");
  }
  copy(carried.current, *initial.place, type);
  return carried;
}

// An array whose size changes: variables that follow it wherever each iteration makes it.
Lowering::Carried Lowering::carry_following(const ir::Type& type, const Place& initial) {
  const Place start = dense(initial, type);
  const NameId block = block_variable("follow");
  emit(Share{block, start.block});
  const Operand offset = mutable_variable("offset", ScalarType::i64, start.offset);
  uses_private_memory_ = true;
  return {memory::Carry::following, row_major(*this, block, offset, type.shape), {}};
}

void Lowering::lower_thread_loop(const ir::Loop& e) {
  std::vector<Carried> carried;
  std::vector<Destination> destinations;
  bool follows = false;
  for (std::size_t k = 0; k < e.values.size(); ++k) {
    carried.push_back(carry(e, k));
    const Carried& one = carried.back();
    follows = follows || one.how == memory::Carry::following;
    const bool alternates =
        one.how == memory::Carry::alternating || one.how == memory::Carry::copied;
    destinations.push_back(alternates ? Destination(one.next) : std::nullopt);
    if (one.how) bind(e.values[k].parameter.name, one.current);
  }
  if (const auto* form = as<ir::ForForm>(e.form)) record(form->index.name);
  const auto iteration = [&] {
    for (std::size_t k = 0; k < e.values.size(); ++k) {
      if (carried[k].how != memory::Carry::following) continue;
      const NameId parameter = e.values[k].parameter.name;
      bind(parameter, row_major(*this, carried[k].current.block, carried[k].current.offset,
                                shape_of(parameter)));
    }
    lower_body(e.body, destinations, [&](const std::vector<Value>& values) {
      step_thread_arrays(carried, values);
      step_scalars(e, values);
    });
  };
  // What is followed must survive the iteration that made it.
  Code body = collect([&] {
    if (follows) {
      iteration();
    } else {
      with_private_scope(iteration);
    }
  });
  emit_loop(e, std::move(body));
  for (std::size_t k = 0; k < e.values.size(); ++k) {
    if (carried[k].how != memory::Carry::following) continue;
    const NameId parameter = e.values[k].parameter.name;
    bind(parameter, row_major(*this, carried[k].current.block, carried[k].current.offset,
                              shape_of(parameter)));
  }
}

void Lowering::step_thread_arrays(const std::vector<Carried>& carried,
                                  const std::vector<Value>& values) {
  std::vector<std::function<void()>> steps;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Carried& one = carried[k];
    if (one.how == memory::Carry::in_place) {
      copy(one.current, *values[k].place, values[k].type);
    } else if (one.how == memory::Carry::copied) {
      steps.push_back([&, k] { copy(one.current, one.next, values[k].type); });
    } else if (one.how == memory::Carry::alternating) {
      const Operand kept = mutable_variable("kept", ScalarType::i64, one.current.offset);
      steps.push_back([&, kept] {
        move(one.current.offset.name(), one.next.offset);
        move(one.next.offset.name(), kept);
      });
    } else if (one.how == memory::Carry::following) {
      const Place place = dense(*values[k].place, values[k].type);
      const NameId block = block_variable("follow");
      emit(Share{block, place.block});
      const Operand offset = mutable_variable("offset", ScalarType::i64, place.offset);
      steps.push_back([&, block, offset] {
        emit(Share{one.current.block, block});
        move(one.current.offset.name(), offset);
      });
    }
  }
  for (const auto& step : steps) step();
}

}  // namespace dagaz::imperative
