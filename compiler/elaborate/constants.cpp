// Constants of the program and its tuning parameters: what an entry point uses but does not get
// from its caller.
//
// A constant that takes work is computed once, when a context is made, by a function of its own;
// its results, the program's globals, are further parameters of every entry point.  A constant
// that is cheap (literals, views, ranges) is elaborated wherever it is used, where it can fuse, and
// so is one that holds functions.  The function is the last entry point and has no name; its
// parameters are the tuning parameters, two each: whether it is set, and its value.  Every other
// entry point takes these too, before the globals.
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

FunctionContext& Elaborator::root_context() {
  FunctionContext* outermost = context;
  while (outermost->outer != nullptr) outermost = outermost->outer;
  return *outermost;
}

ValueRef Elaborator::build_constant(const DelayedConstant& constant) {
  const ast::ValueDeclaration& declaration = *constant.declaration;
  const Closure closure{&declaration.function, &declaration, declaration.scheme, nullptr,
                        constant.frame, constant.here, false};
  Frame* inner = arena.frame(constant.frame);
  bind_instance(closure, inner);
  bind_instance_sizes(closure, inner);
  const Temporarily<bool> safe(is_unsafe, false);
  const Temporarily<ir::LocationId> uncalled(inlined_at, ir::LocationId());
  const Temporarily<std::string> named(hint, std::string(symbols.text(declaration.name.symbol)));
  return evaluate(declaration.function.body, inner);
}

ValueRef Elaborator::evaluate_constant(const DelayedConstant& constant) {
  if (constant.here.instance != nullptr) return build_constant(constant);
  const auto place = std::make_pair(constant.declaration, constant.frame);
  const auto known = context->constants.find(place);
  if (known != context->constants.end()) return known->second;
  ValueRef value = global_value(constant);
  if (value == nullptr) value = at_top_level([&] { return build_constant(constant); });
  context->constants[place] = value;
  return value;
}

ValueRef Elaborator::global_value(const DelayedConstant& constant) {
  const auto place = std::make_pair(constant.declaration, constant.frame);
  auto known = globals.values.find(place);
  if (known == globals.values.end()) {
    known = globals.values.emplace(place, make_global(constant)).first;
  }
  return known->second == nullptr ? nullptr : import_value(known->second);
}

ValueRef Elaborator::make_global(const DelayedConstant& constant) {
  const Temporarily<FunctionContext*> in_globals(context, &globals.context);
  const Temporarily<std::vector<ir::NameId>> unguarded(tokens, {});
  const Temporarily<Request> cleared(request, Request{});
  ir::Builder piece(names());
  ValueRef value = nullptr;
  {
    const Temporarily<ir::Builder*> redirected(out, &piece);
    value = build_constant(constant);
  }
  std::vector<ir::Statement> statements = piece.take();
  const bool cheap = std::all_of(statements.begin(), statements.end(), takes_no_work);
  if (cheap || !holds_only_leaves(value)) return nullptr;
  globals.context.top.add_all(std::move(statements));
  return value;
}

ir::NameId Elaborator::import(ir::NameId global) {
  FunctionContext& entry = root_context();
  if (&entry == &globals.context) {
    globals.origins.emplace(global, global);
    return global;
  }
  const auto known = entry.imported.find(global);
  if (known != entry.imported.end()) return known->second.name();
  const ir::Type type = names().type(global);
  for (const ir::Operand& size : type.shape) {
    if (size.is_name()) import(size.name());
  }
  const ir::NameId own = names().fresh_like(global);
  names().set_type(own, ir::substitute(type, entry.imported));
  if (known_sizes.contains(global)) known_sizes.insert(own);
  entry.imported.emplace(global, own);
  globals.origins.emplace(own, global);
  const bool listed = std::find(globals.names.begin(), globals.names.end(), global) !=
                      globals.names.end();
  if (!listed && !globals.is_tuning(global)) globals.names.push_back(global);
  return own;
}

