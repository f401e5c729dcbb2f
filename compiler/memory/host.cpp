// Host code: a walk in order of execution that gives each array its home and says how long its
// memory lives.  Every array has an owner, whose block it lies in; that is dead after the last
// statement which mentions an array that it owns.
#include "memory/host.h"

#include <algorithm>
#include <utility>

#include "ir/fields.h"
#include "ir/names.h"
#include "memory/threads.h"
#include "plan/array_uses.h"
#include "plan/layouts.h"
#include "plan/views.h"
#include "support/match.h"

namespace dagaz::memory {

using ir::NameId;
using ir::Operand;

bool is_dense(const plan::Layout& layout) {
  return layout.in_row_major_order && (layout.strides.empty() || layout.strides.back() == 1);
}

const Home& Memory::home(NameId array) const {
  static const Home own = Own{};
  const auto found = homes.find(array);
  return found == homes.end() ? own : found->second;
}

NameId Memory::owner(NameId array) const {
  const auto found = owners.find(array);
  return found == owners.end() ? array : found->second;
}

bool Memory::is_in_place(const ir::Update& update) const {
  if (!update.value.is_name()) return false;
  const Home& one = home(update.value.name());
  return std::holds_alternative<OverPart>(one) ||
         one == Home(Within{update.array, update.dimensions});
}

namespace {

class Host {
 public:
  Host(const Context& context, const ir::AliasInfo& aliases, Memory& memory)
      : context_(context), names_(context.names), aliases_(aliases), memory_(memory),
        layouts_(context.names) {}

  void body(const ir::Body& body, const Mentions& mentions) {
    const Uses uses = uses_of(body, mentions, names_, aliases_);
    const Scope scope{body, uses, names_, layouts_, carried_};
    memory_.turned.merge(find_turned(scope));
    memory_.wholes.merge(find_wholes(scope));
    Here here{scope, {}, find_replaced_parts(scope), find_written_parts(scope), {}, 0};
    if (context_.on_cpu()) here.points_within = plan::points_within(body, names_);
    for (const ir::Statement& one : body.statements) note_pieces(one, here);
    Here* const outer = std::exchange(here_, &here);
    for (std::size_t k = 0; k < body.statements.size();) {
      const std::size_t together = maps_together(body.statements[k]);
      for (std::size_t end = k + std::max<std::size_t>(together, 1); k < end; ++k) {
        here.current = k;
        if (together > 0) {
          stencil_stage(body.statements[k], end);
        } else {
          statement(body.statements[k], mentions.statements[k]);
        }
      }
    }
    here_ = outer;
  }

 private:
  /// The body in turn.
  struct Here {
    const Scope& scope;
    // Results whose points are neighbours in memory, and the order of their dimensions.
    std::unordered_map<NameId, std::vector<int>> points_within;
    std::unordered_map<NameId, NameId> replaced_parts;
    std::unordered_map<NameId, Within> written_parts;
    std::unordered_map<NameId, NameId> whole_of;  // of pieces
    std::size_t current;
  };

  void note_pieces(const ir::Statement& one, Here& here) {
    const auto whole = one.results.empty() ? memory_.wholes.end()
                                           : memory_.wholes.find(one.results[0].name);
    if (whole == memory_.wholes.end()) return;
    for (const Piece& piece : whole->second.pieces) {
      if (piece.origin) here.whole_of.emplace(*piece.origin, whole->first);
    }
  }

  // ---- owners and lives

  /// `array` has memory of its own.
  void own(NameId array) {
    const auto use = here_->scope.uses.last.find(array);
    const std::size_t last = use == here_->scope.uses.last.end() ? 0 : use->second;
    memory_.lives.insert_or_assign(array, std::max(here_->current, last));
    owned_in_.insert_or_assign(array, here_);
  }
  /// `array` lies in memory of `of`.
  void view(NameId array, NameId of) {
    const NameId owner = memory_.owner(of);
    memory_.owners.insert_or_assign(array, owner);
    const auto use = here_->scope.uses.last.find(array);
    if (use == here_->scope.uses.last.end() || !is_owned_here(owner)) return;
    std::size_t& last = memory_.lives.at(owner);
    last = std::max(last, use->second);
  }
  bool is_owned_here(NameId owner) const {
    const auto found = owned_in_.find(owner);
    return found != owned_in_.end() && found->second == here_;
  }
  /// Whether the block of `array` belongs to this body and is dead after this statement, as far as
  /// is known of it.
  bool dies_here(NameId array) const {
    const NameId owner = memory_.owner(array);
    return is_owned_here(owner) && memory_.lives.at(owner) <= here_->current;
  }

