// Rows at places that points compute: each rank asks those who have them, for several arrays at
// once where it reads these at the same places.
#include "passes/distribute/rewrite.h"
#include "support/match.h"

namespace dagaz::passes::distributing {

using ir::NameId;
using ir::Operand;

void Rewriter::want_answers(const ir::Statements& statements) {
  for (const ir::Statement& one : statements) {
    if (one.results.empty()) continue;
    const NameId answers = one.results[0].name;
    if (placement_.request_of(answers) != nullptr) answers_.push_back(answers);
  }
}

void Rewriter::ask(NameId answers, const Rows& rows, ir::Builder& out) {
  if (!own_.contains(answers)) {
    const Request& asked = *placement_.request_of(answers);
    const Operand extent = names_.type(asked.places).shape.front();
    const Operand all = names_.type(asked.array).shape.front();
    std::vector<RowsAsked> together;
    for (const NameId one : answers_) {
      const Request& other = *placement_.request_of(one);
      const bool fits = other.places == asked.places &&
                        names_.type(other.array).shape.front() == all &&
                        own_.contains(other.array) && !own_.contains(one);
      if (!fits) continue;
      own_.emplace(one, own_rows(one, rows));
      together.push_back({own_.at(other.array), own_.at(one)});
    }
    const NameId places = part_of(asked.places, {0}, extent, rows, out).first;
    agree(out);
    collectives_.request(out, {all, extent, places}, together);
  }
  if (!placement_.is_sent(answers)) return;
  agree(out);
  send({answers}, out);
}

}  // namespace dagaz::passes::distributing
