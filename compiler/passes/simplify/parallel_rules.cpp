// Equations of MapScanReduce and of the maps inside Histogram, Scatter and FlatMap.
#include <algorithm>

#include "ir/fields.h"
#include "ir/names.h"
#include "ir/value_count.h"
#include "passes/simplify/rules.h"

namespace dagaz::passes {

namespace {

template <typename T>
void erase_at(std::vector<T>& items, std::size_t index) {
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(index));
}

// ---------------------------------------------------------------- inputs

/// What every element of `array` is, if that is one value.
std::optional<Operand> common_element(NameId array, const Rules& rules) {
  const auto* replicate = rules.defined_as<Replicate>(Operand(array));
  if (replicate == nullptr || replicate->shape.size() != 1) return std::nullopt;
  if (replicate->value.is_name() && rules.may_be_consumed(replicate->value.name())) {
    return std::nullopt;
  }
  return replicate->value;
}

/// Whether maps in `body` take `row`, and nothing else does.
bool is_only_input(NameId row, const Body& body, const Rules& rules) {
  const auto has_row = [&](const std::vector<NameId>& names) {
    return std::find(names.begin(), names.end(), row) != names.end();
  };
  const Operand itself = row;
  return std::find(body.results.begin(), body.results.end(), itself) == body.results.end() &&
         std::all_of(body.statements.begin(), body.statements.end(), [&](const Statement& one) {
           const auto* map = std::get_if<MapScanReduce>(&one.operation);
           if (map == nullptr || !has_row(map->arrays)) {
             return !has_row(free_names(one, rules.names()));
           }
           MapScanReduce others = *map;
           std::erase(others.arrays, row);
           return !has_row(free_names(Operation(std::move(others)), rules.names()));
         });
}

/// What every row of `array` is, if that is one value again and again.
std::optional<Replicate> common_row(NameId array, const Rules& rules) {
  const auto* replicate = rules.defined_as<Replicate>(Operand(array));
  if (replicate == nullptr || replicate->shape.size() < 2 ||
      !rules.type(replicate->value).is_scalar()) {
    return std::nullopt;
  }
  return Replicate{{replicate->shape.begin() + 1, replicate->shape.end()}, replicate->value};
}

// map (\x -> … map g x …) (replicate [n, m] v) = map (… map g (replicate m v) …): what the inner
// map does not read needs no memory.
template <typename Node>
Outcome rows_of_one_value(Node& node, Rules& rules) {
  bool changed = false;
  for (std::size_t i = node.arrays.size(); i-- > 0;) {
    const NameId row = node.map.parameters[i].name;
    if (rules.may_be_consumed(row)) continue;
    std::optional<Replicate> value = common_row(node.arrays[i], rules);
    if (!value || !is_only_input(row, node.map.body, rules)) continue;
    rules.look_through(node.arrays[i]);
    ir::Statements& statements = node.map.body.statements;
    statements.insert(statements.begin(), Statement{{{row}}, std::move(*value)});
    erase_at(node.arrays, i);
    erase_at(node.map.parameters, i);
    changed = true;
  }
  return changed ? Outcome::rewritten : Outcome::none;
}

// map f (replicate n v) = map (f v);  map f xs xs = map (\x -> f x x) xs
template <typename Node>
Outcome redundant_inputs(Node& node, Rules& rules) {
  bool changed = false;
  for (std::size_t i = node.arrays.size(); i-- > 0;) {
    const NameId parameter = node.map.parameters[i].name;
    if (rules.may_be_consumed(parameter)) continue;
    std::optional<Operand> value = common_element(node.arrays[i], rules);
    const auto first = std::find(node.arrays.begin(), node.arrays.end(), node.arrays[i]);
    const auto other = static_cast<std::size_t>(first - node.arrays.begin());
    const bool is_value = rules.type(node.arrays[i]).kind == TypeKind::value;
    if (!value && is_value && other < i) value = node.map.parameters[other].name;
    if (!value) continue;
    rules.replace_name(parameter, *value);
    rules.look_through(node.arrays[i]);  // the width may be invalid
    erase_at(node.arrays, i);
    erase_at(node.map.parameters, i);
    changed = true;
  }
  return changed ? Outcome::rewritten : Outcome::none;
}

bool counts_from_zero(NameId array, const Rules& rules) {
  const auto* iota = rules.defined_as<Iota>(Operand(array));
  return iota != nullptr && iota->type == ScalarType::i64 && is_i64(iota->start, 0) &&
         is_i64(iota->stride, 1);
}

/// Turns reads xs[i, …] at an index variable of the map into reads of an element of xs; where the
/// variable is a later index, that dimension of xs is brought to the front first.
template <typename Node>
class IndexedInputs {
 public:
  IndexedInputs(Node& node, Rules& rules) : node_(node), rules_(rules) {}

