// Reverse mode: the two sweeps, and the rules of first-order operations.
#include "passes/ad/reverse.h"

#include "passes/ad/consumption.h"
#include "passes/ad/scalar_derivatives.h"
#include "support/check.h"
#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

// ---------------------------------------------------------------- forward sweep

void Reverse::forward_sweep(const std::vector<Statement>& statements) {
  for (const Statement& each : statements) {
    environment_->enter_statement(each);
    if (!is_known(each)) forward_statement(each);
    for (const Binder& result : each.results) {
      if (const auto known = known_.find(result.name); known != known_.end()) {
        environment_->bind(result.name, known->second);
      }
    }
  }
}

// Whether nothing is left to be executed: the loop around kept the results, or does without them.
bool Reverse::is_known(const Statement& statement) const {
  if (not_repeated_.count(&statement) != 0) return true;
  if (const auto* update = as<Update>(statement.operation)) return unknown_.count(update->array) != 0;
  if (const auto* slice = as<Slice>(statement.operation)) return unknown_.count(slice->array) != 0;
  const auto* index = as<Index>(statement.operation);
  return index != nullptr && unknown_.count(index->array) != 0;
}

void Reverse::forward_statement(const Statement& statement) {
  const bool active = [&] {
    for (const Binder& result : statement.results) {
      if (is_active(Operand(result.name))) return true;
    }
    return false;
  }();
  if (const auto* update = as<Update>(statement.operation);
      update != nullptr && final_arrays_.count(update->array) != 0) {
    environment_->bind(statement.results[0].name, environment_->name(update->array));
    final_arrays_.insert(statement.results[0].name);
    return;
  }
  if (touches_accumulators(statement)) {
    // The sweep re-executes values only; what was accumulated stays as it is.
    if (std::holds_alternative<Accumulate>(statement.operation)) return;
    Statement& stripped = stripped_[&statement];
    stripped = without_accumulators(statement);
    if (const auto* loop = as<Loop>(stripped.operation); loop != nullptr) {
      forward_loop(statement, stripped, *loop);
    } else if (!stripped.results.empty()) {
      copy_protected(stripped);
    }
    return;
  }
  if (const auto* custom = as<CustomDerivative>(statement.operation)) {
    inline_custom(statement, *custom);
    return;
  }
  const auto* loop = as<Loop>(statement.operation);
  if (loop != nullptr && active && counting_.count(&statement) == 0) {
    if (std::holds_alternative<WhileForm>(loop->form)) {
      const bool bounded = loop->attributes.bound.has_value();
      const auto& instead = replace(statement, [&] {
        return bounded ? bounded_while(statement, *loop) : counted_while(statement);
      });
      for (const Statement& each : instead) {
        const auto* counting = as<Loop>(each.operation);
        if (counting && std::holds_alternative<WhileForm>(counting->form)) counting_.insert(&each);
      }
      forward_sweep(instead);
    } else {
      forward_loop(statement, statement, *loop);
    }
    return;
  }
  if (const auto* map = as<MapScanReduce>(statement.operation);
      map != nullptr && active && scan_needs_loop(*map)) {
    forward_sweep(replace(statement, [&] { return scan_as_loop(statement, *map); }));
    return;
  }
  copy_protected(statement);
}

const std::vector<Statement>& Reverse::replace(
    const Statement& statement, const std::function<std::vector<Statement>()>& make) {
  auto& place = replacements_[&statement];
  if (!place) {
    place = std::make_unique<std::vector<Statement>>(make());
    analyse(*place);
  }
  return *place;
}

// The return sweep may need what a statement consumes, so the statement consumes a copy.
void Reverse::copy_protected(const Statement& statement) {
  std::vector<std::pair<NameId, NameId>> consumed;
  for (const NameId array : consumed_arrays(statement, names(), environment_->functions())) {
    const NameId emitted = environment_->name(array);
    consumed.emplace_back(array, emitted);
    environment_->bind(array, out().add(Copy{emitted}, names().base(emitted)));
  }
  environment_->copy_statement(statement);
  for (const auto& [original, emitted] : consumed) environment_->bind(original, emitted);
}

