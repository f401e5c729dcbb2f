// Large products inside the points of a map, on a CPU.
//
// A task computes all of a point, and what is parallel in it runs as loops of that task: a product
// of matrices there reads its operands as they lie.  As an operation of the host it has packed
// panels, and tasks of its own.  So where products in the points are large enough, the points
// become iterations of a loop, and each of their operations is one of the host:
//
//   map (\q -> let s = product q k;  t = map softmax s in product t v) qs
// becomes
//   if threads have enough of a product then for q in qs: s = ..; t = ..; row = product t v
//   else the map as it is
//
// Iterations are independent.  Where threads get about as many each (ir/device_threads.h), these
// have them to themselves; otherwise iterations come one after another, and threads have to meet
// after each operation, which pays for larger products.
//
// Only a body whose statements can all keep threads busy may come to that: what is sequential in a
// point would no longer run beside that of others.
#include <algorithm>

#include "ir/device_threads.h"
#include "ir/fields.h"
#include "passes/flatten/flattener.h"
#include "passes/flatten/host_loops.h"
#include "passes/flatten/parallelism.h"
#include "passes/flatten/rows.h"
#include "support/match.h"

namespace dagaz::passes::flattening {

using namespace ir;

namespace {

/// The widths of a sum and of the maps around it.
using Widths = std::vector<Operand>;

/// The products of matrices in a point: sums inside two maps at least, of values of which some are
/// of the outer of the two alone, some of the inner, and none of both.  Layers of convolutions are
/// such, whose filters are of one map and whose windows of two.
class Products {
 public:
  Products(const NameSet& bound, const Names& names) : bound_(bound), names_(names) {}

  /// Those of a point's statements, outside parallel operations.
  void find(const Body& body) {
    for (const Statement& one : body.statements) {
      if (const auto* map = as<MapScanReduce>(one.operation)) {
        find(*map, {}, 0);
      } else {
        for_each_scope(one.operation, [&](const Body& inner) { find(inner); });
      }
    }
  }
  const std::vector<Widths>& found() const { return found_; }

 private:
  /// A bit for each map around that the value is another one for other points of.
  unsigned levels_of(NameId name) const {
    const auto found = levels_.find(name);
    return found == levels_.end() ? 0 : found->second;
  }
  template <typename Node>
  unsigned levels_of_all(const Node& node) const {
    unsigned all = 0;
    for (const NameId name : free_names(node, names_)) all |= levels_of(name);
    return all;
  }

  void find(const MapScanReduce& map, Widths widths, unsigned sums) {
    constexpr std::size_t most_levels = 16;
    const std::size_t level = widths.size();
    if (level == most_levels) return;
    if (map.width.is_name() && bound_.contains(map.width.name())) return;
    widths.push_back(map.width);
    const bool is_sum = !map.reductions.empty() && map.scans.empty();
    const unsigned inside = sums | (is_sum ? 1U << level : 0);
    for (std::size_t k = 0; k < map.arrays.size(); ++k) {
      levels_[map.map.parameters[k].name] = levels_of(map.arrays[k]) | 1U << level;
    }
    for (const Statement& one : map.map.body.statements) {
      const unsigned levels = levels_of_all(one);
      for (const Binder& result : one.results) levels_[result.name] = levels;
      if (const auto* inner = as<MapScanReduce>(one.operation)) find(*inner, widths, inside);
    }
    const bool is_new = std::find(found_.begin(), found_.end(), widths) == found_.end();
    if (is_sum && is_new && level >= 2 && has_two_sides(map, level, sums)) found_.push_back(widths);
  }

  /// Whether what a sum at this level reads is of rows or of points: of the innermost map, or of
  /// the two innermost ones that are no sums, as windows are.
  bool has_two_sides(const MapScanReduce& sum, std::size_t level, unsigned sums) const {
    if (has_sides(sum, 1U << (level - 2), 1U << (level - 1))) return true;
    std::vector<unsigned> maps;  // the innermost first
    for (std::size_t k = level; k-- > 0;) {
      if ((sums & 1U << k) == 0) maps.push_back(1U << k);
    }
    return maps.size() > 2 && has_sides(sum, maps[2], maps[0] | maps[1]);
  }

