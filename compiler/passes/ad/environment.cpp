// Emission of copied code and of small arithmetic; see the header.
#include "passes/ad/environment.h"

#include <algorithm>

#include "ir/classify.h"
#include "support/check.h"
#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

std::vector<Operand> Environment::operands(const std::vector<Operand>& originals) const {
  std::vector<Operand> emitted;
  emitted.reserve(originals.size());
  for (const Operand& original : originals) emitted.push_back(operand(original));
  return emitted;
}

NameId Environment::name(NameId original) const {
  const Operand emitted = operand(Operand(original));
  DZ_CHECK(emitted.is_name(), "an array must stay a name");
  return emitted.name();
}

std::vector<NameId> Environment::names_of(const std::vector<NameId>& originals) const {
  std::vector<NameId> emitted;
  emitted.reserve(originals.size());
  for (const NameId original : originals) emitted.push_back(name(original));
  return emitted;
}

NameId Environment::bind_fresh(NameId original) {
  const NameId fresh = names_->fresh(names_->base(original), type(names_->type(original)));
  bind(original, fresh);
  return fresh;
}

std::vector<Binder> Environment::bind_fresh(const std::vector<Binder>& originals) {
  std::vector<Binder> fresh;
  fresh.reserve(originals.size());
  for (const Binder& original : originals) fresh.push_back(Binder{bind_fresh(original.name)});
  return fresh;
}

std::vector<SliceDimension> Environment::dimensions(
    const std::vector<SliceDimension>& originals) const {
  std::vector<SliceDimension> emitted;
  for (const SliceDimension& dimension : originals) {
    emitted.push_back(SliceDimension{dimension.fixed, operand(dimension.start),
                                     operand(dimension.count), operand(dimension.stride)});
  }
  return emitted;
}

void Environment::copy_statement(const Statement& statement) {
  Statement copy = renamed(statement, *names_);
  copy.results = bind_fresh(statement.results);
  substitute(copy, map_, *names_);
  if (const auto* replicated = as<Replicate>(copy.operation);
      replicated != nullptr && replicated->shape.size() == 1) {
    uniform_.insert_or_assign(copy.results[0].name, replicated->value);
  }
  out_->add(std::move(copy));
}

void Environment::copy_statements(const std::vector<Statement>& statements) {
  for (const Statement& statement : statements) copy_statement(statement);
}

Lambda Environment::copy_lambda(const Lambda& lambda) {
  Lambda copy = renamed(lambda, *names_);
  substitute(copy, map_, *names_);
  return copy;
}

std::vector<Operand> Environment::inline_lambda(const Lambda& lambda,
                                                const std::vector<Operand>& arguments) {
  DZ_CHECK(lambda.parameters.size() == arguments.size(), "one argument for each parameter");
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    bind(lambda.parameters[i].name, arguments[i]);
  }
  copy_statements(lambda.body.statements);
  return operands(lambda.body.results);
}

void Environment::enter_statement(const Statement& statement) {
  out_->set_location(statement.location);
  out_->set_tokens(names_of(statement.tokens));
}

void Environment::emit_bound(const Statement& statement, Operation operation,
                             const std::vector<Binder>& results) {
  out_->add(Statement{results, std::move(operation), names_of(statement.tokens),
                      statement.location, statement.mode});
}

Operand Environment::zero(const Type& type) {
  DZ_CHECK(type.kind == TypeKind::value, "only values have a zero");
  const Operand element(zero_of(type.element));
  if (type.shape.empty()) return element;
  const NameId zeros = out_->add(Replicate{type.shape, element}, "zeros");
  Operand row = element;
  if (type.shape.size() == 1) uniform_.insert_or_assign(zeros, row);
  return zeros;
}

Operand Environment::add(const Type& type, Operand a, Operand b) {
  if (type.shape.empty()) {
    if (a.is_constant() && a.constant() == zero_of(type.element)) return b;
    if (b.is_constant() && b.constant() == zero_of(type.element)) return a;
    const ScalarOp op = type.element == ScalarType::boolean ? ScalarOp::bit_or : ScalarOp::add;
    return out_->scalar(op, type.element, {a, b}, "sum");
  }
  const Type row = row_of(type);
  return out_->map(
      type.shape[0], {a.name(), b.name()},
      [&](Builder& inner, const std::vector<NameId>& elements) {
        Builder* outer = out_;
        out_ = &inner;
        const Operand sum = add(row, elements[0], elements[1]);
        out_ = outer;
        return std::vector<Operand>{sum};
      },
      "sums")[0];
}