void Reverse::inline_custom(const Statement& statement, const CustomDerivative& custom) {
  const std::vector<Operand> results =
      environment_->inline_lambda(custom.function, environment_->operands(custom.arguments));
  const auto tape = static_cast<std::size_t>(custom.tape);
  for (std::size_t i = 0; i < statement.results.size(); ++i) {
    environment_->bind(statement.results[i].name, results[tape + i]);
  }
}

// ---------------------------------------------------------------- return sweep

void Reverse::return_sweep(const std::vector<Statement>& statements) {
  for (auto each = statements.rbegin(); each != statements.rend(); ++each) {
    environment_->enter_statement(*each);
    if (const auto replacement = replacements_.find(&*each); replacement != replacements_.end()) {
      return_sweep(*replacement->second);
      continue;
    }
    bool reached = false;
    for (const Binder& result : each->results) {
      reached = reached || has_adjoint(Operand(result.name)) ||
                accumulator_reads_.count(result.name) != 0;
    }
    if (reached) return_statement(*each);
  }
}

void Reverse::rule(const Statement& statement, const Scalar& scalar) {
  const auto adjoint = take(statement.results[0].name);
  if (!adjoint) return;
  const ScalarSite site{scalar.op, scalar.type, scalar.result,
                        environment_->operands(scalar.arguments),
                        environment_->operand(Operand(statement.results[0].name))};
  for (std::size_t i = 0; i < scalar.arguments.size(); ++i) {
    if (!is_active(scalar.arguments[i])) continue;
    const Partial partial = partial_derivative(*environment_, site, static_cast<int>(i));
    if (const auto term = pull_back(*environment_, site, partial, *adjoint->value)) {
      add_adjoint(scalar.arguments[i], *term, Ownership::owned);
    }
  }
}

// ys = xs with part = v:  v̄ += ȳs[part];  x̄s += ȳs with part = 0.
void Reverse::rule(const Statement& statement, const Update& update) {
  if (!has_adjoint(Operand(statement.results[0].name))) return;
  const NameId adjoint = take_owned(statement.results[0].name).name();
  const auto dimensions = environment_->dimensions(update.dimensions);
  const Type part = environment_->type_of(update.value);
  if (is_active(update.value)) {
    if (part.is_scalar()) {
      std::vector<Operand> indices;
      for (const SliceDimension& each : dimensions) indices.push_back(each.start);
      add_adjoint(update.value, out().index(adjoint, indices), Ownership::owned);
    } else {
      // A copy, for the part is overwritten next.
      const NameId view = out().add(Slice{adjoint, dimensions}, "part");
      add_adjoint(update.value, out().add(Copy{view}, "part"), Ownership::owned);
    }
  }
  if (is_active(Operand(update.array))) {
    const Operand zeros = environment_->zero(part);
    add_adjoint(Operand(update.array), out().add(Update{adjoint, dimensions, zeros}, "adjoint"),
                Ownership::owned);
  }
}

void Reverse::rule(const Statement& statement, const Iota& iota) {
  const NameId adjoint = take_or_zero(statement.results[0].name).name();
  const Operand count = environment_->operand(iota.count);
  // An integer that is differentiated counts as the start of the numbers that it counts.
  add_adjoint(iota.count, environment_->sum_of_rows(adjoint), Ownership::owned);
  add_adjoint(iota.start, environment_->sum_of_rows(adjoint), Ownership::owned);
  if (!is_active(iota.stride)) return;
  const NameId positions = out().add(
      Iota{iota.type, count, Operand(zero_of(iota.type)), Operand(one_of(iota.type))}, "i");
  const NameId products =
      out().map(count, {adjoint, positions},
                [&](Builder& inner, const std::vector<NameId>& elements) {
                  return std::vector<Operand>{inner.scalar(ScalarOp::mul, iota.type,
                                                           {elements[0], elements[1]})};
                })[0];
  add_adjoint(iota.stride, environment_->sum_of_rows(products), Ownership::owned);
}