  Outcome run() {
    for (std::size_t i = 0; i < node_.arrays.size(); ++i) {
      if (counts_from_zero(node_.arrays[i], rules_)) {
        variables_.push_back(node_.map.parameters[i].name);
      }
    }
    if (variables_.empty()) return Outcome::none;
    body(node_.map.body);
    return changed_ ? Outcome::rewritten : Outcome::none;
  }

 private:
  void body(Body& body) {
    for (Statement& statement : body.statements) {
      if (const auto* scalar = as<Scalar>(statement.operation)) compute(*scalar, statement);
      if (auto* index = as<Index>(statement.operation)) read(*index, statement);
      if (auto* slice = as<Slice>(statement.operation)) read(*slice, statement);
      for_each_scope(statement.operation, [this](Body& inner) { this->body(inner); });
    }
  }
  void compute(const Scalar& scalar, const Statement& statement) {
    if (std::all_of(scalar.arguments.begin(), scalar.arguments.end(),
                    [this](const Operand& argument) { return is_steady(argument); })) {
      steady_.push_back(statement.results.front().name);
    }
  }
  bool is_variable(const Operand& operand) const {
    return operand.is_name() &&
           std::find(variables_.begin(), variables_.end(), operand.name()) != variables_.end();
  }
  /// Whether dimension `dimension` of what the statement reads may become the map's.
  bool is_input(NameId array, std::size_t dimension, const Statement& statement) const {
    return rules_.is_bound_outside_scopes(array) &&
           rules_.type(array).shape[dimension] == node_.width &&
           !rules_.may_be_consumed(statement.results.front().name);
  }
  /// Whether an index is the same for all elements of the map.
  bool is_steady(const Operand& operand) const {
    return !operand.is_name() || rules_.is_bound_outside_scopes(operand.name()) ||
           std::find(steady_.begin(), steady_.end(), operand.name()) != steady_.end();
  }
  /// Whether what all elements read lies in one row: another layout could not bring it nearer.
  bool reads_a_row(const Index& index, std::size_t k) const {
    return k + 1 == index.indices.size() &&
           std::all_of(index.indices.begin(), index.indices.end() - 1,
                       [&](const Operand& before) { return is_steady(before); });
  }
  void read(const Index& index, Statement& statement) {
    for (std::size_t k = 0; k < index.indices.size(); ++k) {
      if (!is_variable(index.indices[k]) || !is_input(index.array, k, statement)) continue;
      if (k > 0 && reads_a_row(index, k)) continue;
      const NameId element = element_of(index.array, k);
      std::vector<Operand> rest = index.indices;
      erase_at(rest, k);
      if (rest.empty()) {
        statement.operation = Identity{element};
      } else {
        statement.operation = Index{element, rest};
      }
      changed_ = true;
      return;
    }
  }
  void read(const Slice& slice, Statement& statement) {
    for (std::size_t k = 0; k < slice.dimensions.size(); ++k) {
      if (!slice.dimensions[k].fixed || !is_variable(slice.dimensions[k].start)) continue;
      if (!is_input(slice.array, k, statement)) continue;
      const NameId element = element_of(slice.array, k);
      std::vector<SliceDimension> rest = slice.dimensions;
      erase_at(rest, k);
      statement.operation = Slice{element, rest};
      changed_ = true;
      return;
    }
  }
  NameId element_of(NameId array, std::size_t dimension) {
    if (dimension > 0) {
      std::vector<int> order = {static_cast<int>(dimension)};
      for (std::size_t k = 0; k < rules_.type(array).rank(); ++k) {
        if (k != dimension) order.push_back(static_cast<int>(k));
      }
      array = rules_.emit(Permute{array, order}, rules_.names().base(array)).name();
    }
    for (std::size_t i = 0; i < node_.arrays.size(); ++i) {
      if (node_.arrays[i] == array) return node_.map.parameters[i].name;
    }
    const NameId element =
        rules_.fresh_parameter(rules_.names().base(array), row_of(rules_.type(array)));
    node_.arrays.push_back(array);
    node_.map.parameters.push_back({element});
    return element;
  }

