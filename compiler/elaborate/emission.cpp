// Emitting statements: names, locations, asserts, nested scopes.
#include "elaborate/elaborator.h"

#include <algorithm>

#include "ir/type_of.h"
#include "support/library_folder.h"

namespace dagaz::elaborate {

void Emission::unsupported(const Range& where, std::string message) {
  diagnostics.report(DiagnosticKind::unsupported, where.valid() ? where : range,
                     std::move(message));
  throw Abandoned{};
}

bool Emission::is_in_library(const Range& where) const {
  return where.valid() && is_library_file(files.file(where.file).name());
}

/// Marks the innermost place outside of the library.
void Emission::refuse_irregular_map() {
  Range where = range;
  ir::LocationId at = out->location();
  while (at.valid() && is_in_library(where)) {
    where = ir_program.locations[at.index].range;
    at = ir_program.locations[at.index].inlined_at;
  }
  diagnostics
      .report(
          DiagnosticKind::existential_size, where,
          "the rows of this array have sizes that only the mapped function knows, and may differ")
      .hints.emplace_back(
          "all rows of an array have one size; `flatmap` puts rows of any size one "
          "behind the other");
  throw Abandoned{};
}

ir::Operand Emission::scalar(ir::ScalarOp op, ir::ScalarType type,
                               std::vector<ir::Operand> arguments) {
  return out->scalar(op, type, std::move(arguments), hint);
}

static bool may_consume(const ir::Operation& operation) {
  return std::holds_alternative<ir::Update>(operation) ||
         std::holds_alternative<ir::Scatter>(operation) ||
         std::holds_alternative<ir::Histogram>(operation) ||
         std::holds_alternative<ir::WithAccumulator>(operation) ||
         std::holds_alternative<ir::Accumulate>(operation) ||
         std::holds_alternative<ir::Call>(operation);
}

std::vector<ir::NameId> Emission::emit(ir::Operation operation) {
  if (may_consume(operation)) ++consuming_operations;
  if (request.mode == ir::ModeRequest::none) return out->add_results(std::move(operation), hint);
  const std::vector<ir::Type> types = ir::types_of(operation, names());
  std::vector<ir::NameId> results;
  for (const ir::Type& type : types) results.push_back(names().fresh(hint, type));
  emit_named(results, std::move(operation));
  return results;
}

ir::NameId Emission::emit_one(ir::Operation operation) {
  if (may_consume(operation)) ++consuming_operations;
  return out->add(std::move(operation), hint);
}

void Emission::emit_named(const std::vector<ir::NameId>& results, ir::Operation operation) {
  if (may_consume(operation)) ++consuming_operations;
  ir::Statement statement;
  for (const ir::NameId name : results) statement.results.push_back({name});
  statement.operation = std::move(operation);
  statement.tokens = tokens;
  statement.location = out->location();
  statement.mode = request.mode;
  out->add(std::move(statement));
}

std::optional<ir::NameId> Emission::check(ir::Operand condition, std::string message,
                                            std::vector<ir::Operand> arguments) {
  if (is_unsafe) return std::nullopt;
  if (condition.is_constant() && condition.constant().bits != 0) return std::nullopt;
  if (watched.valid()) warn_of_check(message);
  return assert_that(std::move(condition), std::move(message), std::move(arguments));
}

/// Once for each failure, however often the expression is elaborated.
void Emission::warn_of_check(std::string failure) {
  for (std::size_t at; (at = failure.find("{}")) != std::string::npos;) {
    failure.replace(at, 2, "…");
  }
  const std::string text = "Safety check required: this may fail with `" + failure + "`";
  for (const Diagnostic& earlier : diagnostics.all()) {
    if (earlier.range == watched && earlier.message == text) return;
  }
  Diagnostic& warning = diagnostics.report(DiagnosticKind::safety_check, watched, text);
  if (range != watched) warning.labels.push_back({range, "checked here"});
}

ir::NameId Emission::assert_that(ir::Operand condition, std::string message,
                                   std::vector<ir::Operand> arguments) {
  return out->add(ir::Assert{std::move(condition), std::move(message), std::move(arguments)},
                  "checked");
}

ir::Operand Emission::logical_and(ir::Operand a, ir::Operand b) {
  if (a.is_constant()) return a.constant().bits != 0 ? b : a;
  if (b.is_constant()) return b.constant().bits != 0 ? a : b;
  return scalar(ir::ScalarOp::bit_and, ir::ScalarType::boolean, {std::move(a), std::move(b)});
}

ir::Operand Emission::logical_or(ir::Operand a, ir::Operand b) {
  if (a.is_constant()) return a.constant().bits != 0 ? a : b;
  if (b.is_constant()) return b.constant().bits != 0 ? b : a;
  return scalar(ir::ScalarOp::bit_or, ir::ScalarType::boolean, {std::move(a), std::move(b)});
}

ir::Operand Emission::logical_not(ir::Operand a) {
  return scalar(ir::ScalarOp::bit_not, ir::ScalarType::boolean, {std::move(a)});
}

ir::Operand Emission::compare_i64(ir::ScalarOp op, ir::Operand a, ir::Operand b) {
  if (a == b) {
    const bool holds = op == ir::ScalarOp::eq || op == ir::ScalarOp::sle;
    return ir::make_bool(holds);
  }
  return scalar(op, ir::ScalarType::i64, {std::move(a), std::move(b)});
}

namespace {

/// Sends what is emitted to another builder while it lives.
class Redirected {
 public:
  Redirected(Emission& emission, ir::Builder& to) : emission_(emission) {
    saved_ = emission.out;
    emission.out = &to;
  }
  ~Redirected() { emission_.out = saved_; }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;

