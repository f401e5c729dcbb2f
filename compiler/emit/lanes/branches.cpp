// Branches in lanes.  Where the condition is the same for all points of a block they go the same
// way.  Where it is not, a branch that only computes takes both and chooses; any other runs each
// side for the points that take it, if there are any.
#include "emit/lanes/arrays.h"
#include "emit/lanes/masks.h"
#include "emit/lanes/own_accumulators.h"
#include "emit/lanes/serial.h"
#include "emit/lanes/statements.h"
#include "emit/lanes/values.h"
#include "ir/classify.h"

namespace dagaz::emit {

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

static void chosen_branch(Lanes& l, const ir::Statement& s, const ir::Branch& e,
                          const LaneScalar& condition) {
  const std::vector<LaneResult> yes = emit_body(l, e.then_body, {});
  const std::vector<LaneResult> no = emit_body(l, e.else_body, {});
  for (std::size_t k = 0; k < yes.size(); ++k) {
    if (!yes[k].scalar) refuse("a branch that gives arrays");
    const ScalarType type = yes[k].scalar->type;
    bind(l, s.results[k].name,
         apply(l, ScalarOp::select, type, type, {condition, *yes[k].scalar, *no[k].scalar}));
  }
}

static void masked_branch(Lanes& l, const ir::Statement& s, const ir::Branch& e,
                          const LaneScalar& condition) {
  own_what_it_consumes(l, s);
  std::vector<LaneResult> joined;
  for (std::size_t k = 0; k < s.results.size(); ++k) {
    const ir::Type& type = e.result_types[k];
    joined.emplace_back();
    if (type.is_array()) {
      joined[k].array = result_array(l, s.results[k].name);
    } else if (type.is_scalar()) {
      const Operand zero = ir::Constant(ir::zero_of(type.element));
      joined[k].scalar = new_variables(l, type.element, uniform(l, zero));
    }
  }
  const auto side = [&](const ir::Body& taken) {
    const std::vector<LaneResult> results = emit_body(l, taken, {});
    for (std::size_t k = 0; k < results.size(); ++k) {
      if (joined[k].array) {
        if (!start_together(*joined[k].array, *results[k].array)) {
          copy(l, *joined[k].array, *results[k].array, e.result_types[k]);
        }
      } else if (joined[k].scalar) {
        set_where_running(l, *joined[k].scalar, *results[k].scalar);
      } else {
        continue_accumulator(l, s.results[k].name, taken.results[k].name());
      }
    }
  };
  const auto run = [&](const LaneScalar& taking, const ir::Body& taken) {
    // What has nothing to do is done for no point as well.
    (taken.statements.empty() ? where_or_nowhere : where)(l, taking, [&] { side(taken); });
  };
  run(condition, e.then_body);
  run(negated(l, condition), e.else_body);
  for (std::size_t k = 0; k < joined.size(); ++k) {
    if (joined[k].scalar) bind(l, s.results[k].name, *joined[k].scalar);
  }
}

void emit_operation(Lanes& l, const ir::Statement& s, const ir::Branch& e) {
  const LaneScalar condition = scalar_of(l, e.condition);
  if (condition.is_uniform()) {
    uniform_branch(l, s, e);
  } else if (ir::only_computes(e)) {
    chosen_branch(l, s, e, condition);
  } else {
    masked_branch(l, s, e, condition);
  }
}

}  // namespace dagaz::emit