  Node& node_;
  Rules& rules_;
  std::vector<NameId> variables_;
  std::vector<NameId> steady_;  // of what the map computes
  bool changed_ = false;
};

// Of maps inside maps, the outer one takes its inputs first: xs[j, i] in the inner one's scope
// becomes the column i of xs, of which the inner one takes the element j.
template <typename Node>
Outcome inputs(Node& node, Rules& rules) {
  if (const Outcome o = redundant_inputs(node, rules); o != Outcome::none) return o;
  if (const Outcome o = rows_of_one_value(node, rules); o != Outcome::none) return o;
  return IndexedInputs(node, rules).run();
}

// ---------------------------------------------------------------- results

/// What `body` binds `operand` to, where nothing guards that.
template <typename T>
const T* unguarded(const Body& body, const Operand& operand) {
  for (const Statement& one : body.statements) {
    const bool gives = one.results.size() == 1 && operand == Operand(one.results[0].name);
    if (gives && one.tokens.empty()) return as<T>(one.operation);
  }
  return nullptr;
}

/// A parameter of the map, seen with its dimensions in another order.
struct TurnedInput {
  NameId parameter;
  std::vector<int> permutation;
};
TurnedInput turned_input(const Body& body, Operand operand) {
  if (const auto* copy = unguarded<Copy>(body, operand)) operand = copy->array;
  const auto* turned = unguarded<Permute>(body, operand);
  if (turned == nullptr) return TurnedInput{operand.name(), {}};
  return TurnedInput{turned->array, turned->permutation};
}

/// `array`, whose elements are seen with their dimensions in another order.
Operand with_turned_elements(NameId array, const std::vector<int>& permutation, Rules& rules) {
  if (permutation.empty()) return array;
  std::vector<int> all = {0};
  for (const int dimension : permutation) all.push_back(dimension + 1);
  return rules.emit(Permute{array, std::move(all)}, "turned");
}

/// The array that holds, for each element, what is `operand` inside the map; nothing if that has
/// to be computed.
std::optional<Operand> array_of_results(const MapScanReduce& node, const Operand& operand,
                                        NameId result, Rules& rules) {
  if (operand.is_name()) {
    const TurnedInput input = turned_input(node.map.body, operand);
    for (std::size_t i = 0; i < node.arrays.size(); ++i) {
      if (input.parameter != node.map.parameters[i].name) continue;
      const NameId array = node.arrays[i];
      if (rules.type(array).kind != TypeKind::value) return std::nullopt;
      // Where a copy is needed, the map makes it on the way.
      const bool is_all = rules.statement->results.size() == 1;
      if (!is_all && !rules.may_stand_for(array, result)) return std::nullopt;
      const Operand turned = with_turned_elements(array, input.permutation, rules);
      return rules.emit_in_place_of(result, Copy{turned.name()});
    }
    if (rules.type(operand.name()).kind != TypeKind::value) return std::nullopt;
    if (!rules.is_bound_outside_scopes(operand.name())) return std::nullopt;
  }
  return rules.emit_in_place_of(result, Replicate{{node.width}, operand});
}

// map (\x -> (…, x, …)) xs gives xs, or with its elements' dimensions in another order;
// map (\x -> (…, v, …)) gives replicate n v
Outcome trivial_results(MapScanReduce& node, Rules& rules) {
  if (node.post) return Outcome::none;
  const std::size_t reduced = value_count(node.reductions);
  const std::size_t scanned = value_count(node.scans);
  Statement& statement = *rules.statement;
  for (std::size_t k = scanned + reduced; k < node.map.body.results.size(); ++k) {
    const Operand operand = node.map.body.results[k];
    const std::size_t result = k;  // reduced and scanned results stand first in both lists
    const auto same = std::find(node.map.body.results.begin() +
                                    static_cast<std::ptrdiff_t>(scanned + reduced),
                                node.map.body.results.begin() + static_cast<std::ptrdiff_t>(k),
                                operand);
    const NameId name = statement.results[result].name;
    std::optional<Operand> array;
    if (same != node.map.body.results.begin() + static_cast<std::ptrdiff_t>(k)) {
      const auto other = static_cast<std::size_t>(same - node.map.body.results.begin());
      const Operand twin = statement.results[other].name;
      if (rules.type(name).kind == TypeKind::value && rules.may_stand_for(twin, name)) {
        array = twin;
        rules.replace_name(name, twin);
      }
    }
    if (!array) {
      array = array_of_results(node, operand, name, rules);
      if (!array) continue;
      rules.replace_result(name, *array);
    }
    erase_at(node.map.body.results, k);
    erase_at(node.map.result_types, k);
    erase_at(statement.results, result);
    return Outcome::rewritten;
  }
  return Outcome::none;
}

// ---------------------------------------------------------------- equal operators

/// Where the inputs of each operator start among the results of the map.
template <typename Operator>
std::vector<std::size_t> input_starts(const std::vector<Operator>& operators, std::size_t at) {
  std::vector<std::size_t> starts;
  for (const Operator& one : operators) {
    starts.push_back(at);
    at += one.neutral.size();
  }
  return starts;
}

template <typename Operator>
bool are_equal(const Operator& a, std::size_t a_start, const Operator& b, std::size_t b_start,
               const std::vector<Operand>& inputs, const Names& names) {
  const auto count = static_cast<std::ptrdiff_t>(a.neutral.size());
  const auto first = inputs.begin() + static_cast<std::ptrdiff_t>(a_start);
  return a.neutral == b.neutral &&
         std::equal(first, first + count, inputs.begin() + static_cast<std::ptrdiff_t>(b_start)) &&
         equivalent(a.op, b.op, names);
}

void erase_map_results(MapScanReduce& node, std::size_t start, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    erase_at(node.map.body.results, start);
    erase_at(node.map.result_types, start);
  }
}

