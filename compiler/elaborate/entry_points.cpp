// Entry points: one IR function each, and what the C interface has to know about its values.
#include <algorithm>
#include <cctype>

#include "elaborate/elaborator.h"

namespace dagaz::elaborate {

namespace {

constexpr std::string_view element_names[] = {"bool", "i8",  "i16", "i32", "i64", "u8",
                                              "u16",  "u32", "u64", "f16", "f32", "f64"};

ir::ExternalElement external_element(check::Primitive primitive) {
  // Both enumerations list the same types in the same order.
  return static_cast<ir::ExternalElement>(primitive);
}

/// The outer sizes of an array without leaves, such as one of units; none for other types.
/// Outside the program such an array is one of false, which holds its sizes.
std::vector<ir::Operand> sizes_without_leaves(TypeRef type) {
  std::vector<ir::Operand> sizes;
  if (type->leaf_count > 0) return sizes;
  while (const auto* array = as<ArrayShape>(type->node)) {
    sizes.push_back(array->size);
    type = array->element;
  }
  return sizes;
}

/// The leaves of a value as the outside sees them: with signs, under `rank` dimensions.
void append_external_leaves(TypeRef type, int rank, std::vector<ir::ExternalLeaf>& out) {
  if (const auto sizes = sizes_without_leaves(type); !sizes.empty()) {
    out.push_back({ir::ExternalElement::boolean, rank + static_cast<int>(sizes.size())});
    return;
  }
  match(
      type->node,
      [&](const ScalarShape& t) { out.push_back({external_element(t.primitive), rank}); },
      [&](const ArrayShape& t) { append_external_leaves(t.element, rank + 1, out); },
      [&](const RecordShape& t) {
        for (const auto& [name, field] : t.fields) append_external_leaves(field, rank, out);
      },
      [&](const SumShape& t) {
        out.push_back({ir::ExternalElement::i8, rank});
        // A slot that constructors share looks as in the first of them.
        std::vector<std::optional<ir::ExternalLeaf>> slots(t.slot_types.size());
        for (const ConstructorShape& constructor : t.constructors) {
          std::vector<ir::ExternalLeaf> leaves;
          for (const TypeRef part : constructor.payload) append_external_leaves(part, rank, leaves);
          for (std::size_t i = 0; i < leaves.size(); ++i) {
            auto& slot = slots[constructor.slots[i]];
            if (!slot.has_value()) slot = leaves[i];
          }
        }
        for (const auto& slot : slots) out.push_back(*slot);
      },
      [](const AccumulatorShape&) { DZ_UNREACHABLE("no accumulator leaves the program"); },
      [](const FunctionShape&) {});
}

/// Whether the fields are 0, 1, …, and more than one or none.
bool is_tuple(const NameTable& symbols, const RecordShape& record) {
  for (std::size_t i = 0; i < record.fields.size(); ++i) {
    if (symbols.text(record.fields[i].first) != std::to_string(i)) return false;
  }
  return record.fields.size() != 1;
}

std::string type_name(const NameTable& symbols, TypeRef type) {
  return match(
      type->node,
      [](const ScalarShape& t) {
        return std::string(element_names[static_cast<std::size_t>(t.primitive)]);
      },
      [&](const ArrayShape& t) { return "[]" + type_name(symbols, t.element); },
      [&](const RecordShape& t) {
        const bool tuple = is_tuple(symbols, t);
        std::string text = tuple ? "(" : "{";
        for (std::size_t i = 0; i < t.fields.size(); ++i) {
          if (i > 0) text += ", ";
          if (!tuple) text += std::string(symbols.text(t.fields[i].first)) + ": ";
          text += type_name(symbols, t.fields[i].second);
        }
        return text + (tuple ? ")" : "}");
      },
      [&](const SumShape& t) {
        std::string text;
        for (const ConstructorShape& constructor : t.constructors) {
          if (!text.empty()) text += " | ";
          text += "#" + std::string(symbols.text(constructor.name));
          for (const TypeRef part : constructor.payload) text += " " + type_name(symbols, part);
        }
        return text;
      },
      [](const AccumulatorShape&) { return std::string("acc"); },
      [](const FunctionShape&) { return std::string("function"); });
}

/// Letters, digits and underscores only.
std::string c_identifier(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      result += c;
    } else if (!result.empty() && result.back() != '_') {
      result += '_';
    }
  }
  while (!result.empty() && result.back() == '_') result.pop_back();
  return result.empty() ? "unit" : result;
}

