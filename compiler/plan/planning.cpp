#include "plan/planning.h"

#include <algorithm>

#include "ir/fields.h"
#include "ir/traces.h"
#include "plan/gpu_sizes.h"
#include "plan/operators.h"
#include "plan/strips.h"
#include "plan/vector_work.h"
#include "plan/versions.h"
#include "plan/work.h"

namespace dagaz::plan {

ir::Schedule versions(std::vector<ir::Version> guarded, ir::Strategy otherwise) {
  guarded.push_back({{}, std::move(otherwise)});
  return in_versions(std::move(guarded));
}

bool accumulates(const std::vector<ir::Type>& result_types) {
  return std::any_of(result_types.begin(), result_types.end(), [](const ir::Type& type) {
    return type.kind == ir::TypeKind::accumulator;
  });
}

bool Planning::may_choose(const ir::Operation& operation) const {
  return may_choose() && !ir::has_trace(operation);
}

void Planning::enter(const ir::Statement& statement) {
  around.enter(statement);
  const auto* scalar = as<ir::Scalar>(statement.operation);
  if (scalar != nullptr && scalar->result == ir::ScalarType::i64) {
    scalars.insert_or_assign(statement.results[0].name, *scalar);
  }
  const auto* iota = as<ir::Iota>(statement.operation);
  if (iota != nullptr && iota->type == ir::ScalarType::i64 && is_constant(iota->start, 0) &&
      is_constant(iota->stride, 1) && around.is_element_only(statement.results[0].name)) {
    iotas.insert(statement.results[0].name);
  }
}

void Planning::on_gpu(const std::vector<ir::Binder>& results, ir::Schedule& schedule,
                      ir::Schedule chosen, bool is_map) {
  schedule = random ? random->of_gpu(chosen, is_map) : chosen;
  wanted.follow(results, schedule, chosen.versions.back().strategy,
                [&](const ir::Strategy& one) { return resized_version(chosen, one, is_map); });
}

void Planning::note_work(const ir::Body& body, const std::vector<ir::Type>& result_types,
                         ir::Schedule& schedule, std::int64_t besides) const {
  if (!on_cpu()) return;
  Work work = work_of(body, names, tunables(), besides);
  schedule.operations = std::move(work.operations);
  if (accumulates(result_types)) schedule.additions = std::move(work.additions);
}

// A vector counts as having as many lanes as the longest numbers, also where it has more: these
// are not always full.
void Planning::note_vectors(const ir::Body& body, ir::Schedule& schedule) const {
  if (!on_cpu() || !schedule.additions.empty()) return;
  count_in_vectors(schedule, body, names, iotas, options.target.register_bytes / 8);
}

void Planning::note_strip(const std::vector<ir::Binder>& results, std::size_t dimensions,
                          ir::Schedule& schedule) {
  if (!on_cpu()) return;
  schedule.strip = strip_of(results, schedule, dimensions, names, tunables());
  if (random && schedule.strip != 0) schedule.strip = random->strip();
  wanted.follow(results, schedule, &ir::Schedule::strip);
}

void Planning::note_link(const std::vector<ir::Binder>& results, int link, ir::Schedule& schedule) {
  if (!on_cpu()) return;
  schedule.link = random ? random->link() : link;
  wanted.follow(results, schedule, &ir::Schedule::link);
}

ir::Interchanged Planning::tiles() const {
  return {static_cast<int>(tunables().interchange_tile),
          static_cast<int>(tunables().interchange_steps)};
}

ir::HeldBlocks Planning::blocks() const { return {static_cast<int>(tunables().held_elements), {}}; }

ir::FusedStencil Planning::some_stencil(int maps) {
  return random ? random->stencil(maps) : ir::FusedStencil{maps};
}

}  // namespace dagaz::plan
