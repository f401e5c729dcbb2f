// Sequential loops.
//
// In host code a carried array is a block variable and an offset variable; one that the body updates
// in place stays where it was before the loop, one that each iteration replaces point by point stays
// where it is, and one that is kept is made in its row (kept_states.cpp).  In a thread an array that
// the body updates in place stays where it is; one of the same size in every iteration
// alternates between the halves of one buffer, or is copied back if it is small enough for
// registers; an array of changing size is followed wherever each iteration makes it.
#include "imperative/lowering.h"
#include "plan/array_uses.h"

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

// Whether `result` is `array` after updates of its parts, here or in loops.
static bool is_updated(const ir::Body& body, const Operand& result, NameId array) {
  if (result == Operand(array)) return true;
  for (const ir::Statement& each : body.statements) {
    for (std::size_t k = 0; k < each.results.size(); ++k) {
      if (Operand(each.results[k].name) != result) continue;
      if (const auto* update = as<ir::Update>(each.operation)) {
        return is_updated(body, Operand(update->array), array);
      }
      const auto* loop = as<ir::Loop>(each.operation);
      return loop != nullptr &&
             is_updated(loop->body, loop->body.results[k], loop->values[k].parameter.name) &&
             is_updated(body, loop->values[k].initial, array);
    }
  }
  return false;
}

void Lowering::lower_host_loop(const ir::Loop& e) {
  std::vector<Joint> joints(e.values.size());
  for (std::size_t k = 0; k < e.values.size(); ++k) {
    const NameId parameter = e.values[k].parameter.name;
    const Value initial = value_of(e.values[k].initial);
    if (!initial.place) continue;
    carried_.insert(parameter);
    const bool is_written = e.body.results[k] != Operand(parameter);
    if (is_written && initial.place->is_dense() &&
        is_updated(e.body, e.body.results[k], parameter)) {
      bind(parameter, *initial.place);
      continue;
    }
    joints[k] = new_joint(parameter);
    join(joints[k], initial);
    own(joints[k].block);
  }
  replace_in_place(e);
  release_initials(e);
  keep_states(e);
  Code body = collect([&] {
    // Strides of arrays whose size changes are computed anew in each iteration.
    bind_joints(e, joints);
    lower_body(e.body, {}, [&](const std::vector<Value>& values) {
      step_host_arrays(e, joints, values);
      step_scalars(e, values);
    });
  });
  emit_loop(e, std::move(body));
  bind_joints(e, joints);
}

// The loop's variables keep its initial arrays alive.  One that nothing else needs dies in the first
// iteration, not after the last.
void Lowering::release_initials(const ir::Loop& e) {
  std::unordered_set<NameId> used;  // blocks
  for (const NameId name : ir::free_names(e.body, names())) {
    if (has_place(name)) used.insert(place_of(name).block);
  }
  HostScope& scope = scopes_.back();
  for (const ir::LoopValue& value : e.values) {
    const Value initial = value_of(value.initial);
    if (!initial.place || used.contains(initial.place->block)) continue;
    std::erase_if(scope.owned, [&](const Owned& one) {
      if (one.block != initial.place->block || one.last > scope.current) return false;
      emit(Release{one.block});
      return true;
    });
  }
}

// Binds the parameters to their variables; strides follow the sizes of the moment.
void Lowering::bind_joints(const ir::Loop& e, const std::vector<Joint>& joints) {
  for (std::size_t k = 0; k < e.values.size(); ++k) {
    if (!joints[k].block.valid()) continue;
    const NameId parameter = e.values[k].parameter.name;
    bind(parameter,
         row_major(*this, joints[k].block, joints[k].offset, shape_of(parameter)));
  }
}