// Two reductions of the same values by the same operator are one.
Outcome equal_reductions(MapScanReduce& node, Rules& rules) {
  const auto starts = input_starts(node.reductions, value_count(node.scans));
  const std::size_t first_input = value_count(node.scans);
  for (std::size_t j = 1; j < node.reductions.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      if (!are_equal(node.reductions[i], starts[i], node.reductions[j], starts[j],
                     node.map.body.results, rules.names())) {
        continue;
      }
      auto& results = rules.statement->results;
      const std::size_t count = node.reductions[j].neutral.size();
      bool may_share = true;
      for (std::size_t k = 0; k < count; ++k) {
        may_share = may_share && rules.may_stand_for(results[starts[i] - first_input + k].name,
                                                     results[starts[j] - first_input + k].name);
      }
      if (!may_share) continue;
      for (std::size_t k = 0; k < count; ++k) {
        rules.replace_name(results[starts[j] - first_input].name,
                           Operand(results[starts[i] - first_input + k].name));
        erase_at(results, starts[j] - first_input);
      }
      erase_map_results(node, starts[j], count);
      erase_at(node.reductions, j);
      return Outcome::rewritten;
    }
  }
  return Outcome::none;
}

// Two scans of the same values by the same operator are one.
Outcome equal_scans(MapScanReduce& node, Rules& rules) {
  const auto starts = input_starts(node.scans, 0);
  const std::size_t reduced = value_count(node.reductions);
  auto& results = rules.statement->results;
  for (std::size_t j = 1; j < node.scans.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      if (!are_equal(node.scans[i], starts[i], node.scans[j], starts[j], node.map.body.results,
                     rules.names())) {
        continue;
      }
      const std::size_t count = node.scans[j].neutral.size();
      Substitution with;
      bool may_share = true;
      for (std::size_t k = 0; k < count && !node.post; ++k) {
        may_share = may_share && rules.may_stand_for(results[reduced + starts[i] + k].name,
                                                     results[reduced + starts[j] + k].name);
      }
      if (!may_share) continue;
      for (std::size_t k = 0; k < count; ++k) {
        if (node.post) {
          with.emplace(node.post->parameters[starts[j]].name,
                       Operand(node.post->parameters[starts[i] + k].name));
          erase_at(node.post->parameters, starts[j]);
        } else {
          rules.replace_name(results[reduced + starts[j]].name,
                             Operand(results[reduced + starts[i] + k].name));
          erase_at(results, reduced + starts[j]);
        }
      }
      if (node.post) substitute(*node.post, with, rules.names());
      erase_map_results(node, starts[j], count);
      erase_at(node.scans, j);
      return Outcome::rewritten;
    }
  }
  return Outcome::none;
}

