// A `while` loop under reverse mode becomes a `for` loop, because the return sweep must know how
// many iterations there were: counted by running the loop once more, or bounded by `#[bound(n)]`.
#include <utility>

#include "passes/ad/consumption.h"
#include "passes/ad/normalise.h"
#include "passes/ad/rules/rules.h"

namespace dagaz::passes::ad {

using namespace ir;

namespace {

// A `for` loop that was a `while` when loops were strip-mined.
void add_strip_mined(Statement loop, Names& names, std::vector<Statement>& to) {
  if (std::get<Loop>(loop.operation).attributes.stripmine <= 1) {
    to.push_back(std::move(loop));
    return;
  }
  Body alone;
  alone.statements.push_back(std::move(loop));
  for (Statement& each : normalise(std::move(alone), names).statements) {
    to.push_back(std::move(each));
  }
}

}  // namespace

// while c do b  =  for i < n do b, where n is counted by running the loop once more.
std::vector<Statement> counted_while(Reverse& r, const Statement& statement) {
  Statement counting = renamed(statement, r.names());
  Loop& counted = std::get<Loop>(counting.operation);
  Substitution sizes;  // those of results among the results
  for (Binder& result : counting.results) {
    const Type type = substitute(r.names().type(result.name), sizes);
    const NameId dead = r.names().fresh(r.names().base(result.name), type);
    sizes.emplace(result.name, dead);
    result.name = dead;
  }
  const Type number = scalar_of(ScalarType::i64);
  const NameId count = r.names().fresh("count", number);
  const NameId next = r.names().fresh("count", number);
  const NameId total = r.names().fresh("count", number);
  counted.values.push_back(LoopValue{Binder{count}, i64_operand(0)});
  if (!counted.attributes.true_dependence.empty()) {
    counted.attributes.true_dependence.push_back(false);
  }
  counted.body.statements.push_back(
      Statement{{Binder{next}},
                Scalar{ScalarOp::add, ScalarType::i64, ScalarType::i64, {count, i64_operand(1)}},
                {},
                statement.location});
  counted.body.results.push_back(next);
  counting.results.push_back(Binder{total});

  // Both loops start from the same arrays, so the first one must not consume them; its results
  // but the count are dead.
  std::vector<Statement> result;
  const NameSet consumed =
      consumed_names(counted.body.statements, r.names(), r.environment.functions());
  for (LoopValue& value : counted.values) {
    if (consumed.count(value.parameter.name) == 0 || !value.initial.is_name()) continue;
    const NameId copy = r.names().fresh_like(value.initial.name());
    result.push_back(Statement{
        {Binder{copy}}, Copy{value.initial.name()}, statement.tokens, statement.location});
    value.initial = copy;
  }
  result.push_back(std::move(counting));
  Statement again = statement;
  Loop& repeated = std::get<Loop>(again.operation);
  repeated.form = ForForm{Binder{r.names().fresh("i", number)}, total};
  repeated.attributes.bound = std::nullopt;
  add_strip_mined(std::move(again), r.names(), result);
  r.note(statement, "while loop", "reverse", "the iterations are counted by running the loop once");
  return result;
}

// Gives the results of a bounded loop only if it has come to its end: else they would be wrong.
static void check_bound(Reverse& r, Statement& statement, const Loop& original,
                        std::vector<Statement>& after) {
  const NameId condition = std::get<WhileForm>(original.form).condition;
  const Type truth = scalar_of(ScalarType::boolean);
  const NameId ends = r.names().fresh("ends", truth);
  const NameId checked = r.names().fresh("checked", token_type());
  Substitution renaming;
  std::vector<Statement> given;
  for (std::size_t k = 0; k < statement.results.size(); ++k) {
    const NameId result = statement.results[k].name;
    const NameId unchecked =
        r.names().fresh(r.names().base(result), substitute(r.names().type(result), renaming));
    renaming.emplace(result, unchecked);
    statement.results[k].name = unchecked;
    given.push_back(
        Statement{{Binder{result}}, Identity{unchecked}, {checked}, statement.location});
    if (original.values[k].parameter.name != condition) continue;
    after.push_back(
        Statement{{Binder{ends}},
                  Scalar{ScalarOp::bit_not, ScalarType::boolean, ScalarType::boolean, {unchecked}},
                  {},
                  statement.location});
    after.push_back(Statement{{Binder{checked}},
                              Assert{ends,
                                     "This loop takes more than its bound, {} iterations.",
                                     {*original.attributes.bound}},
                              {},
                              statement.location});
  }
  after.insert(after.end(), given.begin(), given.end());
}

// while c do b  =  for i < bound do if c then b else nothing.
std::vector<Statement> bounded_while(Reverse& r, const Statement& statement, const Loop& loop) {
  Statement result = statement;
  Loop& bounded = std::get<Loop>(result.operation);
  const NameId index = r.names().fresh("i", scalar_of(ScalarType::i64));
  bounded.form = ForForm{Binder{index}, *loop.attributes.bound};
  bounded.attributes.bound = std::nullopt;
  Branch branch;
  branch.condition = std::get<WhileForm>(loop.form).condition;
  branch.then_body = std::move(bounded.body);
  Statement guarded{{}, Identity{}, {}, statement.location};
  Substitution renaming;
  for (const LoopValue& value : loop.values) {
    const NameId parameter = value.parameter.name;
    branch.else_body.results.push_back(parameter);
    const Type type = substitute(r.names().type(parameter), renaming);
    branch.result_types.push_back(type);
    guarded.results.push_back(Binder{r.names().fresh(r.names().base(parameter), type)});
    renaming.emplace(parameter, guarded.results.back().name);
    bounded.body.results.clear();
  }
  for (const Binder& each : guarded.results) bounded.body.results.push_back(each.name);
  guarded.operation = std::move(branch);
  bounded.body.statements.clear();
  bounded.body.statements.push_back(std::move(guarded));
  std::vector<Statement> after;
  check_bound(r, result, loop, after);
  std::vector<Statement> all;
  add_strip_mined(std::move(result), r.names(), all);
  all.insert(all.end(), after.begin(), after.end());
  return all;
}

}  // namespace dagaz::passes::ad
