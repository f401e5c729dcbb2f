#include "elaborate/entry_points.h"

#include <algorithm>

#include "elaborate/interface_types.h"
#include "syntax/children.h"

namespace dagaz::elaborate {

namespace {

/// What the program writes for the types of the parameters and then of the result of an entry
/// point; null where it writes nothing.
std::vector<const ast::TypeExp*> written_types(const ast::Function& function,
                                               std::size_t parameters) {
  std::vector<const ast::TypeExp*> types;
  for (const ast::Pattern* pattern : function.parameters) {
    while (const auto* attributed = as<ast::AttributePattern>(pattern->node)) {
      pattern = attributed->pattern;
    }
    const auto* ascribed = as<ast::AscribedPattern>(pattern->node);
    types.push_back(ascribed == nullptr ? nullptr : ascribed->type);
  }
  // `entry f : t -> u = …` takes more than it names.
  const ast::TypeExp* result = function.result_type;
  while (types.size() < parameters) {
    const auto* arrow = result == nullptr ? nullptr : as<ast::ArrowType>(result->node);
    types.push_back(arrow == nullptr ? nullptr : arrow->from);
    result = arrow == nullptr ? nullptr : arrow->to;
  }
  types.push_back(result);
  return types;
}

/// Calls `leaf` for each leaf of a type and `empty` for the sizes of each array without leaves,
/// in the order of the external leaves.
void each_external_leaf(TypeRef type, const std::function<void()>& leaf,
                        const std::function<void(const std::vector<ir::Operand>&)>& empty) {
  if (const auto sizes = sizes_without_leaves(type); !sizes.empty()) {
    empty(sizes);
  } else if (const auto* record = as<RecordShape>(type->node)) {
    for (const auto& [name, field] : record->fields) each_external_leaf(field, leaf, empty);
  } else {
    for (std::size_t i = 0; i < type->leaf_count; ++i) leaf();
  }
}

/// The IR function of an entry point but for its body and its results.
ir::Function function_of(Elaborator& e, const check::EntryPoint& entry,
                         const OpenParameters& open) {
  ir::Function function{entry.name, {}, {}, {}, {}};
  const auto add = [&](ir::NameId name, bool consumed) {
    function.parameters.push_back({name});
    function.consumes.push_back(consumed);
  };
  const std::vector<ir::NameId> all = open.all();
  for (std::size_t i = 0; i < all.size() - open.leaves.size(); ++i) add(all[i], false);
  const ir::NameId* next = open.leaves.data();
  for (std::size_t i = 0; i < open.types.size(); ++i) {
    const bool unique = i < entry.parameters.size() && entry.parameters[i].unique;
    each_external_leaf(
        open.types[i].type, [&] { add(*next++, unique); },
        [&](const std::vector<ir::Operand>& sizes) {
          const ir::Type truths = ir::array_of(ir::ScalarType::boolean, sizes);
          add(e.names().fresh("sizes", truths), false);
        });
  }
  return function;
}

/// What #[split(d)] and #[replicated] before parameters say of their arrays.
std::vector<ir::RankHint> rank_hints(Elaborator& e, const check::EntryPoint& entry,
                                     const OpenParameters& open, const ir::Function& function) {
  const auto& declaration = std::get<ast::ValueDeclaration>(entry.declaration->node);
  const std::vector<ast::Pattern*>& patterns = declaration.function.parameters;
  std::vector<ir::RankHint> hints;
  std::size_t number = open.all().size() - open.leaves.size();
  for (std::size_t i = 0; i < open.types.size(); ++i) {
    const std::size_t first = number;
    each_external_leaf(open.types[i].type, [&] { ++number; }, [&](const auto&) { ++number; });
    const int from = entry.written.empty() ? static_cast<int>(i) : entry.written[i];
    if (from < 0 || static_cast<std::size_t>(from) >= patterns.size()) continue;
    const ast::Pattern* pattern = patterns[static_cast<std::size_t>(from)];
    while (const auto* attributed = as<ast::AttributePattern>(pattern->node)) {
      pattern = attributed->pattern;
      const ast::Attribute& attribute = attributed->attribute;
      const std::string_view name =
          attribute.name.valid() ? e.symbols.text(attribute.name) : std::string_view();
      const bool splits = name == "split" && attribute.arguments.size() == 1;
      if (!splits && name != "replicated") continue;
      const std::int64_t dimension = splits ? attribute.arguments.front().number : 0;
      for (std::size_t k = first; k < number; ++k) {
        const ir::Type& type = e.names().type(function.parameters[k].name);
        if (dimension >= static_cast<std::int64_t>(type.shape.size())) continue;
        hints.push_back({static_cast<int>(k), static_cast<int>(dimension), !splits});
      }
    }
  }
  return hints;
}

/// The leaves of the results as the outside sees them.
std::vector<ir::Operand> external_leaves(Elaborator& e, ValueRef value) {
  const std::vector<ir::Operand> leaves = e.unshared_leaves(value);
  std::vector<ir::Operand> results;
  each_external_leaf(
      e.arena.type_of(value), [&, next = leaves.begin()]() mutable { results.push_back(*next++); },
      [&](const std::vector<ir::Operand>& sizes) {
        results.push_back(e.emit_one(ir::Replicate{sizes, ir::make_bool(false)}));
      });
  return results;
}

/// The sizes in the types of the results that are no parameters, each once.
std::vector<ir::Operand> size_results(const ir::Names& names,
                                      const std::vector<ir::Operand>& leaves,
                                      const std::vector<ir::NameId>& parameters) {
  std::vector<ir::Operand> sizes;
  for (const ir::Operand& leaf : leaves) {
    for (const ir::Operand& size : names.type(leaf).shape) {
      if (!size.is_name()) continue;
      if (std::find(parameters.begin(), parameters.end(), size.name()) != parameters.end()) {
        continue;
      }
      if (std::find(sizes.begin(), sizes.end(), size) == sizes.end()) sizes.push_back(size);
    }
  }
  return sizes;
}

/// Asserts that sizes that the parameters' types compute from other parameters are what the
/// arguments have.
void check_computed_sizes(Elaborator& e, const check::EntryPoint& entry,
                          const OpenParameters& open, std::vector<ir::NameId>& checks) {
  for (std::size_t i = 0; i < open.types.size(); ++i) {
    if (open.types[i].sizes.empty()) continue;
    const TypeRef computed = e.try_evaluate_type(entry.parameters[i].type, open.frame);
    if (computed == nullptr) continue;
    const std::vector<ir::Operand> sizes = e.match_open(open.types[i], computed);
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      const ir::Operand have = open.types[i].sizes[k];
      const ir::Operand equal = e.compare_i64(ir::ScalarOp::eq, have, sizes[k]);
      const auto token = e.check(
          equal, "Entry point argument has invalid size {} where {} is needed.", {have, sizes[k]});
      if (token.has_value()) checks.push_back(*token);
    }
  }
}

}  // namespace

