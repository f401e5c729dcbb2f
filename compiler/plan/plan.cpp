#include "plan/plan.h"

#include <algorithm>
#include <span>

#include "ir/device_threads.h"
#include "ir/traces.h"
#include "plan/array_uses.h"
#include "plan/host_operations.h"
#include "plan/planning.h"
#include "plan/settings.h"
#include "plan/nested.h"
#include "plan/versions.h"
#include "plan/whole_nests.h"

namespace dagaz::plan {

using ir::NameId;
using ir::Operand;

namespace {

/// Walks the host's code of a function.
class HostPlanner {
 public:
  explicit HostPlanner(Planning& planning) : p_(planning) {}

  void plan(ir::Body& body) {
    if (p_.on_cpu()) turned_.merge(p_.around.layouts.turn_rows(body));
    std::vector<ir::Statement> planned;
    for (std::size_t k = 0; k < body.statements.size();) {
      const auto rest = std::span(body.statements).subspan(k);
      const std::size_t together = fused_stencil(rest);
      find_compaction(rest, body.results);
      const std::size_t end = k + std::max<std::size_t>(together, 1);
      for (; k < end; ++k) {
        ir::Statement& one = body.statements[k];
        note_threads(one);
        p_.enter(one);
        if (together > 0) {
          auto& map = std::get<ir::SegmentedMap>(one.operation);
          note_points(p_, map);
          p_.note_vectors(map.body, map.schedule);
          planned.push_back(std::move(one));
        } else {
          plan(std::move(one), planned);
        }
      }
    }
    body.statements = std::move(planned);
  }

 private:
  void note_threads(const ir::Statement& statement) {
    const auto* call = as<ir::Call>(statement.operation);
    if (call != nullptr && call->function == ir::device_threads_function) {
      device_threads_.insert(statement.results[0].name);
    }
    const auto* scalar = as<ir::Scalar>(statement.operation);
    if (scalar != nullptr && scalar->op == ir::ScalarOp::sle &&
        scalar->arguments[0].is_name() && device_threads_.contains(scalar->arguments[0].name())) {
      resident_.emplace(statement.results[0].name, scalar->arguments[0]);
    }
  }

  /// How many of `statements` run as one loop; the first of them says so.
  std::size_t fused_stencil(std::span<ir::Statement> statements) {
    if (!p_.may_choose() || p_.tunables().stencils == 0) return 0;
    if (!as<ir::SegmentedMap>(statements[0].operation)) return 0;
    const auto stencil = stencil_of(statements, p_.known_outside());
    if (!stencil || stencil->maps.size() < 2) return 0;
    if (p_.random && p_.random->flips()) return 0;
    std::get<ir::SegmentedMap>(statements[0].operation).schedule =
        only(p_.some_stencil(static_cast<int>(stencil->maps.size())));
    return stencil->maps.size();
  }

  /// Whether the scan that `statements` begin with, and the scatters after it, may be one loop.
  void find_compaction(std::span<const ir::Statement> statements,
                       const std::vector<Operand>& results) {
    if (compacted_ > 0) --compacted_;
    const bool may = !p_.options.only_pointwise && !ir::has_trace(statements[0].operation);
    compaction_ = may ? compaction_of(statements, results, p_.names) : std::nullopt;
  }

  void plan(ir::Statement statement, std::vector<ir::Statement>& planned) {
    if (as<ir::SegmentedMap>(statement.operation)) {
      plan_points(std::move(statement), planned);
      return;
    }
    if (auto* reduction = as<ir::SegmentedReduce>(statement.operation)) {
      plan_reduce(p_, statement, *reduction);
    } else if (auto* prefixes = as<ir::SegmentedScan>(statement.operation)) {
      plan_scan(p_, statement, *prefixes, compaction_);
      const bool compacts = as<ir::Compaction>(prefixes->schedule.versions[0].strategy);
      if (compacts) compacted_ = compaction_->statements + 1;
    } else if (auto* histogram = as<ir::SegmentedHistogram>(statement.operation)) {
      plan_histogram(p_, statement, *histogram);
    } else if (auto* scatter = as<ir::SegmentedScatter>(statement.operation)) {
      plan_scatter(p_, statement, *scatter, compacted_ == 0);
    } else if (as<ir::MapScanReduce>(statement.operation)) {
      plan_nested(p_, statement);  // of a function that threads call
    } else {
      plan_control(p_, statement, [this](ir::Body& body) { plan(body); });
      if (auto* branch = as<ir::Branch>(statement.operation)) choose_whole(*branch, planned);
    }
    planned.push_back(std::move(statement));
  }

  /// Rows of results whose points are neighbours are for points in lanes: others are planned again,
  /// with their rows in order.
  void plan_points(ir::Statement statement, std::vector<ir::Statement>& planned) {
    const bool any_turned = std::any_of(
        statement.results.begin(), statement.results.end(),
        [&](const ir::Binder& one) { return turned_.contains(one.name); });
    if (!any_turned) {
      plan_map(p_, std::move(statement), planned);
      return;
    }
    const std::size_t before = planned.size();
    ir::Statement again = statement;
    plan_map(p_, std::move(statement), planned);
    const bool in_lanes =
        std::any_of(planned.begin() + static_cast<std::ptrdiff_t>(before), planned.end(),
                    [](const ir::Statement& one) {
                      const auto* map = as<ir::SegmentedMap>(one.operation);
                      return map != nullptr && is_in_lanes(map->schedule);
                    });
    if (in_lanes) return;
    planned.resize(before);
    for (const ir::Binder& one : again.results) {
      if (turned_.erase(one.name) == 0) continue;
      p_.around.layouts.set(one.name, row_major(p_.names.type(one.name).shape));
    }
    plan_map(p_, std::move(again), planned);
  }

  /// A branch that flattening made where it offers a nest whole.
  void choose_whole(ir::Branch& branch, std::vector<ir::Statement>& planned) {
    if (!branch.condition.is_name()) return;
    const auto found = resident_.find(branch.condition.name());
    if (found == resident_.end()) return;
    ir::Builder builder(p_.names);
    choose_whole_nest(branch, found->second, p_.tunables().gpu_product_terms, builder);
    for (ir::Statement& one : builder.take()) planned.push_back(std::move(one));
  }

  Planning& p_;
  std::optional<Compaction> compaction_;  // that the statement in turn begins
  std::size_t compacted_ = 0;  // statements from that in turn on that the last one's loop does
  std::unordered_set<NameId> turned_;  // results of maps that have points innermost
  std::unordered_set<NameId> device_threads_;  // how many threads fill the device
  // Whether there are at least so many points, by how many threads fill the device.
  std::unordered_map<NameId, Operand> resident_;
};

}  // namespace

ir::PlannedProgram plan(ir::FlatProgram flat, const PlanOptions& options,
                        std::vector<std::string>* refused) {
  ir::Program& program = flat.program;
  std::optional<RandomSchedules> random;
  if (options.seed) random.emplace(*options.seed);
  const WantedPlan wanted(options, program.names, refused);
  for (ir::Function& function : program.functions) {
    const auto element_only = element_only_arrays(function.body, program.names);
    Planning planning(program, options, element_only, random, wanted);
    HostPlanner(planning).plan(function.body);
  }
  ir::declare_device_questions(program);
  ir::Settings settings = settings_for(options.device, options.target);
  if (random) settings = random->settings(settings);
  wanted.follow(settings);
  return {std::move(program), settings};
}

}  // namespace dagaz::plan
