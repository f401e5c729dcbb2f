// Sequential loops.
//
// In host code a carried array is a block variable and an offset variable; one that the body
// updates in place stays where it was before the loop, one that each iteration replaces point by
// point stays where it is, and one that is kept is made in its row (memory/checkpoints.cpp).  In a
// thread an array that the body updates in place stays where it is; one of the same size in every
// iteration alternates between the halves of one buffer, or is copied back if it is small enough
// for registers; an array of changing size is followed wherever each iteration makes it.
//
// Iterations of the host that are independent are a function of their own, which threads may call
// for some of them each.
#include "emit/control/loops.h"

#include <algorithm>
#include <iterator>

#include "emit/memory/allocation.h"
#include "emit/memory/elements.h"
#include "emit/memory/homes.h"
#include "emit/memory/host_scope.h"
#include "emit/memory/joins.h"
#include "emit/statements.h"
#include "tree/walk.h"

namespace dagaz::emit {

void emit_loop(Context& c, const ir::Loop& e, Code body) {
  if (const auto* form = as<ir::ForForm>(e.form)) {
    const ScalarType type = c.names().type(form->index.name).element;
    const Operand bound = c.to_i64(form->bound, type);
    const LoopHints hints{.unroll = e.attributes.unroll};
    if (type == ScalarType::i64) {
      c.emit(For{form->index.name, bound, std::move(body), hints});
      return;
    }
    const NameId index = c.variable("i", ScalarType::i64);
    body.insert(body.begin(),
                Instruction{Assign{
                    form->index.name, ScalarOp::sign_extend, ScalarType::i64, type, {index}}});
    c.emit(For{index, bound, std::move(body), hints});
    return;
  }
  const NameId parameter = std::get<ir::WhileForm>(e.form).condition;
  const NameId condition = c.variable("continue", ScalarType::boolean);
  Code test = c.collect([&] { c.move(condition, parameter); });
  c.emit(While{std::move(test), condition, std::move(body)});
}

// Next values of scalar parameters, all read before any is set.
static void step_scalars(Context& c, const ir::Loop& e, const std::vector<Value>& values) {
  std::unordered_set<NameId> parameters;
  for (const ir::LoopValue& value : e.values) parameters.insert(value.parameter.name);
  std::vector<std::pair<NameId, Operand>> moves;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const NameId parameter = e.values[k].parameter.name;
    if (!values[k].type.is_scalar() || values[k].operand == Operand(parameter)) continue;
    Operand next = values[k].operand;
    if (next.is_name() && parameters.contains(next.name())) {
      next = c.mutable_variable("next", values[k].type.element, next);
    }
    moves.emplace_back(parameter, next);
  }
  for (const auto& [parameter, next] : moves) c.move(parameter, next);
}

// Binds the parameters to their variables; strides follow the sizes of the moment.
static void bind_joins(Context& c, const ir::Loop& e, const std::vector<Join>& joins) {
  for (std::size_t k = 0; k < e.values.size(); ++k) {
    if (!joins[k].block.valid()) continue;
    const NameId parameter = e.values[k].parameter.name;
    c.arrays.bind(parameter, row_major(c, joins[k].block, joins[k].offset, c.shape_of(parameter)));
  }
}

static void step_host_arrays(Context& c, const ir::Loop& e, const std::vector<Join>& joins,
                             const std::vector<Value>& values) {
  std::vector<std::pair<std::size_t, Join>> next;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!values[k].place || !joins[k].block.valid()) continue;
    if (values[k].place->block == joins[k].block &&
        values[k].place->offset == Operand(joins[k].offset) && values[k].place->is_dense()) {
      continue;
    }
    const Join join = new_join(c, e.values[k].parameter.name);
    set_join(c, join, values[k]);
    next.emplace_back(k, join);
  }
  for (const auto& [k, join] : next) {
    c.emit(Release{joins[k].block});
    c.emit(Share{joins[k].block, join.block});
    c.emit(Release{join.block});
    c.move(joins[k].offset, join.offset);
  }
}

// Whether threads may run iterations of a loop of the host: all that these hand on lies in place.
static bool is_for_threads(const Context& c, const ir::Loop& e) {
  const auto* form = as<ir::ForForm>(e.form);
  if (!e.attributes.independent || form == nullptr || c.has_kernels()) return false;
  if (c.names().type(form->index.name).element != ScalarType::i64) return false;
  return std::all_of(e.values.begin(), e.values.end(), [&](const ir::LoopValue& one) {
    const auto carry = c.memory.carries.find(one.parameter.name);
    return carry != c.memory.carries.end() && carry->second == memory::Carry::in_place;
  });
}

