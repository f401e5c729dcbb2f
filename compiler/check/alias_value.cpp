// Trees are rebuilt along the parts that change; numbers are shared.
#include "check/alias_value.h"

#include <algorithm>

#include "support/check.h"
#include "support/match.h"

namespace dagaz::check {

namespace {

using Kind = AliasValue::Kind;

AliasTree make(AliasValue value) { return std::make_shared<const AliasValue>(std::move(value)); }

// Rebuilds the tree with each alias set replaced; `change` is given the set and whether it is that
// of a function.
template <typename F>
AliasTree rebuilt(const AliasTree& tree, const F& change) {
  if (tree->kind == Kind::number) return tree;
  AliasValue copy = *tree;
  for (auto& field : copy.fields) field.second = rebuilt(field.second, change);
  for (auto& variant : copy.variants) {
    for (AliasTree& payload : variant.second) payload = rebuilt(payload, change);
  }
  if (copy.kind == Kind::leaf || copy.kind == Kind::function) {
    copy.aliases = change(std::move(copy.aliases), copy.kind == Kind::function);
  }
  return make(std::move(copy));
}

// Calls `visit` with each part that is not a record or a sum.
template <typename F>
void for_each_part(const AliasTree& tree, const F& visit) {
  for (const auto& field : tree->fields) for_each_part(field.second, visit);
  for (const auto& variant : tree->variants) {
    for (const AliasTree& payload : variant.second) for_each_part(payload, visit);
  }
  if (tree->kind == Kind::leaf || tree->kind == Kind::function) visit(*tree);
}

AliasTree add_self(const AliasTree& tree, BindingId variable, std::vector<Symbol>& path,
                   bool arrays_only) {
  if (tree->kind == Kind::number) return tree;
  AliasValue copy = *tree;
  for (auto& [name, field] : copy.fields) {
    path.push_back(name);
    field = add_self(field, variable, path, arrays_only);
    path.pop_back();
  }
  for (auto& variant : copy.variants) {
    for (AliasTree& payload : variant.second) {
      payload = add_self(payload, variable, path, arrays_only);
    }
  }
  if (copy.kind == Kind::leaf || (copy.kind == Kind::function && !arrays_only)) {
    insert(copy.aliases, {variable, arrays_only && copy.is_abstract, path});
  }
  return make(std::move(copy));
}

}  // namespace

AliasSet union_of(const AliasSet& a, const AliasSet& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  AliasSet result;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

void insert(AliasSet& set, Alias alias) {
  const auto place = std::lower_bound(set.begin(), set.end(), alias);
  if (place == set.end() || *place != alias) set.insert(place, std::move(alias));
}

bool contains(const AliasSet& set, const Alias& alias) {
  return std::binary_search(set.begin(), set.end(), alias);
}

bool intersects(const AliasSet& a, const AliasSet& b) {
  return std::any_of(a.begin(), a.end(), [&](const Alias& alias) { return contains(b, alias); });
}

AliasTree number_tree() {
  static const AliasTree tree = make({});
  return tree;
}

AliasTree AliasTrees::of(const Type* type) {
  if (type == nullptr) return number_tree();
  if (const auto known = known_.find(type); known != known_.end()) return known->second;
  AliasTree tree = match(
      type->node, [](const PrimitiveType&) { return number_tree(); },
      [](const Array& array) { return make({Kind::leaf, array.unique}); },
      [&](const Record& record) {
        AliasValue value{Kind::record};
        for (const auto& [name, field] : record.fields) value.fields.emplace_back(name, of(field));
        return make(std::move(value));
      },
      [&](const Sum& sum) {
        AliasValue value{Kind::sum};
        for (const auto& [name, payload] : sum.constructors) {
          auto& trees = value.variants.emplace_back(name, std::vector<AliasTree>{}).second;
          for (const Type* part : payload) trees.push_back(of(part));
        }
        return make(std::move(value));
      },
      [&](const Arrow& arrow) {
        AliasValue value{Kind::function};
        value.consumes = arrow.consumes || has_unique_part(arrow.from);
        value.result = of(arrow.to);
        return make(std::move(value));
      },
      [](const Named& named) { return make({Kind::leaf, named.unique, true}); },
      [](const MetaType&) { return make({Kind::leaf, false, true}); });
  known_.emplace(type, tree);
  return tree;
}

bool has_unique_part(const Type* type) {
  return match(
      type->node, [](const PrimitiveType&) { return false; },
      [](const Array& array) { return array.unique; },
      [](const Record& record) {
        return std::any_of(record.fields.begin(), record.fields.end(),
                           [](const auto& field) { return has_unique_part(field.second); });
      },
      [](const Sum& sum) {
        for (const auto& constructor : sum.constructors) {
          for (const Type* part : constructor.second) {
            if (has_unique_part(part)) return true;
          }
        }
        return false;
      },
      [](const Arrow&) { return false; }, [](const Named& named) { return named.unique; },
      [](const MetaType&) { return false; });
}

AliasSet all_aliases(const AliasTree& tree) {
  AliasSet result;
  for_each_part(tree, [&](const AliasValue& part) { result = union_of(result, part.aliases); });
  return result;
}

AliasSet array_aliases(const AliasTree& tree) {
  AliasSet result;
  for_each_part(tree, [&](const AliasValue& part) {
    if (part.kind == Kind::leaf) result = union_of(result, part.aliases);
  });
  return result;
}

void alias_parts(const AliasTree& tree, std::vector<AliasSet>& parts) {
  if (tree->kind == Kind::record) {
    for (const auto& field : tree->fields) alias_parts(field.second, parts);
  } else {
    parts.push_back(all_aliases(tree));
  }
}

AliasTree with_aliases(const AliasTree& tree, const AliasSet& aliases) {
  return rebuilt(tree, [&](AliasSet, bool) { return aliases; });
}

AliasTree with_self(const AliasTree& tree, BindingId variable) {
  std::vector<Symbol> path;
  return add_self(tree, variable, path, false);
}

AliasTree with_global_self(const AliasTree& tree, BindingId variable) {
  std::vector<Symbol> path;
  return add_self(tree, variable, path, true);
}

AliasTree unscoped(const AliasTree& tree, const std::vector<BindingId>& variables) {
  if (variables.empty()) return tree;
  return rebuilt(tree, [&](AliasSet set, bool) {
    for (Alias& alias : set) {
      if (std::binary_search(variables.begin(), variables.end(), alias.variable)) {
        alias.free = true;
      }
    }
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
    return set;
  });
}

AliasTree without(const AliasTree& tree, const std::unordered_map<BindingId, Range>& dropped) {
  if (dropped.empty()) return tree;
  return rebuilt(tree, [&](AliasSet set, bool) {
    std::erase_if(set, [&](const Alias& alias) { return dropped.contains(alias.variable); });
    return set;
  });
}

AliasTree combined(const AliasTree& a, const AliasTree& b) {
  if (a->kind == Kind::number) return b->kind == Kind::leaf ? b : a;
  if (b->kind == Kind::number) return a;
  if (a->kind == Kind::leaf || b->kind == Kind::leaf || a->kind != b->kind) {
    const AliasTree& shape = b->kind == Kind::leaf && a->kind != Kind::leaf ? b : a;
    const AliasSet all = union_of(all_aliases(a), all_aliases(b));
    return with_aliases(shape, all);
  }
  AliasValue copy = *a;
  copy.aliases = union_of(a->aliases, b->aliases);
  for (std::size_t i = 0; i < copy.fields.size() && i < b->fields.size(); ++i) {
    copy.fields[i].second = combined(a->fields[i].second, b->fields[i].second);
  }
  for (std::size_t i = 0; i < copy.variants.size() && i < b->variants.size(); ++i) {
    auto& payload = copy.variants[i].second;
    const auto& other = b->variants[i].second;
    for (std::size_t j = 0; j < payload.size() && j < other.size(); ++j) {
      payload[j] = combined(payload[j], other[j]);
    }
  }
  return make(std::move(copy));
}

AliasTree returned(const AliasSet& closure, const AliasTree& result, bool consumes,
                   const AliasTree& argument) {
  const AliasSet shared = consumes ? closure : union_of(closure, all_aliases(argument));
  const auto share = [&](const auto& self, const AliasTree& tree) -> AliasTree {
    if (tree->kind == Kind::number) return tree;
    AliasValue copy = *tree;
    for (auto& field : copy.fields) field.second = self(self, field.second);
    for (auto& variant : copy.variants) {
      for (AliasTree& payload : variant.second) payload = self(self, payload);
    }
    if (copy.kind == Kind::function) copy.aliases = shared;
    if (copy.kind == Kind::leaf) copy.aliases = copy.unique ? AliasSet{} : shared;
    return make(std::move(copy));
  };
  return share(share, result);
}

AliasTree with_uniqueness(const AliasTree& tree, const AliasTree& pattern) {
  if (tree->kind == Kind::number || pattern->kind == Kind::number) return tree;
  AliasValue copy = *tree;
  const bool whole = pattern->kind == Kind::leaf;
  if (copy.kind == Kind::leaf && whole) copy.unique = pattern->unique;
  if (copy.kind != Kind::function) {
    for (std::size_t i = 0; i < copy.fields.size(); ++i) {
      if (!whole && i >= pattern->fields.size()) break;
      copy.fields[i].second =
          with_uniqueness(copy.fields[i].second, whole ? pattern : pattern->fields[i].second);
    }
    for (std::size_t i = 0; i < copy.variants.size(); ++i) {
      if (!whole && i >= pattern->variants.size()) break;
      auto& payload = copy.variants[i].second;
      for (std::size_t j = 0; j < payload.size(); ++j) {
        if (!whole && j >= pattern->variants[i].second.size()) break;
        payload[j] = with_uniqueness(payload[j], whole ? pattern : pattern->variants[i].second[j]);
      }
    }
  }
  return make(std::move(copy));
}

}  // namespace dagaz::check