/// The abbreviation in a written type such as `*[n]params`; empty if it is none.
std::string abbreviation(std::string_view written) {
  std::size_t at = 0;
  while (at < written.size() && (written[at] == '*' || written[at] == '[')) {
    if (written[at] == '[') {
      at = written.find(']', at);
      if (at == std::string_view::npos) return {};
    }
    ++at;
  }
  const std::string_view base = written.substr(at);
  if (base.empty() || std::isalpha(static_cast<unsigned char>(base.front())) == 0) return {};
  for (const char c : base) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '.' && c != '\'') {
      return {};
    }
  }
  return std::string(base);
}

std::size_t outer_rank(TypeRef& type) {
  std::size_t rank = 0;
  while (const auto* array = as<ArrayShape>(type->node)) {
    type = array->element;
    ++rank;
  }
  return rank;
}

}  // namespace

int Elaborator::add_external_type(ir::ExternalType type) {
  auto& types = ir_program.external_types;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i].name == type.name) return static_cast<int>(i);
  }
  std::string c_name = type.c_name;
  for (int n = 2; std::any_of(types.begin(), types.end(),
                              [&](const auto& other) { return other.c_name == c_name; });
       ++n) {
    c_name = type.c_name + "_" + std::to_string(n);
  }
  type.c_name = std::move(c_name);
  types.push_back(std::move(type));
  return static_cast<int>(types.size() - 1);
}

int Elaborator::external_type(TypeRef type, const std::string& written) {
  ir::ExternalType external;
  append_external_leaves(type, 0, external.leaves);
  TypeRef element = type;
  const std::size_t rank = outer_rank(element);
  const std::string base = abbreviation(written);
  external.rank = static_cast<int>(rank);
  if (std::holds_alternative<ScalarShape>(element->node)) {
    external.name = type_name(symbols, type);
    external.c_name = type_name(symbols, element);
    external.kind = rank == 0 ? ir::ExternalKind::scalar : ir::ExternalKind::array;
    if (rank > 0) external.c_name += "_" + std::to_string(rank) + "d";
    return add_external_type(std::move(external));
  }
  if (rank > 0) {
    external.kind = ir::ExternalKind::opaque_array;
    external.element_type = external_type(element, base);
    const std::string element_name =
        ir_program.external_types[static_cast<std::size_t>(external.element_type)].c_name;
    for (std::size_t i = 0; i < rank; ++i) external.name += "[]";
    external.name += base.empty() ? type_name(symbols, element) : base;
    external.c_name = "arr_" + element_name + "_" + std::to_string(rank) + "d";
    return add_external_type(std::move(external));
  }
  external.name = base.empty() ? type_name(symbols, type) : base;
  external.c_name = c_identifier(external.name);
  if (const auto* record = as<RecordShape>(type->node)) {
    external.kind = ir::ExternalKind::record;
    std::string tuple_name = "tup" + std::to_string(record->fields.size());
    for (const auto& [name, field] : record->fields) {
      const int index = external_type(field, {});
      external.members.push_back({std::string(symbols.text(name)), {index}, {}});
      tuple_name += "_" + ir_program.external_types[static_cast<std::size_t>(index)].c_name;
    }
    if (base.empty() && is_tuple(symbols, *record)) external.c_name = tuple_name;
    if (record->fields.empty()) external.c_name = "unit";
  } else if (const auto* sum = as<SumShape>(type->node)) {
    external.kind = ir::ExternalKind::sum;
    for (const ConstructorShape& constructor : sum->constructors) {
      ir::ExternalMember member{std::string(symbols.text(constructor.name)), {}, {}};
      for (const TypeRef part : constructor.payload) {
        member.types.push_back(external_type(part, {}));
      }
      for (const std::size_t slot : constructor.slots) {
        member.leaf_index.push_back(static_cast<int>(slot + 1));
      }
      external.members.push_back(std::move(member));
    }
  } else {
    external.kind = ir::ExternalKind::opaque;
  }
  return add_external_type(std::move(external));
}

namespace {

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
      const auto token = e.check(equal, "Entry point argument has invalid size {} where {} is needed.",
                                 {have, sizes[k]});
      if (token.has_value()) checks.push_back(*token);
    }
  }
}

}  // namespace