// ---------------------------------------------------------------- post

bool is_identity(const Lambda& lambda) {
  if (lambda.body.results.size() != lambda.parameters.size()) return false;
  for (std::size_t i = 0; i < lambda.parameters.size(); ++i) {
    if (!(lambda.body.results[i] == Operand(lambda.parameters[i].name))) return false;
  }
  return true;
}

// post = identity is no post;  without scans, post is part of the map
Outcome needless_post(MapScanReduce& node, Rules& rules) {
  if (!node.post) return Outcome::none;
  if (is_identity(*node.post)) {
    node.post.reset();
    return Outcome::rewritten;
  }
  if (!node.scans.empty()) return Outcome::none;
  const auto reduced = static_cast<std::ptrdiff_t>(value_count(node.reductions));
  Lambda post = std::move(*node.post);
  node.post.reset();
  Body& body = node.map.body;
  Substitution with;
  for (std::size_t i = 0; i < post.parameters.size(); ++i) {
    with.emplace(post.parameters[i].name, body.results[static_cast<std::size_t>(reduced) + i]);
  }
  substitute(post, with, rules.names());
  for (Statement& statement : post.body.statements) body.statements.push_back(std::move(statement));
  body.results.erase(body.results.begin() + reduced, body.results.end());
  node.map.result_types.erase(node.map.result_types.begin() + reduced,
                              node.map.result_types.end());
  body.results.insert(body.results.end(), post.body.results.begin(), post.body.results.end());
  node.map.result_types.insert(node.map.result_types.end(), post.result_types.begin(),
                               post.result_types.end());
  return Outcome::rewritten;
}

// ---------------------------------------------------------------- known widths

bool has_accumulators(const MapScanReduce& node, const Rules& rules) {
  return std::any_of(node.arrays.begin(), node.arrays.end(), [&](NameId array) {
    return rules.type(array).kind == TypeKind::accumulator;
  });
}

// Over nothing, reductions are neutral and arrays are empty.
Outcome width_zero(MapScanReduce& node, Rules& rules) {
  if (has_accumulators(node, rules)) return Outcome::none;
  std::vector<Operand> results;
  for (const ReduceOperator& one : node.reductions) {
    results.insert(results.end(), one.neutral.begin(), one.neutral.end());
  }
  for (std::size_t i = results.size(); i < rules.statement->results.size(); ++i) {
    const NameId result = rules.statement->results[i].name;
    const Type type = rules.type(result);
    results.push_back(rules.emit_in_place_of(result, Scratch{type.element, type.shape}));
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!rules.may_stand_for(results[i], rules.statement->results[i].name)) return Outcome::none;
  }
  return rules.replace(results);
}

/// The operator at its neutral element and `values`.
std::vector<Operand> once(Lambda op, const std::vector<Operand>& neutral,
                          const std::vector<Operand>& values, Rules& rules) {
  std::vector<NameId> parameters;
  for (const Binder& parameter : op.parameters) parameters.push_back(parameter.name);
  std::vector<Operand> arguments = neutral;
  arguments.insert(arguments.end(), values.begin(), values.end());
  return rules.inline_body(std::move(op.body), parameters, arguments);
}

