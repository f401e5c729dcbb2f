#include "passes/distribute/additions.h"

#include <algorithm>

#include "ir/fields.h"
#include "support/match.h"

namespace dagaz::passes::distributing {

using ir::NameId;
using ir::Operand;
using ir::ScalarOp;

namespace {

bool is_accumulator(NameId name, const ir::Names& names) {
  return names.type(name).kind == ir::TypeKind::accumulator;
}

/// Follows accumulators from where they are bound to where they are given back.
class AccumulatorWalk {
 public:
  AccumulatorWalk(const ir::Names& names, Accumulators& found) : names_(names), found_(found) {}

  bool body(const ir::Body& body) {
    return std::all_of(body.statements.begin(), body.statements.end(),
                       [&](const ir::Statement& one) { return statement(one); });
  }

 private:
  void give(const Operand& from, NameId to) {
    if (!from.is_name()) return;
    const auto found = found_.find(from.name());
    if (found != found_.end()) found_.emplace(to, found->second);
  }
  void give_results(const ir::Body& body, const std::vector<ir::Binder>& results,
                    std::size_t from = 0) {
    for (std::size_t k = 0; k < results.size() && from + k < body.results.size(); ++k) {
      give(body.results[from + k], results[k].name);
    }
  }

  bool statement(const ir::Statement& one) {
    if (const auto* add = as<ir::Accumulate>(one.operation)) {
      give(add->accumulator, one.results[0].name);
      return true;
    }
    bool known = true;
    if (const auto* map = as<ir::MapScanReduce>(one.operation)) {
      for (std::size_t k = 0; k < map->arrays.size(); ++k) {
        give(map->arrays[k], map->map.parameters[k].name);
      }
      known = !map->post && map->scans.empty();
    } else if (const auto* loop = as<ir::Loop>(one.operation)) {
      for (const ir::LoopValue& value : loop->values) give(value.initial, value.parameter.name);
    }
    bool inside = true;
    ir::for_each_scope(one.operation, [&](const ir::Body& each) { inside = inside && body(each); });
    const bool gives_any =
        std::any_of(one.results.begin(), one.results.end(),
                    [&](const ir::Binder& result) { return is_accumulator(result.name, names_); });
    if (!inside || !gives_any) return inside;
    return known && results(one);
  }

  bool results(const ir::Statement& one) {
    if (const auto* map = as<ir::MapScanReduce>(one.operation)) {
      give_results(map->map.body, one.results);
    } else if (const auto* points = as<ir::SegmentedMap>(one.operation)) {
      give_results(points->body, one.results);
    } else if (const auto* loop = as<ir::Loop>(one.operation)) {
      give_results(loop->body, one.results);
    } else if (const auto* branch = as<ir::Branch>(one.operation)) {
      give_results(branch->then_body, one.results);
    } else if (const auto* with = as<ir::WithAccumulator>(one.operation)) {
      give_results(with->body.body, one.results);
    } else {
      return false;
    }
    return true;
  }

  const ir::Names& names_;
  Accumulators& found_;
};

/// Goes through additions in order, with the forms of what is before them.
template <typename Addition>
class AdditionWalk {
 public:
  AdditionWalk(RowIndices& rows, const Addition& addition) : rows_(rows), addition_(addition) {}

  template <typename Body>
  void body(Body& body) {
    for (auto& one : body.statements) {
      rows_.enter(one.operation);
      rows_.forms.add(one);
      if (auto* add = as<ir::Accumulate>(one.operation)) addition_(*add);
      ir::for_each_scope(one.operation, [&](auto& inner) { this->body(inner); });
    }
  }