  /// Whether what it reads is of the maps `row`, or of `point`, and nothing of both.
  bool has_sides(const MapScanReduce& sum, unsigned row, unsigned point) const {
    bool of_row = false;
    bool of_point = false;
    bool of_both = false;
    const auto read = [&](NameId value) {
      const bool is_row = (levels_of(value) & row) != 0;
      const unsigned points = levels_of(value) & point;
      of_row = of_row || (is_row && points == 0);
      of_point = of_point || (!is_row && points == point);
      of_both = of_both || (is_row && points != 0) || (points != 0 && points != point);
    };
    for (const Binder& parameter : sum.map.parameters) read(parameter.name);
    for (const Statement& one : sum.map.body.statements) {
      if (as<Index>(one.operation)) read(one.results[0].name);
    }
    return of_row && of_point && !of_both;
  }

  const NameSet& bound_;
  const Names& names_;
  std::unordered_map<NameId, unsigned> levels_;
  std::vector<Widths> found_;
};

bool has_products(const Body& body, const NameSet& bound, const Names& names) {
  Products products(bound, names);
  products.find(body);
  return !products.found().empty();
}

/// Whether an operation of the host is parallel itself, or next to nothing.  Of a branch that all
/// points take alike one side is enough.
bool keeps_threads_busy(const Body& body, const NameSet& bound, const Names& names) {
  return std::all_of(body.statements.begin(), body.statements.end(), [&](const Statement& one) {
    const bool accumulates =
        std::any_of(one.results.begin(), one.results.end(), [&](const Binder& result) {
          return names.type(result.name).kind == TypeKind::accumulator;
        });
    if (accumulates || as<Call>(one.operation)) return false;
    if (!as<Loop>(one.operation) && !as<Branch>(one.operation)) return true;
    const auto* branch = as<Branch>(one.operation);
    const bool is_alike =
        branch && !(branch->condition.is_name() && bound.contains(branch->condition.name()));
    bool all = true;
    bool any = false;
    for_each_scope(one.operation, [&](const Body& inner) {
      const bool is_small = branch && inner.statements.empty();
      const bool is_busy =
          has_products(inner, bound, names) && keeps_threads_busy(inner, bound, names);
      all = all && (is_small || is_busy);
      any = any || is_busy;
    });
    return all || (is_alike && any);
  });
}

Body whole_body(const Nest& nest, const PointBody& point) {
  Body body{nest.prefix, point.body.results};
  body.statements.insert(body.statements.end(), point.body.statements.begin(),
                         point.body.statements.end());
  return body;
}

}  // namespace

// What a product has to have for all threads, or for as many as there are points: widths of which
// one has to be large enough; none if the map stays whole.
static std::vector<std::vector<Operand>> products_for_host(const Nest& nest, const PointBody& point,
                                                           const Names& names,
                                                           const std::vector<Function>& functions) {
  const Body body = whole_body(nest, point);
  NameSet bound = bound_by(nest);
  for (const Statement& one : body.statements) {
    for (const NameId name : bound_names(one)) bound.insert(name);
  }
  for (const Type& type : point.result_types) {
    if (type.kind != TypeKind::value || !is_regular(type, bound)) return {};
  }
  Products products(bound, names);
  products.find(body);
  if (products.found().empty() || !keeps_threads_busy(body, bound, names) ||
      !writes_only_its_own(body, 0, names, functions)) {
    return {};
  }
  return products.found();
}

/// How much less is enough for panels than for threads that meet.
constexpr std::int64_t least_panels = 8;

// Whether one of the products is large enough, where threads have points of their own or meet.
static Operand is_for_host(const Nest& nest, const std::vector<std::vector<Operand>>& products,
                           std::int64_t host_product, Builder& builder) {
  std::vector<Operand> extents;
  std::optional<Operand> all_meet;  // in each of the loops that the points become
  for (const SpaceDimension& dimension : nest.space) {
    extents.push_back(dimension.extent);
    const Operand meet = builder.add(ask_whether_threads_meet(dimension.extent), "meet");
    all_meet = all_meet ? builder.scalar(ScalarOp::bit_and, ScalarType::boolean, {*all_meet, meet},
                                         "meet")
                        : meet;
  }
  const Operand points = builder.product(extents);
  const Operand waiting = builder.select(ScalarType::i64, *all_meet,
                                         builder.add_i64(points, i64_operand(-1)), i64_operand(0));
  const Operand meeting = builder.mul_i64(waiting, i64_operand(host_product));
  const Operand least = builder.add_i64(meeting, i64_operand(host_product / least_panels));
  std::optional<Operand> any;
  for (const std::vector<Operand>& widths : products) {
    const Operand enough =
        builder.scalar(ScalarOp::sle, ScalarType::i64, {least, builder.product(widths)}, "enough");
    any =
        any ? builder.scalar(ScalarOp::bit_or, ScalarType::boolean, {*any, enough}, "any") : enough;
  }
  return *any;
}

// The map twice, and the choice between them, if there are such products.
bool Flattener::choose_host(Statement& statement, Nest& nest, PointBody& point, Out& out) {
  if (options_.host_product == 0 || keeps_points_whole_) return false;
  const auto products = products_for_host(nest, point, names_, originals_);
  if (products.empty()) return false;
  Builder builder(names_);
  builder.set_location(statement.location);
  Branch branch{is_for_host(nest, products, options_.host_product, builder), {}, {}, {}};
  Statement in_turn{{}, segmented_map(nest, point), {}, statement.location};
  Statement whole{{}, {}, {}, statement.location};
  for (const Binder& result : statement.results) {
    branch.result_types.push_back(names_.type(result.name));
    in_turn.results.push_back({names_.fresh_like(result.name)});
    branch.then_body.results.push_back(in_turn.results.back().name);
    whole.results.push_back({names_.fresh_like(result.name)});
    branch.else_body.results.push_back(whole.results.back().name);
  }
  in_turn = renamed(in_turn, names_);
  emit_in_turn(in_turn, branch.then_body.statements);
  keeps_points_whole_ = true;
  flatten_nest(std::move(whole), std::move(nest), std::move(point), branch.else_body.statements);
  keeps_points_whole_ = false;
  for (Statement& one : builder.take()) out.push_back(std::move(one));
  statement.operation = std::move(branch);
  out.push_back(std::move(statement));
  return true;
}

// Loops of the host over the points of a segmented map; what is parallel in them stays parallel.
void Flattener::emit_in_turn(const Statement& statement, Out& out) {
  const auto& map = *as<SegmentedMap>(statement.operation);
  std::vector<Operand> indices;
  for (const SpaceDimension& dimension : map.space) indices.emplace_back(dimension.index.name);
  std::vector<NameId> rows;
  std::vector<std::vector<NameId>> carried(map.space.size());  // by the loop over each dimension
  for (const Binder& result : statement.results) {
    const Type type = names_.type(result.name);
    rows.push_back(names_.fresh("rows", type));
    out.push_back({{{rows.back()}}, Scratch{type.element, type.shape}, {}, statement.location});
    for (std::vector<NameId>& each : carried) each.push_back(names_.fresh_like(result.name));
  }
  Body body = map.body;
  flatten_body(body);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Type type = names_.type(rows[k]);
    const NameId next = names_.fresh("rows", type);
    Update update{carried.back()[k], part_at(indices, type), body.results[k]};
    body.statements.push_back({{{next}}, std::move(update), {}, statement.location});
    body.results[k] = next;
  }
  for (std::size_t d = map.space.size(); d-- > 0;) {
    Loop loop{{}, ForForm{map.space[d].index, map.space[d].extent}, std::move(body), {}};
    loop.attributes.independent = true;
    const std::vector<NameId>& initial = d == 0 ? rows : carried[d - 1];
    Statement around{{}, {}, {}, statement.location};
    Body outer;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      loop.values.push_back({{carried[d][k]}, initial[k]});
      const Binder& result = statement.results[k];
      around.results.push_back(d == 0 ? result : Binder{names_.fresh_like(result.name)});
      outer.results.emplace_back(around.results.back().name);
    }
    around.operation = std::move(loop);
    outer.statements.push_back(std::move(around));
    body = std::move(outer);
  }
  out.push_back(std::move(body.statements.front()));
}

}  // namespace dagaz::passes::flattening
