// Which names are needed.
//
// Marking follows definitions backwards from the function's results, through branches, loops and
// lambdas result by result: a loop value that only feeds itself is never reached, nor a component
// of a reduction that no other component needs.
//
// The width of a map is needed, and with it what guards the width: the asserts of its inputs, which
// are live even if no element of an input is.
#include "passes/live_names.h"

#include <algorithm>

#include "ir/fields.h"
#include "ir/traces.h"
#include "ir/value_count.h"

namespace dagaz::passes {

namespace {

/// Where a name comes from.
struct Definition {
  enum class Kind : std::uint8_t {
    none, result, loop_parameter, map_parameter, post_parameter, reduction_parameter
  };
  Kind kind = Kind::none;
  std::size_t index = 0;
  const Statement* statement = nullptr;
};

/// How many maps are followed to what guards a length.
constexpr int most_maps = 8;

class Marker {
 public:
  Marker(const Names& names) : names_(names), definitions_(names.size()), live_(names.size()) {}

  void function(const Function& function) {
    define(function.body);
    for (const Operand& result : function.body.results) mark(result);
    for (const Type& type : function.result_types) mark_type(type);
    for (const Binder& parameter : function.parameters) mark(parameter.name);
    while (!work_.empty()) {
      const NameId name = work_.back();
      work_.pop_back();
      visit(name);
    }
  }
  LiveNames take() { return {std::move(live_), std::move(guards_)}; }

 private:
  // -------------------------------------------------------------- definitions

  /// Whether there is a trace in the body: it is evaluated whether or not anything needs the values
  /// around it.
  bool define(const Body& body) {
    bool traced = false;
    for (const Statement& statement : body.statements) {
      for (std::size_t i = 0; i < statement.results.size(); ++i) {
        set(statement.results[i].name, Definition::Kind::result, i, statement);
      }
      std::visit([&](const auto& operation) { define_parameters(operation, statement); },
                 statement.operation);
      bool inside = prints(statement.operation);
      for_each_scope(statement.operation,
                     [&](const Body& inner) { inside = define(inner) || inside; });
      // Without results, a statement is there for its effect.
      if (inside || statement.results.empty()) mark_all(statement);
      traced = traced || inside;
    }
    return traced;
  }
  void set(NameId name, Definition::Kind kind, std::size_t index, const Statement& statement) {
    definitions_[name.index] = {kind, index, &statement};
  }
  void define_parameters(const Loop& loop, const Statement& statement) {
    for (std::size_t i = 0; i < loop.values.size(); ++i) {
      set(loop.values[i].parameter.name, Definition::Kind::loop_parameter, i, statement);
    }
  }
  template <typename Node>
    requires requires(const Node& node) { node.map; }
  void define_parameters(const Node& node, const Statement& statement) {
    for (std::size_t i = 0; i < node.map.parameters.size(); ++i) {
      set(node.map.parameters[i].name, Definition::Kind::map_parameter, i, statement);
    }
    if constexpr (std::is_same_v<Node, MapScanReduce>) {
      define_reductions(node, statement);
      if (!node.post) return;
      for (std::size_t i = 0; i < node.post->parameters.size(); ++i) {
        set(node.post->parameters[i].name, Definition::Kind::post_parameter, i, statement);
      }
    }
  }
  // A parameter of a reduction's operator stands for the result of its component.
  void define_reductions(const MapScanReduce& node, const Statement& statement) {
    std::size_t first = 0;
    for (const ReduceOperator& one : node.reductions) {
      const std::size_t count = one.neutral.size();
      for (std::size_t i = 0; i < one.op.parameters.size(); ++i) {
        set(one.op.parameters[i].name, Definition::Kind::reduction_parameter, first + i % count,
            statement);
      }
      first += count;
    }
  }
  // Parameters of other scopes depend on nothing but the statement itself.
  template <typename Node>
  void define_parameters(const Node&, const Statement&) {}

  // -------------------------------------------------------------- marking

  void mark(NameId name) {
    if (live_[name.index]) return;
    live_[name.index] = true;
    work_.push_back(name);
  }
  void mark(const Operand& operand) {
    if (operand.is_name()) mark(operand.name());
  }
  void mark_type(const Type& type) {
    for (const Operand& size : type.shape) mark(size);
  }
  template <typename Items>
  void mark_each(const Items& items) {
    for (const auto& item : items) mark(item);
  }

