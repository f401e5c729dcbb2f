// Stencils on the CPU: several maps, or one, as one loop over points.  plan/stencil.cpp says which.
//
// A piece of the points runs in three parts: up to the first inner point, from where it begins
// early to have what its first point reads; the inner points, where conditions are known and
// vectors are read whole; the rest.  What a later point reads is handed on from iteration to
// iteration.
#include "emit/host/fused_stencil.h"

#include "emit/host/parallel_for.h"
#include "emit/memory/allocation.h"
#include "emit/memory/elements.h"
#include "emit/points.h"
#include "emit/statements.h"
#include "emit/thread/loops.h"
#include "emit/versions.h"
#include "plan/stencil.h"

namespace dagaz::emit {

/// A stencil that runs: where its values are held, by distance, and where they go, or nowhere.
struct StencilLoop {
  const plan::Stencil& stencil;
  std::vector<std::vector<NameId>> held;
  const std::vector<Destination>& targets;

  void replace_reads(ir::Body& body, bool inner) const;
};

// Elements of other maps' results are what is held, those of other arrays are loaded once; what is
// known is what it is if `inner`.
void StencilLoop::replace_reads(ir::Body& body, bool inner) const {
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
    } else if (const auto known = stencil.known.find(name);
               inner && known != stencil.known.end()) {
      one.operation = ir::Identity{known->second};
    }
  }
}

static std::optional<plan::Stencil> stencil_from(const Context& c,
                                                 std::span<const ir::Statement> statements) {
  return plan::stencil_of(statements,
                          plan::KnownOutside{c.names(), c.known.scalars, c.known.iotas});
}

// One point: the maps in turn, then a step of what is held.  Without `gives` it always gives
// results.
static void stencil_point(Context& c, const StencilLoop& loop, const Operand& point, bool inner,
                          const std::optional<Operand>& gives) {
  std::size_t first = 0;
  for (const ir::Statement* statement : loop.stencil.maps) {
    const auto& map = std::get<ir::SegmentedMap>(statement->operation);
    set_indices(c, map.space, {point});
    ir::Body body = map.body;
    loop.replace_reads(body, inner);
    emit_body(c, body, {}, [&](const std::vector<Value>& results) {
      for (std::size_t k = 0; k < results.size(); ++k) {
        const std::size_t number = first + k;
        if (!loop.held[number].empty()) c.move(loop.held[number][0], results[k].operand);
        const Destination& target = loop.targets[number];
        if (!target) continue;
        const auto put = [&] { write(c, *target, {point}, results[k]); };
        if (gives) {
          c.branch(*gives, put);
        } else {
          put();
        }
      }
    });
    first += map.result_types.size();
  }
  for (const std::vector<NameId>& held : loop.held) {
    for (std::size_t d = held.size(); d-- > 1;) c.move(held[d], held[d - 1]);
  }
}

static void emit_stencil(Context& c, const plan::Stencil& stencil, const ir::FusedStencil& plan,
                         const std::vector<Destination>& targets) {
  const auto& first_map = std::get<ir::SegmentedMap>(stencil.maps[0]->operation);
  const Operand extent = first_map.space[0].extent;
  Operand cost = ir::i64_operand(0);
  for (const ir::Statement* one : stencil.maps) {
    cost = c.add(cost, cost_of(c, std::get<ir::SegmentedMap>(one->operation).schedule));
  }
  const Operand none = ir::i64_operand(0);
  const Operand before = ir::i64_operand(stencil.downwards ? stencil.high : stencil.low);
  const Operand after = ir::i64_operand(stencil.downwards ? stencil.low : stencil.high);
  parallel_for(c, extent, cost, [&](const Operand& begin, const Operand& end) {
    StencilLoop loop{stencil, {}, targets};
    for (std::size_t k = 0; k < stencil.values.size(); ++k) {
      loop.held.emplace_back();
      if (!stencil.reach[k]) continue;
      const ScalarType type = c.names().type(stencil.values[k]).element;
      for (std::int64_t d = 0; d <= *stencil.reach[k]; ++d) {
        loop.held.back().push_back(c.mutable_variable("held", type, ir::zero_of(type)));
      }
    }
    const Operand start = c.maximum(c.sub(begin, ir::i64_operand(stencil.halo)), none);
    const Operand inner = c.minimum(c.maximum(begin, before), end);
    const Operand outer = c.maximum(c.minimum(c.sub(extent, after), end), inner);
    const auto point = [&](const Operand& step) {
      return stencil.downwards ? c.sub(c.sub(extent, ir::i64_operand(1)), step) : step;
    };
    thread_loop(c, c.sub(inner, start), false, [&](const Operand& k) {
      const Operand step = c.add(start, k);
      const Operand gives = c.less(c.sub(begin, ir::i64_operand(1)), step);
      stencil_point(c, loop, point(step), false, gives);
    });
    const auto run = [&](const Operand& from, const Operand& to, bool is_inner) {
      const NameId index = c.variable("i", ScalarType::i64);
      Code code = c.collect(
          [&] { stencil_point(c, loop, point(c.add(from, index)), is_inner, std::nullopt); });
      c.emit(For{index, c.sub(to, from), std::move(code),
                 LoopHints{.independent = true, .vectorise = is_inner && plan.vectorised}});
    };
    run(inner, outer, true);
    if (!is_constant(after, 0)) run(outer, end, false);
  });
}

void emit_inner_points(Context& c, const ir::Statement& s, const ir::FusedStencil& plan,
                       const std::vector<Destination>& targets) {
  emit_stencil(c, *stencil_from(c, std::span(&s, 1)), plan, targets);
}

std::size_t emit_together(Context& c, const std::vector<ir::Statement>& statements,
                          std::size_t first) {
  const auto* map = as<ir::SegmentedMap>(statements[first].operation);
  if (map == nullptr || map->schedule.versions.empty()) return 0;
  const auto* plan = as<ir::FusedStencil>(map->schedule.versions[0].strategy);
  if (plan == nullptr || plan->maps < 2) return 0;
  const auto count = static_cast<std::size_t>(plan->maps);
  const auto stencil = stencil_from(c, std::span(statements).subspan(first, count));
  const std::size_t end = first + count;
  std::vector<Destination> targets;
  const ir::Statement* const outer = c.host_statement;
  for (std::size_t k = first; k < end; ++k) {
    const ir::Statement& one = statements[k];
    c.scopes.at_statement(k);
    c.location = one.location;
    c.host_statement = &one;
    for (const ir::Binder& result : one.results) {
      const bool leaves = !std::holds_alternative<memory::Nowhere>(c.memory.home(result.name));
      targets.push_back(leaves ? Destination(result_array(c, result.name)) : std::nullopt);
    }
  }
  emit_stencil(c, *stencil, *plan, targets);
  c.host_statement = outer;
  return end - first;
}

}  // namespace dagaz::emit
