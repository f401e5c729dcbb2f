// Expressions that need no file of their own.
#include <algorithm>

#include "elaborate/elaborator.h"
#include "elaborate/traces.h"

namespace dagaz::elaborate {

// ---------------------------------------------------------------- small values

Symbol Elaborator::tuple_field(std::size_t index) { return symbols.intern(std::to_string(index)); }

ValueRef Elaborator::tuple(std::vector<ValueRef> elements) {
  RecordValue record;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    record.fields.emplace_back(tuple_field(i), elements[i]);
  }
  return arena.value(std::move(record));
}

ValueRef Elaborator::i64_value(ir::Operand operand) {
  return arena.leaf(arena.scalar(check::Primitive::i64), std::move(operand));
}

ValueRef Elaborator::bool_value(ir::Operand operand) {
  return arena.leaf(arena.scalar(check::Primitive::boolean), std::move(operand));
}

const LeafValue& Elaborator::leaf_of(ValueRef value) {
  if (std::holds_alternative<UnknownValue>(value->node)) throw UnknownSize{range};
  const auto* leaf = as<LeafValue>(value->node);
  DZ_CHECK(leaf != nullptr, "a scalar, an array or a sum is expected here");
  return *leaf;
}

ir::Operand Elaborator::scalar_of(ValueRef value) {
  const LeafValue& leaf = leaf_of(value);
  DZ_CHECK(leaf.leaves.size() == 1, "a scalar has one leaf");
  return leaf.leaves.front();
}

check::Primitive Elaborator::primitive_of(ValueRef value) {
  const auto* shape = as<ScalarShape>(leaf_of(value).type->node);
  DZ_CHECK(shape != nullptr, "a scalar is expected here");
  return shape->primitive;
}

ir::Operand Elaborator::evaluate_operand(const ast::Exp* exp, Frame* frame) {
  return scalar_of(evaluate(exp, frame));
}

ValueRef Elaborator::project(ValueRef record, Symbol field, const Range& where) {
  const auto* node = as<RecordValue>(record->node);
  DZ_CHECK(node != nullptr, "only records have fields: " + files.describe(where));
  for (const auto& [name, value] : node->fields) {
    if (name == field) return value;
  }
  DZ_UNREACHABLE("the checker saw the field");
}

ValueRef Elaborator::blank(TypeRef type) {
  std::vector<ir::Operand> leaves;
  for (const ir::Type& leaf : leaf_types(type)) {
    const ir::Operand zero = ir::zero_of(leaf.element);
    leaves.push_back(leaf.is_scalar() ? zero
                                      : ir::Operand(emit_one(ir::Replicate{leaf.shape, zero})));
  }
  return arena.from_leaves(type, leaves.data());
}

ValueRef Elaborator::reshape_to(ValueRef value, TypeRef type, std::optional<ir::NameId> token) {
  if (const auto* record = as<RecordValue>(value->node)) {
    const auto& shape = std::get<RecordShape>(type->node);
    RecordValue result;
    for (std::size_t i = 0; i < record->fields.size(); ++i) {
      const auto& [name, field] = record->fields[i];
      result.fields.emplace_back(name, reshape_to(field, shape.fields[i].second, token));
    }
    return arena.value(std::move(result));
  }
  const auto* leaf = as<LeafValue>(value->node);
  if (leaf == nullptr) return value;
  const Guarded guarded(*this, token);
  const std::vector<ir::Type> types = leaf_types(type);
  LeafValue result{type, leaf->leaves};
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (!types[i].is_array() || names().type(leaf->leaves[i]) == types[i]) continue;
    result.leaves[i] = emit_one(ir::Reshape{array_name(leaf->leaves[i]), types[i].shape});
  }
  return arena.value(std::move(result));
}

// ---------------------------------------------------------------- literals