  void visit(NameId name) {
    mark_type(names_.type(name));
    const Definition definition = definitions_[name.index];
    switch (definition.kind) {
      case Definition::Kind::none: return;
      case Definition::Kind::result:
        mark_each(definition.statement->tokens);
        std::visit([&](const auto& node) { result(node, *definition.statement, definition.index); },
                   definition.statement->operation);
        return;
      case Definition::Kind::loop_parameter:
        loop_value(std::get<Loop>(definition.statement->operation), definition.index);
        return;
      case Definition::Kind::map_parameter:
        map_parameter(*definition.statement, definition.index);
        return;
      case Definition::Kind::post_parameter:
        post_input(std::get<MapScanReduce>(definition.statement->operation), definition.index);
        return;
      case Definition::Kind::reduction_parameter:
        mark(definition.statement->results[definition.index].name);
        return;
    }
  }
  /// What guards the length of an array: the tokens of its definition, or of what that maps over.
  std::vector<NameId> guards_of(NameId array, int depth = 0) const {
    const Statement* source = definitions_[array.index].statement;
    if (definitions_[array.index].kind != Definition::Kind::result || depth > most_maps) return {};
    if (!source->tokens.empty()) return source->tokens;
    const auto* map = std::get_if<MapScanReduce>(&source->operation);
    return map == nullptr || map->arrays.empty() ? std::vector<NameId>()
                                                 : guards_of(map->arrays.front(), depth + 1);
  }
  void width(const Operand& width, const std::vector<NameId>& arrays) {
    mark(width);
    if (width.is_constant() || arrays.empty()) return;
    std::vector<NameId> guards = guards_of(arrays.front());
    mark_each(guards);
    if (!guards.empty()) guards_[arrays.front()] = std::move(guards);
  }

  void map_parameter(const Statement& statement, std::size_t index) {
    std::visit(
        [&](const auto& node) {
          if constexpr (requires { node.map; }) mark(node.arrays[index]);
        },
        statement.operation);
  }

  /// An operator all of whose results are needed.
  void operator_lambda(const Lambda& op) {
    mark_each(op.body.results);
    for (const Binder& parameter : op.parameters) mark(parameter.name);
    for (const Type& type : op.result_types) mark_type(type);
  }
  void map_result(const Lambda& map, std::size_t index) {
    mark(map.body.results[index]);
    mark_type(map.result_types[index]);
  }
  void name_results(const Statement& statement, std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) mark(statement.results[i].name);
  }

  void result(const Branch& node, const Statement&, std::size_t index) {
    mark(node.condition);
    mark(node.then_body.results[index]);
    mark(node.else_body.results[index]);
    mark_type(node.result_types[index]);
  }
  void result(const Loop& node, const Statement&, std::size_t index) {
    mark(node.values[index].parameter.name);
  }
  void loop_value(const Loop& node, std::size_t index) {
    mark(node.values[index].initial);
    mark(node.body.results[index]);
    if (const auto* form = std::get_if<ForForm>(&node.form)) {
      mark(form->bound);
      mark(form->index.name);
    } else {
      mark(std::get<WhileForm>(node.form).condition);
    }
    if (node.attributes.bound) mark(*node.attributes.bound);
  }

