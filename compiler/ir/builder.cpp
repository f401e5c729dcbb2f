// Building statements.  Folding here is only what keeps size arithmetic small; the real work is
// the simplifier's.
#include "ir/builder.h"

#include "ir/names.h"
#include "ir/type_of.h"

namespace dagaz::ir {

namespace {

/// Whether the types of the results mention the results, so that names come before types.
bool mentions_own_results(const Operation& operation) {
  return std::holds_alternative<Loop>(operation) || std::holds_alternative<FlatMap>(operation);
}

std::size_t result_count(const Operation& operation) {
  if (const auto* loop = std::get_if<Loop>(&operation)) return loop->values.size();
  return 2 + std::get<FlatMap>(operation).map.result_types.size();
}

}  // namespace

void Builder::add_all(std::vector<Statement> statements) {
  for (Statement& statement : statements) statements_.push_back(std::move(statement));
}

std::vector<NameId> Builder::add_results(Operation operation, std::string_view base) {
  std::vector<Binder> results;
  if (mentions_own_results(operation)) {
    const std::size_t count = result_count(operation);
    for (std::size_t i = 0; i < count; ++i) {
      results.push_back({names_->fresh(std::string(base), Type{})});
    }
    const std::vector<Type> types = types_of(operation, *names_, results);
    for (std::size_t i = 0; i < count; ++i) names_->set_type(results[i].name, types[i]);
  } else {
    for (Type& type : types_of(operation, *names_)) {
      results.push_back({names_->fresh(std::string(base), std::move(type))});
    }
  }
  std::vector<NameId> bound;
  for (const Binder& result : results) bound.push_back(result.name);
  statements_.push_back({std::move(results), std::move(operation), tokens_, location_});
  return bound;
}

NameId Builder::add(Operation operation, std::string_view base) {
  const std::vector<NameId> results = add_results(std::move(operation), base);
  DZ_CHECK(results.size() == 1, "an operation with one result");
  return results.front();
}

// ---------------------------------------------------------------- scalars

Operand Builder::scalar(ScalarOp op, ScalarType type, std::vector<Operand> arguments,
                        std::string_view base) {
  std::vector<Constant> constants;
  for (const Operand& argument : arguments) {
    if (argument.is_constant()) constants.push_back(argument.constant());
  }
  const ScalarType result = result_type(op, type, type);
  if (constants.size() == arguments.size()) {
    if (const auto value = evaluate(op, type, result, constants)) return *value;
  }
  return add(Scalar{op, type, result, std::move(arguments)}, base);
}

Operand Builder::convert(ScalarOp op, ScalarType from, ScalarType result, Operand value,
                         std::string_view base) {
  const bool widens = op == ScalarOp::sign_extend || op == ScalarOp::zero_extend ||
                      op == ScalarOp::float_convert;
  if (widens && from == result) return value;
  if (value.is_constant()) {
    const Constant constant = value.constant();
    if (const auto converted = evaluate(op, from, result, {&constant, 1})) return *converted;
  }
  return add(Scalar{op, from, result, {std::move(value)}}, base);
}

Operand Builder::add_i64(Operand a, Operand b) {
  if (a == i64_operand(0)) return b;
  if (b == i64_operand(0)) return a;
  return scalar(ScalarOp::add, ScalarType::i64, {std::move(a), std::move(b)});
}

Operand Builder::sub_i64(Operand a, Operand b) {
  if (b == i64_operand(0)) return a;
  if (a == b) return i64_operand(0);
  return scalar(ScalarOp::sub, ScalarType::i64, {std::move(a), std::move(b)});
}

Operand Builder::mul_i64(Operand a, Operand b) {
  if (a == i64_operand(1)) return b;
  if (b == i64_operand(1)) return a;
  if (a == i64_operand(0) || b == i64_operand(0)) return i64_operand(0);
  return scalar(ScalarOp::mul, ScalarType::i64, {std::move(a), std::move(b)});
}

Operand Builder::product(const std::vector<Operand>& sizes) {
  Operand result = i64_operand(1);
  for (const Operand& size : sizes) result = mul_i64(result, size);
  return result;
}

Operand Builder::select(ScalarType type, Operand condition, Operand yes, Operand no) {
  if (condition.is_constant()) return condition.constant().bits != 0 ? yes : no;
  if (yes == no) return yes;
  return scalar(ScalarOp::select, type, {std::move(condition), std::move(yes), std::move(no)});
}

// ---------------------------------------------------------------- arrays

Operand Builder::index(NameId array, std::vector<Operand> indices, std::string_view base) {
  if (indices.empty()) return array;
  return add(Index{array, std::move(indices)}, base);
}

NameId Builder::as_name(Operand value, std::string_view base) {
  return value.is_name() ? value.name() : add(Identity{std::move(value)}, base);
}

// ---------------------------------------------------------------- second-order operations

Lambda Builder::lambda(const std::vector<Type>& parameter_types,
                       const std::vector<std::string>& bases, const BodyFunction& build) {
  Lambda lambda;
  std::vector<NameId> parameters;
  for (std::size_t i = 0; i < parameter_types.size(); ++i) {
    const std::string base = i < bases.size() ? bases[i] : "x";
    parameters.push_back(names_->fresh(base, parameter_types[i]));
    lambda.parameters.push_back({parameters.back()});
  }
  Builder inner = nested();
  lambda.body = inner.take_body(build(inner, parameters));
  for (const Operand& result : lambda.body.results) {
    lambda.result_types.push_back(names_->type(result));
  }
  return lambda;
}

std::vector<NameId> Builder::map(Operand width, const std::vector<NameId>& arrays,
                                 const BodyFunction& build, std::string_view base) {
  std::vector<Type> types;
  for (const NameId array : arrays) {
    const Type& type = names_->type(array);
    types.push_back(type.kind == TypeKind::accumulator ? type : row_of(type));
  }
  Lambda function = lambda(types, {}, build);
  return add_results(
      MapScanReduce{std::move(width), arrays, std::move(function), {}, {}, std::nullopt, false},
      base);
}

std::vector<NameId> Builder::map_indices(Operand width, const BodyFunction& build,
                                         std::string_view base) {
  const NameId indices =
      add(Iota{ScalarType::i64, width, i64_operand(0), i64_operand(1)}, "indices");
  return map(width, {indices}, build, base);
}

std::vector<NameId> Builder::reduce(Operand width, const std::vector<NameId>& arrays,
                                    ReduceOperator op, std::string_view base) {
  Lambda identity = identity_lambda(op.op.result_types, *names_);
  MapScanReduce reduction{std::move(width), arrays, std::move(identity), {}, {}, std::nullopt,
                          false};
  reduction.reductions.push_back(std::move(op));
  return add_results(std::move(reduction), base);
}

std::vector<NameId> Builder::scan(Operand width, const std::vector<NameId>& arrays,
                                  ScanOperator op, std::string_view base) {
  Lambda identity = identity_lambda(op.op.result_types, *names_);
  MapScanReduce scanned{std::move(width), arrays, std::move(identity), {}, {}, std::nullopt,
                        false};
  scanned.scans.push_back(std::move(op));
  return add_results(std::move(scanned), base);
}

std::vector<NameId> Builder::branch(Operand condition,
                                    const std::function<std::vector<Operand>(Builder&)>& then_build,
                                    const std::function<std::vector<Operand>(Builder&)>& else_build,
                                    std::string_view base) {
  Builder then_builder = nested();
  Body then_body = then_builder.take_body(then_build(then_builder));
  Builder else_builder = nested();
  Body else_body = else_builder.take_body(else_build(else_builder));
  std::vector<Type> types;
  for (const Operand& result : then_body.results) types.push_back(names_->type(result));
  return add_results(
      Branch{std::move(condition), std::move(then_body), std::move(else_body), std::move(types)},
      base);
}

Builder Builder::nested() const {
  Builder inner(*names_);
  inner.tokens_ = tokens_;
  inner.location_ = location_;
  return inner;
}

std::vector<Statement> Builder::take() { return std::exchange(statements_, {}); }

Body Builder::take_body(std::vector<Operand> results) { return {take(), std::move(results)}; }

// ---------------------------------------------------------------- common lambdas

Lambda addition(ScalarType element, const std::vector<Operand>& shape, Names& names) {
  const Type type = array_of(element, shape);
  const std::vector<Operand> inner(shape.empty() ? shape.begin() : shape.begin() + 1, shape.end());
  const auto build = [&](Builder& out, const std::vector<NameId>& p) -> std::vector<Operand> {
    if (shape.empty()) {
      const ScalarOp op = element == ScalarType::boolean ? ScalarOp::bit_or : ScalarOp::add;
      return {out.scalar(op, element, {p[0], p[1]}, "sum")};
    }
    Lambda rows = addition(element, inner, out.names());
    return {out.add(MapScanReduce{shape.front(), {p[0], p[1]}, std::move(rows), {}, {},
                                  std::nullopt, false},
                    "sum")};
  };
  return Builder(names).lambda({type, type}, {"x", "y"}, build);
}

Lambda identity_lambda(const std::vector<Type>& types, Names& names) {
  return Builder(names).lambda(types, {}, [](Builder&, const std::vector<NameId>& parameters) {
    return std::vector<Operand>(parameters.begin(), parameters.end());
  });
}

}  // namespace dagaz::ir
