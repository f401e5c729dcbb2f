// Finding the boxes that points read.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "ir/fields.h"
#include "ir/names.h"
#include "plan/gpu_staging.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::NameId;
using ir::Operand;
using ir::ScalarOp;
using ir::ScalarType;

namespace {

constexpr std::int64_t largest_factor = 1 << 20;

/// A sum of multiples of names and a number.  `limits`: it is the least or greatest of that and
/// these, the factor says which: -1, 1.
struct Sum {
  std::vector<BoxTerm> terms;
  std::int64_t number = 0;
  std::vector<BoxTerm> limits;
};

bool is_small(std::int64_t value) { return value <= largest_factor && value >= -largest_factor; }

void add_term(std::vector<BoxTerm>& terms, const BoxTerm& term) {
  const auto found = std::find_if(terms.begin(), terms.end(),
                                  [&](const BoxTerm& one) { return one.value == term.value; });
  if (found == terms.end()) {
    terms.push_back(term);
    return;
  }
  found->factor += term.factor;
  if (found->factor == 0) terms.erase(found);
}

std::optional<Sum> added(const Sum& a, const Sum& b, std::int64_t sign) {
  if (!a.limits.empty() || !b.limits.empty()) return std::nullopt;
  Sum all = a;
  all.number += sign * b.number;
  for (const BoxTerm& term : b.terms) add_term(all.terms, {term.value, sign * term.factor});
  if (!is_small(all.number)) return std::nullopt;
  return all;
}

std::optional<Sum> multiplied(const Sum& a, std::int64_t factor) {
  if (!a.limits.empty() || !is_small(factor)) return std::nullopt;
  Sum all;
  all.number = a.number * factor;
  for (const BoxTerm& term : a.terms) {
    if (factor != 0) all.terms.push_back({term.value, term.factor * factor});
    if (!is_small(term.factor * factor)) return std::nullopt;
  }
  if (!is_small(all.number)) return std::nullopt;
  return all;
}

/// An array around, or part of one.
struct View {
  NameId array;
  std::vector<std::optional<Sum>> indices;
};

/// Walks the code of a point.
class Reading {
 public:
  Reading(const PointCode& code, const AroundPoints& around, const ir::Names& names)
      : code_(code), around_(around), names_(names) {
    for (const NameId name : ir::bound_names(code.body)) inside_.insert(name);
    for (const ir::SpaceDimension& one : code.space) {
      inside_.insert(one.index.name);
      points_.insert(one.index.name);
      sums_[one.index.name] = {{{one.index.name, 1}}, 0, {}};
    }
    for (const ir::SpaceDimension& one : code.inner) {
      inside_.insert(one.index.name);
      count(one.index.name, one.extent);
    }
  }

  std::vector<Box> boxes() {
    walk(code_.body);
    std::vector<Box> found;
    for (auto& [index, box] : boxes_) {
      if (!spoilt_.contains(box.array)) found.push_back(std::move(box));
    }
    return found;
  }

 private:
  bool is_uniform(const Operand& one) const {
    return one.is_constant() || !inside_.contains(one.name());
  }

  /// `index` counts to `end` in a loop.
  void count(NameId index, const Operand& end) {
    if (!is_uniform(end)) return;
    ends_.insert_or_assign(index, end);
    sums_[index] = {{{index, 1}}, 0, {}};
  }

  std::optional<Sum> sum_of(const Operand& one) const {
    if (one.is_constant()) {
      if (one.constant().type != ScalarType::i64) return std::nullopt;
      const std::int64_t number = ir::integer_value(one.constant());
      return is_small(number) ? std::optional(Sum{{}, number, {}}) : std::nullopt;
    }
    const auto found = sums_.find(one.name());
    if (found != sums_.end()) return found->second;
    if (inside_.contains(one.name())) return std::nullopt;
    return Sum{{{one, 1}}, 0, {}};
  }

  std::optional<View> view_of(NameId name) const {
    const auto found = views_.find(name);
    if (found != views_.end()) return found->second;
    const bool is_root = !inside_.contains(name) && names_.type(name).is_array() &&
                         names_.type(name).kind == ir::TypeKind::value && around_.is_memory(name);
    return is_root ? std::optional(View{name, {}}) : std::nullopt;
  }

  void spoil(NameId name) {
    if (const auto view = view_of(name)) spoilt_.insert(view->array);
  }
  void spoil_all(const std::vector<NameId>& used) {
    for (const NameId name : used) spoil(name);
  }

  void walk(const ir::Body& body) {
    for (const ir::Statement& one : body.statements) enter(one);
    for (const Operand& one : body.results) {
      if (one.is_name()) spoil(one.name());
    }
  }

