// While rows of a window are on their way, the points that read none of them run:
//
//   w = windows xs                w' = start_windows xs
//   ys = map over [count]   →     inner = map over [count - rim], from `below` on, reading w'
//                                 w = wait_windows w'
//                                 outer = map over [rim], the first `below` and the last points
//                                 ys = first of outer ++ inner ++ last of outer
//
// The inner points, and `inner` in its place in `ys`, are most of all.  What a rank sends and when
// it waits is the same on all.
// Hiranandani, Kennedy and Tseng, "Compiling Fortran D for MIMD Distributed-Memory Machines", 1992
// (iteration reordering).
#include "passes/distribute/overlap.h"

#include <algorithm>
#include <optional>

#include "ir/builder.h"
#include "ir/fields.h"
#include "ir/names.h"
#include "passes/distribute/collectives.h"
#include "support/match.h"

namespace dagaz::passes::distributing {

using ir::NameId;
using ir::Operand;
using ir::RankKind;
using ir::ScalarOp;
using ir::ScalarType;

namespace {

/// A window that a call is sent, from its arguments.
struct SentWindow {
  NameId memory;
  Operand count;  // of this rank's points
  std::int64_t low;
  std::int64_t high;
  bool is_over_own_rows;  // as many points as rows: a rank has the rows of its points
};

std::vector<SentWindow> windows_of(const ir::Statement& statement) {
  const auto* call = as<ir::Call>(statement.operation);
  if (call == nullptr || !ir::is_rank_call(call->function)) return {};
  const ir::RankCall what = ir::rank_call_of(call->function);
  if (what.kind != RankKind::windows) return {};
  std::vector<SentWindow> all;
  auto at = call->arguments.begin();
  for (std::size_t k = 0; k < what.leaves.size(); ++k) {
    all.push_back({statement.results[k].name, at[0], ir::integer_value(at[3].constant()),
                   ir::integer_value(at[4].constant()), at[1] == at[2]});
    at += 7 + static_cast<std::ptrdiff_t>(what.leaves[k].rank);
  }
  return all;
}

/// Points before and behind those that read rows of this rank alone.
struct Rim {
  std::int64_t below = 0;
  std::int64_t above = 0;
};

/// Whether ranks meet in it.
bool meets(const ir::Operation& operation) {
  bool found = ir::is_rank_call(operation);
  ir::for_each_scope(operation, [&](const ir::Body& body) {
    for (const ir::Statement& one : body.statements) found = found || meets(one.operation);
  });
  return found;
}

/// How far the windows that a map reads reach, if all its points are one for each row.
std::optional<Rim> rim_of(const ir::Statement& statement, const std::vector<SentWindow>& windows,
                          const ir::Names& names) {
  const auto* map = as<ir::SegmentedMap>(statement.operation);
  if (map == nullptr || map->space.empty()) return std::nullopt;
  for (const ir::Binder& result : statement.results) {
    if (names.type(result.name).kind != ir::TypeKind::value) return std::nullopt;
  }
  Rim rim;
  const std::vector<NameId> read = ir::free_names(statement, names);
  for (const SentWindow& one : windows) {
    if (std::find(read.begin(), read.end(), one.memory) == read.end()) continue;
    if (!one.is_over_own_rows || one.count != map->space.front().extent) return std::nullopt;
    rim.below = std::max(rim.below, -one.low);
    rim.above = std::max(rim.above, one.high);
  }
  return rim;
}

class Overlap {
 public:
  explicit Overlap(ir::Program& program) : names_(program.names), collectives_(program) {}

  void body(ir::Body& body) {
    for (ir::Statement& one : body.statements) {
      ir::for_each_scope(one.operation, [&](ir::Body& inside) { this->body(inside); });
    }
    for (std::size_t k = 0; k < body.statements.size(); ++k) {
      const std::vector<SentWindow> windows = windows_of(body.statements[k]);
      if (!windows.empty()) divide_reader(body.statements, k, windows);
    }
  }

 private:
  /// The first statement that reads a window, if all before it leave ranks alone.
  std::optional<std::size_t> first_reader(const ir::Statements& statements, std::size_t call,
                                          const std::vector<SentWindow>& windows) const {
    for (std::size_t k = call + 1; k < statements.size(); ++k) {
      const std::vector<NameId> read = ir::free_names(statements[k], names_);
      const bool reads = std::any_of(windows.begin(), windows.end(), [&](const SentWindow& one) {
        return std::find(read.begin(), read.end(), one.memory) != read.end();
      });
      if (reads) return k;
      if (meets(statements[k].operation)) return std::nullopt;
    }
    return std::nullopt;
  }

