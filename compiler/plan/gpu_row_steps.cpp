#include "plan/gpu_row_steps.h"

#include <algorithm>

#include "ir/names.h"
#include "plan/contraction.h"
#include "plan/operators.h"
#include "plan/target.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::NameId;
using ir::Operand;

namespace {

constexpr std::int64_t any_operations = std::int64_t{1} << 40;

bool contains(const std::vector<NameId>& names, NameId name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// How many neighbours of a product's values are copied at once; 0: none.
int copies_of(const std::vector<ir::CopiedValues>& copied, NameId product) {
  const auto found = std::ranges::find(copied, product, &ir::CopiedValues::product);
  return found == copied.end() ? 0 : found->neighbours;
}

/// Whether each element of the row is nothing but its sums.
bool is_only_sums(const ir::MapScanReduce& map, const ir::Statement& sum) {
  std::vector<Operand> sums;
  for (const ir::Binder& one : sum.results) sums.emplace_back(one.name);
  return map.reductions.empty() && !map.post && map.map.body.results == sums;
}

/// Rows of the sums of a map, as a map of nothing else.
ir::Statement rows_of_sums(const ir::MapScanReduce& map, const ir::Statement& sum,
                           ir::Names& names) {
  ir::MapScanReduce rows{map.width, map.arrays, map.map, {}, {}, std::nullopt};
  ir::Statement statement;
  rows.map.body.results.clear();
  rows.map.result_types.clear();
  for (const ir::Binder& one : sum.results) {
    const ir::Type type = names.type(one.name);
    rows.map.body.results.emplace_back(one.name);
    rows.map.result_types.push_back(type);
    statement.results.push_back({names.fresh("sums", ir::array_of(type.element, {map.width}))});
  }
  rows.map.body = needed_for(rows.map.body, rows.map.body.results, {}, names);
  statement.operation = std::move(rows);
  return statement;
}

/// The map over rows of its sums.
ir::MapScanReduce after_sums(const ir::MapScanReduce& map, const ir::Statement& sum,
                             const ir::Statement& rows, const ir::Names& names) {
  ir::MapScanReduce after = map;
  after.arrays.clear();
  after.map.parameters.clear();
  std::vector<NameId> sums;
  for (std::size_t k = 0; k < sum.results.size(); ++k) {
    sums.push_back(sum.results[k].name);
    after.arrays.push_back(rows.results[k].name);
    after.map.parameters.push_back(sum.results[k]);
  }
  after.map.body = needed_for(map.map.body, map.map.body.results, sums, names);
  const std::vector<NameId> used = ir::free_names(after.map.body, names);
  for (std::size_t k = 0; k < map.arrays.size(); ++k) {
    if (!contains(used, map.map.parameters[k].name)) continue;
    after.arrays.push_back(map.arrays[k]);
    after.map.parameters.push_back(map.map.parameters[k]);
  }
  return after;
}

/// Takes a chain apart.
class Steps {
 public:
  Steps(const ir::SegmentedMap& e, const ir::RowBlocks& plan, ir::Names& names,
        FunctionRef<bool(NameId)> is_element_only)
      : plan_(plan), names_(names), is_element_only_(is_element_only) {
    steps_.map = {e.space, {}, e.result_types};
    steps_.map.body.results = e.body.results;
    for (const ir::Statement& one : e.body.statements) split(one);
    steps_.first = names_.fresh("first", ir::scalar_of(ir::ScalarType::i64));
    steps_.count = names_.fresh("count", ir::scalar_of(ir::ScalarType::i64));
  }

  std::optional<RowSteps> find(std::int64_t stack_array) {
    if (products_.size() != plan_.products.size() || !are_steps()) return std::nullopt;
    auto chain =
        row_chain(steps_.map, names_, stack_array, CrossedRows::read_around, is_element_only_);
    if (!chain || !chain->is_even) return std::nullopt;
    steps_.chain = std::move(*chain);
    if (!has_products(any_operations)) return std::nullopt;
    return std::move(steps_);
  }

  /// Whether all that shall be products are some.
  bool has_products(std::int64_t most) {
    make_steps();
    return std::ranges::all_of(
        steps_.steps, [&](RowStep& one) { return !one.product || find_product(one, most); });
  }

 private:
  /// The first row of sums, and the name of the product.
  struct Split {
    NameId sums;
    NameId name;
  };

  void split(const ir::Statement& one) {
    std::vector<ir::Statement>& statements = steps_.map.body.statements;
    const bool is_product = contains(plan_.products, one.results[0].name);
    const auto* map = is_product ? as<ir::MapScanReduce>(one.operation) : nullptr;
    const ir::Statement* sum = map != nullptr ? sole_reduction(map->map.body) : nullptr;
    if (sum == nullptr || is_only_sums(*map, *sum)) {
      if (sum != nullptr) products_.push_back({one.results[0].name, one.results[0].name});
      statements.push_back(one);
      return;
    }
    ir::Statement rows = rows_of_sums(*map, *sum, names_);
    rows.location = one.location;
    products_.push_back({rows.results[0].name, one.results[0].name});
    ir::Statement after = one;
    after.operation = after_sums(*map, *sum, rows, names_);
    statements.push_back(std::move(rows));
    statements.push_back(std::move(after));
  }

  bool is_product(const ir::Statement& one) const {
    return std::ranges::any_of(products_,
                               [&](const Split& each) { return each.sums == one.results[0].name; });
  }
  /// What each step that needs it has again.
  bool is_light(const ir::Statement& one) const {
    const bool has_no_memory = is_element_only_(one.results[0].name) &&
                               (as<ir::Iota>(one.operation) || as<ir::Replicate>(one.operation));
    return has_no_memory || is_straight({one});
  }

  // Threads of a warp do not wait for each other's elements, and light statements are no step.
  bool are_steps() {
    std::vector<NameId> made;
    for (const ir::Statement& one : steps_.map.body.statements) {
      std::vector<NameId> crossed = ir::free_names(one, names_);
      const auto* map = as<ir::MapScanReduce>(one.operation);
      if (!is_light(one)) {
        const bool fills = as<ir::Iota>(one.operation) || as<ir::Replicate>(one.operation) ||
                           as<ir::Copy>(one.operation);
        if (map == nullptr && !fills) return false;
        for (const ir::Binder& each : one.results) {
          if (names_.type(each.name).is_array()) made.push_back(each.name);
        }
        if (fills || is_product(one)) continue;
        crossed = read_in(*map);
      }
      for (const NameId name : crossed) {
        if (contains(made, name)) return false;
      }
    }
    return true;
  }
  std::vector<NameId> read_in(const ir::MapScanReduce& map) const {
    std::vector<NameId> read = ir::free_names(map.map, names_);
    const auto also = [&](const ir::Lambda& one) {
      const std::vector<NameId> more = ir::free_names(one, names_);
      read.insert(read.end(), more.begin(), more.end());
    };
    if (map.post) also(*map.post);
    for (const ir::ScanOperator& each : map.scans) also(each.op);
    for (const ir::ReduceOperator& each : map.reductions) also(each.op);
    return read;
  }

  NameId over_points(ir::ScalarType element, std::vector<Operand> shape) {
    shape.insert(shape.begin(), ir::i64_operand(plan_.rows));
    return names_.fresh("all", ir::array_of(element, std::move(shape)));
  }

  // ---------------------------------------------------------------- steps

  void make_steps() {
    std::vector<const ir::Statement*> own;
    const auto end_step = [&](bool is_last) {
      const bool has_scalars =
          is_last && std::ranges::any_of(steps_.map.result_types,
                                         [](const ir::Type& type) { return type.is_scalar(); });
      if (!own.empty() || has_scalars) add_operations(own, is_last);
      own.clear();
    };
    for (const ir::Statement& one : steps_.map.body.statements) {
      if (is_light(one)) continue;
      if (!is_product(one)) {
        own.push_back(&one);
        continue;
      }
      end_step(false);
      RowStep step;
      step.product.emplace();
      add_needed(step, {&one}, false);
      steps_.steps.push_back(std::move(step));
    }
    end_step(true);
  }

  void add_operations(const std::vector<const ir::Statement*>& own, bool is_last) {
    RowStep step;
    add_needed(step, own, is_last);
    steps_.steps.push_back(std::move(step));
  }

  // The statements `own` in their order, with light ones that they, or the results, need.
  void add_needed(RowStep& step, const std::vector<const ir::Statement*>& own, bool is_last) {
    ir::Body pool;
    std::vector<Operand> wanted;
    for (const ir::Statement& one : steps_.map.body.statements) {
      const bool is_own = std::find(own.begin(), own.end(), &one) != own.end();
      if (!is_own && !is_light(one)) continue;
      pool.statements.push_back(one);
      if (!is_own) continue;
      for (const ir::Binder& result : one.results) wanted.emplace_back(result.name);
    }
    if (is_last) {
      for (const Operand& result : steps_.map.body.results) {
        if (names_.type(result).is_scalar()) wanted.push_back(result);
      }
    }
    ir::Body needed = needed_for(pool, wanted, {}, names_);
    std::vector<NameId> free = ir::free_names(needed, names_);
    step.statements = std::move(needed.statements);
    for (const NameId name : free) {
      if (!is_found_by_reduction(name)) continue;
      step.reads.push_back(name);
      const bool is_new = std::none_of(steps_.scalars.begin(), steps_.scalars.end(),
                                       [&](const KeptValue& one) { return one.own == name; });
      if (!is_new) continue;
      steps_.scalars.push_back({name, over_points(names_.type(name).element, {})});
    }
  }

  bool is_found_by_reduction(NameId name) const {
    return names_.type(name).is_scalar() &&
           std::ranges::any_of(steps_.map.body.statements, [&](const ir::Statement& one) {
             return as<ir::MapScanReduce>(one.operation) &&
                    std::ranges::any_of(one.results,
                                        [&](const auto& each) { return each.name == name; });
           });
  }

  // ---------------------------------------------------------------- products

  // What threads load: the point's index, what is kept of it, and an element of each array.
  void build_nest(RowStep& step) {
    const ir::Statement statement = std::move(step.statements.back());
    step.statements.pop_back();
    const auto& rows = *as<ir::MapScanReduce>(statement.operation);
    const ir::Type number = ir::scalar_of(ir::ScalarType::i64);
    const NameId local = names_.fresh("point", number);
    const NameId element = names_.fresh("element", number);
    ir::SegmentedMap& nest = step.product->nest;
    nest.space = {{{local}, steps_.count}, {{element}, rows.width}};
    nest.result_types = rows.map.result_types;
    std::vector<ir::Statement>& body = nest.body.statements;
    const auto add = [&](NameId name, ir::Operation operation) {
      body.push_back({{{name}}, std::move(operation)});
    };
    add(steps_.map.space.back().index.name,
        ir::Scalar{ir::ScalarOp::add, number.element, number.element, {steps_.first, local}});
    for (const KeptValue& one : steps_.scalars) {
      if (contains(step.reads, one.own)) add(one.own, ir::Index{one.all, {local}});
    }
    std::vector<NameId> free = ir::free_names(statement, names_);
    for (const NameId row : free) {
      if (is_made(row)) add(row, ir::Index{all_of(row), {local}});
    }
    body.insert(body.end(), step.statements.begin(), step.statements.end());
    for (std::size_t k = 0; k < rows.arrays.size(); ++k) {
      add(rows.map.parameters[k].name, ir::Index{rows.arrays[k], {element}});
    }
    body.insert(body.end(), rows.map.body.statements.begin(), rows.map.body.statements.end());
    nest.body.results = rows.map.body.results;
    step.statements = {statement};
  }
  NameId all_of(NameId row) {
    const auto found =
        std::ranges::find_if(steps_.rows, [&](const KeptValue& one) { return one.own == row; });
    if (found != steps_.rows.end()) return found->all;
    const ir::Type& type = names_.type(row);
    steps_.rows.push_back({row, over_points(type.element, type.shape)});
    return steps_.rows.back().all;
  }
  // Rows around are read where they lie.
  bool is_made(NameId row) const {
    if (!names_.type(row).is_array()) return false;
    return std::ranges::any_of(steps_.map.body.statements, [&](const ir::Statement& one) {
      return !is_light(one) &&
             std::ranges::any_of(one.results, [&](const auto& each) { return each.name == row; });
    });
  }

  bool find_product(RowStep& step, std::int64_t most) {
    build_nest(step);
    RowProduct& product = *step.product;
    auto parts = sum_parts(product.nest, Branches::refused, names_);
    if (!parts) return false;
    product.parts = std::move(*parts);
    ir::Contraction& tile = product.tile;
    const int threads = block_threads / plan_.points;
    tile.block_rows = plan_.rows / threads;
    tile.most_rows = threads;
    tile.most_points = plan_.points;
    tile.depth = plan_.depth;
    const auto split = std::ranges::find_if(products_, [&](const Split& each) {
      return each.sums == step.statements[0].results[0].name;
    });
    const auto packing = [&](const std::vector<NameId>& turned) {
      return contains(turned, split->name) ? ir::Packing::by_points : ir::Packing::by_elements;
    };
    tile.row_packing = packing(plan_.turned_rows);
    tile.point_packing = packing(plan_.turned_points);
    tile.row_gap = tile.row_packing == ir::Packing::by_elements ? 4 : 0;
    tile.point_gap = tile.point_packing == ir::Packing::by_elements ? 2 : 0;
    tile.row_copies = copies_of(plan_.copied_rows, split->name);
    tile.point_copies = copies_of(plan_.copied_points, split->name);
    if (tile.row_copies > 0 || tile.point_copies > 0) tile.stages = plan_.stages;
    return find_sides(tile, product.nest.space, product.parts, most, names_);
  }

  const ir::RowBlocks& plan_;
  ir::Names& names_;
  FunctionRef<bool(NameId)> is_element_only_;
  std::vector<Split> products_;
  RowSteps steps_;
};

}  // namespace

std::vector<NameId> row_products(const ir::SegmentedMap& e, std::int64_t most, ir::Names& names,
                                 FunctionRef<bool(NameId)> is_element_only) {
  std::vector<NameId> found;
  for (const ir::Statement& one : e.body.statements) {
    const auto* map = as<ir::MapScanReduce>(one.operation);
    if (map == nullptr || !map->scans.empty() || map->sequential) continue;
    if (sole_reduction(map->map.body) == nullptr) continue;
    ir::RowBlocks alone;
    alone.products = {one.results[0].name};
    if (Steps(e, alone, names, is_element_only).has_products(most)) {
      found.push_back(one.results[0].name);
    }
  }
  return found;
}

std::optional<RowSteps> row_steps(const ir::SegmentedMap& e, const ir::RowBlocks& plan,
                                  std::int64_t stack_array, ir::Names& names,
                                  FunctionRef<bool(NameId)> is_element_only) {
  return Steps(e, plan, names, is_element_only).find(stack_array);
}

}  // namespace dagaz::plan