  void enter(const ir::Statement& one) {
    if (const auto* index = as<ir::Index>(one.operation)) return read(one, *index);
    if (const auto* same = as<ir::Identity>(one.operation)) return bind(one, *same);
    if (const auto* range = as<ir::Iota>(one.operation)) {
      if (counts(*range)) starts_.insert_or_assign(one.results[0].name, range->start);
      return;
    }
    if (const auto* scalar = as<ir::Scalar>(one.operation)) {
      if (auto sum = computed(*scalar)) sums_[one.results[0].name] = std::move(*sum);
      if (asks_for_place(*scalar)) places_.insert(one.results[0].name);
      return;
    }
    if (const auto* map = as<ir::MapScanReduce>(one.operation)) return enter(*map);
    if (const auto* loop = as<ir::Loop>(one.operation)) return enter(*loop);
    if (const auto* branch = as<ir::Branch>(one.operation)) {
      const int more = is_place(branch->condition) ? 0 : 1;
      conditions_ += more;
      walk(branch->then_body);
      walk(branch->else_body);
      conditions_ -= more;
      return;
    }
    spoil_all(ir::free_names(one, names_));
  }

  static bool counts(const ir::Iota& range) {
    return range.type == ScalarType::i64 && range.stride == ir::i64_operand(1);
  }

  /// The first of consecutive numbers that have no memory.
  std::optional<Operand> count_of(NameId array) const {
    const auto found = starts_.find(array);
    return found == starts_.end() ? around_.count(array) : std::optional(found->second);
  }

  void bind(const ir::Statement& one, const ir::Identity& same) {
    if (auto sum = sum_of(same.value)) sums_[one.results[0].name] = std::move(*sum);
    if (!same.value.is_name()) return;
    if (auto view = view_of(same.value.name())) views_[one.results[0].name] = std::move(*view);
  }

  std::optional<Sum> computed(const ir::Scalar& e) const {
    if (e.result != ScalarType::i64 || e.arguments.size() != 2) return std::nullopt;
    const auto a = sum_of(e.arguments[0]);
    const auto b = sum_of(e.arguments[1]);
    if (!a || !b) return std::nullopt;
    switch (e.op) {
      case ScalarOp::add: return added(*a, *b, 1);
      case ScalarOp::sub: return added(*a, *b, -1);
      case ScalarOp::mul:
        if (a->terms.empty()) return multiplied(*b, a->number);
        return b->terms.empty() ? multiplied(*a, b->number) : std::nullopt;
      case ScalarOp::smin: return limited(e, -1);
      case ScalarOp::smax: return limited(e, 1);
      default: return std::nullopt;
    }
  }

  bool is_place(const Operand& condition) const {
    return is_uniform(condition) || places_.contains(condition.name());
  }

  /// Whether a condition is about known indices alone, as one for the edges of a window is: it
  /// holds for many neighbours alike.
  bool asks_for_place(const ir::Scalar& e) const {
    if (e.result != ScalarType::boolean) return false;
    const auto all = [&](const auto& holds) {
      return std::all_of(e.arguments.begin(), e.arguments.end(), holds);
    };
    switch (e.op) {
      case ScalarOp::slt:
      case ScalarOp::sle: return all([&](const Operand& one) { return sum_of(one).has_value(); });
      case ScalarOp::bit_and:
      case ScalarOp::bit_or: return all([&](const Operand& one) { return is_place(one); });
      default: return false;
    }
  }

  std::optional<Sum> limited(const ir::Scalar& e, std::int64_t which) const {
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
      if (!is_uniform(e.arguments[k])) continue;
      auto sum = sum_of(e.arguments[1 - k]);
      if (sum) sum->limits.push_back({e.arguments[k], which});
      return sum;
    }
    return std::nullopt;
  }

  void read(const ir::Statement& one, const ir::Index& e) {
    const NameId result = one.results[0].name;
    if (const auto start = count_of(e.array)) {
      const auto index = sum_of(e.indices[0]);
      const auto first = sum_of(*start);
      if (!index || !first) return;
      if (auto sum = added(*index, *first, 1)) sums_[result] = std::move(*sum);
      return;
    }
    auto view = view_of(e.array);
    if (!view) return;
    for (const Operand& index : e.indices) view->indices.push_back(sum_of(index));
    give(result, std::move(*view));
  }

  /// A part of an array, or an element, which is read.
  void give(NameId result, View view) {
    if (view.indices.size() < names_.type(view.array).rank()) {
      views_[result] = std::move(view);
      return;
    }
    if (!widen(view)) spoilt_.insert(view.array);
  }

  void enter(const ir::MapScanReduce& e) {
    for (const ir::ScanOperator& each : e.scans) enter_operator(each);
    for (const ir::ReduceOperator& each : e.reductions) enter_operator(each);
    if (!e.map.parameters.empty()) {
      const NameId index = e.map.parameters[0].name;
      // Stands for what the loop counts; the parameter itself is bound last.
      count(index, e.width);
      const auto counted =
          sums_.find(index) == sums_.end() ? std::nullopt : std::optional(sums_.at(index));
      sums_.erase(index);
      for (std::size_t k = 0; k < e.arrays.size(); ++k) {
        bind_element(e.map.parameters[k].name, e.arrays[k], counted);
      }
    }
    walk(e.map.body);
    if (e.post) walk(e.post->body);
  }

