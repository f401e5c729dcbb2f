// Composition of second-order operations.
//
// A MapScanReduce is a map stage, scans and reductions, and a post stage.  What the consumer reads
// is known either in the map stage (a mapped value) or only in the post stage (a scan's output).
// In the first case the two map stages become one, and so do the others; in the second the
// consumer, which has to be a plain map, is appended to the post stage.  Histogram, Scatter and
// FlatMap have a map stage only, so that only plain maps merge into them.
#include "passes/fuse/compose.h"

#include <algorithm>
#include <unordered_map>

#include "ir/cost.h"
#include "ir/fields.h"
#include "ir/names.h"
#include "ir/value_count.h"
#include "passes/tokens.h"
#include "support/match.h"

namespace dagaz::passes {

namespace {

using namespace ir;

template <typename T>
void append(std::vector<T>& to, std::vector<T> items) {
  for (T& item : items) to.push_back(std::move(item));
}

template <typename T>
std::vector<T> part(const std::vector<T>& items, std::size_t begin, std::size_t count) {
  const auto first = items.begin() + static_cast<std::ptrdiff_t>(begin);
  return {first, first + static_cast<std::ptrdiff_t>(count)};
}

std::size_t scanned(const MapScanReduce& e) { return value_count(e.scans); }
std::size_t reduced(const MapScanReduce& e) { return value_count(e.reductions); }

/// post's parameters for an operation without one: scan outputs and mapped values.
std::vector<Type> post_types(const MapScanReduce& e) {
  std::vector<Type> types;
  for (const ScanOperator& scan : e.scans) append(types, scan.op.result_types);
  const std::size_t skip = scanned(e) + reduced(e);
  append(types, part(e.map.result_types, skip, e.map.result_types.size() - skip));
  return types;
}

void make_post(MapScanReduce& e, Names& names) {
  if (e.post) return;
  Lambda identity;
  identity.result_types = post_types(e);
  for (const Type& type : identity.result_types) {
    const NameId name = names.fresh("p", type);
    identity.parameters.push_back({name});
    identity.body.results.push_back(name);
  }
  e.post = std::move(identity);
}

// ---------------------------------------------------------------- links

/// Inputs of the consumer that are results of the producer: consumer's array → producer's result.
using Links = std::unordered_map<std::size_t, std::size_t>;

bool mentions_any(const std::vector<NameId>& names, const NameSet& set) {
  return std::any_of(names.begin(), names.end(),
                     [&](NameId name) { return set.contains(name); });
}

/// The consumer's inputs from the producer; nothing if it uses the producer in any other way.
template <typename Node>
std::optional<Links> links_between(const Statement& producer, const Node& consumer,
                                   const Statement& consumer_statement, const Names& names) {
  std::unordered_map<NameId, std::size_t> results;
  NameSet set;
  for (std::size_t i = 0; i < producer.results.size(); ++i) {
    results.emplace(producer.results[i].name, i);
    set.insert(producer.results[i].name);
  }
  Links links;
  Node without_arrays = consumer;
  without_arrays.arrays.clear();
  for (std::size_t i = 0; i < consumer.arrays.size(); ++i) {
    const auto found = results.find(consumer.arrays[i]);
    if (found != results.end()) links.emplace(i, found->second);
  }
  if (mentions_any(free_names(Operation(std::move(without_arrays)), names), set)) {
    return std::nullopt;
  }
  for (const Binder& result : consumer_statement.results) {
    for (const Operand& size : names.type(result.name).shape) {
      if (size.is_name() && set.contains(size.name())) return std::nullopt;
    }
  }
  return links;
}

bool uses_accumulators(const std::vector<NameId>& arrays, const Names& names) {
  return std::any_of(arrays.begin(), arrays.end(), [&](NameId array) {
    return names.type(array).kind == TypeKind::accumulator;
  });
}

// ---------------------------------------------------------------- merging map stages

/// Adds the map stage `from` to `to`: the consumer's parameters become what they are linked to, or
/// inputs of `to`.  Gives the results of `from`.
class MapMerger {
 public:
  MapMerger(std::vector<NameId>& arrays, Lambda& to, const ComposeContext& context)
      : arrays_(arrays), to_(to), context_(context) {}

