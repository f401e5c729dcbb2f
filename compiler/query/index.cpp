// See index.h.  A definition is known by the place of its name: copies of it that the checker
// makes, for module types and applied modules, have the same.
#include "query/index.h"

#include <algorithm>
#include <set>

#include "support/match.h"

namespace dagaz::query {

Index::Index(const Analysis& analysis, Depth depth) : depth_(depth) {
  collect_definitions(analysis);
  identify_specifications(analysis);
  parents_.resize(definitions_.size());
  implementations_.resize(definitions_.size());
  for (Id id = 0; id < parents_.size(); ++id) parents_[id] = id;
  for (const auto& [member, specification] : analysis.record().same) {
    const auto a = find(range_of(analysis, member));
    const auto b = find(range_of(analysis, specification));
    if (a && b) unite(*a, *b);
  }
  collect_uses(analysis);
  // What has a body stands behind a specification of the same.
  for (Id id = 0; id < definitions_.size(); ++id) implementations_[id] = representative(id);
  for (Id id = 0; id < definitions_.size(); ++id) {
    Id& chosen = implementations_[representative(id)];
    const auto weight = [&](Id d) {
      return definitions_[d].is_specification ? 0 : 1;
    };
    if (weight(id) > weight(chosen)) chosen = id;
  }
}

void Index::collect_definitions(const Analysis& analysis) {
  for (const ast::File& file : analysis.program().files) {
    Visitor visitor;
    visitor.only_declarations = is_shallow(analysis, file.id);
    visitor.definition = [&](const Definition& definition) {
      const Range& range = definition.name.range;
      if (!range.valid() || range.begin == range.end) return;
      const auto id = static_cast<Id>(definitions_.size());
      if (!by_place_.emplace(Key(range.file.index, range.begin), id).second) return;
      definitions_.push_back(definition);
      occurrences_.push_back({range, id, true, definition.is_pun});
    };
    walk(file, visitor);
  }
}

// The tree does not say which values and types specifications brought in.
void Index::identify_specifications(const Analysis& analysis) {
  const auto specification = [&](const Range& range) -> Definition* {
    const auto id = find(range);
    return id && definitions_[*id].is_specification ? &definitions_[*id] : nullptr;
  };
  const auto& bindings = analysis.checked().bindings;
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    Definition* definition = specification(bindings[BindingId(i)].range);
    if (definition != nullptr && !definition->value.valid()) definition->value = BindingId(i);
  }
  const auto& types = analysis.context().type_names;
  for (std::size_t i = 0; i < types.size(); ++i) {
    Definition* definition = specification(types[TypeNameId(i)].range);
    if (definition != nullptr && !definition->type.valid()) definition->type = TypeNameId(i);
  }
}

// The names of `{a, b}` in expressions, by place.
static std::set<std::pair<std::uint32_t, std::uint32_t>> punned_names(const Analysis& analysis) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> result;
  for (const ast::File& file : analysis.program().files) {
    if (analysis.is_library(file.id)) continue;
    Visitor visitor;
    visitor.expression = [&](const ast::Exp& exp) {
      const auto* record = as<ast::Record>(exp.node);
      if (record == nullptr) return;
      for (const auto& [name, value] : record->fields) {
        if (name.range.valid() && name.range.begin == value->range.begin) {
          result.emplace(name.range.file.index, name.range.begin);
        }
      }
    };
    walk(file, visitor);
  }
  return result;
}

void Index::collect_uses(const Analysis& analysis) {
  const auto puns = punned_names(analysis);
  std::map<Key, check::Member> uses;  // the last word on each place
  std::map<Key, Range> ranges;
  for (const check::NameRecord::Use& use : analysis.record().uses) {
    if (!use.range.valid() || is_shallow(analysis, use.range.file)) continue;
    const Key key(use.range.file.index, use.range.begin);
    uses[key] = use.member;
    ranges[key] = use.range;
  }
  for (const auto& [key, member] : uses) {
    const auto definition = find(range_of(analysis, member));
    if (!definition) continue;
    // `let x[i] = v` and `loop x for …` use a name and define it with the same word.
    if (const auto own = by_place_.find(key); own != by_place_.end()) {
      unite(own->second, *definition);
      continue;
    }
    occurrences_.push_back({ranges[key], *definition, false, puns.contains(key), member});
  }
  std::sort(occurrences_.begin(), occurrences_.end(), [](const auto& a, const auto& b) {
    return Key(a.range.file.index, a.range.begin) < Key(b.range.file.index, b.range.begin);
  });
}

Range Index::range_of(const Analysis& analysis, check::Member member) {
  const check::Context& context = analysis.context();
  switch (member.kind) {
    case check::MemberKind::none: return {};
    case check::MemberKind::value: return context.result.bindings[member.value()].range;
    case check::MemberKind::module: return context.modules[member.module()]->range;
    case check::MemberKind::type: return context.type_names[member.type()].range;
    case check::MemberKind::signature:
      return context.modules[context.signatures[member.index]->module]->range;
  }
  return {};
}

std::optional<Index::Id> Index::find(const Range& name) const {
  if (!name.valid()) return std::nullopt;
  const auto found = by_place_.find(Key(name.file.index, name.begin));
  if (found == by_place_.end()) return std::nullopt;
  return found->second;
}

Index::Id Index::representative(Id id) const {
  while (parents_[id] != id) id = parents_[id];
  return id;
}

void Index::unite(Id a, Id b) {
  a = representative(a);
  b = representative(b);
  if (a != b) parents_[std::max(a, b)] = std::min(a, b);
}

std::span<const Index::Occurrence> Index::in_file(FileId file) const {
  const auto by_file = [](const Occurrence& o, FileId f) { return o.range.file < f; };
  const auto first = std::lower_bound(occurrences_.begin(), occurrences_.end(), file, by_file);
  auto last = first;
  while (last != occurrences_.end() && last->range.file == file) ++last;
  return {first, last};
}

const Index::Occurrence* Index::at(FileId file, std::uint32_t offset) const {
  const std::span<const Occurrence> names = in_file(file);
  const auto after = std::upper_bound(
      names.begin(), names.end(), offset,
      [](std::uint32_t o, const Occurrence& name) { return o < name.range.begin; });
  if (after == names.begin()) return nullptr;
  const Occurrence& candidate = *(after - 1);
  return offset <= candidate.range.end ? &candidate : nullptr;
}

std::string_view documentation(const Index& index, Index::Id id) {
  const std::string* own = index.definition(id).documentation;
  if (own != nullptr && !own->empty()) return *own;
  const Index::Id whole = index.representative(id);
  for (Index::Id other = 0; other < index.size(); ++other) {
    if (index.representative(other) != whole) continue;
    const std::string* text = index.definition(other).documentation;
    if (text != nullptr && !text->empty()) return *text;
  }
  return {};
}

}  // namespace dagaz::query