 private:
  Emission& emission_;
  ir::Builder* saved_;
};

}  // namespace

ir::Body Emission::nested_body(const std::function<std::vector<ir::Operand>()>& build) {
  // The statement around the body carries the tokens; those inside need not.
  ir::Builder inner = out->nested();
  inner.set_tokens({});
  const Temporarily<std::vector<ir::NameId>> unguarded(tokens, {});
  std::vector<ir::Operand> results;
  {
    const Redirected redirected(*this, inner);
    results = build();
  }
  return inner.take_body(std::move(results));
}

ir::Lambda Emission::lambda(const std::vector<ir::Type>& parameters,
                              std::vector<ir::Type> results, const LambdaBody& build) {
  const Temporarily<Request> cleared(request, Request{});
  const std::vector<ir::NameId> bound = fresh(parameters);
  ir::Lambda lambda;
  for (const ir::NameId name : bound) lambda.parameters.push_back({name});
  lambda.body = nested_body([&] { return build(bound); });
  lambda.result_types = std::move(results);
  return lambda;
}

std::vector<ir::NameId> Emission::fresh(const std::vector<ir::Type>& types) {
  std::vector<ir::NameId> result;
  for (const ir::Type& type : types) result.push_back(names().fresh(hint, type));
  return result;
}

ir::NameId Emission::array_name(const ir::Operand& operand) {
  return out->as_name(operand, hint);
}

ir::Function* Emission::function_named(const std::string& name) {
  const auto found = std::find_if(ir_program.functions.begin(), ir_program.functions.end(),
                                  [&](const ir::Function& f) { return f.name == name; });
  return found == ir_program.functions.end() ? nullptr : &*found;
}

void Emission::retoken(ir::Builder& builder) {
  builder.set_tokens(tokens);
  if (&builder == &context->top) context->top_tokens = tokens;
}

ValueRef Emission::at_top_level(const std::function<ValueRef()>& build) {
  const Redirected redirected(*this, context->top);
  const Temporarily<std::vector<ir::NameId>> unguarded(tokens, {});
  const Temporarily<Request> cleared(request, Request{});
  context->top.set_tokens({});
  const ValueRef value = build();
  context->top.set_tokens(context->top_tokens);
  return value;
}

At::At(Emission& emission, const Range& range)
    : emission_(emission),
      out_(emission.out),
      location_(emission.out->location()),
      range_(emission.range) {
  emission.range = range;
  emission.ir_program.locations.push_back({range, emission.inlined_at});
  out_->set_location(ir::LocationId(emission.ir_program.locations.size() - 1));
}

At::~At() {
  out_->set_location(location_);
  emission_.range = range_;
}

Guarded::Guarded(Emission& emission, std::optional<ir::NameId> token)
    : emission_(emission), out_(emission.out), added_(token.has_value()) {
  if (!added_) return;
  emission.tokens.push_back(*token);
  emission.retoken(*out_);
}

Guarded::~Guarded() {
  if (!added_) return;
  emission_.tokens.pop_back();
  emission_.retoken(*out_);
}

}  // namespace dagaz::elaborate