void Reverse::rule(const Statement& statement, const Replicate& replicate) {
  const auto adjoint = take(statement.results[0].name);
  NameId array = adjoint->value->name();
  const Type value = environment_->type_of(replicate.value);
  if (replicate.shape.size() > 1) {
    std::vector<Operand> shape = {out().product(environment_->operands(replicate.shape))};
    shape.insert(shape.end(), value.shape.begin(), value.shape.end());
    array = out().add(Reshape{array, shape}, "adjoint");
  }
  add_adjoint(replicate.value, environment_->sum_of_rows(array), Ownership::owned);
}

void Reverse::rule(const Statement& statement, const Concat& concat) {
  const auto adjoint = take(statement.results[0].name);
  const NameId whole = adjoint->value->name();
  Operand start = i64_operand(0);
  for (const NameId array : concat.arrays) {
    const Type type = environment_->type_of(Operand(array));
    std::vector<SliceDimension> part;
    for (std::size_t i = 0; i < type.rank(); ++i) {
      part.push_back(SliceDimension{false, i == 0 ? start : i64_operand(0), type.shape[i],
                                    i64_operand(1)});
    }
    if (is_active(Operand(array))) {
      add_adjoint(Operand(array), out().add(Slice{whole, part}, "part"), Ownership::shared);
    }
    start = out().add_i64(start, type.shape[0]);
  }
}

void Reverse::rule(const Statement& statement, const Reshape& reshape) {
  const auto adjoint = take(statement.results[0].name);
  const Type type = environment_->type_of(Operand(reshape.array));
  add_adjoint(Operand(reshape.array),
              out().add(Reshape{adjoint->value->name(), type.shape}, "adjoint"),
              adjoint->ownership);
}

void Reverse::rule(const Statement& statement, const Permute& permute) {
  const auto adjoint = take(statement.results[0].name);
  std::vector<int> inverse(permute.permutation.size());
  for (std::size_t i = 0; i < inverse.size(); ++i) {
    inverse[static_cast<std::size_t>(permute.permutation[i])] = static_cast<int>(i);
  }
  add_adjoint(Operand(permute.array),
              out().add(Permute{adjoint->value->name(), inverse}, "adjoint"),
              adjoint->ownership);
}

void Reverse::rule(const Statement& statement, const Call& call) {
  const std::string derivative = environment_->functions().reverse_version(call.function);
  Call back{derivative, environment_->operands(call.arguments), {}};
  const Function& function = environment_->functions().function(call.function);
  std::vector<Type> types;
  for (const Binder& result : statement.results) {
    types.push_back(environment_->type_of(Operand(result.name)));
  }
  for (const Operand& size : sizes_known_inside(function)) {
    back.arguments.push_back(size_at_call(function, size, types));
  }
  for (const Binder& result : statement.results) {
    if (carries_derivative(names().type(result.name))) {
      back.arguments.push_back(take_or_zero(result.name));
    }
  }
  std::vector<Binder> adjoints;
  std::vector<Operand> arguments;
  for (const Operand& argument : call.arguments) {
    const Type type = names().type(argument);
    if (!carries_derivative(type)) continue;
    back.result_types.push_back(environment_->type(type));
    adjoints.push_back(Binder{names().fresh("adjoint", environment_->type(type))});
    arguments.push_back(argument);
  }
  if (adjoints.empty()) return;
  out().add(Statement{adjoints, std::move(back), environment_->names_of(statement.tokens),
                      statement.location});
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    // For all that a caller knows, a result of a call is part of an argument.
    add_adjoint(arguments[i], adjoints[i].name, Ownership::shared);
  }
  note(statement, "call of `" + call.function + "`", "reverse",
       "a recursive function has a derivative function, which calls itself");
}