  // ---- homes

  bool has_home(NameId array) const { return memory_.homes.contains(array); }

  void make_own(NameId array, std::vector<int> order = {}) {
    if (!names_.type(array).is_array()) return;
    if (!order.empty()) layouts_.set(array, plan::laid_out(names_.type(array).shape, order));
    memory_.homes.insert_or_assign(array, Own{std::move(order)});
    own(array);
  }

  void make_over(NameId array, NameId result) {
    memory_.homes.insert_or_assign(result, Over{array});
    own(result);
  }

  // A piece's place is that of the whole from some row on; views from the piece inwards must keep
  // it.
  bool make_piece(NameId result) {
    const auto found = here_->whole_of.find(result);
    if (found == here_->whole_of.end()) return false;
    const Whole& whole = memory_.wholes.at(found->second);
    place_whole(whole);
    for (const Piece& piece : whole.pieces) {
      if (piece.origin != result) continue;
      plan::Layout rows = layouts_.of(whole.result);
      rows.turned.clear();  // of a turned whole they are columns, with others between
      const auto layout = layout_of_origin(piece, std::move(rows));
      if (!layout) return false;
      layouts_.set(result, *layout);
      memory_.homes.insert_or_assign(result, PieceOf{whole.result});
      view(result, whole.result);
    }
    return true;
  }

  // The memory of a whole is there before its first piece.
  void place_whole(const Whole& whole) {
    if (!has_home(whole.result)) make_concatenation(whole.result);
  }

  void make_concatenation(NameId result) {
    const auto turned = memory_.turned.find(result);
    if (turned == memory_.turned.end()) {
      make_own(result);
      return;
    }
    const auto bound = here_->scope.uses.bindings.at(turned->second);
    const ir::Operation& operation = here_->scope.body.statements[bound].operation;
    make_own(result, std::get<ir::Permute>(operation).permutation);
    layouts_.set(turned->second, plan::row_major(names_.type(turned->second).shape));
  }

  // The layouts of the views from the piece inwards are known if all of them keep the place.
  std::optional<plan::Layout> layout_of_origin(const Piece& piece, plan::Layout layout) {
    std::vector<plan::Layout> layouts;
    for (const View& one : piece.views) {
      layouts.push_back(layout);
      if (one.permutation) {
        layout = plan::permuted(layout, plan::inverse(*one.permutation));
        continue;
      }
      auto before = plan::reshaped(layout, names_.type(one.result).shape,
                                   names_.type(one.array).shape);
      if (!before) return std::nullopt;
      layout = std::move(*before);
    }
    for (std::size_t k = 0; k < layouts.size(); ++k) {
      layouts_.set(piece.views[k].result, std::move(layouts[k]));
    }
    return layout;
  }

  bool make_checkpoint(NameId result) {
    const auto found = checkpoints_.find(result);
    if (found == checkpoints_.end()) return false;
    memory_.homes.insert_or_assign(result, found->second);
    own(result);
    return true;
  }

  // The result lies in a part of an array that an update replaces by it.
  bool make_part(NameId result) {
    if (const auto part = here_->replaced_parts.find(result); part != here_->replaced_parts.end()) {
      memory_.homes.insert_or_assign(result, OverPart{part->second});
      layouts_.set(result, layouts_.of(part->second));
      view(result, part->second);
      return true;
    }
    const auto by = here_->written_parts.find(result);
    if (by == here_->written_parts.end()) return false;
    const NameId array = by->second.array;
    layouts_.set(result, plan::sliced(layouts_.of(array), by->second.part,
                                      names_.type(array).shape));
    memory_.homes.insert_or_assign(result, by->second);
    view(result, array);
    return true;
  }

  // What the branch around gives lies where that wants it.
  bool make_for_branch(NameId result) {
    const auto found = of_branch_.find(result);
    if (found == of_branch_.end()) return false;
    layouts_.set(result, layouts_.of(found->second));
    memory_.homes.insert_or_assign(result, OfBranch{found->second});
    view(result, found->second);
    return true;
  }

  // ---- statements

