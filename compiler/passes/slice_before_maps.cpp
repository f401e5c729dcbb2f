// Slices of what a map makes move to what it reads.
//
//   ys = map f xs;  zs = ys[s : n : d, …]     =     zs = map f (xs[s : n : d])[…]
//
// if nothing else reads ys.  Nothing fuses through a slice of an array, but with one: the map may
// then become part of what reads zs, and what is left out is not computed.  A scan from the right,
// the gradient of a scan, reads an array reversed and is read reversed.  So does, of a map that
// makes less than it reads of a scan, the reversal move behind it, that it may become part of the
// scan:
//
//   zs = map f xs ys[n-1 : n : -1]     =     zs = (map f xs[n-1 : n : -1] ys)[n-1 : n : -1]
//
// A part that becomes one of as many elements again, as what a stencil reads beside its points,
// stays where it is: maps that make and read all of them run as one loop (plan/stencil.h).
//
// Comes after fusion: a map that makes less than it reads is best merged into what it reads.
#include <algorithm>
#include <unordered_map>

#include "ir/alias.h"
#include "ir/fields.h"
#include "ir/names.h"
#include "passes/passes.h"
#include "support/match.h"

namespace dagaz::passes {

namespace {

using namespace ir;

class SliceMover {
 public:
  SliceMover(Program& program, const Function& function)
      : names_(program.names), aliases_(analyse_aliases(function, program)) {}

  void body(Body& body) {
    while (move_slices(body)) {
    }
    reverse_results(body);
    for (Statement& statement : body.statements) {
      for_each_scope(statement.operation, [this](Body& inner) { this->body(inner); });
    }
  }
  bool changed() const { return changed_; }

 private:
  using Replacements = std::unordered_map<std::size_t, std::vector<Statement>>;

  bool replace(Body& body, Replacements instead);
  bool move_slices(Body& body);
  std::vector<std::size_t> slices_of(const Statement& map) const;
  bool may_be_sliced(const Statement& map, const SliceDimension& rows) const;
  bool becomes_as_many(const Statement& slice, const Operand& count) const;
  bool may_move(std::size_t from, std::size_t to) const;
  std::vector<Statement> map_of_slices(Statement map, const std::vector<std::size_t>& slices);
  NameId slice_rows(NameId array, const Statement& like, std::vector<Statement>& to);
  void find_uses(Body& body);
  bool is_map_of_values(const Statement& statement) const;
  bool is_reversal(const Statement& slice) const;
  const Statement* reversal_of_scan(NameId array) const;
  const Statement* reversal_before(const Statement& map) const;
  void reverse_results(Body& body);
  std::vector<Statement> reversed_map(Statement map, const Statement& reversal);

