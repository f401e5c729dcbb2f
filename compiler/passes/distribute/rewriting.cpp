#include "passes/distribute/rewriting.h"

#include <algorithm>

#include "ir/fields.h"
#include "passes/distribute/turns.h"
#include "support/check.h"

namespace dagaz::passes::distributing {

using ir::NameId;
using ir::Operand;

void note_extent(Rewriting& c, const Operand& extent) {
  std::vector<Operand>& all = c.shared_extents;
  if (std::find(all.begin(), all.end(), extent) == all.end()) all.push_back(extent);
}

void add_rows(Rewriting& c, const Operand& extent, ir::Builder& out) {
  const NameId first = c.collectives.first(out, extent);
  c.rows.emplace_back(extent, Rows{first, c.collectives.count(out, extent)});
}

void add_shared(Rewriting& c, NameId name, ir::Builder& out) {
  const auto found = std::find(c.shared_extents.begin(), c.shared_extents.end(), Operand(name));
  if (found != c.shared_extents.end()) add_rows(c, name, out);
}

const Rows& rows_of(const Rewriting& c, const Operand& extent) {
  const auto found = std::find_if(c.rows.begin(), c.rows.end(),
                                  [&](const auto& one) { return one.first == extent; });
  DZ_CHECK(found != c.rows.end(), "an extent that is shared before it is known");
  return found->second;
}

NameId own_rows(Rewriting& c, NameId whole, const Rows& rows, std::size_t dimension) {
  ir::Type type = c.names.type(whole);
  type.shape[dimension] = rows.count;
  return c.names.fresh(c.names.base(whole) + "_part", std::move(type));
}

bool reads_own_rows(const Rewriting& c, NameId array, const Positions& positions,
                    const Operand& extent) {
  const auto split = c.placement.split_at(array, extent);
  return split && std::find(positions.begin(), positions.end(), *split) != positions.end();
}

std::pair<NameId, std::size_t> part_of(Rewriting& c, NameId array, const Positions& positions,
                                       const Operand& extent, const Rows& rows, ir::Builder& out) {
  if (reads_own_rows(c, array, positions, extent)) {
    return {c.own.at(array), *c.placement.split_at(array, extent)};
  }
  for (const std::size_t one : positions) {
    if (const auto turned = turned_part(c, array, {extent, one})) return {*turned, one};
  }
  const std::size_t position = positions.front();
  ir::Slice slice{array, {}};
  const ir::Type& type = c.names.type(array);
  for (std::size_t k = 0; k < type.rank(); ++k) {
    const Operand one = ir::i64_operand(1);
    slice.dimensions.push_back(
        k == position ? ir::SliceDimension{false, rows.first, rows.count, one}
                      : ir::SliceDimension{false, ir::i64_operand(0), type.shape[k], one});
  }
  return {out.add(std::move(slice), c.names.base(array) + "_part"), position};
}

Combined take_results(Rewriting& c, ir::Statement& statement, std::size_t first,
                      std::size_t count) {
  Combined taken;
  for (std::size_t k = first; k < first + count; ++k) {
    ir::NameId& result = statement.results[k].name;
    taken.whole.push_back(result);
    result = c.names.fresh_like(result);
    taken.own.push_back(result);
  }
  return taken;
}

// Ranks gather rows; along another dimension these are turned before, and back.
static void gather_whole(Rewriting& c, NameId whole, ir::Builder& out) {
  const std::size_t dimension = c.placement.split.at(whole).dimension;
  const NameId part = c.own.at(whole);
  if (dimension == 0) return c.collectives.gather(out, part, whole);
  const ir::Type type = c.names.type(whole);
  std::vector<int> there{static_cast<int>(dimension)};
  std::vector<int> back;
  ir::Type turned = type;
  turned.shape = {type.shape[dimension]};
  for (std::size_t d = 0; d < type.rank(); ++d) {
    back.push_back(static_cast<int>(d < dimension ? d + 1 : d == dimension ? 0 : d));
    if (d == dimension) continue;
    there.push_back(static_cast<int>(d));
    turned.shape.push_back(type.shape[d]);
  }
  const NameId rows = out.add(ir::Copy{out.add(ir::Permute{part, there}, "turned")}, "turned");
  const NameId all = c.names.fresh(c.names.base(whole) + "_turned", std::move(turned));
  c.collectives.gather(out, rows, all);
  out.add(ir::Statement{{{whole}}, ir::Permute{all, back}, {}, out.location()});
}

void send_made(Rewriting& c, const std::vector<NameId>& all, ir::Builder& out) {
  for (const NameId whole : all) {
    if (c.placement.gathered.contains(whole)) gather_whole(c, whole, out);
  }
  turn_made(c, all, out);
}

bool shares_what_may_fail(const Rewriting& c, const ir::Body& body) {
  return std::any_of(body.statements.begin(), body.statements.end(), [&](const auto& one) {
    if (!one.results.empty() && c.placement.shares.contains(one.results[0].name)) {
      return may_fail(one.operation, c.definitions);
    }
    bool inside = false;
    ir::for_each_scope(one.operation, [&](const ir::Body& inner) {
      inside = inside || shares_what_may_fail(c, inner);
    });
    return inside;
  });
}

void agree(Rewriting& c, ir::Builder& out) {
  if (c.unagreed) c.collectives.agree(out);
  c.unagreed = false;
}

}  // namespace dagaz::passes::distributing