  /// Places the k-th result of a branch, if its place is known before and both sides make it there.
  void place_result(const ir::Statement& s, const ir::Branch& e, std::size_t k) {
    const NameId result = s.results[k].name;
    if (names_.type(result).kind != ir::TypeKind::value || !names_.type(result).is_array()) return;
    const auto origins = origins_on_sides(e, k);
    if (!origins) return;
    const bool are_complete = (*origins)[0].is_complete && (*origins)[1].is_complete;
    if (!are_complete && !is_wanted_dense(result)) return;
    if (!make_for_branch(result) && !make_checkpoint(result) && !make_part(result)) return;
    for (const Origin& one : *origins) of_branch_.insert_or_assign(one.name, result);
  }

  /// Whether the part of an array that `result` would lie in is dense.
  bool is_wanted_dense(NameId result) const {
    if (const auto part = here_->replaced_parts.find(result); part != here_->replaced_parts.end()) {
      return is_dense(layouts_.of(part->second));
    }
    const auto by = here_->written_parts.find(result);
    return by == here_->written_parts.end() ||
           is_dense(plan::sliced(layouts_.of(by->second.array), by->second.part,
                                 names_.type(by->second.array).shape));
  }

  static std::size_t maps_together(const ir::Statement& one) {
    const auto* map = as<ir::SegmentedMap>(one.operation);
    if (map == nullptr || map->schedule.versions.empty()) return 0;
    const auto* stencil = as<ir::FusedStencil>(map->schedule.versions[0].strategy);
    return stencil == nullptr || stencil->maps < 2 ? 0 : static_cast<std::size_t>(stencil->maps);
  }

  /// One of several maps that run as one loop, up to statement `end`.
  void stencil_stage(const ir::Statement& s, std::size_t end) {
    place_thread(s, names_, memory_);
    for (const ir::Binder& result : s.results) {
      const auto last = here_->scope.uses.last.find(result.name);
      if (last == here_->scope.uses.last.end() || last->second < end) {
        memory_.homes.insert_or_assign(result.name, Nowhere{});
      } else if (!make_for_branch(result.name) && !make_checkpoint(result.name) &&
                 !make_piece(result.name)) {
        make_own(result.name);
      }
    }
  }

  void map(const ir::Statement& s, const ir::SegmentedMap& e) {
    const bool is_one = s.results.size() == 1 && e.result_types[0].is_scalar();
    bool is_part = false;
    for (const ir::Binder& result : s.results) {
      const NameId name = result.name;
      if (names_.type(name).kind != ir::TypeKind::value) continue;
      const bool placed = make_for_branch(name) || make_checkpoint(name) || make_piece(name) ||
                          make_points_within(name);
      if (!placed) is_part = make_part(name) || is_part;
    }
    if (is_one && !is_part && !has_home(s.results[0].name)) {
      const NameId result = s.results[0].name;
      const auto state = replaced_states_.find(result);
      const auto old = state != replaced_states_.end()
                           ? std::optional(state->second)
                           : dying_array(e, result, here_->scope, memory_);
      if (old) make_over(*old, result);
    }
    own_elements(s);
  }

  /// What a map, reduction or scan makes element by element.
  void own_elements(const ir::Statement& s) {
    for (const ir::Binder& result : s.results) turn_if_set(result.name);
    own_the_rest(s);
  }

  // For experiments: whatever the order, results are the same.
  void turn_if_set(NameId name) {
    const ir::Type& type = names_.type(name);
    const int every = context_.settings.turned;
    if (every == 0 || name.index % static_cast<std::size_t>(every) != 0) return;
    if (type.kind != ir::TypeKind::value || type.rank() < 2 || has_home(name)) return;
    make_own(name, plan::first_innermost(type.rank()));
  }

  // What each point of a row makes is seen only as parts of all points: then the points are
  // neighbours in memory.
  bool make_points_within(NameId name) {
    const auto found = here_->points_within.find(name);
    if (found == here_->points_within.end()) return false;
    make_own(name, found->second);
    return true;
  }

  void reduce(const ir::Statement& s, const ir::SegmentedReduce& e) {
    const std::size_t mapped = reduced_results(e);
    for (std::size_t k = 0; k < mapped; ++k) {
      const NameId name = s.results[k].name;
      if (!names_.type(name).is_array()) continue;
      if (!make_for_branch(name) && !make_checkpoint(name)) make_part(name);
    }
    if (context_.on_cpu() && s.results.size() > mapped && e.result_types[mapped].is_scalar()) {
      const NameId result = s.results[mapped].name;
      if (const auto old = dying_array(e, result, here_->scope, memory_)) make_over(*old, result);
    }
    own_elements(s);
  }