namespace {

ir::Constant number(check::Primitive primitive, std::uint64_t value) {
  const ir::ScalarType type = scalar_type(primitive);
  if (type == ir::ScalarType::boolean) return ir::make_bool(value != 0);
  if (ir::is_float(type)) return ir::make_float(type, static_cast<double>(value));
  return ir::make_integer(type, static_cast<std::int64_t>(value));
}

}  // namespace

static check::Primitive literal_type(Elaborator& elaborator, const ast::Exp* exp, Frame* frame) {
  if (const auto* type = as<check::PrimitiveType>(exp->type->node)) return type->primitive;
  const TypeRef type = elaborator.evaluate_type(exp->type, frame);
  return std::get<ScalarShape>(type->node).primitive;
}

static ValueRef integer_literal(Elaborator& e, const ast::Exp* exp,
                                const ast::IntegerLiteral& node, Frame* frame) {
  const check::Primitive type = literal_type(e, exp, frame);
  return e.arena.leaf(e.arena.scalar(type), number(type, node.value));
}

static ValueRef float_literal(Elaborator& e, const ast::Exp* exp, const ast::FloatLiteral& node,
                              Frame* frame) {
  const check::Primitive type = literal_type(e, exp, frame);
  return e.arena.leaf(e.arena.scalar(type), ir::make_float(scalar_type(type), node.value));
}

static ValueRef string_literal(Elaborator& elaborator, const ast::StringLiteral& node) {
  ir::ArrayLiteral literal{ir::scalar_of(ir::ScalarType::i8), {}};
  for (const char c : node.bytes) {
    literal.elements.push_back(ir::make_integer(ir::ScalarType::i8, c));
  }
  ValueArena& arena = elaborator.arena;
  const TypeRef type = arena.array(ir::i64_operand(static_cast<std::int64_t>(node.bytes.size())),
                                   arena.scalar(check::Primitive::u8));
  return arena.leaf(type, elaborator.emit_one(std::move(literal)));
}

ValueRef Elaborator::evaluate_array_literal(const ast::Exp* exp, const ast::ArrayLiteral& node,
                                            Frame* frame) {
  std::vector<std::vector<ir::Operand>> rows;
  TypeRef type = nullptr;
  for (const ast::Exp* element : node.elements) {
    const ValueRef value = evaluate(element, frame);
    if (type == nullptr) {
      type = arena.array(ir::i64_operand(static_cast<std::int64_t>(node.elements.size())),
                         arena.type_of(value));
    }
    rows.push_back(leaves_of(value));
  }
  if (type == nullptr) type = evaluate_type_or_empty(exp->type, frame);
  LeafValue result{type, {}};
  const std::vector<ir::Type> types = leaf_types(type);
  for (std::size_t i = 0; i < types.size(); ++i) {
    ir::ArrayLiteral literal{ir::row_of(types[i]), {}};
    for (const std::vector<ir::Operand>& row : rows) literal.elements.push_back(row[i]);
    result.leaves.push_back(emit_one(std::move(literal)));
  }
  return arena.value(std::move(result));
}

// ---------------------------------------------------------------- scalars

ValueRef Elaborator::evaluate_negation(const ast::Exp* exp, ValueRef value) {
  const check::Primitive primitive = primitive_of(value);
  const ir::ScalarType type = scalar_type(primitive);
  const At at(*this, exp->range);
  return arena.leaf(arena.scalar(primitive), scalar(ir::ScalarOp::neg, type, {scalar_of(value)}));
}

ValueRef Elaborator::evaluate_not(ValueRef value) {
  const check::Primitive primitive = primitive_of(value);
  return arena.leaf(arena.scalar(primitive), scalar(ir::ScalarOp::bit_not, scalar_type(primitive),
                                                    {scalar_of(value)}));
}

// ---------------------------------------------------------------- sums