  void divide_reader(ir::Statements& statements, std::size_t call,
                     const std::vector<SentWindow>& windows) {
    const auto reader = first_reader(statements, call, windows);
    if (!reader) return;
    const auto rim = rim_of(statements[*reader], windows, names_);
    if (!rim || rim->below + rim->above == 0) return;
    ir::Builder out(names_);
    const ir::Statement wait = collectives_.start(statements[call]);
    divide(statements[*reader], *rim, wait, out);
    const ir::Statements divided = out.take();
    const auto at = statements.begin() + static_cast<std::ptrdiff_t>(*reader);
    statements.insert(statements.erase(at), divided.begin(), divided.end());
  }

  void divide(const ir::Statement& map, const Rim& rim, const ir::Statement& wait,
              ir::Builder& out) {
    const Operand count = std::get<ir::SegmentedMap>(map.operation).space.front().extent;
    const auto least = [&](std::int64_t number, const Operand& most) {
      return out.scalar(ScalarOp::smin, ScalarType::i64, {ir::i64_operand(number), most}, "rim");
    };
    out.set_location(map.location);
    const Operand below = ir::i64_operand(rim.below);
    const Operand outer = least(rim.below + rim.above, count);
    const Operand inner = out.sub_i64(count, outer);
    // Known before the inner points, so that these lie where they will be.
    const Operand first = rim.above == 0   ? outer
                          : rim.below == 0 ? ir::i64_operand(0)
                                           : least(rim.below, outer);
    const Operand last = out.sub_i64(outer, first);
    ir::Statement inside = over(ir::renamed(map, names_), inner, [&](Operand i, ir::Builder& b) {
      return b.add_i64(i, below);
    });
    ir::substitute(inside, early_names(wait), names_);
    const std::vector<NameId> inner_results = add(std::move(inside), out);
    out.add(wait);
    const std::vector<NameId> outer_results =
        add(over(map, outer, [&](const Operand& i, ir::Builder& b) {
              const Operand is_below = b.scalar(ScalarOp::slt, ScalarType::i64, {i, below});
              const Operand skipped =
                  b.select(ScalarType::i64, is_below, ir::i64_operand(0), inner);
              return b.add_i64(i, skipped);
            }),
            out);
    for (std::size_t k = 0; k < map.results.size(); ++k) {
      std::vector<NameId> pieces;
      if (rim.below > 0) pieces.push_back(rows(outer_results[k], ir::i64_operand(0), first, out));
      pieces.push_back(inner_results[k]);
      if (rim.above > 0) pieces.push_back(rows(outer_results[k], first, last, out));
      out.add({{map.results[k]}, ir::Concat{count, std::move(pieces)}, {}, map.location});
    }
  }

  /// What the windows are called before they are whole.
  static ir::Substitution early_names(const ir::Statement& wait) {
    ir::Substitution early;
    const auto& call = std::get<ir::Call>(wait.operation);
    std::size_t at = 0;
    for (const ir::RankLeaf& leaf : ir::rank_call_of(call.function).leaves) {
      at += leaf.rank;
      early.emplace(wait.results[early.size()].name, call.arguments[at++]);
    }
    return early;
  }

  /// The map over as many points, which are those that `point` says.
  template <typename PointFunction>
  ir::Statement over(ir::Statement map, const Operand& extent, const PointFunction& point) {
    ir::SpaceDimension& dimension = std::get<ir::SegmentedMap>(map.operation).space.front();
    ir::Body& body = std::get<ir::SegmentedMap>(map.operation).body;
    const NameId index = names_.fresh_like(dimension.index.name);
    ir::Builder b(names_);
    b.set_location(map.location);
    const Operand place = point(index, b);
    ir::Statements statements = b.take();
    ir::substitute(body, {{dimension.index.name, place}}, names_);
    body.statements.insert(body.statements.begin(), statements.begin(), statements.end());
    dimension = {{index}, extent};
    return map;
  }

  /// Appends the map with results of its own.
  std::vector<NameId> add(ir::Statement map, ir::Builder& out) {
    const Operand extent = std::get<ir::SegmentedMap>(map.operation).space.front().extent;
    std::vector<NameId> results;
    for (ir::Binder& result : map.results) {
      ir::Type type = names_.type(result.name);
      type.shape.front() = extent;
      result.name = names_.fresh(names_.base(result.name), std::move(type));
      results.push_back(result.name);
    }
    out.add(std::move(map));
    return results;
  }

  NameId rows(NameId array, const Operand& from, const Operand& count, ir::Builder& out) const {
    const std::vector<Operand>& shape = names_.type(array).shape;
    if (shape.front() == count) return array;
    const Operand one = ir::i64_operand(1);
    ir::Slice slice{array, {{false, from, count, one}}};
    for (std::size_t k = 1; k < shape.size(); ++k) {
      slice.dimensions.push_back({false, ir::i64_operand(0), shape[k], one});
    }
    return out.add(std::move(slice), "rim");
  }

  ir::Names& names_;
  Collectives collectives_;
};

}  // namespace

void overlap_exchanges(ir::Program& program, ir::Body& body) { Overlap(program).body(body); }

}  // namespace dagaz::passes::distributing