static void emit_for_each(Context& c, const ir::ForForm& form, Code iteration) {
  const NameId index = form.index.name;
  std::vector<NameId> captured = tree::captured_variables(iteration);
  std::erase(captured, index);
  Function part{c.function + ".iterations" + std::to_string(c.program.functions.size()),
                false,
                captured,
                {},
                {}};
  const NameId begin = c.variable("begin", ScalarType::i64);
  const NameId end = c.variable("end", ScalarType::i64);
  part.parameters.push_back(begin);
  part.parameters.push_back(end);
  part.body = c.collect([&] {
    const Operand count = c.sub(end, begin);
    const NameId i = c.variable("i", ScalarType::i64);
    Code body = c.collect([&] {
      c.emit(Assign{index, ScalarOp::add, ScalarType::i64, ScalarType::i64, {begin, i}});
    });
    std::move(iteration.begin(), iteration.end(), std::back_inserter(body));
    c.emit(For{i, count, std::move(body), {}});
  });
  c.emit(CallForEach{part.name, form.bound, {captured.begin(), captured.end()}, c.location});
  c.program.functions.push_back(std::move(part));
}

static void emit_host_loop(Context& c, const ir::Loop& e) {
  std::vector<Join> joins(e.values.size());
  for (std::size_t k = 0; k < e.values.size(); ++k) {
    const NameId parameter = e.values[k].parameter.name;
    const Value initial = value_of(c, e.values[k].initial);
    if (!initial.place) continue;
    if (c.memory.carries.at(parameter) == memory::Carry::in_place) {
      c.arrays.bind(parameter, *initial.place);
      continue;
    }
    joins[k] = new_join(c, parameter);
    set_join(c, joins[k], initial);
    own(c, joins[k].block, parameter);
  }
  for (const ir::LoopValue& value : e.values) {
    if (c.memory.given.contains(value.parameter.name)) {
      c.scopes.release(c, c.arrays.place_of(value.initial.name()).block);
    }
  }
  count_checkpoints(c, e);
  Code body = c.collect([&] {
    // Strides of arrays whose size changes are computed anew in each iteration.
    bind_joins(c, e, joins);
    emit_body(c, e.body, {}, [&](const std::vector<Value>& values) {
      step_host_arrays(c, e, joins, values);
      step_scalars(c, e, values);
    });
  });
  if (is_for_threads(c, e)) {
    emit_for_each(c, std::get<ir::ForForm>(e.form), std::move(body));
  } else {
    emit_loop(c, e, std::move(body));
  }
  bind_joins(c, e, joins);
}

namespace {

/// Where a loop in a thread carries one array.
struct Carried {
  std::optional<memory::Carry> how;  // none: a scalar
  Place current;
  Place next;
};

}  // namespace

// An array whose size changes: variables that follow it wherever each iteration makes it.
static Carried carry_following(Context& c, const ir::Type& type, const Place& initial) {
  const Place start = dense(c, initial, type);
  const NameId block = c.block_variable("follow");
  c.emit(Share{block, start.block});
  const Operand offset = c.mutable_variable("offset", ScalarType::i64, start.offset);
  c.thread.uses_memory = true;
  return {memory::Carry::following, row_major(c, block, offset, type.shape), {}};
}

static Carried carry(Context& c, const ir::Loop& e, std::size_t k) {
  using memory::Carry;
  const NameId parameter = e.values[k].parameter.name;
  const ir::Type type = c.names().type(parameter);
  const Value initial = value_of(c, e.values[k].initial);
  if (!initial.place) return {};
  const Carry how = c.memory.carries.at(parameter);
  if (how == Carry::in_place) return {how, *initial.place, {}};
  if (how == Carry::following) return carry_following(c, type, *initial.place);
  Carried carried{how, {}, {}};
  if (how == Carry::copied) {
    carried.current = private_array(c, type, "current");
    carried.next = private_array(c, type, "next");
  } else {
    ir::Type both = type;
    both.shape.insert(both.shape.begin(), ir::i64_operand(2));
    const Place buffer = private_array(c, both, c.names().base(parameter));
    const auto half = [&](std::int64_t number, std::string_view base) {
      Place place = part_at(c, buffer, {ir::i64_operand(number)});
      place.offset = c.mutable_variable(base, ScalarType::i64, place.offset);
      return place;
    };
    carried.current = half(0, "current");
    carried.next = half(1, "next");
  }
  copy(c, carried.current, *initial.place, type);
  return carried;
}

