// Branches.
//
// In host code an array result of a branch is a block variable and an offset variable, set on
// both paths; the layout is row-major, so a path whose array is not copies it.  Where memory was
// decided to be another, both paths make the result there.  In a thread a
// branch may give any layout, through stride variables.
#include "emit/context/context.h"
#include "emit/gpu/kernels.h"
#include "emit/memory/elements.h"
#include "emit/memory/homes.h"
#include "emit/memory/host_scope.h"
#include "emit/memory/joins.h"
#include "emit/statements.h"

namespace dagaz::emit {

static void emit_host_branch(Context& c, const ir::Statement& s, const ir::Branch& e) {
  std::vector<Join> joins(s.results.size());
  for (std::size_t k = 0; k < s.results.size(); ++k) {
    const NameId result = s.results[k].name;
    if (!c.names().type(result).is_array()) continue;
    if (std::holds_alternative<memory::Own>(c.memory.home(result))) {
      joins[k] = new_join(c, result);
    } else {
      c.arrays.bind(result, at_home(c, result));
    }
  }
  const auto side = [&](const ir::Body& body) {
    return c.collect([&] {
      emit_body(c, body, {}, [&](const std::vector<Value>& values) {
        for (std::size_t k = 0; k < values.size(); ++k) {
          if (joins[k].block.valid()) {
            set_join(c, joins[k], values[k]);
          } else if (!values[k].place) {
            assign(c, s.results[k].name, values[k]);
          }
        }
      });
    });
  };
  Code then_code = side(e.then_body);
  Code else_code = side(e.else_body);
  c.emit(If{e.condition, std::move(then_code), std::move(else_code)});
  for (std::size_t k = 0; k < s.results.size(); ++k) {
    if (!joins[k].block.valid()) continue;
    own(c, joins[k].block, s.results[k].name);
    c.arrays.bind(s.results[k].name,
                  row_major(c, joins[k].block, joins[k].offset, c.shape_of(s.results[k].name)));
  }
}

static void append_to(Context& c, Code& code, const std::function<void()>& build) {
  Code more = c.collect(build);
  code.insert(code.end(), std::make_move_iterator(more.begin()),
              std::make_move_iterator(more.end()));
}

// A place of variables that both sides set.
static Place meet(Context& c, const ir::Type& type, const Place& yes, Code& then_code,
                  const Place& no, Code& else_code) {
  const bool is_dense = yes.is_dense() && no.is_dense();
  Place place{
      c.block_variable("meet"), c.variable("offset", ScalarType::i64), {}, std::nullopt, yes.space};
  for (std::size_t k = 0; k < type.rank(); ++k) {
    place.strides.push_back(c.variable("stride", ScalarType::i64));
  }
  if (is_dense) place.unit = ir::i64_operand(1);
  const auto set = [&](const Place& from) {
    c.emit(Share{place.block, from.block});
    c.move(place.offset.name(), from.offset);
    for (std::size_t k = 0; k < type.rank(); ++k) {
      c.move(place.strides[k].name(), from.strides[k]);
    }
  };
  append_to(c, then_code, [&] { set(yes); });
  append_to(c, else_code, [&] { set(no); });
  return place;
}

static void emit_thread_branch(Context& c, const ir::Statement& s, const ir::Branch& e) {
  std::vector<Destination> destinations;
  for (const ir::Binder& result : s.results)
    destinations.push_back(c.arrays.destination_of(result.name));
  const auto side = [&](const ir::Body& body, std::vector<Value>& kept) {
    return c.collect([&] {
      emit_body(c, body, destinations, [&](const std::vector<Value>& values) {
        kept = values;
        for (std::size_t k = 0; k < values.size(); ++k) {
          if (!values[k].place) assign(c, s.results[k].name, values[k]);
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
      c.arrays.bind(name, *yes[k].place);
    } else {
      if (yes[k].place->space != no[k].place->space) {
        // One of them is on the thread's stack, which a pointer to the other cannot mean.
        Value& local = yes[k].place->space == Space::local ? yes[k] : no[k];
        append_to(c, &local == &yes[k] ? then_code : else_code, [&] {
          const Place moved = kernel_array(c, local.type, c.block_variable(c.names().base(name)));
          copy(c, moved, *local.place, local.type);
          local.place = moved;
        });
      }
      c.arrays.bind(
          name, meet(c, c.names().type(name), *yes[k].place, then_code, *no[k].place, else_code));
    }
  }
  c.emit(If{e.condition, std::move(then_code), std::move(else_code)});
}

void emit_operation(Context& c, const ir::Statement& s, const ir::Branch& e) {
  if (c.mode == Mode::host) {
    emit_host_branch(c, s, e);
  } else {
    emit_thread_branch(c, s, e);
  }
}

}  // namespace dagaz::emit
