// Rows at places that points compute: each rank asks those who have them, for several arrays at
// once where it reads these at the same places.
#include "passes/distribute/requests.h"

#include "support/match.h"

namespace dagaz::passes::distributing {

using ir::NameId;
using ir::Operand;

void want_answers(Rewriting& c, const ir::Statements& statements) {
  for (const ir::Statement& one : statements) {
    if (one.results.empty()) continue;
    const NameId answers = one.results[0].name;
    if (c.placement.request_of(answers) != nullptr) c.answers.push_back(answers);
  }
}

void ask_for(Rewriting& c, NameId answers, const Rows& rows, ir::Builder& out) {
  if (!c.own.contains(answers)) {
    const Request& asked = *c.placement.request_of(answers);
    const Operand extent = c.names.type(asked.places).shape.front();
    const Operand all = c.names.type(asked.array).shape.front();
    std::vector<RowsAsked> together;
    for (const NameId one : c.answers) {
      const Request& other = *c.placement.request_of(one);
      const bool fits = other.places == asked.places &&
                        c.names.type(other.array).shape.front() == all &&
                        c.own.contains(other.array) && !c.own.contains(one);
      if (!fits) continue;
      c.own.emplace(one, own_rows(c, one, rows));
      together.push_back({c.own.at(other.array), c.own.at(one)});
    }
    const NameId places = part_of(c, asked.places, {0}, extent, rows, out).first;
    agree(c, out);
    c.collectives.request(out, {all, extent, places}, together);
  }
  if (!c.placement.is_sent(answers)) return;
  agree(c, out);
  send_made(c, {answers}, out);
}

}  // namespace dagaz::passes::distributing