static bool holds_functions(TypeRef type) {
  if (const auto* array = as<ArrayShape>(type->node)) return holds_functions(array->element);
  if (const auto* record = as<RecordShape>(type->node)) {
    for (const auto& [name, field] : record->fields) {
      if (holds_functions(field)) return true;
    }
  }
  if (const auto* sum = as<SumShape>(type->node)) {
    for (const ConstructorShape& constructor : sum->constructors) {
      for (const TypeRef part : constructor.payload) {
        if (holds_functions(part)) return true;
      }
    }
  }
  return std::holds_alternative<FunctionShape>(type->node);
}

ValueRef Elaborator::evaluate_construct(const ast::Exp* exp, const ast::Construct& node,
                                        Frame* frame) {
  std::vector<ValueRef> payload;
  for (const ast::Exp* argument : node.arguments) payload.push_back(evaluate(argument, frame));
  const OpenType open = open_type(exp->type, frame, {});
  const auto& shape = std::get<SumShape>(open.type->node);
  if (holds_functions(open.type)) {
    return arena.value(StaticSum{node.constructor.symbol, std::move(payload)});
  }
  std::size_t tag = 0;
  while (shape.constructors[tag].name != node.constructor.symbol) ++tag;
  ir::Substitution sizes;
  for (std::size_t i = 0; i < payload.size(); ++i) {
    find_sizes(open, shape.constructors[tag].payload[i], arena.type_of(payload[i]), sizes);
  }
  for (const ir::NameId size : open.sizes) sizes.try_emplace(size, ir::i64_operand(0));
  const TypeRef type = substitute(open.type, sizes);
  const auto& closed = std::get<SumShape>(type->node);

  std::vector<ir::Operand> given;
  for (const ValueRef part : payload) append_leaves(part, given);
  std::vector<const ir::Operand*> slots(closed.slot_types.size(), nullptr);
  for (std::size_t i = 0; i < given.size(); ++i) {
    slots[closed.constructors[tag].slots[i]] = &given[i];
  }
  LeafValue result{type, {ir::make_integer(ir::ScalarType::i8, static_cast<std::int64_t>(tag))}};
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const ir::Type& slot = closed.slot_types[i];
    const ir::Operand zero = ir::zero_of(slot.element);
    if (slots[i] != nullptr) {
      result.leaves.push_back(*slots[i]);
    } else if (slot.is_scalar()) {
      result.leaves.push_back(zero);
    } else {
      result.leaves.push_back(emit_one(ir::Replicate{slot.shape, zero}));
    }
  }
  return arena.value(std::move(result));
}

// ---------------------------------------------------------------- attributes

// Of `#[stripmine(k)]`: k·ᵏ√n shrinks little beyond, whatever n, while the code grows with k².
static constexpr std::int64_t most_strip_mining = 12;

static std::int64_t attribute_number(const ast::Attribute& attribute) {
  if (attribute.arguments.empty()) return 0;
  return attribute.arguments.front().number;
}

// `#[blank] e` and `#[scratch] e`: any value of the type will do, so `e` is not evaluated where its
// type says all sizes.
ValueRef Elaborator::evaluate_blank(const ast::Exp* exp, Frame* frame) {
  const TypeRef type = try_evaluate_type(exp->type, frame);
  return type != nullptr && is_data(type) ? blank(type) : evaluate(exp, frame);
}

/// A value whose arrays are memory that nothing was written to.
static ValueRef unwritten(Elaborator& e, TypeRef type) {
  std::vector<ir::Operand> leaves;
  for (const ir::Type& leaf : leaf_types(type)) {
    leaves.push_back(leaf.is_scalar()
                         ? ir::zero_of(leaf.element)
                         : ir::Operand(e.emit_one(ir::Scratch{leaf.element, leaf.shape})));
  }
  return e.arena.from_leaves(type, leaves.data());
}

std::optional<Inlining> inlining_named(std::string_view attribute) {
  if (attribute == "inline") return Inlining::always;
  if (attribute == "noinline") return Inlining::never;
  return std::nullopt;
}

