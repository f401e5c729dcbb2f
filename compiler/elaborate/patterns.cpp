// Patterns, && and ||.
#include "elaborate/elaborator.h"

namespace dagaz::elaborate {

// ---------------------------------------------------------------- binding

ValueRef Elaborator::constructor_payload(const LeafValue& sum, std::size_t constructor,
                                         std::size_t index) {
  const auto& shape = std::get<SumShape>(sum.type->node).constructors[constructor];
  std::size_t first = 0;
  for (std::size_t i = 0; i < index; ++i) first += shape.payload[i]->leaf_count;
  const TypeRef type = shape.payload[index];
  std::vector<ir::Operand> leaves;
  for (std::size_t i = 0; i < type->leaf_count; ++i) {
    leaves.push_back(sum.leaves[1 + shape.slots[first + i]]);
  }
  return arena.from_leaves(type, leaves.data());
}

static std::size_t constructor_index(const LeafValue& sum, Symbol name) {
  const auto& constructors = std::get<SumShape>(sum.type->node).constructors;
  for (std::size_t i = 0; i < constructors.size(); ++i) {
    if (constructors[i].name == name) return i;
  }
  DZ_UNREACHABLE("the checker saw the constructor");
}

// What a tuple or record pattern binds to the field at `index`, called `name`; null for nothing.
static const ast::Pattern* part_of(const ast::Pattern* pattern, std::size_t index, Symbol name) {
  if (const auto* tuple = as<ast::TuplePattern>(pattern->node)) {
    return index < tuple->elements.size() ? tuple->elements[index] : nullptr;
  }
  if (const auto* record = as<ast::RecordPattern>(pattern->node)) {
    for (const auto& [field, part] : record->fields) {
      if (field.symbol == name) return part;
    }
  }
  return nullptr;
}

void Elaborator::bind_pattern(const ast::Pattern* pattern, ValueRef value, Frame* frame) {
  match(
      pattern->node, [&](const ast::NamePattern& p) { frame->values[p.id] = value; },
      [](const ast::WildcardPattern&) {},
      [&](const ast::TuplePattern& p) {
        const auto* record = as<RecordValue>(value->node);
        for (std::size_t i = 0; i < p.elements.size(); ++i) {
          DZ_CHECK(record != nullptr && i < record->fields.size(), "a tuple matches a tuple");
          bind_pattern(p.elements[i], record->fields[i].second, frame);
        }
      },
      [&](const ast::RecordPattern& p) {
        for (const auto& [name, field] : p.fields) {
          bind_pattern(field, project(value, name.symbol, pattern->range), frame);
        }
      },
      [&](const ast::ConstructorPattern& p) {
        if (const auto* known = as<StaticSum>(value->node)) {
          for (std::size_t i = 0; i < p.arguments.size(); ++i) {
            bind_pattern(p.arguments[i], known->payload[i], frame);
          }
          return;
        }
        const LeafValue& sum = leaf_of(value);
        const std::size_t tag = constructor_index(sum, p.constructor.symbol);
        for (std::size_t i = 0; i < p.arguments.size(); ++i) {
          bind_pattern(p.arguments[i], constructor_payload(sum, tag, i), frame);
        }
      },
      [](const ast::LiteralPattern&) {},
      [&](const ast::AscribedPattern& p) { bind_pattern(p.pattern, value, frame); },
      [&](const ast::AttributePattern& p) { bind_pattern(p.pattern, value, frame); });
}

// ---------------------------------------------------------------- naming

std::vector<ir::NameId> Elaborator::fresh_for(const ast::Pattern* pattern, TypeRef type) {
  if (pattern == nullptr) return fresh(leaf_types(type));
  if (const auto* ascribed = as<ast::AscribedPattern>(pattern->node)) {
    return fresh_for(ascribed->pattern, type);
  }
  if (const auto* attribute = as<ast::AttributePattern>(pattern->node)) {
    return fresh_for(attribute->pattern, type);
  }
  if (const auto* named = as<ast::NamePattern>(pattern->node)) {
    const Temporarily<std::string> base(hint, std::string(symbols.text(named->name.symbol)));
    return fresh(leaf_types(type));
  }
  const auto* record = as<RecordShape>(type->node);
  if (record == nullptr) return fresh(leaf_types(type));
  std::vector<ir::NameId> leaves;
  for (std::size_t i = 0; i < record->fields.size(); ++i) {
    const auto& [name, field] = record->fields[i];
    const std::vector<ir::NameId> part = fresh_for(part_of(pattern, i, name), field);
    leaves.insert(leaves.end(), part.begin(), part.end());
  }
  return leaves;
}

namespace {

/// A parameter of another function.
struct Parameter {
  ValueRef function;
  std::size_t index;
};

/// What a lambda hands a parameter to where it does nothing but call: a is the first of f in
/// `\(a, b) -> f a b`.
std::optional<Parameter> handed_on(ValueRef function, BindingId parameter) {
  const auto* lambda = as<Closure>(function->node);
  if (lambda == nullptr || lambda->type == nullptr) return std::nullopt;
  const auto* call = as<ast::Apply>(lambda->function->body->node);
  const auto* called = call == nullptr ? nullptr : as<ast::Variable>(call->function->node);
  const ValueRef value = called == nullptr ? nullptr : lambda->frame->find(called->id);
  if (value == nullptr) return std::nullopt;
  for (std::size_t i = 0; i < call->arguments.size(); ++i) {
    const auto* argument = as<ast::Variable>(call->arguments[i]->node);
    if (argument != nullptr && argument->id == parameter) return Parameter{value, i};
  }
  return std::nullopt;
}

/// Adds base names for the leaves of what `pattern`, of a parameter of `function`, is bound to.
void add_hints(Elaborator& e, ValueRef function, const ast::Pattern* pattern, TypeRef type,
               std::vector<std::string>& hints) {
  if (const auto* ascribed = as<ast::AscribedPattern>(pattern->node)) {
    add_hints(e, function, ascribed->pattern, type, hints);
    return;
  }
  if (const auto* attribute = as<ast::AttributePattern>(pattern->node)) {
    add_hints(e, function, attribute->pattern, type, hints);
    return;
  }
  if (const auto* named = as<ast::NamePattern>(pattern->node)) {
    const auto next = handed_on(function, named->id);
    const ast::Pattern* other =
        next ? e.parameter_pattern(next->function, next->index) : nullptr;
    if (other != nullptr) {
      add_hints(e, next->function, other, type, hints);
    } else {
      hints.insert(hints.end(), type->leaf_count, std::string(e.symbols.text(named->name.symbol)));
    }
    return;
  }
  while (const auto* array = as<ArrayShape>(type->node)) type = array->element;
  const auto* record = as<RecordShape>(type->node);
  for (std::size_t i = 0; record != nullptr && i < record->fields.size(); ++i) {
    const auto& [name, field] = record->fields[i];
    const ast::Pattern* part = part_of(pattern, i, name);
    if (part != nullptr) {
      add_hints(e, function, part, field, hints);
    } else {
      hints.insert(hints.end(), field->leaf_count, e.hint);
    }
  }
  if (record == nullptr) hints.insert(hints.end(), type->leaf_count, e.hint);
}

}  // namespace

std::vector<std::string> Elaborator::parameter_hints(ValueRef function, std::size_t index,
                                                     TypeRef type) {
  std::vector<std::string> hints;
  const ast::Pattern* pattern = parameter_pattern(function, index);
  const Temporarily<std::string> unnamed(hint, "x");
  if (pattern == nullptr) return std::vector<std::string>(type->leaf_count, hint);
  add_hints(*this, function, pattern, type, hints);
  return hints;
}

// ---------------------------------------------------------------- testing

/// The constant that a literal in a pattern stands for.
static ir::Constant literal_constant(const ast::Exp* exp, ir::ScalarType type) {
  if (const auto* negated = as<ast::Negate>(exp->node)) {
    const ir::Constant value = literal_constant(negated->value, type);
    return ir::evaluate(ir::ScalarOp::neg, type, type, {&value, 1}).value_or(value);
  }
  if (const auto* boolean = as<ast::BoolLiteral>(exp->node)) return ir::make_bool(boolean->value);
  if (const auto* real = as<ast::FloatLiteral>(exp->node)) return ir::make_float(type, real->value);
  const auto* integer = as<ast::IntegerLiteral>(exp->node);
  DZ_CHECK(integer != nullptr, "a literal pattern holds a literal");
  if (ir::is_float(type)) return ir::make_float(type, static_cast<double>(integer->value));
  return ir::make_integer(type, static_cast<std::int64_t>(integer->value));
}

ir::Operand Elaborator::test_pattern(const ast::Pattern* pattern, ValueRef value, Frame* frame) {
  const ir::Operand always = ir::make_bool(true);
  return match(
      pattern->node, [&](const ast::NamePattern&) { return always; },
      [&](const ast::WildcardPattern&) { return always; },
      [&](const ast::TuplePattern& p) {
        const auto* record = as<RecordValue>(value->node);
        ir::Operand all = always;
        for (std::size_t i = 0; i < p.elements.size(); ++i) {
          all = logical_and(all, test_pattern(p.elements[i], record->fields[i].second, frame));
        }
        return all;
      },
      [&](const ast::RecordPattern& p) {
        ir::Operand all = always;
        for (const auto& [name, field] : p.fields) {
          const ValueRef part = project(value, name.symbol, pattern->range);
          all = logical_and(all, test_pattern(field, part, frame));
        }
        return all;
      },
      [&](const ast::ConstructorPattern& p) {
        if (const auto* known = as<StaticSum>(value->node)) {
          ir::Operand same = ir::make_bool(known->constructor == p.constructor.symbol);
          if (same != always) return same;
          for (std::size_t i = 0; i < p.arguments.size(); ++i) {
            same = logical_and(same, test_pattern(p.arguments[i], known->payload[i], frame));
          }
          return same;
        }
        const LeafValue& sum = leaf_of(value);
        const std::size_t tag = constructor_index(sum, p.constructor.symbol);
        const ir::Operand wanted =
            ir::make_integer(ir::ScalarType::i8, static_cast<std::int64_t>(tag));
        ir::Operand all =
            scalar(ir::ScalarOp::eq, ir::ScalarType::i8, {sum.leaves.front(), wanted});
        for (std::size_t i = 0; i < p.arguments.size(); ++i) {
          const ValueRef part = constructor_payload(sum, tag, i);
          all = logical_and(all, test_pattern(p.arguments[i], part, frame));
        }
        return all;
      },
      [&](const ast::LiteralPattern& p) {
        const ir::ScalarType type = scalar_type(primitive_of(value));
        return scalar(ir::ScalarOp::eq, type,
                      {scalar_of(value), literal_constant(p.literal, type)});
      },
      [&](const ast::AscribedPattern& p) { return test_pattern(p.pattern, value, frame); },
      [&](const ast::AttributePattern& p) { return test_pattern(p.pattern, value, frame); });
}

// ---------------------------------------------------------------- && and ||

/// Whether evaluating the body always is cheaper than choosing whether to evaluate it.
static bool is_cheap_and_safe(const ir::Body& body) {
  constexpr std::size_t limit = 16;
  if (body.statements.size() > limit) return false;
  for (const ir::Statement& statement : body.statements) {
    if (!std::holds_alternative<ir::Scalar>(statement.operation)) return false;
    if (!statement.tokens.empty()) return false;
  }
  return true;
}

ValueRef Elaborator::evaluate_logical(const ast::Exp* exp, const ast::Logical& node,
                                      Frame* frame) {
  const bool is_and = node.kind == ast::ShortCircuit::logical_and;
  const ir::Operand left = evaluate_operand(node.left, frame);
  if (left.is_constant()) {
    const bool decided = (left.constant().bits != 0) != is_and;
    return decided ? bool_value(left) : evaluate(node.right, frame);
  }
  const At at(*this, exp->range);
  ir::Body right = nested_body([&] {
    return std::vector<ir::Operand>{evaluate_operand(node.right, frame)};
  });
  if (is_cheap_and_safe(right)) {
    const ir::Operand value = right.results.front();
    out->add_all(std::move(right.statements));
    return bool_value(is_and ? logical_and(left, value) : logical_or(left, value));
  }
  ir::Body decided{{}, {ir::make_bool(!is_and)}};
  ir::Branch branch{left, {}, {}, {ir::scalar_of(ir::ScalarType::boolean)}};
  branch.then_body = is_and ? std::move(right) : decided;
  branch.else_body = is_and ? std::move(decided) : std::move(right);
  return bool_value(emit_one(std::move(branch)));
}

}  // namespace dagaz::elaborate