void Lowering::step_host_arrays(const ir::Loop& e, const std::vector<Joint>& joints,
                                const std::vector<Value>& values) {
  std::vector<std::pair<std::size_t, Joint>> next;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!values[k].place || !joints[k].block.valid()) continue;
    if (values[k].place->block == joints[k].block &&
        values[k].place->offset == Operand(joints[k].offset) && values[k].place->is_dense()) {
      continue;
    }
    const Joint joint = new_joint(e.values[k].parameter.name);
    join(joint, values[k]);
    next.emplace_back(k, joint);
  }
  for (const auto& [k, joint] : next) {
    emit(Release{joints[k].block});
    emit(Share{joints[k].block, joint.block});
    emit(Release{joint.block});
    move(joints[k].offset, joint.offset);
  }
}

// How a loop in a thread carries one array.
struct Lowering::Carried {
  enum Kind { scalar, in_place, alternating, copied, following } kind = scalar;
  Place current;
  Place next;
};

Lowering::Carried Lowering::carry(const ir::Loop& e, std::size_t k) {
  const NameId parameter = e.values[k].parameter.name;
  const ir::Type type = names().type(parameter);
  const Value initial = value_of(e.values[k].initial);
  if (!initial.place) return {};
  if (plan::is_updated_in_place(e.body, k, parameter, names())) {
    return {Carried::in_place, *initial.place, {}};
  }
  std::unordered_set<NameId> parameters;
  for (const ir::LoopValue& value : e.values) parameters.insert(value.parameter.name);
  bool varies = false;
  for (const Operand& size : type.shape) {
    varies = varies || (size.is_name() && parameters.contains(size.name()));
  }
  if (varies) return carry_following(type, *initial.place);
  const Operand count = product(type.shape);
  if (count.is_constant() && ir::integer_value(count.constant()) <= 64) {
    Carried carried{Carried::copied, private_array(type, "current"), private_array(type, "next")};
    copy(carried.current, *initial.place, type);
    return carried;
  }
  ir::Type both = type;
  both.shape.insert(both.shape.begin(), ir::i64_operand(2));
  const Place buffer = private_array(both, names().base(parameter));
  Carried carried{Carried::alternating, part_at(*this, buffer, {ir::i64_operand(0)}),
                  part_at(*this, buffer, {ir::i64_operand(1)})};
  carried.current.offset = mutable_variable("current", ScalarType::i64, carried.current.offset);
  carried.next.offset = mutable_variable("next", ScalarType::i64, carried.next.offset);
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
  return {Carried::following, row_major(*this, block, offset, type.shape), {}};
}

void Lowering::lower_thread_loop(const ir::Loop& e) {
  std::vector<Carried> carried;
  std::vector<Wish> wishes;
  bool follows = false;
  for (std::size_t k = 0; k < e.values.size(); ++k) {
    carried.push_back(carry(e, k));
    const Carried& one = carried.back();
    follows = follows || one.kind == Carried::following;
    const bool alternates = one.kind == Carried::alternating || one.kind == Carried::copied;
    wishes.push_back(alternates ? Wish(one.next) : std::nullopt);
    if (one.kind != Carried::scalar) bind(e.values[k].parameter.name, one.current);
  }
  if (const auto* form = as<ir::ForForm>(e.form)) record(form->index.name);
  const auto iteration = [&] {
    for (std::size_t k = 0; k < e.values.size(); ++k) {
      if (carried[k].kind != Carried::following) continue;
      const NameId parameter = e.values[k].parameter.name;
      bind(parameter, row_major(*this, carried[k].current.block, carried[k].current.offset,
                                shape_of(parameter)));
    }
    lower_body(e.body, wishes, [&](const std::vector<Value>& values) {
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
    if (carried[k].kind != Carried::following) continue;
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
    if (one.kind == Carried::in_place) {
      copy(one.current, *values[k].place, values[k].type);
    } else if (one.kind == Carried::copied) {
      steps.push_back([&, k] { copy(one.current, one.next, values[k].type); });
    } else if (one.kind == Carried::alternating) {
      const Operand kept = mutable_variable("kept", ScalarType::i64, one.current.offset);
      steps.push_back([&, kept] {
        move(one.current.offset.name(), one.next.offset);
        move(one.next.offset.name(), kept);
      });
    } else if (one.kind == Carried::following) {
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