Operand Environment::multiply(ScalarType type, Operand a, Operand b) {
  const Constant one = one_of(type);
  if (type == ScalarType::boolean) {
    return out_->scalar(ScalarOp::bit_and, type, {a, b}, "t");
  }
  if (a.is_constant() && a.constant() == one) return b;
  if (b.is_constant() && b.constant() == one) return a;
  return out_->scalar(ScalarOp::mul, type, {a, b}, "t");
}

Operand Environment::negate(ScalarType type, Operand a) {
  return out_->scalar(ScalarOp::neg, type, {a}, "t");
}

NameId Environment::as_name(Operand value, std::string_view base) {
  return value.is_name() ? value.name() : out_->as_name(value, base);
}

ReduceOperator Environment::addition(const Type& type) {
  ReduceOperator result;
  result.op = out_->lambda({type, type}, {"x", "y"},
                           [&](Builder& inner, const std::vector<NameId>& parameters) {
                             Builder* outer = out_;
                             out_ = &inner;
                             const Operand sum = add(type, parameters[0], parameters[1]);
                             out_ = outer;
                             return std::vector<Operand>{sum};
                           });
  result.neutral = {zero(type)};
  result.commutative = true;
  return result;
}

Operand Environment::at(NameId array, Operand index) {
  if (const auto row = uniform_row(array)) return *row;
  return out_->index(array, {index});
}

Operand Environment::sum_of_rows(NameId array) {
  const Type type = names().type(array);
  if (type.rank() == 1) {
    return out().reduce(type.shape[0], {array}, addition(row_of(type)), "sum")[0];
  }
  // Rows of arrays: for each place of a row, the sum of a column.
  std::vector<int> swap(type.rank());
  for (std::size_t i = 0; i < swap.size(); ++i) swap[i] = static_cast<int>(i);
  std::swap(swap[0], swap[1]);
  const NameId columns = out().add(Permute{array, swap}, "columns");
  MapScanReduce map;
  map.width = type.shape[1];
  map.arrays = {columns};
  const NameId column = names().fresh("column", row_of(names().type(columns)));
  map.map.parameters = {Binder{column}};
  {
    NestedScope scope(*this);
    const Operand sum = sum_of_rows(column);
    map.map.body = scope.take({sum});
  }
  map.map.result_types = {row_of(row_of(type))};
  return out().add(std::move(map), "sums");
}

std::optional<Operand> Environment::uniform_row(NameId array) const {
  const auto found = uniform_.find(array);
  if (found == uniform_.end()) return std::nullopt;
  return found->second;
}

NameSet Environment::ranges() const {
  NameSet ranges;
  for (const Builder* scope : scopes_) {
    for (const Statement& one : scope->statements()) {
      const auto* range = as<Iota>(one.operation);
      if (range && counts_from_zero(*range)) ranges.insert(one.results[0].name);
    }
  }
  return ranges;
}

NameId Environment::replicate(Operand width, Operand value, std::string_view base) {
  const NameId result = out_->add(Replicate{{width}, value}, base);
  uniform_.insert_or_assign(result, value);
  return result;
}

void Environment::replace(const Substitution& gone) {
  if (gone.empty()) return;
  for (auto* table : {&map_, &uniform_}) {
    for (auto& [name, operand] : *table) operand = substitute(operand, gone);
  }
}

NestedScope::NestedScope(Environment& environment)
    : environment_(&environment), builder_(environment.out_->nested()), outer_(environment.out_) {
  environment_->out_ = &builder_;
  environment_->scopes_.push_back(&builder_);
}

NestedScope::~NestedScope() { leave(); }

void NestedScope::leave() {
  if (outer_ == nullptr) return;
  environment_->out_ = outer_;
  std::erase(environment_->scopes_, &builder_);
  outer_ = nullptr;
}

std::vector<SliceDimension> part_at(const std::vector<Operand>& indices, const Type& array) {
  std::vector<SliceDimension> part;
  for (std::size_t i = 0; i < array.rank(); ++i) {
    if (i < indices.size()) {
      part.push_back(SliceDimension{true, indices[i], i64_operand(1), i64_operand(1)});
    } else {
      part.push_back(SliceDimension{false, i64_operand(0), array.shape[i], i64_operand(1)});
    }
  }
  return part;
}