  /// The parameter `name` of the consumer is `operand`.
  void link(NameId name, const Operand& operand) {
    // What the consumer writes must be its own; an accumulator is handed on.
    if (context_.aliases.is_consumed(name) && context_.names.type(name).is_array()) {
      const NameId copy = context_.names.fresh_like(name);
      to_.body.statements.push_back({{Binder{copy}}, Copy{operand.name()}});
      with_.emplace(name, Operand(copy));
      return;
    }
    with_.emplace(name, operand);
  }
  void add_input(NameId array, NameId parameter) {
    const auto found = std::find(arrays_.begin(), arrays_.end(), array);
    const bool shareable = found != arrays_.end() &&
                           context_.names.type(array).kind == TypeKind::value &&
                           !context_.aliases.is_consumed(parameter);
    if (shareable) {
      const auto at = static_cast<std::size_t>(found - arrays_.begin());
      if (!context_.aliases.is_consumed(to_.parameters[at].name)) {
        with_.emplace(parameter, Operand(to_.parameters[at].name));
        return;
      }
    }
    arrays_.push_back(array);
    to_.parameters.push_back({parameter});
  }
  std::vector<Operand> finish(Lambda from) {
    substitute(from, with_, context_.names);
    append(to_.body.statements, std::move(from.body.statements));
    return std::move(from.body.results);
  }

 private:
  std::vector<NameId>& arrays_;
  Lambda& to_;
  const ComposeContext& context_;
  Substitution with_;
};

/// Results and types of a map stage, by what they are for.
struct Stage {
  std::vector<Operand> scans, reductions, mapped;
  std::vector<Type> scan_types, reduction_types, mapped_types;

