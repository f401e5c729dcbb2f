// Loops and branches.
#include "function_generator.h"

namespace dagaz::fuzz {

using namespace ir;

namespace {

constexpr ScalarType f64 = ScalarType::f64;

SliceDimension at(const Operand& index) {
  return {true, index, i64_operand(1), i64_operand(1)};
}

}  // namespace

// What #[stripmine(n)] or #[keep] ask for.
int FunctionGenerator::kept() {
  switch (below(8)) {
    case 0: return 2;
    case 1: return 1;
    case 2: return -1;
    default: return 0;
  }
}

void FunctionGenerator::loop(Scope& scope, Builder& out, int depth) {
  Names& names = out.names();
  const Type type = scalar_of(f64);
  Loop result;
  Scope nested = scope;
  const std::size_t values = 1 + below(2);
  for (std::size_t i = 0; i < values; ++i) {
    const NameId parameter = names.fresh("a", type);
    result.values.push_back(LoopValue{Binder{parameter}, real(scope)});
    nested.reals.insert(nested.reals.end(), 2, parameter);
  }
  const NameId index = names.fresh("i", scalar_of(ScalarType::i64));
  const std::size_t bound = below(4);
  result.form = ForForm{Binder{index}, i64_operand(static_cast<std::int64_t>(bound))};
  if (bound <= inner_size) nested.integers.push_back(index);
  Builder inner = out.nested();
  statements(nested, inner, 1 + below(2), depth - 1);
  std::vector<Operand> next;
  for (std::size_t i = 0; i < values; ++i) next.push_back(arithmetic(nested, inner));
  result.body = inner.take_body(std::move(next));
  result.attributes.stripmine = kept();
  const auto made = out.add_results(std::move(result), "l");
  scope.reals.insert(scope.reals.end(), made.begin(), made.end());
}

// A while loop that ends after some iterations, or earlier where a real grows too large; with its
// bound or without.
void FunctionGenerator::while_loop(Scope& scope, Builder& out, int depth) {
  Names& names = out.names();
  const Operand limit = i64_operand(static_cast<std::int64_t>(below(4)));
  const Operand too_large = number(0.8);
  const auto goes_on = [&](Builder& here, const Operand& count, const Operand& x) {
    const Operand few = here.scalar(ScalarOp::slt, ScalarType::i64, {count, limit});
    const Operand small = here.scalar(ScalarOp::flt, f64, {x, too_large});
    return here.scalar(ScalarOp::bit_and, ScalarType::boolean, {few, small});
  };
  const NameId runs = names.fresh("runs", scalar_of(ScalarType::boolean));
  const NameId count = names.fresh("n", scalar_of(ScalarType::i64));
  const NameId x = names.fresh("x", scalar_of(f64));
  Family& family = scope.vectors[below(2)];
  const NameId vector = names.fresh("xs", array_of(f64, {family.size}));
  const Operand first = real(scope);
  Loop result;
  result.values = {{Binder{runs}, goes_on(out, i64_operand(0), first)},
                   {Binder{count}, i64_operand(0)},
                   {Binder{x}, first},
                   {Binder{vector}, copied(pick(family), out)}};
  result.form = WhileForm{runs};
  Scope nested = scope;
  nested.reals.insert(nested.reals.end(), 3, x);
  Builder inner = out.nested();
  nested.reals.push_back(inner.index(vector, {pick(nested.integers)}));
  statements(nested, inner, 1 + below(2), depth - 1);
  const Operand next = arithmetic(nested, inner);
  const Operand next_count = inner.add_i64(count, i64_operand(1));
  const NameId updated =
      below(2) == 0
          ? vector
          : inner.add(Update{vector, {at(pick(nested.integers))}, arithmetic(nested, inner)}, "xs");
  const Operand again = goes_on(inner, next_count, next);
  result.body = inner.take_body({again, next_count, next, updated});
  if (below(2) == 0) result.attributes.bound = i64_operand(3);
  result.attributes.stripmine = kept();
  const auto made = out.add_results(std::move(result), "w");
  scope.reals.push_back(made[2]);
  family.members.push_back(made[3]);
}

// A loop that updates an array in place, or scatters into it.
void FunctionGenerator::loop_over_array(Scope& scope, Builder& out, int depth) {
  Names& names = out.names();
  const NameId copy = copied(pick(scope.columns()), out);
  const NameId parameter = names.fresh("as", names.type(copy));
  const NameId index = names.fresh("i", scalar_of(ScalarType::i64));
  Loop result;
  result.values = {{Binder{parameter}, copy}};
  result.form = ForForm{Binder{index}, i64_operand(static_cast<std::int64_t>(below(3)))};
  Scope nested = scope;
  Builder inner = out.nested();
  nested.reals.push_back(inner.index(parameter, {pick(scope.integers)}));
  nested.reals.push_back(inner.index(parameter, {Operand(index)}));
  nested.integers.push_back(index);
  statements(nested, inner, below(3), depth - 1);
  NameId updated;
  if (below(3) == 0) {
    updated = scattered(nested, inner, parameter);
  } else {
    const Operand value = arithmetic(nested, inner);
    updated = inner.add(Update{parameter, {at(pick(nested.integers))}, value}, "as");
  }
  result.body = inner.take_body({updated});
  result.attributes.stripmine = kept();
  scope.columns().members.push_back(out.add_results(std::move(result), "as")[0]);
}

// A loop whose array gets an element more in each iteration.
void FunctionGenerator::growing_loop(Scope& scope, Builder& out, int depth) {
  Names& names = out.names();
  Family& family = scope.vectors[below(2)];
  const NameId size = names.fresh("n", scalar_of(ScalarType::i64));
  const NameId array = names.fresh("as", array_of(f64, {size}));
  const NameId index = names.fresh("i", scalar_of(ScalarType::i64));
  Loop result;
  result.values = {{Binder{size}, family.size}, {Binder{array}, pick(family)}};
  result.form = ForForm{Binder{index}, i64_operand(static_cast<std::int64_t>(below(3)))};
  Scope nested = scope;
  nested.vectors.push_back({Operand(size), {array}});
  nested.integers.push_back(index);
  Builder inner = out.nested();
  statements(nested, inner, below(3), depth - 1);
  nested.reals.push_back(inner.index(array, {pick(nested.integers)}));
  const NameId last =
      inner.add(ArrayLiteral{scalar_of(f64), {arithmetic(nested, inner)}}, "last");
  std::vector<NameId> grown;
  for (Family& each : nested.vectors) {
    if (each.size == Operand(size)) grown = {pick(each), last};
  }
  const Operand next = inner.add_i64(size, i64_operand(1));
  const NameId longer = inner.add(Concat{next, grown}, "as");
  result.body = inner.take_body({next, longer});
  result.attributes.stripmine = kept();
  const auto made = out.add_results(std::move(result), "grown");
  scope.vectors.push_back({Operand(made[0]), {made[1]}});
}

// Nested loops that read and write rows of one matrix, and hand on a number.
NameId FunctionGenerator::loops_over_rows(Scope& scope, Builder& out, int depth, NameId matrix) {
  Names& names = out.names();
  const NameId parameter = names.fresh("rows", names.type(matrix));
  const NameId number_handed = names.fresh("a", scalar_of(f64));
  const NameId index = names.fresh("i", scalar_of(ScalarType::i64));
  Loop result;
  result.values = {{Binder{number_handed}, real(scope)}, {Binder{parameter}, matrix}};
  result.form = ForForm{Binder{index}, i64_operand(static_cast<std::int64_t>(1 + below(2)))};
  Scope nested = scope;
  nested.reals.push_back(number_handed);
  nested.integers.push_back(index);
  Builder inner = out.nested();
  NameId rows = parameter;
  if (below(2) == 0) {
    const NameId row = inner.index(rows, {pick(nested.integers)}).name();
    nested.rows().members.push_back(copied(row, inner));
  }
  if (below(3) == 0) {
    const NameId all = inner.map(i64_operand(outer_size), {rows},
                                 [&](Builder& body, const std::vector<NameId>& row) {
                                   const Operand x = body.index(row[0], {i64_operand(1)});
                                   return std::vector<Operand>{
                                       body.scalar(ScalarOp::sin, f64, {x})};
                                 })[0];
    nested.columns().members.push_back(all);
  }
  statements(nested, inner, below(3), depth - 1);
  if (below(2) == 0) rows = loops_over_rows(nested, inner, depth - 1, rows);
  if (below(2) == 0) {
    nested.reals.push_back(inner.index(rows, {pick(nested.integers), i64_operand(1)}));
  }
  if (below(3) != 0) {
    const NameId row = copied(pick(nested.rows()), inner);
    const std::vector<SliceDimension> place = {
        at(pick(nested.integers)),
        {false, i64_operand(0), i64_operand(inner_size), i64_operand(1)}};
    rows = inner.add(Update{rows, place, row}, "rows");
  }
  const Operand value = arithmetic(nested, inner);
  result.body = inner.take_body({value, rows});
  result.attributes.stripmine = kept();
  const auto results = out.add_results(std::move(result), "rows");
  scope.reals.push_back(results[0]);
  return results[1];
}

Operand FunctionGenerator::condition(Scope& scope, Builder& out) {
  return out.scalar(ScalarOp::flt, f64, {pick(scope.reals), constant()});
}

void FunctionGenerator::branch(Scope& scope, Builder& out, int depth) {
  const bool array = below(2) == 0;
  const std::size_t which = below(2);
  const auto side = [&](Builder& inner) {
    Scope nested = scope;
    statements(nested, inner, 1 + below(2), depth - 1);
    return std::vector<Operand>{array ? Operand(pick(nested.vectors[which]))
                                      : arithmetic(nested, inner)};
  };
  const NameId result = out.branch(condition(scope, out), side, side)[0];
  if (array) {
    scope.vectors[which].members.push_back(result);
  } else {
    scope.reals.push_back(result);
  }
}

// The sides give arrays of different sizes.
void FunctionGenerator::branch_of_sizes(Scope& scope, Builder& out, int depth) {
  Branch result;
  result.condition = condition(scope, out);
  for (Body* body : {&result.then_body, &result.else_body}) {
    Scope nested = scope;
    Builder inner = out.nested();
    statements(nested, inner, 1 + below(2), depth - 1);
    Family& chosen = pick(nested.vectors);
    const NameId member = pick(chosen);
    *body = inner.take_body({chosen.size, member});
  }
  const NameId size = out.names().fresh("n", scalar_of(ScalarType::i64));
  const NameId array = out.names().fresh("xs", array_of(f64, {size}));
  result.result_types = {scalar_of(ScalarType::i64), array_of(f64, {size})};
  out.add(Statement{{Binder{size}, Binder{array}}, std::move(result)});
  scope.vectors.push_back({Operand(size), {array}});
}

// Both sides write to one array, or only one of them.
void FunctionGenerator::branch_that_writes(Scope& scope, Builder& out) {
  Family& into = pick(scope.vectors);
  const NameId copy = copied(pick(into), out);
  const Operand decides = condition(scope, out);
  const auto side = [&](Builder& inner) {
    switch (below(3)) {
      case 0: return std::vector<Operand>{scattered(scope, inner, copy)};
      case 1:
        return std::vector<Operand>{
            inner.add(Update{copy, {at(pick(scope.integers))}, arithmetic(scope, inner)}, "xs")};
      default: return std::vector<Operand>{copy};
    }
  };
  into.members.push_back(out.branch(decides, side, side)[0]);
}

// A value of a sum type: a tag, and payloads of which the tag says which one holds.
void FunctionGenerator::alternatives(Scope& scope, Builder& out, int depth) {
  const auto tag = [](std::int64_t value) {
    return Operand(make_integer(ScalarType::i8, value));
  };
  const auto make = [&](std::int64_t which) {
    return [&, which](Builder& inner) {
      Scope nested = scope;
      statements(nested, inner, 1 + below(2), depth - 1);
      return std::vector<Operand>{tag(which), which == 0 ? arithmetic(nested, inner) : number(0),
                                  which == 0 ? pick(scope.rows()) : pick(nested.rows())};
    };
  };
  const auto made = out.branch(condition(scope, out), make(0), make(1));
  const Operand first = out.scalar(ScalarOp::eq, ScalarType::i8, {made[0], tag(0)});
  const auto use = [&](bool number_holds) {
    return [&, number_holds](Builder& inner) {
      Scope nested = scope;
      if (number_holds) {
        nested.reals.insert(nested.reals.end(), 3, made[1]);
      } else {
        nested.rows().members.insert(nested.rows().members.end(), 3, made[2]);
      }
      statements(nested, inner, 1 + below(2), depth - 1);
      return std::vector<Operand>{arithmetic(nested, inner)};
    };
  };
  scope.reals.push_back(out.branch(first, use(true), use(false))[0]);
}

}  // namespace dagaz::fuzz
