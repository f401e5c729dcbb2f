// Stencils on the CPU: several maps, or one, as one loop over points.  plan/stencil.cpp says which.
//
// A piece of the points runs in three parts: up to the first inner point, from where it begins
// early to have what its first point reads; the inner points, where conditions are known and
// vectors are read whole; the rest.  What a later point reads is handed on from iteration to
// iteration.
#include <algorithm>

#include "imperative/lowering.h"

namespace dagaz::imperative {

/// A stencil that runs: where its values are held, by distance, and where they go, or nowhere.
struct Lowering::StencilLoop {
  const plan::Stencil& stencil;
  std::vector<std::vector<NameId>> held;
  const std::vector<Destination>& targets;

  void replace_reads(ir::Body& body, bool inner) const;
};

// Elements of other maps' results are what is held, those of other arrays are loaded once; known
// conditions are what they are if `inner`.
void Lowering::StencilLoop::replace_reads(ir::Body& body, bool inner) const {
  for (ir::Statement& one : body.statements) {
    if (auto* branch = as<ir::Branch>(one.operation)) {
      replace_reads(branch->then_body, inner);
      replace_reads(branch->else_body, inner);
      continue;
    }
    const NameId name = one.results[0].name;
    if (const auto read = stencil.reads.find(name); read != stencil.reads.end()) {
      const auto distance = static_cast<std::size_t>(read->second.distance);
      one.operation = ir::Identity{held[read->second.value][distance]};
    } else if (const auto same = stencil.same.find(name); same != stencil.same.end()) {
      one.operation = ir::Identity{same->second};
    } else if (const auto known = stencil.conditions.find(name);
               inner && known != stencil.conditions.end()) {
      one.operation = ir::Identity{ir::make_bool(known->second)};
    }
  }
}

std::optional<plan::Stencil> Lowering::stencil_from(
    std::span<const ir::Statement> statements) const {
  return plan::stencil_of(statements, plan::StencilContext{names(), host_scalars_, virtual_iotas_});
}

// One point: the maps in turn, then a step of what is held.  Without `gives` it always gives
// results.
void Lowering::stencil_point(const StencilLoop& loop, const Operand& point, bool inner,
                           const std::optional<Operand>& gives) {
  std::size_t first = 0;
  for (const ir::Statement* statement : loop.stencil.maps) {
    const auto& map = std::get<ir::SegmentedMap>(statement->operation);
    set_indices(map.space, {point});
    ir::Body body = map.body;
    loop.replace_reads(body, inner);
    lower_body(body, {}, [&](const std::vector<Value>& results) {
      for (std::size_t k = 0; k < results.size(); ++k) {
        const std::size_t number = first + k;
        if (!loop.held[number].empty()) move(loop.held[number][0], results[k].operand);
        const Destination& target = loop.targets[number];
        if (!target) continue;
        const auto put = [&] { write(*target, {point}, results[k]); };
        if (gives) {
          branch(*gives, put);
        } else {
          put();
        }
      }
    });
    first += map.result_types.size();
  }
  for (const std::vector<NameId>& held : loop.held) {
    for (std::size_t d = held.size(); d-- > 1;) move(held[d], held[d - 1]);
  }
}

void Lowering::lower_stencil(const plan::Stencil& stencil,
                             const std::vector<Destination>& targets) {
  const auto& first_map = std::get<ir::SegmentedMap>(stencil.maps[0]->operation);
  const Operand extent = first_map.space[0].extent;
  Operand cost = ir::i64_operand(0);
  for (const ir::Statement* one : stencil.maps) {
    cost = add(cost, cost_of(std::get<ir::SegmentedMap>(one->operation).schedule));
  }
  const Operand none = ir::i64_operand(0);
  const Operand before = ir::i64_operand(stencil.downwards ? stencil.high : stencil.low);
  const Operand after = ir::i64_operand(stencil.downwards ? stencil.low : stencil.high);
  parallel_for(extent, cost, [&](const Operand& begin, const Operand& end) {
    StencilLoop loop{stencil, {}, targets};
    for (std::size_t k = 0; k < stencil.values.size(); ++k) {
      loop.held.emplace_back();
      if (!stencil.reach[k]) continue;
      const ScalarType type = names().type(stencil.values[k]).element;
      for (std::int64_t d = 0; d <= *stencil.reach[k]; ++d) {
        loop.held.back().push_back(mutable_variable("held", type, ir::zero_of(type)));
      }
    }
    const Operand start = maximum(sub(begin, ir::i64_operand(stencil.halo)), none);
    const Operand inner = minimum(maximum(begin, before), end);
    const Operand outer = maximum(minimum(sub(extent, after), end), inner);
    const auto point = [&](const Operand& step) {
      return stencil.downwards ? sub(sub(extent, ir::i64_operand(1)), step) : step;
    };
    thread_loop(sub(inner, start), false, [&](const Operand& k) {
      const Operand step = add(start, k);
      const Operand gives = less(sub(begin, ir::i64_operand(1)), step);
      stencil_point(loop, point(step), false, gives);
    });
    const auto run = [&](const Operand& from, const Operand& to, bool is_inner) {
      const NameId index = variable("i", ScalarType::i64);
      Code code = collect([&] {
        stencil_point(loop, point(add(from, index)), is_inner, std::nullopt);
      });
      emit(For{index, sub(to, from), std::move(code),
               LoopHints{.independent = true, .vectorise = is_inner}});
    };
    run(inner, outer, true);
    if (!is_constant(after, 0)) run(outer, end, false);
  });
}

// One map, whose inner points read whole vectors.
void Lowering::lower_inner_points(const ir::Statement& s, const std::vector<Destination>& targets) {
  lower_stencil(*stencil_from(std::span(&s, 1)), targets);
}

// Lowers several maps of the current scope, from statement `first` on; how many there were.
std::size_t Lowering::lower_together(const ir::Body& body, std::size_t first) {
  const auto* map = as<ir::SegmentedMap>(body.statements[first].operation);
  if (map == nullptr || map->schedule.versions.empty()) return 0;
  const auto* plan = as<ir::FusedStencil>(map->schedule.versions[0].strategy);
  if (plan == nullptr || plan->maps < 2) return 0;
  const auto count = static_cast<std::size_t>(plan->maps);
  const auto stencil = stencil_from(std::span(body.statements).subspan(first, count));
  const std::size_t end = first + count;
  std::vector<Destination> targets;
  for (std::size_t k = first; k < end; ++k) {
    const ir::Statement& one = body.statements[k];
    scopes_.back().current = k;
    location_ = one.location;
    for (const ir::Binder& result : one.results) {
      const bool leaves = !std::holds_alternative<memory::Nowhere>(memory_.home(result.name));
      targets.push_back(leaves ? Destination(result_array(result.name)) : std::nullopt);
    }
  }
  lower_stencil(*stencil, targets);
  return end - first;
}

}  // namespace dagaz::imperative
