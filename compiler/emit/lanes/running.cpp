#include "emit/lanes/running.h"

#include "emit/lanes/arrays.h"
#include "emit/lanes/statements.h"
#include "emit/lanes/values.h"
#include "emit/memory/elements.h"
#include "emit/statements.h"
#include "emit/thread/loops.h"
#include "emit/thread/running.h"

namespace dagaz::emit {

std::vector<LaneScalar> start_running(Lanes& l, const std::vector<Operand>& neutral) {
  std::vector<LaneScalar> running;
  for (const Operand& one : neutral) {
    const LaneScalar initial = scalar_of(l, one);
    running.push_back(new_variables(l, initial.type, initial));
  }
  return running;
}

void set_running(Lanes& l, const std::vector<LaneScalar>& running,
                 const std::vector<LaneResult>& next) {
  std::vector<LaneScalar> read;
  for (const LaneResult& one : next)
    read.push_back(new_variables(l, one.scalar->type, *one.scalar));
  for (std::size_t k = 0; k < read.size(); ++k) set_variables(l, running[k], read[k]);
}

void combine(Lanes& l, const ir::Lambda& op, const std::vector<LaneScalar>& running,
             const std::vector<LaneScalar>& values) {
  if (const std::int64_t rows = l.block.rows; rows > 1 && !running[0].by_row) {
    // Running values from before there were rows take the rows in turn.
    l.block.rows = 1;
    for (std::int64_t row = 0; row < rows; ++row) {
      std::vector<LaneScalar> of_row;
      for (const LaneScalar& one : values) of_row.push_back(row_of(l, one, row));
      combine(l, op, running, of_row);
    }
    l.block.rows = rows;
    return;
  }
  const ir::Lambda fresh = copy_of(l.c, op);
  std::vector<LaneResult> arguments;
  for (const LaneScalar& one : running) arguments.push_back({one, std::nullopt});
  for (const LaneScalar& one : values) arguments.push_back({one, std::nullopt});
  set_running(l, running, emit_lambda(l, fresh, arguments, {}));
}

void finish_running(Lanes& l, const std::vector<LaneScalar>& running, const Running& totals) {
  std::vector<Place> lanes;
  for (const LaneScalar& one : running) lanes.push_back(spill(l, one));
  thread_loop(l.c, ir::i64_operand(l.block.points()), false, [&](const Operand& i) {
    std::vector<Value> values;
    for (std::size_t k = 0; k < lanes.size(); ++k) {
      const ScalarType type = running[k].type;
      values.push_back({load(l.c, lanes[k], {i}, type, "x"), ir::scalar_of(type), std::nullopt});
    }
    combine(l.c, totals, values);
  });
}

}  // namespace dagaz::emit
