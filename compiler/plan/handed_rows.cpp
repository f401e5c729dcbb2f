#include "plan/handed_rows.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <unordered_set>

#include "ir/fields.h"
#include "ir/names.h"
#include "plan/gpu_additions.h"
#include "plan/operators.h"
#include "plan/thread_code.h"

namespace dagaz::plan {

using ir::NameId;
using ir::Operand;

namespace {

constexpr std::int64_t shortest_row = 4;
constexpr std::int64_t longest_row = 16;  // elements that a thread has in registers

/// A row, and how many of its elements an iteration adds to, at most.
struct RowAdditions {
  std::vector<Operand> indices;
  std::int64_t additions;
};

bool is_open_accumulator(NameId name, const ir::Names& names) {
  return names.type(name).kind == ir::TypeKind::accumulator;
}

/// The additions in `body`, each of which happens `times`.
void collect_additions(const ir::Body& body, std::int64_t times, std::vector<RowAdditions>& rows) {
  for (const ir::Statement& one : body.statements) {
    if (const auto* addition = as<ir::Accumulate>(one.operation)) {
      std::vector<Operand> indices = addition->indices;
      indices.pop_back();
      const auto found = std::ranges::find(rows, indices, &RowAdditions::indices);
      if (found == rows.end()) {
        rows.push_back({std::move(indices), times});
      } else {
        found->additions += times;
      }
    }
    const auto* map = as<ir::MapScanReduce>(one.operation);
    const bool repeats = map != nullptr && map->width.is_constant();
    const std::int64_t inside = repeats ? times * ir::integer_value(map->width.constant()) : times;
    ir::for_each_scope(one.operation,
                       [&](const ir::Body& inner) { collect_additions(inner, inside, rows); });
  }
}

/// Whether all of them are known at the end of the body.
bool are_known_at_end(const std::vector<Operand>& indices,
                      const std::unordered_set<NameId>& known) {
  return std::ranges::all_of(indices, [&](const Operand& index) {
    return !index.is_name() || known.contains(index.name());
  });
}

/// The elements of a row; none where these are too few or too many.
std::optional<std::int64_t> row_elements(NameId accumulator, const ir::Names& names) {
  const ir::Type& type = names.type(accumulator);
  if (type.shape.size() < 2 || !type.shape.back().is_constant()) return std::nullopt;
  const std::int64_t count = ir::integer_value(type.shape.back().constant());
  if (count < shortest_row || count > longest_row) return std::nullopt;
  return count;
}

/// Whether a statement of a point adds to nothing, or does so once.
bool adds_at_most_once(const ir::Statement& s, const ir::Names& names) {
  return as<ir::Accumulate>(s.operation) ||
         std::ranges::none_of(s.results, [&](const ir::Binder& result) {
           return is_open_accumulator(result.name, names);
         });
}

/// The rows that iterations add to: none where warps cannot go through the loop together.
std::vector<ir::AddedRow> added_rows(const ir::Statement& s, const ir::Names& names) {
  const auto* loop = as<ir::Loop>(s.operation);
  const auto* form = loop == nullptr ? nullptr : as<ir::ForForm>(loop->form);
  if (form == nullptr || names.type(form->index.name).element != ir::ScalarType::i64) return {};
  if (loop->values.size() != 1) return {};
  const NameId accumulator = loop->values[0].parameter.name;
  if (!is_open_accumulator(accumulator, names)) return {};
  const auto count = row_elements(accumulator, names);
  if (!count) return {};
  std::vector<RowAdditions> rows;
  collect_additions(loop->body, 1, rows);
  const std::vector<NameId> around = ir::free_names(loop->body, names);
  std::unordered_set<NameId> known(around.begin(), around.end());
  for (const ir::Statement& one : loop->body.statements) {
    for (const ir::Binder& result : one.results) known.insert(result.name);
  }
  std::vector<ir::AddedRow> worthy;
  for (RowAdditions& row : rows) {
    const bool is_full = row.additions * 2 > *count;
    if (!is_full || !are_known_at_end(row.indices, known)) continue;
    worthy.push_back({s.results[0].name, std::move(row.indices)});
  }
  return worthy;
}

}  // namespace

std::optional<ir::Version> handed_rows(const ir::SegmentedMap& e, const Surroundings& around) {
  const bool only_adds = std::ranges::all_of(
      e.result_types, [](const ir::Type& type) { return type.kind == ir::TypeKind::accumulator; });
  if (!only_adds || takes_memory(e.body, around.names, around.tunables().stack_array)) {
    return std::nullopt;
  }
  for (const NameId name : ir::free_names(e.body, around.names)) {
    if (is_open_accumulator(name, around.names) && !adds_numbers(name, around)) return std::nullopt;
  }
  ir::HeldBlocks blocks;
  std::int64_t most = 0;
  for (const ir::Statement& one : e.body.statements) {
    if (adds_at_most_once(one, around.names)) continue;
    std::vector<ir::AddedRow> rows = added_rows(one, around.names);
    if (rows.empty()) return std::nullopt;
    std::move(rows.begin(), rows.end(), std::back_inserter(blocks.rows));
    const auto& loop = *as<ir::Loop>(one.operation);
    most = std::max(most, *row_elements(loop.values[0].parameter.name, around.names));
  }
  if (most == 0) return std::nullopt;
  ir::Product points{1, {}};
  for (const ir::SpaceDimension& one : e.space) points.sizes.push_back(one.extent);
  blocks.elements = static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(most)));
  return ir::Version{{{points, {block_threads, {}}}}, std::move(blocks)};
}

}  // namespace dagaz::plan