  void result(const MapScanReduce& node, const Statement& statement, std::size_t index) {
    width(node.width, node.arrays);
    std::size_t first = 0;
    std::size_t input = value_count(node.scans);
    for (const ReduceOperator& reduction : node.reductions) {
      const std::size_t count = reduction.neutral.size();
      if (index >= first && index < first + count) {
        const std::size_t component = index - first;
        map_result(reduction.op, component);
        mark(reduction.op.parameters[component].name);
        mark(reduction.op.parameters[count + component].name);
        mark(reduction.neutral[component]);
        map_result(node.map, input + component);
        return;
      }
      first += count;
      input += count;
    }
    if (node.post) {
      map_result(*node.post, index - first);
    } else {
      // The results are what the parameters of `post` would be; a scan's come together.
      post_input(node, index - first);
      std::size_t at = first;
      for (const ScanOperator& scan : node.scans) {
        const std::size_t count = scan.neutral.size();
        if (index >= at && index < at + count) name_results(statement, at, count);
        at += count;
      }
    }
  }
  /// A scan output or mapped value, counted as the parameters of `post` are.
  void post_input(const MapScanReduce& node, std::size_t index) {
    std::size_t first = 0;
    for (const ScanOperator& scan : node.scans) {
      const std::size_t count = scan.neutral.size();
      if (index < first + count) {
        operator_lambda(scan.op);
        mark_each(scan.neutral);
        for (std::size_t i = 0; i < count; ++i) {
          map_result(node.map, first + i);
          if (node.post) mark(node.post->parameters[first + i].name);
        }
        return;
      }
      first += count;
    }
    map_result(node.map, index + value_count(node.reductions));
  }

  void result(const Histogram& node, const Statement& statement, std::size_t index) {
    width(node.width, node.arrays);
    std::size_t first = 0;
    std::size_t input = 0;
    for (const HistogramOperator& one : node.operators) {
      const std::size_t count = one.destinations.size();
      const std::size_t inputs = one.shape.size() + count;
      if (index >= first && index < first + count) {
        name_results(statement, first, count);
        operator_lambda(one.op);
        mark_each(one.neutral);
        mark_each(one.shape);
        mark_each(one.destinations);
        for (std::size_t i = 0; i < inputs; ++i) map_result(node.map, input + i);
        return;
      }
      first += count;
      input += inputs;
    }
  }
  void result(const Scatter& node, const Statement&, std::size_t index) {
    width(node.width, node.arrays);
    std::size_t input = 0;
    for (std::size_t k = 0; k < index; ++k) input += node.targets[k].shape.size() + 1;
    const ScatterTarget& target = node.targets[index];
    mark_each(target.shape);
    mark(target.destination);
    for (std::size_t i = 0; i <= target.shape.size(); ++i) map_result(node.map, input + i);
  }
  void result(const WithAccumulator& node, const Statement&, std::size_t index) {
    map_result(node.body, index);
    if (index >= node.inputs.size()) return;
    const AccumulatorInput& input = node.inputs[index];
    mark(node.body.parameters[index].name);
    mark(input.array);
    mark_each(input.shape);
    mark_each(input.neutral);
    if (input.op) operator_lambda(*input.op);
  }
  void result(const FlatMap& node, const Statement& statement, std::size_t index) {
    width(node.width, node.arrays);
    name_results(statement, 0, 3);
    map_result(node.map, 0);
    if (index >= 3) map_result(node.map, index - 2);
  }
  void result(const SegmentedMap& node, const Statement&, std::size_t index) {
    for (const SpaceDimension& dimension : node.space) {
      mark(dimension.extent);
      mark(dimension.index.name);
    }
    mark(node.body.results[index]);
    mark_type(node.result_types[index]);
  }
  // Operations without scopes, and those with scopes of which every result is kept.
  template <typename Node>
  void result(const Node&, const Statement& statement, std::size_t) {
    mark_all(statement);
  }

  /// Everything the statement mentions, and the results of all its scopes.
  void mark_all(const Statement& statement) {
    mark_each(statement.tokens);
    name_results(statement, 0, statement.results.size());
    MarkAll visitor{*this};
    walk_fields(visitor, statement.operation);
  }
  struct MarkAll {
    Marker& marker;
    void use(const NameId& name) { marker.mark(name); }
    void use(const Operand& operand) { marker.mark(operand); }
    void bind(const Binder& binder) { marker.mark(binder.name); }
    void type(const Type& type) { marker.mark_type(type); }
    void body(const Body& body) { marker.mark_each(body.results); }
    void lambda(const Lambda& lambda) { marker.operator_lambda(lambda); }
  };

  const Names& names_;
  std::vector<Definition> definitions_;
  std::vector<bool> live_;
  std::vector<NameId> work_;
  std::unordered_map<NameId, std::vector<NameId>> guards_;
};

}  // namespace

LiveNames find_live_names(const Function& function, const Names& names) {
  Marker marker(names);
  marker.function(function);
  return marker.take();
}

}  // namespace dagaz::passes