  template <typename Operator>
  void enter_operator(const Operator& one) {
    for (const Operand& neutral : one.neutral) {
      if (neutral.is_name()) spoil(neutral.name());
    }
    walk(one.op.body);
  }

  void bind_element(NameId element, NameId array, const std::optional<Sum>& counted) {
    if (const auto start = count_of(array)) {
      const auto first = sum_of(*start);
      if (!counted || !first) return;
      if (auto sum = added(*counted, *first, 1)) sums_[element] = std::move(*sum);
    } else if (auto view = view_of(array)) {
      view->indices.push_back(counted);
      give(element, std::move(*view));
    }
  }

  void enter(const ir::Loop& e) {
    for (const ir::LoopValue& value : e.values) {
      if (value.initial.is_name()) spoil(value.initial.name());
    }
    const auto* form = std::get_if<ir::ForForm>(&e.form);
    if (form != nullptr && names_.type(form->index.name).element == ScalarType::i64) {
      count(form->index.name, form->bound);
    }
    conditions_ += form == nullptr ? 1 : 0;
    walk(e.body);
    conditions_ -= form == nullptr ? 1 : 0;
  }

  /// One more read of an array; false where its indices are unknown, or of another kind.
  bool widen(const View& view) {
    Box next{view.array, {}, 1, conditions_ == 0, false};
    for (std::size_t d = 0; d < view.indices.size(); ++d) {
      const auto& index = view.indices[d];
      if (!index) return false;
      for (const BoxTerm& limit : index->limits) {
        if (!around_.is_edge(limit, view.array, d)) return false;
      }
      next.sides.push_back(side_of(*index));
    }
    next.crosses = crosses(next);
    const auto [found, is_first] = boxes_.try_emplace(view.array.index, next);
    return is_first || join(found->second, next);
  }

  BoxSide side_of(const Sum& index) const {
    BoxSide side;
    side.least = side.most = index.number;
    for (const BoxTerm& term : index.terms) {
      if (term.value.is_name() && points_.contains(term.value.name())) {
        side.points.push_back(term);
      } else if (term.value.is_name() && ends_.contains(term.value.name())) {
        side.loops.push_back({ends_.at(term.value.name()), term.factor});
      } else {
        side.around.push_back(term);
      }
    }
    for (auto* terms : {&side.points, &side.around}) {
      std::sort(terms->begin(), terms->end(), [](const BoxTerm& a, const BoxTerm& b) {
        return a.value.name().index < b.value.name().index;
      });
    }
    return side;
  }

  /// Whether the innermost index of the space moves along another dimension than the last.
  bool crosses(const Box& box) const {
    const Operand innermost = code_.space.back().index.name;
    for (std::size_t d = 0; d + 1 < box.sides.size(); ++d) {
      const auto& terms = box.sides[d].points;
      if (std::any_of(terms.begin(), terms.end(),
                      [&](const BoxTerm& one) { return one.value == innermost; })) {
        return true;
      }
    }
    return false;
  }

  static bool join(Box& box, const Box& next) {
    for (std::size_t d = 0; d < box.sides.size(); ++d) {
      BoxSide& side = box.sides[d];
      const BoxSide& other = next.sides[d];
      if (side.points != other.points || side.around != other.around) return false;
      side.least = std::min(side.least, other.least);
      side.most = std::max(side.most, other.most);
      std::vector<BoxTerm> known = side.loops;
      for (const BoxTerm& loop : other.loops) {
        const auto same = std::find(known.begin(), known.end(), loop);
        if (same == known.end()) {
          side.loops.push_back(loop);
        } else {
          known.erase(same);
        }
      }
    }
    box.reads += next.reads;
    box.certain = box.certain || next.certain;
    return true;
  }

  const PointCode& code_;
  const AroundPoints& around_;
  const ir::Names& names_;
  std::unordered_set<NameId> inside_;
  std::unordered_set<NameId> points_;
  std::unordered_map<NameId, Operand> ends_;  // of what loops count
  std::unordered_map<NameId, Sum> sums_;
  std::unordered_map<NameId, Operand> starts_;  // of ranges that points make
  std::unordered_set<NameId> places_;           // conditions about indices
  std::unordered_map<NameId, View> views_;
  std::unordered_set<NameId> spoilt_;
  std::map<decltype(NameId::index), Box> boxes_;
  int conditions_ = 0;
};

}  // namespace

std::vector<Box> boxes_of(const PointCode& code, const AroundPoints& around,
                          const ir::Names& names) {
  return Reading(code, around, names).boxes();
}

}  // namespace dagaz::plan