ValueRef Elaborator::entry_value(const check::EntryPoint& entry, const Closure& closure,
                                 const OpenParameters& open) {
  const std::vector<ast::Pattern*>& patterns = closure.function->parameters;
  std::vector<ValueRef> arguments;
  const ir::NameId* leaf = open.leaves.data();
  for (std::size_t i = 0; i < open.types.size(); ++i) {
    const TypeRef type = open.types[i].type;
    const std::vector<ir::NameId> leaves(leaf, leaf + type->leaf_count);
    leaf += type->leaf_count;
    arguments.push_back(arena.from_leaves(type, leaves));
    if (i < patterns.size()) bind_pattern(patterns[i], arguments.back(), open.frame);
  }
  std::vector<ir::NameId> checks;
  check_computed_sizes(*this, entry, open, checks);
  tokens = checks;
  retoken(*out);
  const Range& where = closure.declaration->name.range;
  if (closure.declaration->is_recursive) {
    return apply(arena.value(closure), std::move(arguments), where);
  }
  const ValueRef value = evaluate(closure.function->body, open.frame);
  // `entry f = map g` takes more than is written.
  const auto given = static_cast<std::ptrdiff_t>(patterns.size());
  return apply(value, {arguments.begin() + given, arguments.end()}, where);
}

ir::EntryPoint Elaborator::describe_entry(const check::EntryPoint& entry,
                                          const OpenParameters& open, ValueRef value) {
  const std::size_t sizes = open.all().size() - open.leaves.size();
  ir::EntryPoint point{entry.name, entry.documentation, entry.name, static_cast<int>(sizes),
                       0,          {},                  {}};
  for (std::size_t i = 0; i < open.types.size(); ++i) {
    const check::EntryValue& parameter = entry.parameters[i];
    const int type = external_type(open.types[i].type, parameter.type_name);
    point.inputs.push_back({parameter.name, type, parameter.unique});
  }
  const auto* record = as<RecordValue>(value->node);
  for (std::size_t i = 0; i < entry.results.size(); ++i) {
    const check::EntryValue& output = entry.results[i];
    const bool is_part = record != nullptr && entry.results.size() > 1;
    const ValueRef part = is_part ? record->fields[i].second : value;
    const int type = external_type(arena.type_of(part), output.type_name);
    point.outputs.push_back({output.name, type, output.unique});
  }
  return point;
}

void Elaborator::elaborate_entry(const check::EntryPoint& entry) {
  const auto& declaration = std::get<ast::ValueDeclaration>(entry.declaration->node);
  grown.clear();
  FunctionContext inner{ir::Builder(names())};
  const Temporarily<FunctionContext*> in_context(context, &inner);
  const Temporarily<ir::Builder*> redirected(out, &inner.top);
  const Temporarily<std::vector<ir::NameId>> unguarded(tokens, {});
  const At at(*this, declaration.name.range);
  const Closure closure{&declaration.function, &declaration, declaration.scheme, nullptr,
                        root, {}, false};
  std::vector<const check::Type*> types;
  for (const check::EntryValue& parameter : entry.parameters) types.push_back(parameter.type);
  const OpenParameters open = open_parameters(closure, types);
  const std::vector<ir::NameId> parameters = open.all();
  known_sizes.insert(parameters.begin(),
                     parameters.end() - static_cast<std::ptrdiff_t>(open.leaves.size()));

  const ValueRef value = entry_value(entry, closure, open);
  ir::EntryPoint point = describe_entry(entry, open, value);
  std::vector<ir::Operand> leaves = external_leaves(*this, value);
  if (!tokens.empty()) {
    // Also what is returned as it came in waits for the checks of the parameters.
    for (ir::Operand& leaf : leaves) leaf = emit_one(ir::Identity{leaf});
  }
  std::vector<ir::Operand> results = size_results(names(), leaves, parameters);
  point.size_results = static_cast<int>(results.size());
  results.insert(results.end(), leaves.begin(), leaves.end());
  ir::Function function = function_of(*this, entry, open);
  for (const ir::Operand& result : results) {
    function.result_types.push_back(names().type(result));
  }
  function.body = inner.top.take_body(std::move(results));
  ir_program.functions.push_back(std::move(function));
  ir_program.entries.push_back(std::move(point));
  finished_entries.emplace_back(entry.name, std::move(inner));
}

}  // namespace dagaz::elaborate