ValueRef Elaborator::evaluate_attributed(const ast::Attributed& node, Frame* frame) {
  const Temporarily<Request> with_request(request, request);
  const Temporarily<bool> with_safety(is_unsafe, is_unsafe);
  const Temporarily<Range> with_watch(watched, watched);
  const ast::Attribute& attribute = node.attribute;
  const std::string_view name =
      attribute.name.valid() ? symbols.text(attribute.name) : std::string_view();
  const Temporarily<Inlining> with_inlining(inlining, inlining_named(name).value_or(inlining));
  if (name == "unsafe") is_unsafe = !ignores_unsafe;
  if (name == "sequential" || name == "sequential_outer") request.sequential = true;
  if (name == "forward") request.mode = ir::ModeRequest::forward;
  if (name == "reverse") request.mode = ir::ModeRequest::reverse;
  if (name == "unroll") request.unroll = true;
  if (name == "warn" && attribute.arguments.size() == 1 &&
      attribute.arguments[0].name.valid() &&
      symbols.text(attribute.arguments[0].name) == "safety_checks") {
    watched = node.value->range;
  }
  if (name == "stripmine") {
    request.stripmine = static_cast<int>(std::min(attribute_number(attribute), most_strip_mining));
  }
  if (name == "keep") request.stripmine = -1;
  if (name == "bound" && attribute.arguments.size() == 1) {
    request.bound = node.argument == nullptr ? ir::i64_operand(attribute_number(attribute))
                                             : leaves_of(evaluate(node.argument, frame)).front();
  }
  if (name == "blank") return evaluate_blank(node.value, frame);
  if (name == "scratch") {
    const TypeRef type = try_evaluate_type(node.value->type, frame);
    return type != nullptr && is_data(type) ? unwritten(*this, type) : evaluate(node.value, frame);
  }
  if (name == "param" && attribute.arguments.size() == 1 && attribute.arguments[0].name.valid()) {
    const std::string parameter(symbols.text(attribute.arguments[0].name));
    return constants.tuning_parameter(parameter, node.value, frame);
  }
  const ValueRef value = evaluate(node.value, frame);
  if (name == "trace") trace_attributed(*this, node, value);
  return value;
}

// ---------------------------------------------------------------- dispatch

ValueRef Elaborator::evaluate_variable(const ast::Variable& node, Frame* frame) {
  const check::Binding& binding = program.bindings[node.id];
  if (binding.intrinsic) {
    const std::string_view name = symbols.text(binding.name);
    const Intrinsic* intrinsic = find_array_intrinsic(name);
    if (intrinsic == nullptr) intrinsic = find_scalar_intrinsic(name);
    if (intrinsic == nullptr) {
      unsupported(range, "the intrinsic `" + std::string(name) + "` is not supported");
    }
    return arena.value(IntrinsicValue{intrinsic, {node.instance, frame}});
  }
  const ValueRef value = frame->find(node.id);
  if (value == nullptr) throw UnknownSize{range};
  return instantiate(value, node.instance, frame);
}

namespace {

/// Binds what a let expression binds and gives its body; null if `exp` is no let.
const ast::Exp* enter_let(Elaborator& elaborator, const ast::Exp* exp, Frame* frame) {
  if (const auto* let = as<ast::Let>(exp->node)) {
    std::string hint = elaborator.hint;
    const ast::Pattern* pattern = let->pattern;
    while (const auto* ascribed = as<ast::AscribedPattern>(pattern->node)) {
      pattern = ascribed->pattern;
    }
    if (const auto* named = as<ast::NamePattern>(pattern->node)) {
      hint = elaborator.symbols.text(named->name.symbol);
    }
    const Temporarily<std::string> hinted(elaborator.hint, std::move(hint));
    const Temporarily<Request> cleared(elaborator.request, Request{});
    const ValueRef value = elaborator.evaluate(let->value, frame);
    if (!let->sizes.empty()) {
      std::vector<BindingId> sizes;
      for (const ast::TypeParameter& size : let->sizes) sizes.push_back(size.size_id);
      elaborator.bind_sizes(let->pattern->type, elaborator.arena.type_of(value), frame, sizes);
    }
    elaborator.bind_pattern(let->pattern, value, frame);
    return let->body;
  }
  if (const auto* let = as<ast::LetFunction>(exp->node)) {
    frame->values[let->id] = elaborator.evaluate_let_function(*let, frame);
    return let->body;
  }
  if (const auto* open = as<ast::LocalOpen>(exp->node)) return open->body;
  return nullptr;
}

}  // namespace