  Names& names_;
  AliasInfo aliases_;
  std::vector<Statement>* statements_ = nullptr;
  std::unordered_map<NameId, std::size_t> bound_;              // by which statement
  std::unordered_map<NameId, std::vector<std::size_t>> uses_;  // in order; results come last
  std::unordered_map<NameId, Scalar> scalars_;                 // of this scope and those around it
  bool changed_ = false;
};

bool is_whole(const SliceDimension& dimension, const Operand& size) {
  return !dimension.fixed && dimension.start == i64_operand(0) &&
         dimension.stride == i64_operand(1) && dimension.count == size;
}

const SliceDimension& rows_of(const Statement& slice) {
  return std::get<Slice>(slice.operation).dimensions.front();
}

// Whether the slice is only read by what joins it with others, or writes it over others, to `count`
// rows.
bool SliceMover::becomes_as_many(const Statement& slice, const Operand& count) const {
  const auto uses = uses_.find(slice.results[0].name);
  if (uses == uses_.end()) return false;
  return std::all_of(uses->second.begin(), uses->second.end(), [&](std::size_t user) {
    if (user == statements_->size()) return false;
    const Statement& one = (*statements_)[user];
    if (!as<Concat>(one.operation) && !as<Update>(one.operation)) return false;
    const Type& type = names_.type(one.results[0].name);
    return type.rank() > 0 && type.shape[0] == count;
  });
}

// The slices that read the results of the map, one for each, in order of its results; nothing if
// anything else does, or if they differ in the elements that they take.
std::vector<std::size_t> SliceMover::slices_of(const Statement& map) const {
  std::vector<std::size_t> slices;
  for (const Binder& result : map.results) {
    const auto uses = uses_.find(result.name);
    if (uses == uses_.end() || uses->second.size() != 1) return {};
    const std::size_t user = uses->second.front();
    if (user == statements_->size()) return {};
    const Statement& statement = (*statements_)[user];
    const auto* slice = as<Slice>(statement.operation);
    if (slice == nullptr || slice->array != result.name || rows_of(statement).fixed) return {};
    if (!slices.empty()) {
      const Statement& first = (*statements_)[slices.front()];
      if (rows_of(first) != rows_of(statement) || first.tokens != statement.tokens) return {};
    }
    slices.push_back(user);
  }
  return slices;
}

bool may_fail(const Body& body) {
  return std::any_of(body.statements.begin(), body.statements.end(), [](const Statement& one) {
    bool fails = std::holds_alternative<Assert>(one.operation) ||
                 std::holds_alternative<Call>(one.operation);
    for_each_scope(one.operation, [&](const Body& inner) { fails = fails || may_fail(inner); });
    return fails;
  });
}

// Whether the statement is a map alone, which consumes nothing.
bool SliceMover::is_map_of_values(const Statement& statement) const {
  const auto* node = as<MapScanReduce>(statement.operation);
  if (node == nullptr || !node->scans.empty() || !node->reductions.empty() || node->post) {
    return false;
  }
  const bool reads_values = std::all_of(
      node->arrays.begin(), node->arrays.end(),
      [&](NameId array) { return names_.type(array).kind == TypeKind::value; });
  return reads_values && aliases_.consumed_by(statement).empty();
}

// Whether the map may be made of these elements alone: it is one, no element is taken twice, and
// what is left out cannot fail.
bool SliceMover::may_be_sliced(const Statement& map, const SliceDimension& rows) const {
  if (!is_map_of_values(map)) return false;
  const auto& node = std::get<MapScanReduce>(map.operation);
  if (is_whole(rows, node.width)) return false;
  if (!rows.stride.is_constant() || rows.stride == i64_operand(0)) return false;
  return rows.count == node.width || !may_fail(node.map.body);
}

// Whether nothing in between writes what the statement reads.
bool SliceMover::may_move(std::size_t from, std::size_t to) const {
  const std::vector<NameId> read = free_names((*statements_)[from], names_);
  for (std::size_t i = from + 1; i < to; ++i) {
    if (aliases_.may_write((*statements_)[i], read)) return false;
  }
  return true;
}

// The elements of `array` that the slice `like` takes.
NameId SliceMover::slice_rows(NameId array, const Statement& like, std::vector<Statement>& to) {
  Type type = names_.type(array);
  std::vector<SliceDimension> dimensions = {rows_of(like)};
  for (std::size_t k = 1; k < type.rank(); ++k) {
    dimensions.push_back({false, i64_operand(0), type.shape[k], i64_operand(1)});
  }
  type.shape[0] = rows_of(like).count;
  const NameId result = names_.fresh(names_.base(array), type);
  aliases_.add_view(result, array);
  to.push_back({{Binder{result}}, Slice{array, std::move(dimensions)}, like.tokens, like.location});
  return result;
}

// The map of what its slices take of its inputs, and what they take of its elements.
std::vector<Statement> SliceMover::map_of_slices(Statement map,
                                                 const std::vector<std::size_t>& slices) {
  std::vector<Statement> result;
  const Statement& first = (*statements_)[slices.front()];
  auto& node = std::get<MapScanReduce>(map.operation);
  std::unordered_map<NameId, NameId> sliced;
  for (NameId& array : node.arrays) {
    const auto [at, is_new] = sliced.try_emplace(array);
    if (is_new) at->second = slice_rows(array, first, result);
    array = at->second;
  }
  node.width = rows_of(first).count;
  map.tokens.insert(map.tokens.end(), first.tokens.begin(), first.tokens.end());
  std::sort(map.tokens.begin(), map.tokens.end());
  map.tokens.erase(std::unique(map.tokens.begin(), map.tokens.end()), map.tokens.end());
  std::vector<Statement> parts;
  for (std::size_t k = 0; k < slices.size(); ++k) {
    Statement slice = (*statements_)[slices[k]];
    auto& dimensions = std::get<Slice>(slice.operation).dimensions;
    Type type = names_.type(map.results[k].name);
    const NameId old = map.results[k].name;
    const bool whole_rows = std::equal(dimensions.begin() + 1, dimensions.end(),
                                       type.shape.begin() + 1, is_whole);
    if (whole_rows) {
      map.results[k] = slice.results[0];
      continue;
    }
    type.shape[0] = node.width;
    dimensions[0] = {false, i64_operand(0), node.width, i64_operand(1)};
    map.results[k] = Binder{names_.fresh(names_.base(old), type)};
    std::get<Slice>(slice.operation).array = map.results[k].name;
    parts.push_back(std::move(slice));
  }
  result.push_back(std::move(map));
  result.insert(result.end(), parts.begin(), parts.end());
  return result;
}

bool has_slices(const Body& body) {
  return std::any_of(body.statements.begin(), body.statements.end(), [](const Statement& one) {
    bool found = std::holds_alternative<Slice>(one.operation);
    for_each_scope(one.operation, [&](const Body& inner) { found = found || has_slices(inner); });
    return found;
  });
}

void SliceMover::find_uses(Body& body) {
  statements_ = &body.statements;
  bound_.clear();
  uses_.clear();
  for (std::size_t i = 0; i < body.statements.size(); ++i) {
    const Statement& statement = body.statements[i];
    for (const NameId name : free_names(statement, names_)) uses_[name].push_back(i);
    for (const Binder& result : statement.results) bound_.emplace(result.name, i);
    const auto* scalar = as<Scalar>(statement.operation);
    if (scalar != nullptr) scalars_.emplace(statement.results[0].name, *scalar);
  }
  for (const Operand& result : body.results) {
    if (result.is_name()) uses_[result.name()].push_back(body.statements.size());
  }
}

// Whether there was anything to put in the place of statements.
bool SliceMover::replace(Body& body, Replacements instead) {
  if (instead.empty()) return false;
  std::vector<Statement> statements;
  for (std::size_t i = 0; i < body.statements.size(); ++i) {
    const auto at = instead.find(i);
    if (at == instead.end()) {
      statements.push_back(std::move(body.statements[i]));
      continue;
    }
    for (Statement& one : at->second) statements.push_back(std::move(one));
  }
  body.statements = std::move(statements);
  changed_ = true;
  return true;
}

// Moves what can be moved with what is known now; whether there was anything.
bool SliceMover::move_slices(Body& body) {
  find_uses(body);
  Replacements instead;
  for (std::size_t i = 0; i < body.statements.size(); ++i) {
    const Statement& map = body.statements[i];
    if (!std::holds_alternative<MapScanReduce>(map.operation)) continue;
    const std::vector<std::size_t> slices = slices_of(map);
    const Operand& width = std::get<MapScanReduce>(map.operation).width;
    const bool is_shifted =
        std::all_of(slices.begin(), slices.end(), [&](std::size_t slice) {
          return becomes_as_many(body.statements[slice], width);
        });
    if (is_shifted) continue;  // or there are none
    const std::size_t place = *std::min_element(slices.begin(), slices.end());
    if (!may_be_sliced(map, rows_of(body.statements[place])) || !may_move(i, place)) continue;
    std::vector<Statement> made = map_of_slices(map, slices);
    instead[i] = {};
    for (const std::size_t slice : slices) instead[slice] = {};
    instead[place] = std::move(made);
  }
  return replace(body, std::move(instead));
}

// ---------------------------------------------------------------- behind a map

// Whether the slice takes all rows from the last to the first.
bool SliceMover::is_reversal(const Statement& slice) const {
  const SliceDimension& rows = rows_of(slice);
  const auto& dimensions = std::get<Slice>(slice.operation).dimensions;
  const auto& shape = names_.type(std::get<Slice>(slice.operation).array).shape;
  if (rows.fixed || rows.stride != i64_operand(-1) || rows.count != shape[0]) return false;
  if (!std::equal(dimensions.begin() + 1, dimensions.end(), shape.begin() + 1, is_whole)) {
    return false;
  }
  if (rows.start.is_constant() && shape[0].is_constant()) {
    return integer_value(rows.start.constant()) == integer_value(shape[0].constant()) - 1;
  }
  const auto last = rows.start.is_name() ? scalars_.find(rows.start.name()) : scalars_.end();
  return last != scalars_.end() && last->second.op == ScalarOp::add &&
         last->second.arguments == std::vector<Operand>{shape[0], i64_operand(-1)};
}

// The reversal that makes `array`, if it is one of what a scan makes and each is read once.
const Statement* SliceMover::reversal_of_scan(NameId array) const {
  const auto statement_of = [&](NameId name) -> const Statement* {
    const auto at = bound_.find(name);
    const auto uses = uses_.find(name);
    const bool read_once = uses != uses_.end() && uses->second.size() == 1;
    return at == bound_.end() || !read_once ? nullptr : &(*statements_)[at->second];
  };
  const Statement* reversal = statement_of(array);
  if (reversal == nullptr || !as<Slice>(reversal->operation) || !is_reversal(*reversal)) {
    return nullptr;
  }
  const Statement* scan = statement_of(std::get<Slice>(reversal->operation).array);
  const auto* node = scan == nullptr ? nullptr : as<MapScanReduce>(scan->operation);
  return node == nullptr || node->scans.empty() ? nullptr : reversal;
}

// Elements of a row; sizes that are not known count as many.
std::int64_t volume_of(const Type& row) {
  constexpr std::int64_t many = 64;
  std::int64_t volume = 1;
  for (const Operand& size : row.shape) {
    volume *= size.is_constant() ? integer_value(size.constant()) : many;
  }
  return volume;
}

// The map of what the reversal reverses, and its results reversed.
std::vector<Statement> SliceMover::reversed_map(Statement map, const Statement& reversal) {
  std::vector<Statement> result;
  auto& node = std::get<MapScanReduce>(map.operation);
  std::unordered_map<NameId, NameId> turned;
  for (NameId& array : node.arrays) {
    const auto [at, is_new] = turned.try_emplace(array);
    const Statement* own = is_new ? reversal_of_scan(array) : nullptr;
    if (own != nullptr) {
      at->second = std::get<Slice>(own->operation).array;
    } else if (is_new) {
      at->second = slice_rows(array, reversal, result);
    }
    array = at->second;
  }
  std::vector<Statement> slices;
  for (Binder& made : map.results) {
    const NameId before = names_.fresh_like(made.name);
    aliases_.add_view(made.name, before);
    Statement slice = reversal;
    slice.results = {made};
    auto& dimensions = std::get<Slice>(slice.operation).dimensions;
    dimensions.resize(1);
    const auto& shape = names_.type(before).shape;
    for (std::size_t k = 1; k < shape.size(); ++k) {
      dimensions.push_back({false, i64_operand(0), shape[k], i64_operand(1)});
    }
    std::get<Slice>(slice.operation).array = before;
    slices.push_back(std::move(slice));
    made = Binder{before};
  }
  result.push_back(std::move(map));
  result.insert(result.end(), slices.begin(), slices.end());
  return result;
}

// A reversal that may move behind the map, where that is less to reverse.
const Statement* SliceMover::reversal_before(const Statement& map) const {
  if (!is_map_of_values(map)) return nullptr;
  const Statement* reversal = nullptr;
  std::int64_t read = 0;
  for (const NameId array : std::get<MapScanReduce>(map.operation).arrays) {
    const Statement* found = reversal_of_scan(array);
    if (found == nullptr) continue;
    reversal = found;
    read += volume_of(row_of(names_.type(array)));
  }
  std::int64_t made = 0;
  for (const Binder& result : map.results) {
    if (aliases_.is_consumed(result.name)) return nullptr;
    made += volume_of(row_of(names_.type(result.name)));
  }
  return made < read ? reversal : nullptr;
}

void SliceMover::reverse_results(Body& body) {
  find_uses(body);
  Replacements instead;
  for (std::size_t i = 0; i < body.statements.size(); ++i) {
    const Statement* reversal = reversal_before(body.statements[i]);
    if (reversal != nullptr) instead[i] = reversed_map(body.statements[i], *reversal);
  }
  replace(body, std::move(instead));
}

}  // namespace

bool slice_before_maps(ParallelProgram& program) {
  bool changed = false;
  for (Function& function : program.program.functions) {
    if (!has_slices(function.body)) continue;
    SliceMover mover(program.program, function);
    mover.body(function.body);
    changed = changed || mover.changed();
  }
  return changed;
}

}  // namespace dagaz::passes
