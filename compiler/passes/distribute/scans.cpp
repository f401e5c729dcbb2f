// A scan of rows that ranks have: each scans its own, all tell their totals, and each puts what the
// ranks before it have in front.
#include "passes/distribute/scans.h"

#include "ir/names.h"
#include "ir/value_count.h"
#include "passes/distribute/rewrite.h"
#include "support/match.h"

namespace dagaz::passes::distributing {

using ir::NameId;
using ir::Operand;

namespace {

std::vector<NameId> first_of(const std::vector<NameId>& names, std::size_t& at, std::size_t count) {
  const auto begin = names.begin() + static_cast<std::ptrdiff_t>(at);
  at += count;
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace

std::vector<Operand> apply(const ir::Lambda& lambda, const std::vector<Operand>& arguments,
                           ir::Builder& b) {
  ir::Lambda own = renamed(lambda, b.names());
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    b.add(ir::Statement{{own.parameters[k]}, ir::Identity{arguments[k]}, {}, b.location()});
  }
  b.add_all(std::move(own.body.statements));
  return own.body.results;
}

// The last of a rank's scanned values, or the neutral elements where it has none.
static std::vector<NameId> totals_of(const ir::SegmentedScan& scan,
                                     const std::vector<NameId>& scanned, const Rows& rows,
                                     ir::Builder& out) {
  std::vector<Operand> neutral;
  for (const ir::ScanOperator& one : scan.operators) {
    neutral.insert(neutral.end(), one.neutral.begin(), one.neutral.end());
  }
  const Operand has_rows = out.scalar(ir::ScalarOp::slt, ir::ScalarType::i64,
                                      {ir::i64_operand(0), rows.count}, "has_rows");
  return out.branch(
      has_rows,
      [&](ir::Builder& b) {
        const Operand last = b.sub_i64(rows.count, ir::i64_operand(1));
        std::vector<Operand> totals;
        for (const NameId one : scanned) totals.push_back(b.index(one, {last}, "total"));
        return totals;
      },
      [&](ir::Builder&) { return neutral; }, "total");
}

// What the ranks before this one have altogether.
static std::vector<NameId> totals_before(Rewriting& c, const ir::SegmentedScan& scan,
                                         const std::vector<NameId>& totals, ir::Builder& out) {
  const NameId ranks = c.collectives.size(out);
  const std::vector<NameId> all = c.collectives.collect(out, ranks, totals);
  const NameId index = c.collectives.index(out);
  std::vector<NameId> values;
  std::size_t at = 0;
  for (const ir::ScanOperator& one : scan.operators) {
    ir::SegmentedReduce reduce;
    const NameId rank = c.names.fresh("rank", ir::scalar_of(ir::ScalarType::i64));
    reduce.space.push_back({{rank}, index});
    ir::Builder inside(c.names);
    std::vector<Operand> elements;
    for (const NameId total : first_of(all, at, one.neutral.size())) {
      elements.push_back(inside.index(total, {rank}));
    }
    reduce.body = inside.take_body(std::move(elements));
    reduce.result_types = one.op.result_types;
    reduce.operators.push_back({renamed(one.op, c.names), one.neutral, false});
    for (const NameId name : out.add_results(std::move(reduce), "before")) values.push_back(name);
  }
  return values;
}

void share_scan(Rewriting& c, ir::Statement statement, const Share& share, ir::Builder& out) {
  const Operand extent = extent_of(statement.operation, share);
  const Rows rows = rows_of(c, extent);
  share_space(c, statement.operation, share, rows, out);
  ir::SegmentedScan scan = std::get<ir::SegmentedScan>(statement.operation);
  const std::size_t scans = ir::value_count(scan.operators);
  ir::Operation local = scan;
  std::get<ir::SegmentedScan>(local).post.reset();
  c.unagreed = c.unagreed || may_fail(local, c.definitions);
  const std::vector<NameId> own = out.add_results(std::move(local), "scanned");
  const std::vector<NameId> scanned(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(scans));
  const std::vector<NameId> totals = totals_of(scan, scanned, rows, out);
  agree(c, out);
  const std::vector<NameId> ahead = totals_before(c, scan, totals, out);

  ir::SegmentedMap map;
  const NameId at = c.names.fresh("i", ir::scalar_of(ir::ScalarType::i64));
  map.space.push_back({{at}, rows.count});
  ir::Builder b(c.names);
  b.set_location(out.location());
  std::vector<Operand> values;
  std::size_t next_ahead = 0;
  std::size_t next_own = 0;
  for (const ir::ScanOperator& one : scan.operators) {
    std::vector<Operand> both;
    for (const NameId name : first_of(ahead, next_ahead, one.neutral.size())) both.push_back(name);
    for (const NameId name : first_of(own, next_own, one.neutral.size())) {
      both.push_back(b.index(name, {at}));
    }
    for (const Operand& value : apply(one.op, both, b)) values.push_back(value);
  }
  for (; next_own < own.size(); ++next_own) values.push_back(b.index(own[next_own], {at}));
  if (scan.post) values = apply(*scan.post, values, b);
  for (const Operand& value : values) map.result_types.push_back(c.names.type(value));
  map.body = b.take_body(std::move(values));
  std::vector<NameId> sent;
  for (ir::Binder& result : statement.results) {
    const NameId whole = result.name;
    result.name = own_rows(c, whole, rows);
    c.own.emplace(whole, result.name);
    if (c.placement.is_sent(whole)) sent.push_back(whole);
  }
  c.unagreed = c.unagreed || may_fail(map, c.definitions);
  statement.operation = std::move(map);
  out.add(std::move(statement));
  if (!sent.empty()) agree(c, out);
  send_made(c, sent, out);
}

}  // namespace dagaz::passes::distributing