ValueRef Elaborator::evaluate(const ast::Exp* exp, Frame* frame) {
  // Let chains are long; they are walked, not recursed into.
  std::vector<const ast::Exp*> with_sizes;
  const ast::Exp* current = exp;
  for (;;) {
    if (!current->existentials.empty()) with_sizes.push_back(current);
    const ast::Exp* body = enter_let(*this, current, frame);
    if (body == nullptr) break;
    current = body;
  }
  const ValueRef value = evaluate_node(current, frame);
  for (std::size_t i = with_sizes.size(); i-- > 0;) {
    bind_sizes(with_sizes[i]->type, arena.type_of(value), frame, with_sizes[i]->existentials);
  }
  return value;
}

ValueRef Elaborator::evaluate_node(const ast::Exp* exp, Frame* frame) {
  const auto tail_of = [](const ast::Exp*) -> ValueRef { DZ_UNREACHABLE("lets are entered"); };
  return match(
      exp->node,
      [&](const ast::IntegerLiteral& e) { return integer_literal(*this, exp, e, frame); },
      [&](const ast::FloatLiteral& e) { return float_literal(*this, exp, e, frame); },
      [&](const ast::BoolLiteral& e) { return bool_value(ir::make_bool(e.value)); },
      [&](const ast::StringLiteral& e) { return string_literal(*this, e); },
      [&](const ast::Hole&) { return evaluate_hole(exp->type, frame, exp->range); },
      [&](const ast::Variable& e) { return evaluate_variable(e, frame); },
      [&](const ast::LocalOpen&) { return tail_of(exp); },
      [&](const ast::Tuple& e) { return evaluate_tuple(e, frame); },
      [&](const ast::Record& e) { return evaluate_record(exp, e, frame); },
      [&](const ast::Project& e) {
        return project(evaluate(e.record, frame), e.field.symbol, exp->range);
      },
      [&](const ast::ArrayLiteral& e) { return evaluate_array_literal(exp, e, frame); },
      [&](const ast::Index& e) { return evaluate_index(exp, e, frame); },
      [&](const ast::Update& e) { return evaluate_update(exp, e, frame); },
      [&](const ast::RangeExp& e) { return evaluate_range(exp, e, frame); },
      [&](const ast::Ascription& e) { return evaluate(e.value, frame); },
      [&](const ast::Coercion& e) { return evaluate_coercion(exp, e, frame); },
      [&](const ast::Apply& e) { return evaluate_apply(exp, e, frame); },
      [&](const ast::Binary& e) { return evaluate_binary(exp, e, frame); },
      [&](const ast::Logical& e) { return evaluate_logical(exp, e, frame); },
      [&](const ast::Negate& e) { return evaluate_negation(exp, evaluate(e.value, frame)); },
      [&](const ast::Not& e) { return evaluate_not(evaluate(e.value, frame)); },
      [&](const ast::Lambda& e) { return evaluate_lambda(exp, e, frame); },
      [&](const ast::OperatorSection& e) { return evaluate(e.operation, frame); },
      [&](const ast::LeftSection& e) { return evaluate_section(e, frame, exp->range); },
      [&](const ast::RightSection& e) {
        const ValueRef operation = evaluate(e.operation, frame);
        return arena.value(RightSectionValue{operation, evaluate(e.right, frame)});
      },
      [&](const ast::PathSection&) { return arena.value(PathFunction{exp, frame}); },
      [&](const ast::Let&) { return tail_of(exp); },
      [&](const ast::LetFunction&) { return tail_of(exp); },
      [&](const ast::If&) { return evaluate_if(exp, frame); },
      [&](const ast::Match& e) { return evaluate_match(exp, e, frame); },
      [&](const ast::Loop& e) { return evaluate_loop(exp, e, frame); },
      [&](const ast::Construct& e) { return evaluate_construct(exp, e, frame); },
      [&](const ast::Assert& e) { return evaluate_assert(exp, e, frame); },
      [&](const ast::Attributed& e) { return evaluate_attributed(e, frame); },
      [&](const ast::Broadcast& e) { return evaluate_broadcast(exp, e, frame); });
}