  /// Where a filter puts its elements is known only while it runs.
  void scan(const ir::Statement& s, const ir::SegmentedScan& e) {
    const auto& versions = e.schedule.versions;
    const bool nowhere = !versions.empty() && as<ir::Compaction>(versions[0].strategy) != nullptr;
    for (const ir::Binder& result : s.results) {
      if (nowhere) memory_.homes.insert_or_assign(result.name, Nowhere{});
    }
    if (!nowhere) own_elements(s);
  }

  void own_the_rest(const ir::Statement& s) {
    for (const ir::Binder& result : s.results) {
      if (names_.type(result.name).kind == ir::TypeKind::value && !has_home(result.name)) {
        make_own(result.name);
      }
    }
  }

  void statement(const ir::Statement& s, const Mentions::OfStatement& mentions) {
    layouts_.enter(s);
    match(s.operation,
          [&](const ir::SegmentedMap& e) { place_thread(s, names_, memory_); map(s, e); },
          [&](const ir::SegmentedReduce& e) { place_thread(s, names_, memory_); reduce(s, e); },
          [&](const ir::SegmentedScan& e) { place_thread(s, names_, memory_); scan(s, e); },
          [&](const ir::Loop& e) { loop(s, e, mentions); },
          [&](const ir::Branch& e) {
            for (std::size_t k = 0; k < s.results.size(); ++k) place_result(s, e, k);
            body(e.then_body, mentions.inside[0]);
            body(e.else_body, mentions.inside[1]);
            own_the_rest(s);
          },
          [&](const ir::WithAccumulator& e) { with_accumulator(s, e, mentions); },
          [&](const ir::Copy& e) { copy(s, e); },
          [&](const ir::Concat&) {
            const NameId result = s.results[0].name;
            if (!has_home(result)) make_concatenation(result);
          },
          [&](const ir::SegmentedHistogram& e) {
            place_thread(s, names_, memory_);
            std::size_t k = 0;
            for (const ir::HistogramOperator& one : e.operators) {
              for (const NameId array : one.destinations) give_back(s.results[k++].name, array);
            }
          },
          [&](const ir::SegmentedScatter& e) {
            place_thread(s, names_, memory_);
            for (std::size_t k = 0; k < e.targets.size(); ++k) {
              give_back(s.results[k].name, e.targets[k].destination);
            }
          },
          [&](const ir::Index& e) { part(s, e.array); },
          [&](const ir::Slice& e) { part(s, e.array); },
          [&](const ir::Permute& e) { part(s, e.array); },
          [&](const ir::Update& e) { part(s, e.array); },
          [&](const ir::Reshape& e) { reshape(s, e); },
          [&](const ir::Identity& e) {
            if (names_.type(s.results[0].name).is_array()) part(s, e.value.name());
          },
          [&](const ir::Iota&) { own_unless_element_only(s); },
          [&](const ir::Replicate& e) {
            if (make_for_branch(s.results[0].name)) return;
            if (names_.type(e.value).is_scalar() && e.shape.size() == 1) {
              own_unless_element_only(s);
            } else {
              own_the_rest(s);
            }
          },
          [&](const ir::Scratch&) {
            if (!make_for_branch(s.results[0].name)) own_the_rest(s);
          },
          [&](const auto&) {
            place_thread(s, names_, memory_);
            own_the_rest(s);
          });
  }

  void part(const ir::Statement& s, NameId of) {
    const NameId result = s.results[0].name;
    if (names_.type(result).is_array()) view(result, of);
  }

  /// `result` is `array` after a change of some elements.
  void give_back(NameId result, NameId array) {
    layouts_.set(result, layouts_.of(array));
    view(result, array);
  }

  void own_unless_element_only(const ir::Statement& s) {
    const NameId result = s.results[0].name;
    if (memory_.element_only.contains(result)) {
      memory_.homes.insert_or_assign(result, Nowhere{});
    } else {
      make_own(result);
    }
  }

  void reshape(const ir::Statement& s, const ir::Reshape& e) {
    const NameId result = s.results[0].name;
    const auto layout = plan::reshaped(layouts_.of(e.array), names_.type(e.array).shape,
                                       names_.type(result).shape);
    if (layout) {
      view(result, e.array);
    } else {
      memory_.copying.insert(result);
      make_own(result);
    }
  }

