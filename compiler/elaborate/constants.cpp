// Constants of the program and its tuning parameters: what an entry point uses but does not get
// from its caller.
//
// A constant that takes work is computed once, when a context is made, by a function of its own;
// its results, the program's globals, are further parameters of every entry point.  A constant
// that is cheap (literals, views, ranges) is elaborated wherever it is used, where it can fuse, and
// so is one that holds functions.  The function is the last entry point and has no name; its
// parameters are the tuning parameters, two each: whether it is set, and its value.  Every other
// entry point takes these too, before the globals.
#include "elaborate/constants.h"

#include <algorithm>

#include "elaborate/elaborator.h"

namespace dagaz::elaborate {

namespace {

/// Literals, views and ranges.
bool takes_no_work(const ir::Statement& statement) {
  constexpr std::size_t most_elements = 16;
  return match(
      statement.operation, [](const ir::Scalar&) { return true; },
      [](const ir::Identity&) { return true; }, [](const ir::Index&) { return true; },
      [](const ir::Slice&) { return true; }, [](const ir::Reshape&) { return true; },
      [](const ir::Permute&) { return true; }, [](const ir::Iota&) { return true; },
      [](const ir::Replicate&) { return true; },
      [](const ir::ArrayLiteral& e) { return e.elements.size() <= most_elements; },
      [](const auto&) { return false; });
}

bool holds_only_leaves(ValueRef value) {
  if (const auto* record = as<RecordValue>(value->node)) {
    return std::all_of(record->fields.begin(), record->fields.end(),
                       [](const auto& field) { return holds_only_leaves(field.second); });
  }
  return std::holds_alternative<LeafValue>(value->node);
}

}  // namespace

Constants::Constants(Elaborator& e)
    : e_(e), globals_{FunctionContext{ir::Builder(e.ir_program.names)}} {}

FunctionContext& Constants::root_context() {
  FunctionContext* outermost = e_.context;
  while (outermost->outer != nullptr) outermost = outermost->outer;
  return *outermost;
}

ValueRef Constants::build(const DelayedConstant& constant) {
  const ast::ValueDeclaration& declaration = *constant.declaration;
  const Closure closure{&declaration.function, &declaration, declaration.scheme, nullptr,
                        constant.frame, constant.here, false};
  Frame* inner = e_.arena.frame(constant.frame);
  e_.bind_instance(closure, inner);
  e_.bind_instance_sizes(closure, inner);
  const Temporarily<bool> safe(e_.is_unsafe, false);
  const Temporarily<ir::LocationId> uncalled(e_.inlined_at, ir::LocationId());
  const Temporarily<std::string> named(e_.hint,
                                       std::string(e_.symbols.text(declaration.name.symbol)));
  return e_.evaluate(declaration.function.body, inner);
}

ValueRef Constants::evaluate(const DelayedConstant& constant) {
  if (constant.here.instance != nullptr) return build(constant);
  const auto place = std::make_pair(constant.declaration, constant.frame);
  const auto known = e_.context->constants.find(place);
  if (known != e_.context->constants.end()) return known->second;
  ValueRef value = global_value(constant);
  if (value == nullptr) value = e_.at_top_level([&] { return build(constant); });
  e_.context->constants[place] = value;
  return value;
}

ValueRef Constants::global_value(const DelayedConstant& constant) {
  const auto place = std::make_pair(constant.declaration, constant.frame);
  auto known = globals_.values.find(place);
  if (known == globals_.values.end()) {
    known = globals_.values.emplace(place, make_global(constant)).first;
  }
  return known->second == nullptr ? nullptr : import_value(known->second);
}

ValueRef Constants::make_global(const DelayedConstant& constant) {
  const Temporarily<FunctionContext*> in_globals(e_.context, &globals_.context);
  const Temporarily<std::vector<ir::NameId>> unguarded(e_.tokens, {});
  const Temporarily<Request> cleared(e_.request, Request{});
  ir::Builder piece(e_.names());
  ValueRef value = nullptr;
  {
    const Temporarily<ir::Builder*> redirected(e_.out, &piece);
    value = build(constant);
  }
  std::vector<ir::Statement> statements = piece.take();
  const bool cheap = std::all_of(statements.begin(), statements.end(), takes_no_work);
  if (cheap || !holds_only_leaves(value)) return nullptr;
  globals_.context.top.add_all(std::move(statements));
  return value;
}

ir::NameId Constants::import(ir::NameId global) {
  FunctionContext& entry = root_context();
  if (&entry == &globals_.context) {
    globals_.origins.emplace(global, global);
    return global;
  }
  const auto known = entry.imported.find(global);
  if (known != entry.imported.end()) return known->second.name();
  const ir::Type type = e_.names().type(global);
  for (const ir::Operand& size : type.shape) {
    if (size.is_name()) import(size.name());
  }
  const ir::NameId own = e_.names().fresh_like(global);
  e_.names().set_type(own, ir::substitute(type, entry.imported));
  if (e_.known_sizes.contains(global)) e_.known_sizes.insert(own);
  entry.imported.emplace(global, own);
  globals_.origins.emplace(own, global);
  const bool listed = std::find(globals_.names.begin(), globals_.names.end(), global) !=
                      globals_.names.end();
  if (!listed && !globals_.is_tuning(global)) globals_.names.push_back(global);
  return own;
}

ir::NameId Constants::imported_here(ir::NameId name) {
  const auto origin = globals_.origins.find(name);
  return origin == globals_.origins.end() ? name : import(origin->second);
}

ValueRef Constants::import_value(ValueRef value) {
  if (const auto* record = as<RecordValue>(value->node)) {
    RecordValue result;
    for (const auto& [name, field] : record->fields) {
      result.fields.emplace_back(name, import_value(field));
    }
    return e_.arena.value(std::move(result));
  }
  LeafValue result = std::get<LeafValue>(value->node);
  for (const ir::Type& type : leaf_types(result.type)) {
    for (const ir::Operand& size : type.shape) {
      if (size.is_name()) import(size.name());
    }
  }
  for (ir::Operand& leaf : result.leaves) {
    if (leaf.is_name()) leaf = import(leaf.name());
  }
  result.type = e_.substitute(result.type, root_context().imported);
  return e_.arena.value(std::move(result));
}

// ---------------------------------------------------------------- tuning parameters

bool Globals::is_tuning(ir::NameId name) const {
  return std::any_of(tuning.begin(), tuning.end(), [&](const TuningParameter& parameter) {
    return parameter.is_set == name || parameter.value == name;
  });
}

ValueRef Constants::tuning_parameter(const std::string& name, const ast::Exp* exp, Frame* frame) {
  const TypeRef type = e_.evaluate_type(exp->type, frame);
  const auto* scalar = as<ScalarShape>(type->node);
  if (scalar == nullptr || scalar->primitive != check::Primitive::i64) {
    return e_.evaluate(exp, frame);
  }
  auto known = std::find_if(globals_.tuning.begin(), globals_.tuning.end(),
                            [&](const TuningParameter& one) { return one.name == name; });
  if (known == globals_.tuning.end()) {
    known = globals_.tuning.insert(
        known, {name, e_.names().fresh(name + "_is_set", ir::scalar_of(ir::ScalarType::boolean)),
                e_.names().fresh(name, ir::scalar_of(ir::ScalarType::i64))});
  }
  const ir::NameId is_set = known->is_set;
  const ir::NameId value = known->value;
  return e_.branch(
      import(is_set), exp, frame, [&] { return e_.i64_value(import(value)); },
      [&] { return e_.evaluate(exp, frame); });
}

// ---------------------------------------------------------------- the end

void Constants::finish_entry(const std::string& function, FunctionContext entry) {
  finished_entries_.emplace_back(function, std::move(entry));
}

void Constants::add_globals(ir::Function& function, FunctionContext& entry) {
  const Temporarily<FunctionContext*> in_entry(e_.context, &entry);
  const auto add = [&](ir::NameId global) {
    function.parameters.push_back({import(global)});
    function.consumes.push_back(false);
  };
  for (const TuningParameter& parameter : globals_.tuning) {
    add(parameter.is_set);
    add(parameter.value);
  }
  for (const ir::NameId name : globals_.names) add(name);
}

void Constants::finish() {
  if (globals_.names.empty() && globals_.tuning.empty()) return;
  for (auto& [function, entry] : finished_entries_) {
    add_globals(*e_.function_named(function), entry);
  }
  ir::Function function{"constants", {}, {}, {}, {}};
  while (e_.function_named(function.name) != nullptr) function.name += '_';
  ir::EntryPoint point{"", "", function.name, 0, 0, {}, {}};
  for (const TuningParameter& parameter : globals_.tuning) {
    function.parameters.push_back({parameter.is_set});
    function.parameters.push_back({parameter.value});
    point.inputs.push_back({parameter.name, -1, false});
  }
  function.consumes.assign(function.parameters.size(), false);
  std::vector<ir::Operand> results;
  for (const ir::NameId name : globals_.names) {
    for (const ir::Operand& size : e_.names().type(name).shape) {
      const bool listed = std::find(results.begin(), results.end(), size) != results.end();
      if (size.is_name() && !listed) results.push_back(size);
    }
  }
  point.size_results = static_cast<int>(results.size());
  results.insert(results.end(), globals_.names.begin(), globals_.names.end());
  for (const ir::Operand& result : results) {
    function.result_types.push_back(e_.names().type(result));
  }
  function.body = globals_.context.top.take_body(std::move(results));
  e_.ir_program.functions.push_back(std::move(function));
  e_.ir_program.entries.push_back(std::move(point));
}

}  // namespace dagaz::elaborate