// The user's adjoint, from the tape or the results, and the result adjoints.
void Reverse::rule(const Statement& statement, const CustomDerivative& custom) {
  std::vector<Operand> arguments;
  const auto tape = static_cast<std::size_t>(custom.tape);
  const auto& values = custom.function.body.results;
  if (tape > 0) {
    for (std::size_t i = 0; i < tape; ++i) arguments.push_back(environment_->operand(values[i]));
  } else {
    for (const Operand& value : values) arguments.push_back(environment_->operand(value));
  }
  for (const Binder& result : statement.results) arguments.push_back(take_or_zero(result.name));
  const std::vector<Operand> adjoints =
      environment_->inline_lambda(custom.adjoint, arguments);
  for (std::size_t i = 0; i < custom.arguments.size(); ++i) {
    add_adjoint(custom.arguments[i], adjoints[i], Ownership::shared);
  }
  note(statement, "custom derivative", "reverse", "the program gives the adjoint");
}

void Reverse::return_statement(const Statement& statement) {
  const NameId result = statement.results[0].name;
  match(
      statement.operation,
      [&](const Identity& each) {
        const auto adjoint = take(result);
        add_adjoint(each.value, *adjoint->value, adjoint->ownership);
      },
      [&](const Scalar& each) { rule(statement, each); },
      [&](const ArrayLiteral& each) {
        const auto adjoint = take(result);
        for (std::size_t i = 0; i < each.elements.size(); ++i) {
          if (!is_active(each.elements[i])) continue;
          const Operand place = i64_operand(static_cast<std::int64_t>(i));
          add_adjoint(each.elements[i], environment_->at(adjoint->value->name(), place),
                      Ownership::shared);
        }
      },
      [&](const Index& each) {
        const auto adjoint = take(result);
        add_at(each.array, environment_->operands(each.indices), *adjoint->value);
      },
      [&](const Slice& each) {
        const auto adjoint = take(result);
        add_slice(each.array, environment_->dimensions(each.dimensions), *adjoint->value);
      },
      [&](const Copy& each) {
        const auto adjoint = take(result);
        add_adjoint(Operand(each.array), *adjoint->value, adjoint->ownership);
      },
      [&](const Update& each) { rule(statement, each); },
      [&](const Iota& each) { rule(statement, each); },
      [&](const Replicate& each) { rule(statement, each); },
      [&](const Concat& each) { rule(statement, each); },
      [&](const Reshape& each) { rule(statement, each); },
      [&](const Permute& each) { rule(statement, each); },
      [&](const Branch& each) { rule(statement, each); },
      [&](const Loop& each) { rule(statement, each); },
      [&](const Call& each) { rule(statement, each); },
      [&](const MapScanReduce& each) { rule(statement, each); },
      [&](const Histogram& each) { rule(statement, each); },
      [&](const Scatter& each) { rule(statement, each); },
      [&](const WithAccumulator& each) { rule(statement, each); },
      [&](const Accumulate& each) { rule(statement, each); },
      [&](const FlatMap& each) { rule(statement, each); },
      [&](const CustomDerivative& each) { rule(statement, each); },
      // Nothing flows through these.
      [&](const Scratch&) { take(result); }, [](const Assert&) {},
      // Every other operation is of a later stage, or was removed before.
      [](const auto&) { DZ_UNREACHABLE("no adjoints at this stage"); });
}

std::string Reverse::size_formula(const Type& type) {
  std::string formula;
  for (const Operand& size : type.shape) {
    if (!formula.empty()) formula += "·";
    formula += size.is_name() ? names().base(size.name())
                              : std::to_string(integer_value(size.constant()));
  }
  return formula + " " + std::string(name_of(type.element));
}

std::string Reverse::size_formulas(const std::string& label,
                                   const std::vector<NameId>& originals) {
  std::string formulas;
  for (const NameId original : originals) {
    if (!formulas.empty()) formulas += ", ";
    formulas += label + ": " + size_formula(environment_->type_of(Operand(original)));
  }
  return formulas;
}

void Reverse::note(const Statement& statement, std::string rule, std::string mode,
                   std::string reason, std::string stored) {
  if (report_ == nullptr) return;
  report_->entries.push_back(AdReportEntry{statement.location, std::move(rule), std::move(mode),
                                           std::move(reason), std::move(stored)});
}

}  // namespace dagaz::passes::ad