ValueRef Elaborator::evaluate_tuple(const ast::Tuple& node, Frame* frame) {
  std::vector<ValueRef> elements;
  for (const ast::Exp* element : node.elements) elements.push_back(evaluate(element, frame));
  return tuple(std::move(elements));
}

ValueRef Elaborator::evaluate_section(const ast::LeftSection& node, Frame* frame,
                                      const Range& where) {
  const ValueRef operation = evaluate(node.operation, frame);
  return apply(operation, {evaluate(node.left, frame)}, where);
}

ValueRef Elaborator::evaluate_record(const ast::Exp* exp, const ast::Record& node, Frame* frame) {
  RecordValue written;
  for (const auto& [name, value] : node.fields) {
    written.fields.emplace_back(name.symbol, evaluate(value, frame));
  }
  // The fields are kept in the order of the type.
  const auto* type = as<check::Record>(exp->type->node);
  if (type == nullptr) return arena.value(std::move(written));
  RecordValue sorted;
  for (const auto& [name, ignored] : type->fields) {
    for (const auto& field : written.fields) {
      if (field.first == name) sorted.fields.push_back(field);
    }
  }
  return arena.value(std::move(sorted));
}

ValueRef Elaborator::evaluate_apply(const ast::Exp* exp, const ast::Apply& node, Frame* frame) {
  std::vector<ValueRef> arguments;
  ValueRef function = nullptr;
  {
    const Temporarily<Request> cleared(request, Request{});
    function = evaluate(node.function, frame);
    for (const ast::Exp* argument : node.arguments) arguments.push_back(evaluate(argument, frame));
  }
  return apply(function, std::move(arguments), exp->range);
}

ValueRef Elaborator::evaluate_binary(const ast::Exp* exp, const ast::Binary& node, Frame* frame) {
  // `a + b + c + …` leans to the left and may be long: operands are collected on the way down.
  struct Pending {
    const ast::Exp* exp;
    const ast::Binary* node;
  };
  std::vector<Pending> chain{{exp, &node}};
  const Temporarily<Request> outer(request, request);
  while (true) {
    const ast::Exp* left = chain.back().node->left;
    const auto* deeper = as<ast::Binary>(left->node);
    if (deeper == nullptr || !left->existentials.empty()) break;
    chain.push_back({left, deeper});
  }
  ValueRef value = nullptr;
  {
    const Temporarily<Request> cleared(request, Request{});
    value = evaluate(chain.back().node->left, frame);
  }
  for (std::size_t i = chain.size(); i-- > 0;) {
    const ast::Binary& binary = *chain[i].node;
    ValueRef operation = nullptr;
    ValueRef right = nullptr;
    {
      const Temporarily<Request> cleared(request, Request{});
      operation = evaluate(binary.operation, frame);
      right = evaluate(binary.right, frame);
    }
    // Where this fails is said of the operator and what is right of it, which tells the steps of
    // a chain apart.
    Range failing = chain[i].exp->range;
    failing.begin = binary.operation->range.begin;
    value = apply(operation, {value, right}, failing);
  }
  return value;
}

}  // namespace dagaz::elaborate