static std::vector<ValueRef> entry_arguments(Elaborator& e, const OpenParameters& open) {
  std::vector<ValueRef> arguments;
  const ir::NameId* leaf = open.leaves.data();
  for (const OpenType& parameter : open.types) {
    const TypeRef type = parameter.type;
    arguments.push_back(
        e.arena.from_leaves(type, std::vector<ir::NameId>(leaf, leaf + type->leaf_count)));
    leaf += type->leaf_count;
  }
  return arguments;
}

// What the declaration of a function is bound to in the root frame; null for constants.
static const Closure* declared_function(Elaborator& e, const ast::ValueDeclaration& declaration) {
  const ValueRef value = e.root->find(declaration.id);
  return value == nullptr ? nullptr : as<Closure>(value->node);
}

// Entry points are declared in the last file only.
void share_entry_points(Elaborator& e) {
  std::unordered_set<BindingId> mentioned;
  ast::for_each_value(e.program.program->files.back().declarations,
                      [&](const auto& value, const auto&) {
                        ast::for_each_expression(*value.function.body, [&](const ast::Exp& exp) {
                          if (const auto* variable = as<ast::Variable>(exp.node))
                            mentioned.insert(variable->id);
                        });
                      });
  for (const check::EntryPoint& entry : e.program.entries) {
    const auto& declaration = std::get<ast::ValueDeclaration>(entry.declaration->node);
    const Closure* closure = declared_function(e, declaration);
    if (closure == nullptr || closure->inlining != Inlining::automatic) continue;
    if (!mentioned.contains(declaration.id)) continue;
    Closure called = *closure;
    called.inlining = Inlining::shared;
    e.root->values[declaration.id] = e.arena.value(called);
  }
}

ValueRef apply_entry(Elaborator& e, const Closure& closure, Frame* frame,
                     std::vector<ValueRef> arguments) {
  const std::vector<ast::Pattern*>& patterns = closure.function->parameters;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    e.bind_pattern(patterns[i], arguments[i], frame);
  }
  const Range& where = closure.declaration->name.range;
  const Inlining asked = e.inlining_of(closure);
  if (closure.declaration->is_recursive || asked == Inlining::never || asked == Inlining::shared) {
    return e.apply(e.arena.value(closure), std::move(arguments), where);
  }
  const ValueRef value = e.evaluate(closure.function->body, frame);
  // `entry f = map g` takes more than is written.
  const auto given = static_cast<std::ptrdiff_t>(patterns.size());
  return e.apply(value, {arguments.begin() + given, arguments.end()}, where);
}