static void step_thread_arrays(Context& c, const std::vector<Carried>& carried,
                               const std::vector<Value>& values) {
  std::vector<std::function<void()>> steps;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Carried& one = carried[k];
    if (one.how == memory::Carry::in_place) {
      copy(c, one.current, *values[k].place, values[k].type);
    } else if (one.how == memory::Carry::copied) {
      steps.push_back([&, k] { copy(c, one.current, one.next, values[k].type); });
    } else if (one.how == memory::Carry::alternating) {
      const Operand kept = c.mutable_variable("kept", ScalarType::i64, one.current.offset);
      steps.push_back([&, kept] {
        c.move(one.current.offset.name(), one.next.offset);
        c.move(one.next.offset.name(), kept);
      });
    } else if (one.how == memory::Carry::following) {
      const Place place = dense(c, *values[k].place, values[k].type);
      const NameId block = c.block_variable("follow");
      c.emit(Share{block, place.block});
      const Operand offset = c.mutable_variable("offset", ScalarType::i64, place.offset);
      steps.push_back([&, block, offset] {
        c.emit(Share{one.current.block, block});
        c.move(one.current.offset.name(), offset);
      });
    }
  }
  for (const auto& step : steps) step();
}

static void emit_thread_loop(Context& c, const ir::Loop& e) {
  std::vector<Carried> carried;
  std::vector<Destination> destinations;
  bool follows = false;
  for (std::size_t k = 0; k < e.values.size(); ++k) {
    carried.push_back(carry(c, e, k));
    const Carried& one = carried.back();
    follows = follows || one.how == memory::Carry::following;
    const bool alternates =
        one.how == memory::Carry::alternating || one.how == memory::Carry::copied;
    destinations.push_back(alternates ? Destination(one.next) : std::nullopt);
    if (one.how) c.arrays.bind(e.values[k].parameter.name, one.current);
  }
  if (const auto* form = as<ir::ForForm>(e.form)) c.record(form->index.name);
  const auto iteration = [&] {
    for (std::size_t k = 0; k < e.values.size(); ++k) {
      if (carried[k].how != memory::Carry::following) continue;
      const NameId parameter = e.values[k].parameter.name;
      c.arrays.bind(parameter, row_major(c, carried[k].current.block, carried[k].current.offset,
                                         c.shape_of(parameter)));
    }
    emit_body(c, e.body, destinations, [&](const std::vector<Value>& values) {
      step_thread_arrays(c, carried, values);
      step_scalars(c, e, values);
    });
  };
  // What is followed must survive the iteration that made it.
  Code body = c.collect([&] {
    if (follows) {
      iteration();
    } else {
      with_private_scope(c, iteration);
    }
  });
  emit_loop(c, e, std::move(body));
  for (std::size_t k = 0; k < e.values.size(); ++k) {
    if (carried[k].how != memory::Carry::following) continue;
    const NameId parameter = e.values[k].parameter.name;
    c.arrays.bind(parameter, row_major(c, carried[k].current.block, carried[k].current.offset,
                                       c.shape_of(parameter)));
  }
}

void emit_operation(Context& c, const ir::Statement& s, const ir::Loop& e) {
  for (const ir::LoopValue& value : e.values) {
    const Value initial = value_of(c, value.initial);
    if (!initial.place) assign(c, value.parameter.name, initial);
  }
  if (c.mode == Mode::host) {
    emit_host_loop(c, e);
  } else {
    emit_thread_loop(c, e);
  }
  for (std::size_t k = 0; k < e.values.size(); ++k) {
    Value last = value_of(c, e.values[k].parameter.name);
    if (!last.place) assign(c, s.results[k].name, last);
  }
  for (std::size_t k = 0; k < e.values.size(); ++k) {
    const NameId parameter = e.values[k].parameter.name;
    if (c.names().type(parameter).is_array())
      c.arrays.bind(s.results[k].name, c.arrays.place_of(parameter));
  }
}

}  // namespace dagaz::emit
