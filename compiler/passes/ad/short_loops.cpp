#include "passes/ad/short_loops.h"

#include <algorithm>

#include "ir/names.h"
#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

namespace {

constexpr std::int64_t most_iterations = 16;
constexpr std::int64_t most_statements = 512;  // of all iterations

bool only_computes(const Body& body) {
  return std::all_of(body.statements.begin(), body.statements.end(), [](const Statement& one) {
    return as<Scalar>(one.operation) != nullptr || as<Identity>(one.operation) != nullptr;
  });
}

bool is_short(const Statement& statement, const Loop& loop, const Names& names) {
  const auto* form = as<ForForm>(loop.form);
  if (form == nullptr || !form->bound.is_constant()) return false;
  // What the user asked to be kept, or differentiated in another way.
  if (loop.attributes.stripmine != 0 || statement.mode != ModeRequest::none) return false;
  const bool scalars =
      std::all_of(loop.values.begin(), loop.values.end(), [&](const LoopValue& value) {
        return names.type(value.parameter.name).is_scalar();
      });
  const std::int64_t count = integer_value(form->bound.constant());
  const auto size = static_cast<std::int64_t>(loop.body.statements.size());
  return scalars && count > 0 && count <= most_iterations && count * size <= most_statements &&
         only_computes(loop.body);
}

}  // namespace

bool write_out_short_loop(const Statement& statement, Builder& out) {
  const auto* loop = as<Loop>(statement.operation);
  if (loop == nullptr || !is_short(statement, *loop, out.names())) return false;
  const auto& form = std::get<ForForm>(loop->form);
  const Constant bound = form.bound.constant();
  std::vector<Operand> values;
  for (const LoopValue& value : loop->values) values.push_back(value.initial);
  for (std::int64_t i = 0; i < integer_value(bound); ++i) {
    Body body = renamed(loop->body, out.names());
    Substitution with;
    with.emplace(form.index.name, Operand(make_integer(bound.type, i)));
    for (std::size_t k = 0; k < values.size(); ++k) {
      with.emplace(loop->values[k].parameter.name, values[k]);
    }
    substitute(body, with, out.names());
    for (Statement& one : body.statements) {
      one.tokens.insert(one.tokens.end(), statement.tokens.begin(), statement.tokens.end());
      out.add(std::move(one));
    }
    values = std::move(body.results);
  }
  for (std::size_t k = 0; k < values.size(); ++k) {
    out.add(Statement{{statement.results[k]}, Identity{values[k]}, statement.tokens,
                      statement.location});
  }
  return true;
}

}  // namespace dagaz::passes::ad