std::vector<SliceDimension> rows_of(const Type& array, const Operand& start,
                                    const Operand& count) {
  std::vector<SliceDimension> part = {{false, start, count, i64_operand(1)}};
  for (std::size_t i = 1; i < array.rank(); ++i) {
    part.push_back(SliceDimension{false, i64_operand(0), array.shape[i], i64_operand(1)});
  }
  return part;
}

std::optional<ScalarOp> binary_scalar_operator(const Lambda& lambda) {
  if (lambda.parameters.size() != 2 || lambda.body.statements.size() != 1 ||
      lambda.body.results.size() != 1) {
    return std::nullopt;
  }
  const Statement& statement = lambda.body.statements[0];
  const auto* scalar = as<Scalar>(statement.operation);
  if (scalar == nullptr || scalar->arguments.size() != 2 ||
      lambda.body.results[0] != Operand(statement.results[0].name)) {
    return std::nullopt;
  }
  const Operand x(lambda.parameters[0].name);
  const Operand y(lambda.parameters[1].name);
  if (scalar->arguments[0] == x && scalar->arguments[1] == y) return scalar->op;
  // Whoever asks treats only commutative operators specially.
  const bool swapped = scalar->arguments[0] == y && scalar->arguments[1] == x;
  switch (scalar->op) {
    case ScalarOp::add: case ScalarOp::mul:
    case ScalarOp::bit_or: case ScalarOp::bit_and: case ScalarOp::bit_xor:
      if (swapped) return scalar->op;
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

const Lambda* vectorised_operator(const Lambda& lambda) {
  if (lambda.parameters.size() != 2 || lambda.body.statements.size() != 1 ||
      lambda.body.results.size() != 1) {
    return nullptr;
  }
  const Statement& statement = lambda.body.statements[0];
  const auto* map = as<MapScanReduce>(statement.operation);
  if (map == nullptr || !is_pure_map(*map) || map->arrays.size() != 2 ||
      map->arrays[0] != lambda.parameters[0].name || map->arrays[1] != lambda.parameters[1].name ||
      lambda.body.results[0] != Operand(statement.results[0].name)) {
    return nullptr;
  }
  return &map->map;
}

bool is_addition(const Lambda& lambda) {
  if (binary_scalar_operator(lambda) == ScalarOp::add) return true;
  const Lambda* inner = vectorised_operator(lambda);
  return inner != nullptr && is_addition(*inner);
}

bool is_identity(const Lambda& lambda) {
  if (!lambda.body.statements.empty() ||
      lambda.parameters.size() != lambda.body.results.size()) {
    return false;
  }
  for (std::size_t i = 0; i < lambda.parameters.size(); ++i) {
    if (lambda.body.results[i] != Operand(lambda.parameters[i].name)) return false;
  }
  return true;
}

bool is_pure_map(const MapScanReduce& operation) {
  return operation.scans.empty() && operation.reductions.empty() && !operation.post;
}

bool carries_derivative(const Type& type) {
  return type.kind == TypeKind::value || type.kind == TypeKind::accumulator;
}

std::vector<Operand> sizes_known_inside(const Function& function) {
  std::vector<Operand> sizes;
  for (const Type& type : function.result_types) {
    for (const Operand& size : type.shape) {
      const bool known =
          size.is_constant() || std::find(sizes.begin(), sizes.end(), size) != sizes.end() ||
          std::any_of(function.parameters.begin(), function.parameters.end(),
                      [&](const Binder& each) { return each.name == size.name(); });
      if (!known) sizes.push_back(size);
    }
  }
  return sizes;
}

Operand size_at_call(const Function& function, const Operand& size,
                     const std::vector<Type>& results) {
  for (std::size_t i = 0; i < function.result_types.size(); ++i) {
    const std::vector<Operand>& shape = function.result_types[i].shape;
    const auto found = std::find(shape.begin(), shape.end(), size);
    if (found != shape.end())
      return results[i].shape[static_cast<std::size_t>(found - shape.begin())];
  }
  DZ_UNREACHABLE("a size of a result");
}

NameId key_of(const Statement& statement) {
  return statement.results.empty() ? NameId() : statement.results[0].name;
}

std::vector<Type> types_of_binders(const std::vector<Binder>& binders, const Names& names) {
  std::vector<Type> types;
  types.reserve(binders.size());
  for (const Binder& binder : binders) types.push_back(names.type(binder.name));
  return types;
}

}  // namespace dagaz::passes::ad
