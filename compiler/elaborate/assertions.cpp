// Size coercions, assertions and holes: expressions that may end the program.
#include "elaborate/elaborator.h"

namespace dagaz::elaborate {

namespace {

/// The text of a type in messages, a {} for each size.
void type_text(const NameTable& symbols, TypeRef type, std::string& text,
               std::vector<ir::Operand>& sizes) {
  static constexpr std::string_view primitives[] = {"bool", "i8",  "i16", "i32", "i64", "u8",
                                                    "u16",  "u32", "u64", "f16", "f32", "f64"};
  match(
      type->node,
      [&](const ScalarShape& t) { text += primitives[static_cast<std::size_t>(t.primitive)]; },
      [&](const ArrayShape& t) {
        text += "[{}]";
        sizes.push_back(t.size);
        type_text(symbols, t.element, text, sizes);
      },
      [&](const RecordShape& t) {
        text += "(";
        for (std::size_t i = 0; i < t.fields.size(); ++i) {
          if (i > 0) text += ", ";
          type_text(symbols, t.fields[i].second, text, sizes);
        }
        text += ")";
      },
      [&](const SumShape& t) {
        for (std::size_t i = 0; i < t.constructors.size(); ++i) {
          if (i > 0) text += " | ";
          text += "#" + std::string(symbols.text(t.constructors[i].name));
          for (const TypeRef part : t.constructors[i].payload) {
            text += " ";
            type_text(symbols, part, text, sizes);
          }
        }
      },
      [&](const AccumulatorShape& t) {
        text += "acc ";
        type_text(symbols, t.array, text, sizes);
      },
      [&](const FunctionShape&) { text += "function"; });
}

/// All sizes of a type in order.
void sizes_in(TypeRef type, std::vector<ir::Operand>& out) {
  match(
      type->node, [](const ScalarShape&) {},
      [&](const ArrayShape& t) {
        out.push_back(t.size);
        sizes_in(t.element, out);
      },
      [&](const RecordShape& t) {
        for (const auto& [name, field] : t.fields) sizes_in(field, out);
      },
      [&](const SumShape& t) {
        for (const ConstructorShape& constructor : t.constructors) {
          for (const TypeRef part : constructor.payload) sizes_in(part, out);
        }
      },
      [&](const AccumulatorShape& t) { sizes_in(t.array, out); }, [](const FunctionShape&) {});
}

}  // namespace

ValueRef Elaborator::evaluate_coercion(const ast::Exp* exp, const ast::Coercion& node,
                                       Frame* frame) {
  const ValueRef value = evaluate(node.value, frame);
  const At at(*this, exp->range);
  const OpenType open = open_type(exp->type, frame, exp->existentials);
  const TypeRef actual = arena.type_of(value);
  ir::Substitution sizes;
  find_sizes(open, open.type, actual, sizes);
  return shaped_as(value, substitute(open.type, sizes));
}

ValueRef Elaborator::shaped_as(ValueRef value, TypeRef type) {
  const TypeRef actual = arena.type_of(value);
  std::vector<ir::Operand> have, want;
  sizes_in(actual, have);
  sizes_in(type, want);
  ir::Operand equal = ir::make_bool(true);
  for (std::size_t i = 0; i < have.size(); ++i) {
    equal = logical_and(equal, compare_i64(ir::ScalarOp::eq, have[i], want[i]));
  }
  if (equal.is_constant() && equal.constant().bits != 0) return value;
  std::string message = "Value of (desugared) shape ";
  std::vector<ir::Operand> arguments;
  for (const ir::Operand& size : have) {
    message += "[{}]";
    arguments.push_back(size);
  }
  message += " cannot match shape of type \"";
  type_text(symbols, type, message, arguments);
  message += "\".";
  // A wrong size makes every later access wrong, so this check stays even under #[unsafe].
  const ir::NameId token = assert_that(equal, std::move(message), std::move(arguments));
  return reshape_to(value, type, token);
}

ValueRef Elaborator::guarded_by(ir::NameId token, ValueRef value) {
  if (const auto* record = as<RecordValue>(value->node)) {
    RecordValue result;
    for (const auto& [name, field] : record->fields) {
      result.fields.emplace_back(name, guarded_by(token, field));
    }
    return arena.value(std::move(result));
  }
  const auto* leaf = as<LeafValue>(value->node);
  if (leaf == nullptr) return arena.value(GuardedFunction{value, token});
  const Guarded guarded(*this, token);
  LeafValue result{leaf->type, {}};
  for (const ir::Operand& operand : leaf->leaves) {
    result.leaves.push_back(emit_one(ir::Identity{operand}));
  }
  return arena.value(std::move(result));
}

ValueRef Elaborator::evaluate_assert(const ast::Exp* exp, const ast::Assert& node,
                                     Frame* frame) {
  const At at(*this, exp->range);
  const ir::Operand condition = evaluate_operand(node.condition, frame);
  std::string message = "Assertion is false: ";
  for (const char c : files.text(node.condition->range)) {
    if (c == '}' && message.back() == '{') message += ' ';
    message += c;
  }
  const std::optional<ir::NameId> token = check(condition, std::move(message));
  const Guarded guarded(*this, token);
  const ValueRef value = evaluate(node.value, frame);
  return token.has_value() ? guarded_by(*token, value) : value;
}

ValueRef Elaborator::evaluate_hole(const check::Type* type, Frame* frame, const Range& where) {
  const At at(*this, where);
  Frame* inner = frame;
  TypeRef known = nullptr;
  const check::Type* resolved = resolve_named(type, inner, known);
  if (known == nullptr) {
    if (std::holds_alternative<check::Arrow>(resolved->node)) {
      return arena.value(HoleFunction{resolved, inner, where});
    }
    if (const auto* record = as<check::Record>(resolved->node)) {
      RecordValue fields;
      for (const auto& [name, field] : record->fields) {
        fields.fields.emplace_back(name, evaluate_hole(field, inner, where));
      }
      if (!fields.fields.empty()) return arena.value(std::move(fields));
    }
  }
  const TypeRef shape = evaluate_type_or_empty(type, frame);
  std::string message = "Reached hole of type: ";
  std::vector<ir::Operand> sizes;
  type_text(symbols, shape, message, sizes);
  return guarded_by(assert_that(ir::make_bool(false), std::move(message), sizes), blank(shape));
}

}  // namespace dagaz::elaborate