ir::NameId Elaborator::imported_here(ir::NameId name) {
  const auto origin = globals.origins.find(name);
  return origin == globals.origins.end() ? name : import(origin->second);
}

ValueRef Elaborator::import_value(ValueRef value) {
  if (const auto* record = as<RecordValue>(value->node)) {
    RecordValue result;
    for (const auto& [name, field] : record->fields) {
      result.fields.emplace_back(name, import_value(field));
    }
    return arena.value(std::move(result));
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
  result.type = substitute(result.type, root_context().imported);
  return arena.value(std::move(result));
}

// ---------------------------------------------------------------- tuning parameters

bool Globals::is_tuning(ir::NameId name) const {
  return std::any_of(tuning.begin(), tuning.end(), [&](const TuningParameter& parameter) {
    return parameter.is_set == name || parameter.value == name;
  });
}

ValueRef Elaborator::evaluate_tuning(const std::string& name, const ast::Exp* exp, Frame* frame) {
  const TypeRef type = evaluate_type(exp->type, frame);
  const auto* scalar = as<ScalarShape>(type->node);
  if (scalar == nullptr || scalar->primitive != check::Primitive::i64) return evaluate(exp, frame);
  auto known = std::find_if(globals.tuning.begin(), globals.tuning.end(),
                            [&](const TuningParameter& one) { return one.name == name; });
  if (known == globals.tuning.end()) {
    known = globals.tuning.insert(
        known, {name, names().fresh(name + "_is_set", ir::scalar_of(ir::ScalarType::boolean)),
                names().fresh(name, ir::scalar_of(ir::ScalarType::i64))});
  }
  const ir::NameId is_set = known->is_set;
  const ir::NameId value = known->value;
  return branch(
      import(is_set), exp, frame, [&] { return i64_value(import(value)); },
      [&] { return evaluate(exp, frame); });
}

// ---------------------------------------------------------------- the end

void Elaborator::add_globals(ir::Function& function, FunctionContext& entry) {
  const Temporarily<FunctionContext*> in_entry(context, &entry);
  const auto add = [&](ir::NameId global) {
    function.parameters.push_back({import(global)});
    function.consumes.push_back(false);
  };
  for (const TuningParameter& parameter : globals.tuning) {
    add(parameter.is_set);
    add(parameter.value);
  }
  for (const ir::NameId name : globals.names) add(name);
}

ir::Function* Elaborator::function_named(const std::string& name) {
  const auto found = std::find_if(ir_program.functions.begin(), ir_program.functions.end(),
                                  [&](const ir::Function& f) { return f.name == name; });
  return found == ir_program.functions.end() ? nullptr : &*found;
}

void Elaborator::finish_globals() {
  if (globals.names.empty() && globals.tuning.empty()) return;
  for (auto& [function, entry] : finished_entries) {
    add_globals(*function_named(function), entry);
  }
  ir::Function function{"constants", {}, {}, {}, {}};
  while (function_named(function.name) != nullptr) function.name += '_';
  ir::EntryPoint point{"", "", function.name, 0, 0, {}, {}};
  for (const TuningParameter& parameter : globals.tuning) {
    function.parameters.push_back({parameter.is_set});
    function.parameters.push_back({parameter.value});
    point.inputs.push_back({parameter.name, -1, false});
  }
  function.consumes.assign(function.parameters.size(), false);
  std::vector<ir::Operand> results;
  for (const ir::NameId name : globals.names) {
    for (const ir::Operand& size : names().type(name).shape) {
      const bool listed = std::find(results.begin(), results.end(), size) != results.end();
      if (size.is_name() && !listed) results.push_back(size);
    }
  }
  point.size_results = static_cast<int>(results.size());
  results.insert(results.end(), globals.names.begin(), globals.names.end());
  for (const ir::Operand& result : results) {
    function.result_types.push_back(names().type(result));
  }
  function.body = globals.context.top.take_body(std::move(results));
  ir_program.functions.push_back(std::move(function));
  ir_program.entries.push_back(std::move(point));
}

}  // namespace dagaz::elaborate
