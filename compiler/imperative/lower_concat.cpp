// Concatenation.
//
// In host code the parts are made where they end up, as far as a map of their scope makes them and
// nothing else reads them: memory for the whole is there before the first of them.  The others are
// copied.
#include <algorithm>

#include "imperative/lowering.h"

namespace dagaz::imperative {

namespace {

/// The statement of `body` that binds a name, by position.
using Bindings = std::unordered_map<NameId, std::size_t>;

// What is computed to be `part`, seen through views that keep the order of elements; nothing if
// something else reads it or no map makes it.
std::optional<NameId> origin_of(NameId part, const ir::Body& body, const Bindings& bindings,
                                const std::unordered_map<NameId, std::size_t>& uses) {
  for (;;) {
    const auto bound = bindings.find(part);
    if (bound == bindings.end() || uses.at(part) != 1) return std::nullopt;
    const ir::Operation& operation = body.statements[bound->second].operation;
    if (as<ir::SegmentedMap>(operation)) return part;
    const auto* reshape = as<ir::Reshape>(operation);
    if (reshape == nullptr) return std::nullopt;
    part = reshape->array;
  }
}

}  // namespace

// Finds the concatenations of a scope with parts that may be made in place.
void Lowering::plan_concats(const ir::Body& body, HostScope& scope) {
  Bindings bindings;
  for (std::size_t k = 0; k < body.statements.size(); ++k) {
    for (const ir::Binder& result : body.statements[k].results) bindings.emplace(result.name, k);
  }
  for (std::size_t k = 0; k < body.statements.size(); ++k) {
    const auto* concat = as<ir::Concat>(body.statements[k].operation);
    if (concat == nullptr) continue;
    Whole whole;
    whole.result = body.statements[k].results[0].name;
    if (scope.turned.contains(whole.result)) continue;
    std::size_t first = k;
    std::unordered_set<NameId> made;
    bool repeated = false;
    for (const NameId part : concat->arrays) {
      const auto origin = origin_of(part, body, bindings, scope.uses);
      whole.parts.push_back(origin.value_or(part));
      if (!origin) continue;
      repeated = repeated || !made.insert(*origin).second;
      first = std::min(first, bindings.at(*origin));
    }
    // The sizes must be known before the first part is made.
    const bool known = std::all_of(whole.parts.begin(), whole.parts.end(), [&](NameId part) {
      const auto& shape = names().type(part).shape;
      return std::all_of(shape.begin(), shape.end(), [&](const Operand& size) {
        const auto bound = size.is_name() ? bindings.find(size.name()) : bindings.end();
        return bound == bindings.end() || bound->second < first;
      });
    });
    if (!known || repeated) continue;
    for (const NameId part : made) scope.whole_of.emplace(part, scope.wholes.size());
    scope.wholes.push_back(std::move(whole));
  }
}

// Lets the parts of concatenations among the results of a map be made where they end up.
void Lowering::place_parts(const ir::Statement& s) {
  HostScope& scope = scopes_.back();
  for (const ir::Binder& result : s.results) {
    const auto found = scope.whole_of.find(result.name);
    if (found == scope.whole_of.end()) continue;
    Whole& whole = scope.wholes[found->second];
    if (!whole.block.valid()) allocate_whole(whole);
    const auto part = std::find(whole.parts.begin(), whole.parts.end(), result.name);
    const Operand& offset = whole.offsets[static_cast<std::size_t>(part - whole.parts.begin())];
    wish(result.name, row_major(*this, whole.block, offset, shape_of(result.name)));
  }
}

void Lowering::allocate_whole(Whole& whole) {
  const Operand most = ir::i64_operand(std::int64_t{1} << 61);  // that no memory holds
  Operand bytes = ir::i64_operand(0);
  Operand elements = ir::i64_operand(0);
  for (const NameId part : whole.parts) {
    whole.offsets.push_back(elements);
    bytes = minimum(add(bytes, minimum(byte_count(names().type(part)), most)), most);
    elements = add(elements, product(shape_of(part)));
  }
  whole.block = new_block(bytes, names().base(whole.result));
  keep_alive(whole.block, whole.result);
}

void Lowering::lower(const ir::Statement& s, const ir::Concat& e) {
  const NameId result = s.results[0].name;
  if (mode_ == Mode::host) {
    for (const Whole& whole : scopes_.back().wholes) {
      if (whole.result != result || !whole.block.valid()) continue;
      wish(result, row_major(*this, whole.block, ir::i64_operand(0), shape_of(result)));
    }
  }
  const Place target = concatenated_array(result);
  Operand start = ir::i64_operand(0);
  for (const NameId array : e.arrays) {
    Place part = target;
    part.offset = element_at(*this, target, {start});
    const Place source = place_of(array);
    if (source.block != target.block) copy(part, source, names().type(array));
    start = add(start, shape_of(array)[0]);
  }
}

}  // namespace dagaz::imperative