  // Whether nothing that is used after the statement in turn, here or outside of the body, may lie
  // in the memory of `array`.  What a branch, a loop or a call gives may be an array from before.
  bool is_last_of_memory(NameId array) const {
    const Uses& uses = here_->scope.uses;
    const std::vector<NameId> roots = aliases_.roots(array);
    return std::all_of(roots.begin(), roots.end(), [&](NameId root) {
      const auto use = uses.last_of_memory.find(root);
      return uses.bindings.contains(root) &&
             (use == uses.last_of_memory.end() || use->second <= here_->current);
    });
  }

  // A copy of what nobody needs afterwards is the thing itself.
  void copy(const ir::Statement& s, const ir::Copy& e) {
    const NameId result = s.results[0].name;
    if (!is_last_of_memory(e.array) || !dies_here(e.array)) {
      make_own(result);
      return;
    }
    memory_.homes.insert_or_assign(result, SameAs{e.array});
    give_back(result, e.array);
  }

  void with_accumulator(const ir::Statement& s, const ir::WithAccumulator& e,
                        const Mentions::OfStatement& mentions) {
    for (const ir::AccumulatorInput& input : e.inputs) {
      if (input.op) place_thread(input.op->body, names_, memory_);
    }
    body(e.body.body, mentions.inside.back());
    for (std::size_t k = 0; k < e.inputs.size(); ++k) {
      give_back(s.results[k].name, e.inputs[k].array);
    }
    for (std::size_t k = e.inputs.size(); k < s.results.size(); ++k) {
      if (names_.type(s.results[k].name).is_array()) make_own(s.results[k].name);
    }
  }

  // ---- loops

  void loop(const ir::Statement& s, const ir::Loop& e, const Mentions::OfStatement& mentions) {
    for (std::size_t k = 0; k < e.values.size(); ++k) carry(e, k);
    replaced_states_.merge(find_replaced_states(e, here_->scope));
    give_initials(e);
    checkpoints_.merge(find_checkpoints(e, names_, memory_.kept_before));
    body(e.body, mentions.inside.back());
    for (std::size_t k = 0; k < e.values.size(); ++k) {
      const NameId parameter = e.values[k].parameter.name;
      if (names_.type(parameter).is_array()) give_back(s.results[k].name, parameter);
    }
  }

  void carry(const ir::Loop& e, std::size_t k) {
    const NameId parameter = e.values[k].parameter.name;
    if (!names_.type(parameter).is_array()) return;
    carried_.insert(parameter);
    const NameId initial = e.values[k].initial.name();
    if (is_dense(layouts_.of(initial)) && is_updated_in(e, k)) {
      memory_.carries.emplace(parameter, Carry::in_place);
      give_back(parameter, initial);
    } else {
      memory_.carries.emplace(parameter, Carry::renewed);
      own(parameter);
    }
  }

  // The loop's variables keep its initial arrays alive.  One that nothing else needs dies in the
  // first iteration, not after the last.
  void give_initials(const ir::Loop& e) {
    std::unordered_set<NameId> used;  // owners
    for (const NameId name : ir::free_names(e.body, names_)) {
      if (names_.type(name).is_array()) used.insert(memory_.owner(name));
    }
    for (const ir::LoopValue& value : e.values) {
      if (!names_.type(value.parameter.name).is_array()) continue;
      const NameId owner = memory_.owner(value.initial.name());
      if (!used.contains(owner) && dies_here(owner)) memory_.given.insert(value.parameter.name);
    }
  }

  const Context& context_;
  const ir::Names& names_;
  const ir::AliasInfo& aliases_;
  Memory& memory_;
  plan::Layouts layouts_;
  Here* here_ = nullptr;
  std::unordered_map<NameId, const Here*> owned_in_;
  std::unordered_set<NameId> carried_;  // arrays that loops carry
  std::unordered_map<NameId, NameId> replaced_states_;
  std::unordered_map<NameId, Checkpoint> checkpoints_;
  std::unordered_map<NameId, NameId> of_branch_;  // by what sides of branches give: their results
};

}  // namespace

Memory place_host(const ir::Function& function, const Context& context) {
  Memory memory;
  memory.carried_array = context.settings.carried_array;
  memory.element_only = plan::element_only_arrays(function.body, context.names);
  const ir::AliasInfo aliases =
      ir::analyse_aliases(function, context.names, context.functions);
  Host(context, aliases, memory).body(function.body, mentions_in(function.body, context.names));
  return memory;
}

}  // namespace dagaz::memory