  Stage(const MapScanReduce& e, const std::vector<Operand>& results) {
    const std::size_t s = scanned(e);
    const std::size_t r = reduced(e);
    const std::size_t m = results.size() - s - r;
    scans = part(results, 0, s);
    reductions = part(results, s, r);
    mapped = part(results, s + r, m);
    scan_types = part(e.map.result_types, 0, s);
    reduction_types = part(e.map.result_types, s, r);
    mapped_types = part(e.map.result_types, s + r, m);
  }
};

void set_results(Lambda& map, const Stage& first, const Stage& second) {
  map.body.results = first.scans;
  append(map.body.results, second.scans);
  append(map.body.results, first.reductions);
  append(map.body.results, second.reductions);
  append(map.body.results, first.mapped);
  append(map.body.results, second.mapped);
  map.result_types = first.scan_types;
  append(map.result_types, second.scan_types);
  append(map.result_types, first.reduction_types);
  append(map.result_types, second.reduction_types);
  append(map.result_types, first.mapped_types);
  append(map.result_types, second.mapped_types);
}

/// The post stages side by side: parameters are scan outputs of both, then mapped values of both.
Lambda merged_posts(const MapScanReduce& first, Lambda a, const MapScanReduce& second, Lambda b) {
  Lambda post;
  const std::size_t sa = scanned(first);
  const std::size_t sb = scanned(second);
  post.parameters = part(a.parameters, 0, sa);
  append(post.parameters, part(b.parameters, 0, sb));
  append(post.parameters, part(a.parameters, sa, a.parameters.size() - sa));
  append(post.parameters, part(b.parameters, sb, b.parameters.size() - sb));
  post.body = std::move(a.body);
  append(post.body.statements, std::move(b.body.statements));
  append(post.body.results, std::move(b.body.results));
  post.result_types = std::move(a.result_types);
  append(post.result_types, std::move(b.result_types));
  return post;
}

std::vector<Binder> merged_results(const Statement& producer, std::size_t producer_reduced,
                                   const Statement& consumer, std::size_t consumer_reduced) {
  std::vector<Binder> results = part(producer.results, 0, producer_reduced);
  append(results, part(consumer.results, 0, consumer_reduced));
  append(results, part(producer.results, producer_reduced,
                       producer.results.size() - producer_reduced));
  append(results, part(consumer.results, consumer_reduced,
                       consumer.results.size() - consumer_reduced));
  return results;
}

std::vector<NameId> merged_tokens(const Statement& a, const Statement& b) {
  std::vector<NameId> tokens = a.tokens;
  add_tokens(tokens, b.tokens);
  return tokens;
}

/// The producer's mapped value that is its result `output` (counted without reductions); nothing
/// if that is known only after the scans.
std::optional<std::size_t> mapped_value(const MapScanReduce& producer, std::size_t output) {
  std::size_t parameter = output;
  if (producer.post) {
    const Operand& result = producer.post->body.results[output];
    if (!result.is_name()) return std::nullopt;
    const auto& parameters = producer.post->parameters;
    const auto found = std::find(parameters.begin(), parameters.end(), Binder{result.name()});
    if (found == parameters.end()) return std::nullopt;
    parameter = static_cast<std::size_t>(found - parameters.begin());
  }
  if (parameter < scanned(producer)) return std::nullopt;
  return parameter - scanned(producer);
}

Statement merge_at_map(Statement& producer, MapScanReduce& p, Statement& consumer,
                       MapScanReduce& c, const Links& links, const ComposeContext& context) {
  const std::vector<Binder> results =
      merged_results(producer, reduced(p), consumer, reduced(c));
  if (!p.scans.empty() || !c.scans.empty()) {
    make_post(p, context.names);
    make_post(c, context.names);
  }
  MapScanReduce fused{p.width, p.arrays, std::move(p.map), {}, {}, std::nullopt, p.sequential};
  p.map = {};
  const std::size_t skip = scanned(p) + reduced(p);
  MapMerger merger(fused.arrays, fused.map, context);
  for (std::size_t i = 0; i < c.arrays.size(); ++i) {
    const NameId parameter = c.map.parameters[i].name;
    const auto link = links.find(i);
    if (link == links.end()) {
      merger.add_input(c.arrays[i], parameter);
    } else {
      const std::size_t value = *mapped_value(p, link->second - reduced(p));
      merger.link(parameter, Operand(fused.map.body.results[skip + value]));
    }
  }
  p.map.result_types = fused.map.result_types;
  const Stage first(p, fused.map.body.results);
  const std::vector<Type> consumer_types = c.map.result_types;
  const std::vector<Operand> consumer_results = merger.finish(std::move(c.map));
  c.map.result_types = consumer_types;
  const Stage second(c, consumer_results);
  set_results(fused.map, first, second);
  if (p.post) fused.post = merged_posts(p, std::move(*p.post), c, std::move(*c.post));
  fused.scans = std::move(p.scans);
  append(fused.scans, std::move(c.scans));
  fused.reductions = std::move(p.reductions);
  append(fused.reductions, std::move(c.reductions));
  return {results, std::move(fused), merged_tokens(producer, consumer), consumer.location,
          consumer.mode};
}

// The consumer, a plain map, after the producer's scans.
Statement merge_at_post(Statement& producer, MapScanReduce& p, Statement& consumer,
                        MapScanReduce& c, const Links& links, const ComposeContext& context) {
  const std::vector<Binder> results = merged_results(producer, reduced(p), consumer, 0);
  make_post(p, context.names);
  Lambda& post = *p.post;
  std::vector<NameId> no_arrays;
  MapMerger merger(no_arrays, post, context);
  for (std::size_t i = 0; i < c.arrays.size(); ++i) {
    const NameId parameter = c.map.parameters[i].name;
    const auto link = links.find(i);
    if (link != links.end()) {
      merger.link(parameter, Operand(post.body.results[link->second - reduced(p)]));
      continue;
    }
    // Other inputs pass through the map stage.
    const NameId element = context.names.fresh_like(parameter);
    const Type& type = context.names.type(parameter);
    p.arrays.push_back(c.arrays[i]);
    p.map.parameters.push_back({element});
    p.map.body.results.push_back(element);
    p.map.result_types.push_back(type);
    post.parameters.push_back({parameter});
  }
  const std::vector<Type> types = c.map.result_types;
  append(post.body.results, merger.finish(std::move(c.map)));
  append(post.result_types, types);
  return {results, std::move(p), merged_tokens(producer, consumer), consumer.location,
          consumer.mode};
}

/// Without scans, what follows the map is part of it.
bool has_needless_post(const MapScanReduce& e) { return e.post && e.scans.empty(); }

std::optional<Composed> into_map_scan_reduce(Statement& producer, MapScanReduce& p,
                                             Statement& consumer, MapScanReduce& c,
                                             const ComposeContext& context) {
  if (has_needless_post(p) || has_needless_post(c)) return std::nullopt;
  if (p.sequential != c.sequential || producer.mode != consumer.mode) return std::nullopt;
  const auto links = links_between(producer, c, consumer, context.names);
  if (!links || links->empty()) return std::nullopt;
  bool at_map = true;
  for (const auto& [input, result] : *links) {
    if (result < reduced(p)) return std::nullopt;
    at_map = at_map && mapped_value(p, result - reduced(p)).has_value();
  }
  if (at_map) {
    return Composed{merge_at_map(producer, p, consumer, c, *links, context)};
  }
  const bool plain_map = c.scans.empty() && c.reductions.empty();
  if (!plain_map || uses_accumulators(c.arrays, context.names)) return std::nullopt;
  return Composed{merge_at_post(producer, p, consumer, c, *links, context)};
}

// ---------------------------------------------------------------- into the others' map stage

bool repeats_cheaply(const Lambda& lambda, std::int64_t most) {
  return static_cast<std::int64_t>(lambda.body.statements.size()) <= most &&
         std::all_of(lambda.body.statements.begin(), lambda.body.statements.end(),
                     [](const Statement& statement) {
                       const auto* scalar = as<Scalar>(statement.operation);
                       return scalar != nullptr && is_light(scalar->op);
                     });
}

template <typename Node>
std::optional<Composed> into_map_stage(Statement& producer, MapScanReduce& p, Statement& consumer,
                                       Node& c, const ComposeContext& context) {
  if (!p.scans.empty() || !p.reductions.empty() || p.post) return std::nullopt;
  if (p.sequential || producer.mode != consumer.mode) return std::nullopt;
  if (uses_accumulators(p.arrays, context.names)) return std::nullopt;
  const auto links = links_between(producer, c, consumer, context.names);
  if (!links || links->empty()) return std::nullopt;
  if (!context.only_user && !repeats_cheaply(p.map, context.repeated_operations)) {
    return std::nullopt;
  }
  Lambda map = context.only_user ? std::move(p.map) : renamed(p.map, context.names);
  std::vector<NameId> arrays = p.arrays;
  const std::vector<Operand> produced = std::move(map.body.results);
  MapMerger merger(arrays, map, context);
  for (std::size_t i = 0; i < c.arrays.size(); ++i) {
    const NameId parameter = c.map.parameters[i].name;
    const auto link = links->find(i);
    if (link == links->end()) {
      merger.add_input(c.arrays[i], parameter);
    } else {
      merger.link(parameter, produced[link->second]);
    }
  }
  map.result_types = c.map.result_types;
  map.body.results = merger.finish(std::move(c.map));
  c.map = std::move(map);
  c.arrays = std::move(arrays);
  Composed composed{std::move(consumer), context.only_user ? Producer::merged : Producer::kept};
  composed.statement.tokens = merged_tokens(producer, composed.statement);
  return composed;
}

// ---------------------------------------------------------------- scatters

/// The arrays whose elements are the places at which all targets are written; nothing if these are
/// computed, or differ.
std::optional<std::vector<NameId>> places_of(const Scatter& e) {
  std::optional<std::vector<NameId>> all;
  std::size_t position = 0;
  for (const ScatterTarget& target : e.targets) {
    std::vector<NameId> places;
    for (std::size_t d = 0; d < target.shape.size(); ++d, ++position) {
      const Operand& place = e.map.body.results[position];
      if (!place.is_name()) return std::nullopt;
      const auto& parameters = e.map.parameters;
      const auto at = std::find(parameters.begin(), parameters.end(), Binder{place.name()});
      if (at == parameters.end()) return std::nullopt;
      places.push_back(e.arrays[static_cast<std::size_t>(at - parameters.begin())]);
    }
    ++position;  // the value
    if (all && *all != places) return std::nullopt;
    all = std::move(places);
  }
  return all;
}

/// Scatters at the same places read these once; ranks tell each other of one list of places.
std::optional<Statement> merge_scatters(Statement& first, Scatter& a, Statement& second, Scatter& b,
                                        const ComposeContext& context) {
  if (!(a.width == b.width) || first.mode != second.mode) return std::nullopt;
  const auto places = places_of(a);
  if (!places || places_of(b) != places) return std::nullopt;
  MapMerger merger(a.arrays, a.map, context);
  for (std::size_t i = 0; i < b.arrays.size(); ++i) {
    merger.add_input(b.arrays[i], b.map.parameters[i].name);
  }
  append(a.map.result_types, b.map.result_types);
  append(a.map.body.results, merger.finish(std::move(b.map)));
  append(a.targets, std::move(b.targets));
  std::vector<Binder> results = std::move(first.results);
  append(results, std::move(second.results));
  return Statement{std::move(results), std::move(a), merged_tokens(first, second), second.location,
                   second.mode};
}

// ---------------------------------------------------------------- nests

/// The width of the first parallel operation inside, of the first one inside that, and so on.
std::vector<Operand> inner_widths(const Body& body) {
  for (const Statement& statement : body.statements) {
    const auto* inner = as<MapScanReduce>(statement.operation);
    if (inner == nullptr) continue;
    std::vector<Operand> widths = inner_widths(inner->map.body);
    widths.insert(widths.begin(), inner->width);
    return widths;
  }
  return {};
}

bool has_scopes(const Body& body) {
  for (const Statement& statement : body.statements) {
    bool found = false;
    for_each_scope(statement.operation, [&](const Body&) { found = true; });
    if (found) return true;
  }
  return false;
}

/// Whether side by side the two bodies make as good a nest as apart: both without inner scopes, or
/// both with inner operations of the same widths, which then merge in turn.
bool are_alike(const Lambda& a, const Lambda& b) {
  const std::vector<Operand> widths = inner_widths(a.body);
  if (widths != inner_widths(b.body)) return false;
  return !widths.empty() || has_scopes(a.body) == has_scopes(b.body);
}

}  // namespace

std::optional<Composed> compose_vertically(Statement& producer, Statement& consumer,
                                           const ComposeContext& context) {
  auto* p = as<MapScanReduce>(producer.operation);
  if (p == nullptr || context.aliases.may_write(consumer, producer, context.names))
    return std::nullopt;
  const auto same_width = [&](const auto& node) { return node.width == p->width; };
  return match(
      consumer.operation,
      [&](MapScanReduce& c) {
        return same_width(c) ? into_map_scan_reduce(producer, *p, consumer, c, context)
                             : std::nullopt;
      },
      [&](Histogram& c) {
        return same_width(c) ? into_map_stage(producer, *p, consumer, c, context) : std::nullopt;
      },
      [&](Scatter& c) {
        return same_width(c) ? into_map_stage(producer, *p, consumer, c, context) : std::nullopt;
      },
      [&](FlatMap& c) {
        return same_width(c) ? into_map_stage(producer, *p, consumer, c, context) : std::nullopt;
      },
      // Everything else reads whole arrays.
      [](auto&) -> std::optional<Composed> { return std::nullopt; });
}

std::optional<Statement> compose_horizontally(Statement& first, Statement& second,
                                              const ComposeContext& context) {
  auto* written = as<Scatter>(first.operation);
  auto* written_too = as<Scatter>(second.operation);
  if (written != nullptr && written_too != nullptr) {
    return merge_scatters(first, *written, second, *written_too, context);
  }
  auto* a = as<MapScanReduce>(first.operation);
  auto* b = as<MapScanReduce>(second.operation);
  if (a == nullptr || b == nullptr || !(a->width == b->width)) return std::nullopt;
  if (a->sequential != b->sequential || first.mode != second.mode) return std::nullopt;
  if (has_needless_post(*a) || has_needless_post(*b)) return std::nullopt;
  // Scans and reductions are separate passes over the elements anyway.
  if ((!a->scans.empty() && !b->reductions.empty()) ||
      (!b->scans.empty() && !a->reductions.empty())) {
    return std::nullopt;
  }
  if (!are_alike(a->map, b->map)) return std::nullopt;
  if (!context.aliases.consumed_by(first).empty() || !context.aliases.consumed_by(second).empty()) {
    return std::nullopt;
  }
  return merge_at_map(first, *a, second, *b, {}, context);
}

}  // namespace dagaz::passes