// What the C interface has to know, but for the results' sizes.
static ir::EntryPoint describe_entry(Elaborator& e, const check::EntryPoint& entry,
                                     const OpenParameters& open, ValueRef value) {
  const std::size_t sizes = open.all().size() - open.leaves.size();
  ir::EntryPoint point{entry.name, entry.documentation, entry.name, static_cast<int>(sizes),
                       0,          {},                  {}};
  const auto& declaration = std::get<ast::ValueDeclaration>(entry.declaration->node);
  std::vector<const ast::TypeExp*> written = written_types(
      declaration.function, entry.written.empty() ? open.types.size() : 0);
  if (!entry.written.empty()) {
    std::vector<const ast::TypeExp*> of_derivative;
    for (const int from : entry.written) {
      const bool is_parameter = from >= 0 && static_cast<std::size_t>(from) + 1 < written.size();
      of_derivative.push_back(is_parameter ? written[static_cast<std::size_t>(from)]
                              : from == check::EntryPoint::written_result ? written.back()
                                                                          : nullptr);
    }
    written = std::move(of_derivative);
  }
  InterfaceTypes types(e.symbols, *e.program.program, e.ir_program.external_types);
  for (std::size_t i = 0; i < open.types.size(); ++i) {
    const check::EntryValue& parameter = entry.parameters[i];
    const int type = types.index_of(open.types[i].type, written[i]);
    point.inputs.push_back({parameter.name, type, parameter.unique});
  }
  const bool unique = std::any_of(entry.results.begin(), entry.results.end(),
                                  [](const check::EntryValue& part) { return part.unique; });
  point.outputs.push_back({"", types.index_of(e.arena.type_of(value), written.back()), unique});
  return point;
}

static void build_entry(Elaborator& e, const check::EntryPoint& entry, const EntryBody& body) {
  const auto& declaration = std::get<ast::ValueDeclaration>(entry.declaration->node);
  e.grown.clear();
  FunctionContext inner{ir::Builder(e.names())};
  const Temporarily<FunctionContext*> in_context(e.context, &inner);
  const Temporarily<ir::Builder*> redirected(e.out, &inner.top);
  const Temporarily<std::vector<ir::NameId>> unguarded(e.tokens, {});
  const At at(e, declaration.name.range);
  Closure closure{
      &declaration.function, &declaration, declaration.scheme, nullptr, e.root, {}, false};
  if (const Closure* declared = declared_function(e, declaration)) {
    closure.inlining = declared->inlining;
  }
  std::vector<const check::Type*> types;
  for (const check::EntryValue& parameter : entry.parameters) types.push_back(parameter.type);
  const OpenParameters open = open_parameters(e, closure, types);
  const std::vector<ir::NameId> parameters = open.all();
  e.known_sizes.insert(parameters.begin(),
                       parameters.end() - static_cast<std::ptrdiff_t>(open.leaves.size()));

  const std::vector<ValueRef> arguments = entry_arguments(e, open);
  const std::vector<ast::Pattern*>& patterns = closure.function->parameters;
  // Types of parameters may mention parameters.
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    e.bind_pattern(patterns[i], arguments[i], open.frame);
  }
  std::vector<ir::NameId> checks;
  check_computed_sizes(e, entry, open, checks);
  e.tokens = checks;
  e.retoken(*e.out);
  const ValueRef value = body(closure, open.frame, arguments);
  ir::EntryPoint point = describe_entry(e, entry, open, value);
  std::vector<ir::Operand> leaves = external_leaves(e, value);
  if (!e.tokens.empty()) {
    // Also what is returned as it came in waits for the checks of the parameters.
    for (ir::Operand& leaf : leaves) leaf = e.emit_one(ir::Identity{leaf});
  }
  std::vector<ir::Operand> results = size_results(e.names(), leaves, parameters);
  point.size_results = static_cast<int>(results.size());
  results.insert(results.end(), leaves.begin(), leaves.end());
  ir::Function function = function_of(e, entry, open);
  point.hints = rank_hints(e, entry, open, function);
  for (const ir::Operand& result : results) {
    function.result_types.push_back(e.names().type(result));
  }
  function.body = inner.top.take_body(std::move(results));
  e.ir_program.functions.push_back(std::move(function));
  e.ir_program.entries.push_back(std::move(point));
  e.constants.finish_entry(entry.name, std::move(inner));
}

void elaborate_entry(Elaborator& e, const check::EntryPoint& entry, const EntryBody& body) {
  const Doing doing(entry.name);
  try {
    build_entry(e, entry, body);
  } catch (const UnknownSize& unknown) {
    e.diagnostics.report(DiagnosticKind::unsupported, unknown.range,
                         "a size that is needed here is not known");
  }
}

void elaborate_entry(Elaborator& e, const check::EntryPoint& entry) {
  elaborate_entry(e, entry, [&](const Closure& closure, Frame* frame,
                                const std::vector<ValueRef>& arguments) {
    return apply_entry(e, closure, frame, arguments);
  });
}

}  // namespace dagaz::elaborate
