// Expressions, without sizes.  See infer.h.
#include <algorithm>
#include <utility>

#include "check/attributes.h"
#include "check/expression_walk.h"
#include "check/infer.h"
#include "check/type_builder.h"
#include "support/edits.h"
#include "support/match.h"
#include "support/suggest_spelling.h"

namespace dagaz::check {

constexpr PrimitiveSet signed_integers =
    primitive_bit(Primitive::i8) | primitive_bit(Primitive::i16) | primitive_bit(Primitive::i32) |
    primitive_bit(Primitive::i64);
constexpr PrimitiveSet integers =
    signed_integers | primitive_bit(Primitive::u8) | primitive_bit(Primitive::u16) |
    primitive_bit(Primitive::u32) | primitive_bit(Primitive::u64);
constexpr PrimitiveSet floats =
    primitive_bit(Primitive::f16) | primitive_bit(Primitive::f32) | primitive_bit(Primitive::f64);
constexpr PrimitiveSet numbers = integers | floats;
constexpr PrimitiveSet boolean_set = primitive_bit(Primitive::boolean);

Inference::Inference(Context& context, Scope& scope)
    : context_(context),
      scope_(scope),
      solver_(context),
      type_expressions_(context, scope, *this, TypeExpressions::Pass::resolve_names) {}

Diagnostic& Inference::error(DiagnosticKind kind, const Range& range, std::string message) {
  if (kind_severity(kind) == Severity::error) mark_broken();
  return context_.diagnostics.report(kind, range, std::move(message));
}

void Inference::hint_at_constructors(Diagnostic& d, const Type* actual, const Type* expected) {
  const auto* sum = as<Sum>(solver_.head(expected)->node);
  const auto written = solver_.only_constructor(actual);
  if (sum == nullptr || !written) return;
  Spelling similar(context_.text(written->symbol));
  for (const auto& [name, payload] : sum->constructors) similar.consider(context_.text(name));
  suggest_spelling(d, written->range, similar);
}

void Inference::hint_at_fields(Diagnostic& d, const Type* record, const ast::Name& field) {
  const auto* known = as<Record>(solver_.head(record)->node);
  if (known == nullptr) return;
  Spelling similar(context_.text(field.symbol));
  for (const auto& [name, type] : known->fields) similar.consider(context_.text(name));
  suggest_spelling(d, field.range, similar);
}

void Inference::explain(Diagnostic& d, const Type* actual, const Type* expected,
                        bool of_operator) {
  if (!solver_.failure().empty()) d.hints.push_back(solver_.failure());
  hint_at_constructors(d, actual, expected);
  const auto* from = as<PrimitiveType>(solver_.head(actual)->node);
  const auto* to = as<PrimitiveType>(solver_.head(expected)->node);
  if (to != nullptr && !of_operator && as<Array>(solver_.head(actual)->node)) {
    d.hints.emplace_back("`map` applies a function to each element of an array");
  }
  if (from == nullptr || to == nullptr) return;
  const std::string conversion = std::string(primitive_name(to->primitive)) + "." +
                                 std::string(primitive_name(from->primitive));
  d.hints.emplace_back("numbers are never converted silently; `" + conversion + " …` converts one",
                       around(d.range, "(" + conversion + " (", "))"), Applicability::possible);
}

bool Inference::expect(const Type* actual, const Type* expected, const Range& range,
                       std::string what) {
  if (solver_.equate(actual, expected)) return true;
  Diagnostic& d = error(DiagnosticKind::type_mismatch, range,
                        what + " has type `" + text(actual) + "`, but `" + text(expected) +
                            "` is expected");
  explain(d, actual, expected);
  return false;
}

void Inference::require(ast::Exp& exp, PrimitiveSet allowed, const char* use) {
  const Type* type = infer(exp);
  if (solver_.equate(type, solver_.fresh_primitive(exp.range, allowed))) return;
  error(DiagnosticKind::type_mismatch, exp.range,
        std::string(use) + " cannot be of type `" + text(type) + "`");
}

void Inference::require_type(ast::Exp& exp, const Type* type, const char* use) {
  const Type* actual = infer(exp);
  expect(actual, type, exp.range, use);
}

const Type* Inference::array_of_rank(std::size_t rank, const Type* element) {
  for (std::size_t i = 0; i < rank; ++i) {
    element = context_.types.array(context_.types.any(), element);
  }
  return element;
}

const Type* Inference::infer(ast::Exp& exp) {
  const ast::Exp* outer = std::exchange(current_, &exp);
  const std::size_t errors = context_.diagnostics.error_count();
  const std::size_t broken = broken_.size();
  const bool is_chain = as<ast::Let>(exp.node) || as<ast::LetFunction>(exp.node);
  exp.type = is_chain ? infer_lets(exp) : infer_node(exp);
  if (context_.diagnostics.error_count() > errors && broken_.size() == broken) {
    broken_.insert(&exp);
  }
  current_ = outer;
  return exp.type;
}

/// The type that a literal's suffix says, or nothing.
static std::optional<Primitive> suffix_type(ast::LiteralSuffix suffix) {
  switch (suffix) {
    case ast::LiteralSuffix::none: return std::nullopt;
    case ast::LiteralSuffix::i8: return Primitive::i8;
    case ast::LiteralSuffix::i16: return Primitive::i16;
    case ast::LiteralSuffix::i32: return Primitive::i32;
    case ast::LiteralSuffix::i64: return Primitive::i64;
    case ast::LiteralSuffix::u8: return Primitive::u8;
    case ast::LiteralSuffix::u16: return Primitive::u16;
    case ast::LiteralSuffix::u32: return Primitive::u32;
    case ast::LiteralSuffix::u64: return Primitive::u64;
    case ast::LiteralSuffix::f16: return Primitive::f16;
    case ast::LiteralSuffix::f32: return Primitive::f32;
    case ast::LiteralSuffix::f64: return Primitive::f64;
  }
  return std::nullopt;
}

const Type* Inference::infer_literal(ast::LiteralSuffix suffix, PrimitiveSet allowed,
                                     const Range& range) {
  if (const auto primitive = suffix_type(suffix)) return context_.types.primitive(*primitive);
  return solver_.fresh_primitive(range, allowed);
}

const Type* Inference::infer_hole(const Range& range) {
  const Type* type = solver_.fresh(range);
  holes_.push_back({range, type});
  return type;
}

std::vector<const Type*> Inference::infer_all(const std::vector<ast::Exp*>& exps) {
  std::vector<const Type*> types;
  for (ast::Exp* one : exps) types.push_back(infer(*one));
  return types;
}

const Type* Inference::infer_construct(ast::Construct& e, const Range& range) {
  std::vector<const Type*> payload = infer_all(e.arguments);
  if (context_.is_wanted(e.constructor.range)) return unusable(range);
  return solver_.fresh_sum(range, e.constructor.symbol, std::move(payload));
}

const Type* Inference::infer_attributed(ast::Attributed& e, ast::Exp& exp) {
  check_attribute(context_, e.attribute, AttributePlace::expression);
  attributed_.push_back(&exp);
  if (e.argument != nullptr) require_type(*e.argument, context_.types.i64(), "a bound");
  return infer(*e.value);
}

const Type* Inference::infer_node(ast::Exp& exp) {
  const Range range = exp.range;
  return match(
      exp.node, [&](ast::IntegerLiteral& e) { return infer_literal(e.suffix, numbers, range); },
      [&](ast::FloatLiteral& e) { return infer_literal(e.suffix, floats, range); },
      [&](ast::BoolLiteral&) { return context_.types.boolean(); },
      [&](ast::StringLiteral&) {
        return context_.types.array(context_.types.any(), context_.types.primitive(Primitive::u8));
      },
      [&](ast::Hole&) { return infer_hole(range); },
      [&](ast::Variable&) { return infer_variable(exp); },
      [&](ast::LocalOpen&) { return infer_local_open(exp); },
      [&](ast::Tuple& e) { return context_.types.tuple(infer_all(e.elements)); },
      [&](ast::Record& e) { return infer_record(e); },
      [&](ast::Project& e) { return infer_project(e, range); },
      [&](ast::ArrayLiteral& e) { return infer_array(e); },
      [&](ast::Index& e) { return infer_index(e); },
      [&](ast::Update& e) { return infer_update(e); },
      [&](ast::RangeExp& e) { return infer_range(e); },
      [&](ast::Ascription& e) { return infer_ascription(*e.value, *e.type); },
      [&](ast::Coercion& e) { return infer_ascription(*e.value, *e.type); },
      [&](ast::Apply&) { return infer_apply(exp); },
      [&](ast::Binary& e) { return infer_binary(e, range); },
      [&](ast::Logical& e) {
        require_type(*e.left, context_.types.boolean(), "an operand of a logical operator");
        require_type(*e.right, context_.types.boolean(), "an operand of a logical operator");
        return context_.types.boolean();
      },
      [&](ast::Negate& e) {
        require(*e.value, numbers, "the operand of `-`");
        return e.value->type;
      },
      [&](ast::Not& e) {
        require(*e.value, integers | boolean_set, "the operand of `!`");
        return e.value->type;
      },
      [&](ast::Lambda& e) { return infer_lambda(e); },
      [&](ast::OperatorSection& e) { return infer(*e.operation); },
      [&](ast::LeftSection& e) { return infer_left_section(e, range); },
      [&](ast::RightSection& e) { return infer_right_section(e, range); },
      [&](ast::PathSection& e) { return infer_path_section(e, range); },
      [&](ast::Let&) { return infer_lets(exp); },
      [&](ast::LetFunction&) { return infer_lets(exp); }, [&](ast::If& e) { return infer_if(e); },
      [&](ast::Match& e) { return infer_match(e); }, [&](ast::Loop& e) { return infer_loop(e); },
      [&](ast::Construct& e) { return infer_construct(e, range); },
      [&](ast::Assert& e) {
        require_type(*e.condition, context_.types.boolean(), "the condition of `assert`");
        return infer(*e.value);
      },
      [&](ast::Attributed& e) { return infer_attributed(e, exp); },
      [&](ast::Broadcast&) { return infer_broadcast(exp); });
}

// ---------------------------------------------------------------- data

const Type* Inference::infer_record(ast::Record& record) {
  std::vector<std::pair<Symbol, const Type*>> fields;
  for (auto& [name, value] : record.fields) {
    const Type* type = infer(*value);
    const bool duplicate = std::any_of(fields.begin(), fields.end(), [&](const auto& f) {
      return f.first == name.symbol;
    });
    if (duplicate) {
      error(DiagnosticKind::duplicate_name, name.range,
            "field `" + std::string(context_.text(name.symbol)) +
                "` is given twice (previously defined in the same record)");
    } else {
      fields.emplace_back(name.symbol, type);
    }
  }
  return context_.types.record(std::move(fields));
}

static bool is_number(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

const Type* Inference::infer_project(ast::Project& project, const Range& range) {
  const Type* record = infer(*project.record);
  const Type* field = solver_.fresh(range);
  if (context_.is_wanted(project.field.range)) return unusable(range);
  const Type* wanted = solver_.fresh_record(range, project.field.symbol, field);
  if (!solver_.equate(record, wanted)) {
    const std::string name(context_.text(project.field.symbol));
    Diagnostic& d = error(DiagnosticKind::type_mismatch, project.field.range,
                          "there is no field `" + name + "` in a value of type `" +
                              text(project.record->type) + "`");
    if (scope_.find(NameSpace::term, project.field.symbol).kind == MemberKind::value) {
      d.hints.push_back("a function stands before its argument: `" + name + " x`");
    } else if (as<Record>(solver_.head(record)->node) && is_number(name)) {
      d.hints.emplace_back("the parts of a tuple are counted from 0");
    } else {
      hint_at_fields(d, record, project.field);
    }
  }
  return field;
}

const Type* Inference::infer_array(ast::ArrayLiteral& array) {
  const Type* element =
      solver_.fresh(array.elements.empty() ? Range{} : array.elements[0]->range,
                    Liftedness::unlifted);
  for (ast::Exp* e : array.elements) {
    const Type* type = infer(*e);
    if (solver_.equate(type, element)) continue;
    Diagnostic& d = error(DiagnosticKind::type_mismatch, e->range,
                          "elements of an array must have the same type: this one has type `" +
                              text(type) + "`, but `" + text(element) + "` is expected");
    d.labels.push_back({array.elements[0]->range, "because of the first element"});
  }
  return array_of_rank(1, element);
}

const Type* Inference::infer_range(ast::RangeExp& range) {
  require(*range.start, integers, "the start of a range");
  const Type* type = range.start->type;
  if (range.second != nullptr) {
    require_type(*range.second, type, "the second element of this range");
  }
  require_type(*range.end, type, "the end of this range");
  return array_of_rank(1, type);
}

void Inference::infer_dimensions(std::vector<ast::IndexDimension>& dimensions) {
  for (ast::IndexDimension& d : dimensions) {
    if (d.index != nullptr) require(*d.index, signed_integers, "an index");
    for (ast::Exp* part : {d.start, d.end, d.stride}) {
      if (part != nullptr) require_type(*part, context_.types.i64(), "this part of a slice");
    }
  }
}

static std::size_t count_slices(const std::vector<ast::IndexDimension>& dimensions) {
  return static_cast<std::size_t>(
      std::count_if(dimensions.begin(), dimensions.end(),
                    [](const ast::IndexDimension& d) { return d.is_slice; }));
}

const Type* Inference::infer_index(ast::Index& index) {
  const Type* array = infer(*index.array);
  infer_dimensions(index.dimensions);
  const Type* element = solver_.fresh(index.array->range, Liftedness::unlifted);
  const std::size_t rank = index.dimensions.size();
  if (!solver_.equate(array, array_of_rank(rank, element))) {
    error(DiagnosticKind::type_mismatch, index.array->range,
          "cannot index with " + std::to_string(rank) +
              (rank == 1 ? " index into a value of type `" : " indices into a value of type `") +
              text(array) + "`");
    return unusable(index.array->range);
  }
  return array_of_rank(count_slices(index.dimensions), element);
}

void Inference::follow_path(const Type* source, std::vector<ast::PathStep>& path,
                            const Type* target) {
  for (std::size_t i = 0; i < path.size(); ++i) {
    const bool last = i + 1 == path.size();
    const Range& range = path[i].range;
    if (const auto* field = std::get_if<ast::Name>(&path[i].step)) {
      const Type* type = last ? target : solver_.fresh(range);
      if (!solver_.equate(source, solver_.fresh_record(range, field->symbol, type))) {
        Diagnostic& d = error(DiagnosticKind::type_mismatch, range,
                              "field `" + std::string(context_.text(field->symbol)) +
                                  "` of type `" + text(type) +
                                  "` does not fit into a value of type `" + text(source) + "`");
        hint_at_fields(d, source, *field);
        return;
      }
      source = type;
      continue;
    }
    auto& dimensions = std::get<std::vector<ast::IndexDimension>>(path[i].step);
    const Type* element = solver_.fresh(range, Liftedness::unlifted);
    expect(source, array_of_rank(dimensions.size(), element), range, "the indexed value");
    source = array_of_rank(count_slices(dimensions), element);
    if (last) expect(target, source, range, "the new value");
  }
}

const Type* Inference::infer_update(ast::Update& update) {
  const Type* source = infer(*update.source);
  const Type* value = infer(*update.value);
  for (ast::PathStep& step : update.path) {
    if (auto* dimensions = std::get_if<std::vector<ast::IndexDimension>>(&step.step)) {
      infer_dimensions(*dimensions);
    }
  }
  follow_path(source, update.path, value);
  return source;
}

const Type* Inference::infer_path_section(ast::PathSection& section, const Range& range) {
  for (ast::PathStep& step : section.path) {
    if (auto* dimensions = std::get_if<std::vector<ast::IndexDimension>>(&step.step)) {
      infer_dimensions(*dimensions);
    }
  }
  const Type* source = solver_.fresh(range);
  const Type* target = solver_.fresh(range);
  follow_path(source, section.path, target);
  return context_.types.arrow(source, target);
}

const Type* Inference::infer_ascription(ast::Exp& value, ast::TypeExp& type) {
  const Type* actual = infer(value);
  const Type* declared = context_.types.erase(written(type).type);
  if (!solver_.equate(actual, declared)) {
    Diagnostic& d = error(DiagnosticKind::type_mismatch, value.range,
                          "expression does not have the expected type from the type ascription: "
                          "expected `" +
                              text(declared) + "`, but it has type `" + text(actual) + "`");
    d.labels.push_back({type.range, "expected because of this ascription"});
    explain(d, actual, declared);
  }
  return declared;
}

// ---------------------------------------------------------------- bindings

const Type* Inference::infer_lambda(ast::Lambda& lambda) {
  return infer_function(lambda.function);
}

void Inference::infer_let(ast::Let& let) {
  const Type* value = infer(*let.value);
  check_distinct(let.sizes, {let.pattern});
  ++solver_.level;
  bind_type_parameters(let.sizes);
  const Type* pattern = infer_pattern(*let.pattern);
  if (!solver_.equate(value, pattern)) {
    Diagnostic& d = error(DiagnosticKind::type_mismatch, let.pattern->range,
                          "this pattern cannot match a value of type `" + text(value) + "`");
    d.labels.push_back({let.value->range, "the value"});
    explain(d, value, pattern);
  }
  bind_names(*let.pattern);
}

void Inference::infer_let_function(ast::LetFunction& let) {
  const Type* type = infer_function(let.function);
  let.id = context_.new_binding(let.name.symbol, let.name.range);
  ValueInfo& info = context_.values[let.id];
  // Each use replaces the type parameters, also those that variables have come to stand for.
  info.unsized = solver_.resolve(type);
  for (const ast::TypeParameter& p : let.function.type_parameters) {
    if (p.type_id.valid()) info.type_parameters.push_back(p.type_id);
  }
  bound_.push_back(let.id);
  scope_.bind_value(let.name.symbol, let.id);
}

const Type* Inference::infer_lets(ast::Exp& exp) {
  // A chain of lets is walked by a loop: programs may make it very long.
  const Scope::Frame frame(scope_);
  const int outer_level = solver_.level;
  std::vector<ast::Exp*> chain;
  ast::Exp* current = &exp;
  while (true) {
    current_ = current;
    if (auto* let = as<ast::Let>(current->node)) {
      infer_let(*let);
      chain.push_back(current);
      current = let->body;
      ++solver_.level;
    } else if (auto* function = as<ast::LetFunction>(current->node)) {
      infer_let_function(*function);
      chain.push_back(current);
      current = function->body;
    } else {
      break;
    }
  }
  const Type* type = infer(*current);
  for (ast::Exp* link : chain) link->type = type;
  solver_.level = outer_level;
  return type;
}

// ---------------------------------------------------------------- control

const Type* Inference::infer_if(ast::If& e) {
  require_type(*e.condition, context_.types.boolean(), "the condition of `if`");
  const Type* result = solver_.fresh(e.then_branch->range, Liftedness::size_lifted);
  const Type* first = infer(*e.then_branch);
  solver_.equate(result, first);
  const Type* second = infer(*e.else_branch);
  if (!solver_.equate(first, second)) {
    Diagnostic& d =
        error(DiagnosticKind::type_mismatch, result_expression(*e.else_branch).range,
              "branches differ in type: this one has type `" + text(second) + "`, the other `" +
                  text(first) + "`");
    d.labels.push_back({result_expression(*e.then_branch).range, "the other branch"});
    explain(d, second, first);
  }
  return first;
}

const Type* Inference::infer_match(ast::Match& e) {
  const Type* value = infer(*e.value);
  const Type* result = nullptr;
  for (ast::Case& c : e.cases) {
    const Scope::Frame frame(scope_);
    check_distinct({}, {c.pattern});
    const Type* pattern = infer_pattern(*c.pattern);
    if (!solver_.equate(value, pattern)) {
      Diagnostic& d = error(DiagnosticKind::type_mismatch, c.pattern->range,
                            "this pattern has type `" + text(pattern) +
                                "` and cannot match a value of type `" + text(value) + "`");
      d.labels.push_back({e.value->range, "the value"});
      hint_at_constructors(d, pattern, value);
      value = unusable(e.value->range);
    }
    bind_names(*c.pattern);
    const Type* body = infer(*c.body);
    if (result == nullptr) {
      result = body;
      solver_.equate(solver_.fresh(c.body->range, Liftedness::size_lifted), body);
    } else if (!solver_.equate(result, body)) {
      Diagnostic& d =
          error(DiagnosticKind::type_mismatch, result_expression(*c.body).range,
                "branches differ in type: this one has type `" + text(body) +
                    "`, the first one `" + text(result) + "`");
      d.labels.push_back({e.cases[0].body->range, "the first branch"});
      result = unusable(e.value->range);
    }
  }
  return result;
}

const Type* Inference::infer_loop(ast::Loop& loop) {
  const Type* initial = infer(*loop.initial);
  solver_.equate(solver_.fresh(loop.initial->range, Liftedness::size_lifted), initial);
  check_distinct(loop.sizes, {loop.pattern});
  const Scope::Frame frame(scope_);
  // What the form evaluates before the loop does not see the loop's own names.
  if (auto* f = as<ast::ForLoop>(loop.form)) {
    require(*f->bound, integers, "the bound of a loop");
    const Type* index = infer_pattern(*f->index);
    expect(index, f->bound->type, f->index->range, "the loop variable");
  } else if (auto* in = as<ast::ForInLoop>(loop.form)) {
    const Type* array = infer(*in->array);
    const Type* element = infer_pattern(*in->element);
    expect(array, array_of_rank(1, element), in->array->range,
           "the array of a `for`-`in` loop");
  }
  bind_type_parameters(loop.sizes);
  const Type* pattern = infer_pattern(*loop.pattern);
  if (!solver_.equate(initial, pattern)) {
    Diagnostic& d = error(DiagnosticKind::type_mismatch, loop.pattern->range,
                          "the loop pattern cannot match the initial value of type `" +
                              text(initial) + "`");
    d.labels.push_back({loop.initial->range, "the initial value"});
  }
  if (auto* f = as<ast::ForLoop>(loop.form)) bind_names(*f->index);
  if (auto* in = as<ast::ForInLoop>(loop.form)) bind_names(*in->element);
  bind_names(*loop.pattern);
  if (auto* w = as<ast::WhileLoop>(loop.form)) {
    require_type(*w->condition, context_.types.boolean(), "the condition of a `while` loop");
  }
  const Type* body = infer(*loop.body);
  if (!solver_.equate(body, initial)) {
    Diagnostic& d = error(DiagnosticKind::type_mismatch, result_expression(*loop.body).range,
                          "the loop body has type `" + text(body) +
                              "`, but the loop started with `" + text(initial) + "`");
    d.labels.push_back({loop.initial->range, "the initial value"});
    explain(d, body, initial);
  }
  return initial;
}

}  // namespace dagaz::check