 private:
  RowIndices& rows_;
  const Addition& addition_;
};

const ir::Body& points_of(const ir::Operation& operation) {
  return std::get<ir::SegmentedMap>(operation).body;
}

}  // namespace

std::optional<Accumulators> accumulators_of(const ir::WithAccumulator& with,
                                            const ir::Names& names) {
  Accumulators found;
  for (std::size_t k = 0; k < with.inputs.size(); ++k) {
    found.emplace(with.body.parameters[k].name, k);
  }
  if (!AccumulatorWalk(names, found).body(with.body.body)) return std::nullopt;
  for (std::size_t k = 0; k < with.inputs.size(); ++k) {
    const Operand& result = with.body.body.results[k];
    const auto known = result.is_name() ? found.find(result.name()) : found.end();
    if (known == found.end() || known->second != k) return std::nullopt;
  }
  return found;
}

AdditionWindows additions_of(const ir::Operation& operation, const SharedIndex& shared,
                             const Definitions& definitions, const Accumulators& accumulators,
                             std::size_t count) {
  AdditionWindows all{std::vector<std::optional<Window>>(count), std::vector<bool>(count)};
  RowIndices rows(shared, {}, definitions);
  const auto addition = [&](const ir::Accumulate& add) {
    const auto found = accumulators.find(add.accumulator);
    if (found == accumulators.end()) return;
    const std::size_t input = found->second;
    const auto window = add.indices.empty() ? std::nullopt : rows.forms.window_of(add.indices[0]);
    std::optional<Window>& known = all.windows[input];
    if (!all.adds[input]) {
      known = window;
    } else if (known && window) {
      known->include(*window);
    } else {
      known.reset();
    }
    all.adds[input] = true;
  };
  AdditionWalk(rows, addition).body(points_of(operation));
  return all;
}

namespace {

/// Changes the first indices of additions; what they become is computed before them.
class WindowAdditions {
 public:
  WindowAdditions(RowIndices& rows, const Accumulators& accumulators, std::size_t input,
                  const Window& window, ir::Names& names)
      : rows_(rows), accumulators_(accumulators), input_(input), window_(window), names_(names) {}

  void body(ir::Body& body) {
    ir::Builder out(names_);
    for (ir::Statement& one : body.statements) {
      out.set_location(one.location);
      rows_.enter(one.operation);
      rows_.forms.add(one);
      if (auto* add = as<ir::Accumulate>(one.operation)) {
        const auto found = accumulators_.find(add->accumulator);
        const bool is_ours = found != accumulators_.end() && found->second == input_;
        if (is_ours) add->indices[0] = local_row(add->indices[0], out);
      }
      ir::for_each_scope(one.operation, [&](ir::Body& inner) { this->body(inner); });
      out.add(std::move(one));
    }
    body.statements = out.take();
  }

 private:
  // Nothing happens outside of an array: also where rows are counted modulo its extent.
  Operand local_row(const Operand& row, ir::Builder& out) {
    const Operand local = rows_.in_window(row, window_, out);
    if (!window_.wraps) return local;
    const auto i64 = ir::ScalarType::i64;
    const Operand is_row = out.scalar(ScalarOp::ult, i64, {row, rows_.forms.extent()});
    return out.select(i64, is_row, local, ir::i64_operand(-1));
  }

  RowIndices& rows_;
  const Accumulators& accumulators_;
  const std::size_t input_;
  const Window& window_;
  ir::Names& names_;
};

/// The types of results that are accumulators are those of their names.
class TypeWalk {
 public:
  explicit TypeWalk(const ir::Names& names) : names_(names) {}

  void body(ir::Body& body) {
    for (ir::Statement& one : body.statements) {
      if (auto* map = as<ir::SegmentedMap>(one.operation)) types(map->body, map->result_types);
      if (auto* branch = as<ir::Branch>(one.operation)) {
        types(branch->then_body, branch->result_types);
      }
      ir::for_each_lambda(one.operation, [&](ir::Lambda& lambda) { this->lambda(lambda); });
      ir::for_each_scope(one.operation, [&](ir::Body& inner) { this->body(inner); });
    }
  }
  void lambda(ir::Lambda& lambda) { types(lambda.body, lambda.result_types); }

 private:
  void types(const ir::Body& body, std::vector<ir::Type>& all) {
    for (std::size_t k = 0; k < all.size() && k < body.results.size(); ++k) {
      if (all[k].kind == ir::TypeKind::accumulator) {
        all[k] = names_.type(body.results[k].name());
      }
    }
  }

  const ir::Names& names_;
};

}  // namespace

void add_in_window(ir::Body& body, const SharedIndex& shared, const LocalRows& local,
                   const Definitions& definitions, const Accumulators& accumulators,
                   std::size_t input, const Window& window, ir::Names& names) {
  RowIndices rows(shared, local, definitions);
  WindowAdditions(rows, accumulators, input, window, names).body(body);
}

void set_rows(ir::WithAccumulator& with, const Accumulators& accumulators, std::size_t input,
              const Operand& rows, ir::Names& names) {
  for (const auto& [name, of] : accumulators) {
    if (of != input) continue;
    ir::Type type = names.type(name);
    type.shape.front() = rows;
    names.set_type(name, std::move(type));
  }
  TypeWalk walk(names);
  walk.lambda(with.body);
  walk.body(with.body.body);
}

}  // namespace dagaz::passes::distributing
