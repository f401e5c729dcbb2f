// Branches and calls.
//
// In host code an array result of a branch is a block variable and an offset variable, set on
// both paths; the layout is row-major, so a path whose array is not copies it.  In a thread a
// branch may give any layout, through stride variables.
#include "imperative/lowering.h"
#include "ir/device_threads.h"

namespace dagaz::imperative {

// ---------------------------------------------------------------- branches

void Lowering::lower(const ir::Statement& s, const ir::Branch& e) {
  if (mode_ == Mode::host) {
    lower_host_branch(s, e);
  } else {
    lower_thread_branch(s, e);
  }
}

Join Lowering::new_join(NameId name) {
  return Join{block_variable(names().base(name)), variable("offset", ScalarType::i64)};
}

void Lowering::set_join(const Join& join, const Value& value) {
  const Place place = dense(*value.place, value.type);
  emit(Share{join.block, place.block});
  move(join.offset, place.offset);
}

void Lowering::lower_host_branch(const ir::Statement& s, const ir::Branch& e) {
  std::vector<Join> joins(s.results.size());
  for (std::size_t k = 0; k < s.results.size(); ++k) {
    if (names().type(s.results[k].name).is_array()) joins[k] = new_join(s.results[k].name);
  }
  const auto side = [&](const ir::Body& body) {
    return collect([&] {
      lower_body(body, {}, [&](const std::vector<Value>& values) {
        for (std::size_t k = 0; k < values.size(); ++k) {
          if (values[k].place) {
            set_join(joins[k], values[k]);
          } else {
            assign(s.results[k].name, values[k]);
          }
        }
      });
    });
  };
  Code then_code = side(e.then_body);
  Code else_code = side(e.else_body);
  emit(If{e.condition, std::move(then_code), std::move(else_code)});
  for (std::size_t k = 0; k < s.results.size(); ++k) {
    if (!joins[k].block.valid()) continue;
    own(joins[k].block, s.results[k].name);
    bind(s.results[k].name, row_major(*this, joins[k].block, joins[k].offset,
                                      shape_of(s.results[k].name)));
  }
}

void Lowering::lower_thread_branch(const ir::Statement& s, const ir::Branch& e) {
  std::vector<Destination> destinations;
  for (const ir::Binder& result : s.results) destinations.push_back(destination_of(result.name));
  const auto side = [&](const ir::Body& body, std::vector<Value>& kept) {
    return collect([&] {
      lower_body(body, destinations, [&](const std::vector<Value>& values) {
        kept = values;
        for (std::size_t k = 0; k < values.size(); ++k) {
          if (!values[k].place) assign(s.results[k].name, values[k]);
        }
      });
    });
  };
  std::vector<Value> yes;
  std::vector<Value> no;
  Code then_code = side(e.then_body, yes);
  Code else_code = side(e.else_body, no);
  for (std::size_t k = 0; k < s.results.size(); ++k) {
    if (!yes[k].place) continue;
    const NameId name = s.results[k].name;
    if (*yes[k].place == *no[k].place) {
      bind(name, *yes[k].place);
    } else {
      if (yes[k].place->space != no[k].place->space) {
        // One of them is on the thread's stack, which a pointer to the other cannot mean.
        Value& local = yes[k].place->space == Space::local ? yes[k] : no[k];
        append_to(&local == &yes[k] ? then_code : else_code, [&] {
          const Place moved = kernel_array(local.type, block_variable(names().base(name)));
          copy(moved, *local.place, local.type);
          local.place = moved;
        });
      }
      bind(name, meet(names().type(name), *yes[k].place, then_code, *no[k].place, else_code));
    }
  }
  emit(If{e.condition, std::move(then_code), std::move(else_code)});
}

void Lowering::append_to(Code& code, const std::function<void()>& build) {
  Code more = collect(build);
  code.insert(code.end(), std::make_move_iterator(more.begin()),
              std::make_move_iterator(more.end()));
}

// A place of variables that both sides set.
Place Lowering::meet(const ir::Type& type, const Place& yes, Code& then_code, const Place& no,
                     Code& else_code) {
  const bool is_dense = yes.is_dense() && no.is_dense();
  Place place{block_variable("meet"), variable("offset", ScalarType::i64), {}, std::nullopt,
              yes.space};
  for (std::size_t k = 0; k < type.rank(); ++k) {
    place.strides.push_back(variable("stride", ScalarType::i64));
  }
  if (is_dense) place.unit = ir::i64_operand(1);
  const auto set = [&](const Place& from) {
    emit(Share{place.block, from.block});
    move(place.offset.name(), from.offset);
    for (std::size_t k = 0; k < type.rank(); ++k) {
      move(place.strides[k].name(), from.strides[k]);
    }
  };
  append_to(then_code, [&] { set(yes); });
  append_to(else_code, [&] { set(no); });
  return place;
}

// ---------------------------------------------------------------- calls

void Lowering::lower(const ir::Statement& s, const ir::Call& e) {
  if (e.function == ir::device_threads_function) {
    move(s.results[0].name, resident_threads());
    return;
  }
  imperative::Call code{call(e.function), {}, {}};
  if (mode_ == Mode::kernel && arena_functions_.contains(e.function)) hand_on_arena(code);
  for (const Operand& argument : e.arguments) {
    const Value value = value_of(argument);
    if (value.place) {
      const Place place = dense(*value.place, value.type);
      code.arguments.push_back(place.block);
      code.arguments.push_back(place.offset);
    } else {
      code.arguments.push_back(value.operand);
    }
  }
  std::vector<std::pair<NameId, Join>> arrays;
  for (const ir::Binder& result : s.results) {
    const ir::Type type = names().type(result.name);
    if (type.is_array()) {
      DZ_CHECK(mode_ == Mode::host, "a thread calls a function that gives an array");
      const Join join = new_join(result.name);
      code.results.push_back(join.block);
      code.results.push_back(join.offset);
      arrays.emplace_back(result.name, join);
    } else {
      code.results.push_back(result.name);
    }
  }
  if (mode_ != Mode::host) uses_private_memory_ = true;
  emit(std::move(code));
  for (const auto& [name, join] : arrays) {
    own(join.block, name);
    bind(name, row_major(*this, join.block, join.offset, shape_of(name)));
  }
}

}  // namespace dagaz::imperative