// Over one element, everything is done once.
Outcome width_one(MapScanReduce& node, Rules& rules) {
  for (const Binder& parameter : node.map.parameters) {
    if (rules.may_be_consumed(parameter.name)) return Outcome::none;
  }
  std::vector<NameId> parameters;
  std::vector<Operand> arguments;
  for (std::size_t i = 0; i < node.arrays.size(); ++i) {
    const NameId array = node.arrays[i];
    parameters.push_back(node.map.parameters[i].name);
    arguments.push_back(array);
    if (rules.type(array).kind == TypeKind::accumulator) continue;
    arguments.back() = rules.emit(Index{array, {i64_operand(0)}}, rules.names().base(array));
  }
  std::vector<Operand> mapped =
      rules.inline_body(std::move(node.map.body), parameters, arguments);
  auto next = mapped.begin();
  const auto take = [&](std::size_t count) {
    const std::vector<Operand> values(next, next + static_cast<std::ptrdiff_t>(count));
    next += static_cast<std::ptrdiff_t>(count);
    return values;
  };
  std::vector<Operand> elements;
  for (ScanOperator& scan : node.scans) {
    const std::vector<Operand> values = take(scan.neutral.size());
    const std::vector<Operand> scanned = once(std::move(scan.op), scan.neutral, values, rules);
    elements.insert(elements.end(), scanned.begin(), scanned.end());
  }
  std::vector<Operand> results;
  for (ReduceOperator& one : node.reductions) {
    const std::vector<Operand> values = take(one.neutral.size());
    const std::vector<Operand> reduced = once(std::move(one.op), one.neutral, values, rules);
    results.insert(results.end(), reduced.begin(), reduced.end());
  }
  elements.insert(elements.end(), next, mapped.end());
  if (node.post) {
    parameters.clear();
    for (const Binder& parameter : node.post->parameters) parameters.push_back(parameter.name);
    elements = rules.inline_body(std::move(node.post->body), parameters, elements);
  }
  for (const Operand& element : elements) {
    if (rules.type(element).kind != TypeKind::value) {
      results.push_back(element);
      continue;
    }
    const NameId result = rules.statement->results[results.size()].name;
    results.push_back(rules.emit_in_place_of(result, Replicate{{i64_operand(1)}, element}));
  }
  return rules.replace(results);
}

}  // namespace

Outcome apply_before(MapScanReduce& node, Rules& rules) {
  if (is_i64(node.width, 0)) return width_zero(node, rules);
  if (is_i64(node.width, 1)) return width_one(node, rules);
  if (const Outcome o = inputs(node, rules); o != Outcome::none) return o;
  return steady_reads(node, rules);
}
Outcome apply_before(Histogram& node, Rules& rules) { return inputs(node, rules); }
Outcome apply_before(Scatter& node, Rules& rules) { return inputs(node, rules); }
Outcome apply_before(FlatMap& node, Rules& rules) { return inputs(node, rules); }

Outcome apply(MapScanReduce& node, Rules& rules) {
  if (rules.statement->results.empty()) return rules.replace(std::vector<Operand>{});
  if (const Outcome o = IndexedInputs(node, rules).run(); o != Outcome::none) return o;
  if (const Outcome o = needless_post(node, rules); o != Outcome::none) return o;
  if (const Outcome o = equal_reductions(node, rules); o != Outcome::none) return o;
  if (const Outcome o = equal_scans(node, rules); o != Outcome::none) return o;
  if (const Outcome o = reductions_of_equal(node, rules); o != Outcome::none) return o;
  if (const Outcome o = scan_of_equal(node, rules); o != Outcome::none) return o;
  return trivial_results(node, rules);
}

Outcome apply(Histogram& node, Rules& rules) { return IndexedInputs(node, rules).run(); }
Outcome apply(Scatter& node, Rules& rules) { return IndexedInputs(node, rules).run(); }
Outcome apply(FlatMap& node, Rules& rules) { return IndexedInputs(node, rules).run(); }

}  // namespace dagaz::passes
