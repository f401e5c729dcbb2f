#include "plan/plan.h"

#include <algorithm>
#include <functional>
#include <span>

#include "ir/device_threads.h"
#include "ir/fields.h"
#include "ir/traces.h"
#include "plan/addition_copies.h"
#include "plan/appending.h"
#include "plan/array_uses.h"
#include "plan/compaction.h"
#include "plan/contraction.h"
#include "plan/cost.h"
#include "plan/gpu.h"
#include "plan/gpu_sizes.h"
#include "plan/interchange.h"
#include "plan/lane_blocks.h"
#include "plan/lane_reductions.h"
#include "plan/lane_scans.h"
#include "plan/lane_scatters.h"
#include "plan/neighbours.h"
#include "plan/operators.h"
#include "plan/random.h"
#include "plan/settings.h"
#include "plan/split.h"
#include "plan/stencil.h"
#include "plan/strips.h"
#include "plan/thread_loops.h"
#include "plan/vector_work.h"
#include "plan/versions.h"
#include "plan/wanted.h"
#include "plan/whole_nests.h"
#include "plan/work.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::NameId;
using ir::Operand;

namespace {

ir::Schedule versions(std::vector<ir::Version> guarded, ir::Strategy otherwise) {
  guarded.push_back({{}, std::move(otherwise)});
  return in_versions(std::move(guarded));
}

/// Walks a function, with what is known of its values so far.
class FunctionPlanner {
 public:
  FunctionPlanner(ir::Program& program, const PlanOptions& options,
                  const std::unordered_set<NameId>& element_only,
                  std::optional<RandomSchedules>& random, const WantedPlan& wanted)
      : names_(program.names), options_(options), around_(program, options.target, element_only),
        random_(random), wanted_(wanted) {}

  /// Code of the host.
  void host(ir::Body& body) {
    if (on_cpu()) around_.layouts.turn_rows(body);
    std::vector<ir::Statement> planned;
    for (std::size_t k = 0; k < body.statements.size();) {
      const auto rest = std::span(body.statements).subspan(k);
      const std::size_t together = fused_stencil(rest);
      find_compaction(rest, body.results);
      const std::size_t end = k + std::max<std::size_t>(together, 1);
      for (; k < end; ++k) {
        ir::Statement& one = body.statements[k];
        note_scalar(one);
        around_.enter(one);
        if (together > 0) {
          auto& map = std::get<ir::SegmentedMap>(one.operation);
          note_work(map);
          note_vectors(map);
          planned.push_back(std::move(one));
        } else {
          host(std::move(one), planned);
        }
      }
    }
    body.statements = std::move(planned);
  }

 private:
  const Tunables& tunables() const { return options_.target.tunables; }
  bool on_cpu() const { return options_.device == Device::cpu; }
  bool may_choose() const { return on_cpu() && !options_.only_pointwise; }
  /// What prints runs point by point: a strategy may evaluate a point twice, or what is none.
  bool may_choose(const ir::Operation& operation) const {
    return may_choose() && !ir::has_trace(operation);
  }

  void on_gpu(const std::vector<ir::Binder>& results, ir::Schedule& schedule, ir::Schedule chosen,
              bool is_map = false) {
    schedule = random_ ? random_->of_gpu(chosen, is_map) : chosen;
    wanted_.follow(results, schedule, chosen.versions.back().strategy,
                  [&](const ir::Strategy& one) { return resized_version(chosen, one, is_map); });
  }

  void note_scalar(const ir::Statement& statement) {
    const auto* scalar = as<ir::Scalar>(statement.operation);
    const auto* call = as<ir::Call>(statement.operation);
    if (call != nullptr && call->function == ir::device_threads_function) {
      device_threads_.insert(statement.results[0].name);
    }
    if (scalar != nullptr && scalar->op == ir::ScalarOp::sle &&
        scalar->arguments[0].is_name() && device_threads_.contains(scalar->arguments[0].name())) {
      resident_.emplace(statement.results[0].name, scalar->arguments[0]);
    }
    if (scalar != nullptr && scalar->result == ir::ScalarType::i64) {
      scalars_.insert_or_assign(statement.results[0].name, *scalar);
    }
    const auto* iota = as<ir::Iota>(statement.operation);
    if (iota != nullptr && iota->type == ir::ScalarType::i64 && is_constant(iota->start, 0) &&
        is_constant(iota->stride, 1) && around_.is_element_only(statement.results[0].name)) {
      iotas_.insert(statement.results[0].name);
    }
  }

  /// For the sizes of tasks.
  template <typename Operation>
  void note_work(Operation& e) const {
    if (!on_cpu()) return;
    constexpr bool is_histogram = std::is_same_v<Operation, ir::SegmentedHistogram>;
    constexpr bool is_scatter = std::is_same_v<Operation, ir::SegmentedScatter>;
    Work work = work_of(e.body, names_, tunables(), is_histogram ? 4 : is_scatter ? 2 : 0);
    e.schedule.operations = std::move(work.operations);
    const bool accumulates =
        std::any_of(e.result_types.begin(), e.result_types.end(), [](const ir::Type& type) {
          return type.kind == ir::TypeKind::accumulator;
        });
    if (!accumulates) return;
    e.schedule.additions = std::move(work.additions);
    if constexpr (std::is_same_v<Operation, ir::SegmentedMap>) {
      e.schedule.apart = distance_of_additions(e, names_, scalars_, iotas_);
      if (always_copies(e, e.schedule.operations, tunables())) e.schedule.least_piece = {{1, {}}};
    }
  }

  /// Once it is known how they run.  A vector counts as having as many lanes as the longest numbers,
  /// also where it has more: these are not always full.
  template <typename Operation>
  void note_vectors(Operation& e) const {
    if (!on_cpu() || !e.schedule.additions.empty()) return;
    const std::int64_t lanes = options_.target.register_bytes / 8;
    count_in_vectors(e.schedule, e.body, names_, iotas_, lanes);
  }

  void note_appends(const std::vector<ir::Binder>& results, ir::SegmentedMap& e) {
    const int ahead = random_ ? random_->ahead() : static_cast<int>(tunables().append_ahead);
    e.schedule.appends = appending_writes(e.body, ahead);
    wanted_.follow(results, e.schedule.appends);
  }

  /// Results that are made in strips: those of tasks that walk points in their order.
  template <typename Operation>
  void note_strip(const std::vector<ir::Binder>& results, Operation& e) {
    if (!on_cpu()) return;
    ir::Schedule& schedule = e.schedule;
    schedule.strip = strip_of(results, schedule, e.space.size(), names_, tunables());
    if (random_ && schedule.strip != 0) schedule.strip = random_->strip();
    wanted_.follow(results, schedule.strip);
  }

  /// How many of `statements` run as one loop; the first of them says so.
  std::size_t fused_stencil(std::span<ir::Statement> statements) {
    if (!may_choose() || tunables().stencils == 0) return 0;
    if (!as<ir::SegmentedMap>(statements[0].operation)) return 0;
    const auto stencil = stencil_of(statements, StencilContext{names_, scalars_, iotas_});
    if (!stencil || stencil->maps.size() < 2) return 0;
    if (random_ && random_->flips()) return 0;
    std::get<ir::SegmentedMap>(statements[0].operation).schedule =
        only(some_stencil(static_cast<int>(stencil->maps.size())));
    return stencil->maps.size();
  }

  void host(ir::Statement statement, std::vector<ir::Statement>& planned) {
    if (as<ir::SegmentedMap>(statement.operation)) {
      map(std::move(statement), planned);
      return;
    }
    if (auto* reduction = as<ir::SegmentedReduce>(statement.operation)) {
      reduce(statement, *reduction);
    } else if (auto* prefixes = as<ir::SegmentedScan>(statement.operation)) {
      scan(statement, *prefixes);
    } else if (auto* histogram = as<ir::SegmentedHistogram>(statement.operation)) {
      hist(statement, *histogram);
    } else if (auto* scatter = as<ir::SegmentedScatter>(statement.operation)) {
      write(statement, *scatter);
    } else if (as<ir::MapScanReduce>(statement.operation)) {
      thread(statement);  // of a function that threads call
    } else {
      control(statement, [this](ir::Body& body) { host(body); });
      if (auto* branch = as<ir::Branch>(statement.operation)) choose_whole(*branch, planned);
    }
    planned.push_back(std::move(statement));
  }

  /// A branch that flattening made where it offers a nest whole.
  void choose_whole(ir::Branch& branch, std::vector<ir::Statement>& planned) {
    if (!branch.condition.is_name()) return;
    const auto found = resident_.find(branch.condition.name());
    if (found == resident_.end()) return;
    ir::Builder builder(names_);
    choose_whole_nest(branch, found->second, builder);
    for (ir::Statement& one : builder.take()) planned.push_back(std::move(one));
  }

  /// Notes accumulators that control flow hands on, and plans its bodies.
  template <typename Plan>
  void control(ir::Statement& statement, const Plan& plan) {
    if (auto* with = as<ir::WithAccumulator>(statement.operation)) {
      for (std::size_t k = 0; k < with->inputs.size(); ++k) {
        const ir::AccumulatorInput& input = with->inputs[k];
        ir::Type row = names_.type(input.array);
        row.shape.erase(row.shape.begin(),
                        row.shape.begin() + static_cast<std::ptrdiff_t>(input.shape.size()));
        around_.open(with->body.parameters[k].name, {row, input.op ? &*input.op : nullptr});
      }
      for (ir::AccumulatorInput& input : with->inputs) {
        if (input.op) thread(input.op->body);
      }
      plan(with->body.body);
    } else if (auto* loop = as<ir::Loop>(statement.operation)) {
      for (const ir::LoopValue& value : loop->values) {
        around_.continue_accumulator(value.parameter.name, value.initial);
      }
      plan(loop->body);
      for (std::size_t k = 0; k < statement.results.size(); ++k) {
        around_.continue_accumulator(statement.results[k].name, loop->body.results[k]);
      }
    } else if (auto* branch = as<ir::Branch>(statement.operation)) {
      plan(branch->then_body);
      plan(branch->else_body);
      for (std::size_t k = 0; k < statement.results.size(); ++k) {
        around_.continue_accumulator(statement.results[k].name, branch->then_body.results[k]);
      }
    }
  }

  // ---------------------------------------------------------------- operations of the host

  void map(ir::Statement statement, std::vector<ir::Statement>& planned) {
    auto& e = std::get<ir::SegmentedMap>(statement.operation);
    around_.overwrite(overwritten_by(e, names_));
    const MapAt at{around_, e, statement.results, Around::host};
    std::vector<ir::Strategy> ways = ways_by_points(statement, e);
    if (may_choose(statement.operation)) {
      std::vector<ir::Version> lanes;
      if (tunables().lanes != 0) lanes = map_in_lanes(at);
      if (lanes.empty() && !random_ && split(statement, planned)) return;
      const auto product = product_of(e, statement.results);
      if (product) add_product(at, *product, lanes);
      e.schedule = random_ ? random_->map(at, some_sizes(e, product), ways)
                           : versions(std::move(lanes), by_points(statement, e));
      wanted_.follow(statement.results, e.schedule, ir::Pointwise{},
                  completed_map(at, product, ways));
      if (!is_straight(e.body)) keep_in_one_loop(e.schedule);
    } else {
      e.schedule = only(ir::Pointwise{});
      if (!on_cpu()) on_gpu(statement.results, e.schedule, gpu_map(e, around_, names_), true);
    }
    finish_map(std::move(statement), planned);
  }

  /// Only straight-line code may stand in a loop of whole vectors and in one of their rest.
  static void keep_in_one_loop(ir::Schedule& schedule) {
    for (ir::Version& one : schedule.versions) {
      if (auto* points = as<ir::Pointwise>(one.strategy)) points->whole_vectors = 0;
    }
  }

  void finish_map(ir::Statement statement, std::vector<ir::Statement>& planned) {
    auto& e = std::get<ir::SegmentedMap>(statement.operation);
    note_work(e);
    if (on_cpu()) note_appends(statement.results, e);
    const bool point_by_point = as<ir::Pointwise>(e.schedule.versions.back().strategy);
    if (point_by_point) note_strip(statement.results, e);
    note_vectors(e);
    thread(e.body);
    for (std::size_t k = 0; k < statement.results.size(); ++k) {
      around_.continue_accumulator(statement.results[k].name, e.body.results[k]);
    }
    planned.push_back(std::move(statement));
  }

  /// One map for each reduction, where that brings at least one of them into lanes.
  bool split(const ir::Statement& statement, std::vector<ir::Statement>& planned) {
    const auto& e = std::get<ir::SegmentedMap>(statement.operation);
    std::vector<ir::Statement> parts;
    bool any = false;
    for (MapPart& part : split_by_reduction(e, names_)) {
      ir::Statement one{{}, std::move(part.map), statement.tokens, statement.location};
      for (const std::size_t k : part.results) one.results.push_back(statement.results[k]);
      auto& map = std::get<ir::SegmentedMap>(one.operation);
      std::vector<ir::Version> lanes = map_in_lanes({around_, map, one.results, Around::host});
      any = any || !lanes.empty();
      map.schedule = versions(std::move(lanes), by_points(one, map));
      parts.push_back(std::move(one));
    }
    if (!any) return false;
    for (ir::Statement& one : parts) finish_map(std::move(one), planned);
    return true;
  }

  /// What a map may do besides running in lanes, and point by point.
  std::vector<ir::Strategy> ways_by_points(const ir::Statement& statement,
                                           const ir::SegmentedMap& e) {
    std::vector<ir::Strategy> ways;
    if (!on_cpu()) return ways;
    if (can_interchange(e, names_)) ways.emplace_back(some_tiles());
    if (adds_numbers(e) && is_arithmetic(e.body, names_)) ways.emplace_back(some_blocks());
    if (stencil_of(std::span(&statement, 1), StencilContext{names_, scalars_, iotas_})) {
      ways.emplace_back(some_stencil(1));
    }
    return ways;
  }
  ir::Interchanged some_tiles() { return random_ ? random_->interchanged() : tiles(); }
  ir::FusedStencil some_stencil(int maps) {
    return random_ ? random_->stencil(maps) : ir::FusedStencil{maps};
  }
  ir::HeldBlocks some_blocks() { return random_ ? random_->held_blocks() : blocks(); }
  ir::Interchanged tiles() const {
    return {static_cast<int>(tunables().interchange_tile),
            static_cast<int>(tunables().interchange_steps)};
  }
  ir::HeldBlocks blocks() const { return {static_cast<int>(tunables().held_elements)}; }
  /// The product in other sizes, if these can be.
  std::optional<ir::Version> some_sizes(const ir::SegmentedMap& e,
                                        const std::optional<ir::Version>& product) {
    if (!product) return std::nullopt;
    const auto& chosen = std::get<ir::Contraction>(product->strategy);
    auto sized = sized_contraction(e, chosen, random_->contraction(), names_);
    return sized ? sized : product;
  }
  std::optional<ir::Version> product_of(const ir::SegmentedMap& e,
                                        const std::vector<ir::Binder>& results) {
    if (tunables().contractions == 0) return std::nullopt;
    return contraction(around_, e, results, tunables().contraction_least_sum, names_);
  }
  /// Copies to panels are little beside long sums; short ones read where values lie, if they can.
  void add_product(const MapAt& at, ir::Version product, std::vector<ir::Version>& lanes) {
    const auto& panels = std::get<ir::Contraction>(product.strategy);
    const auto unpacked = tunables().lanes == 0 ? std::nullopt : unpacked_product(at, panels);
    if (!unpacked) {
      lanes.insert(lanes.begin(), std::move(product));
      return;
    }
    lanes.insert(lanes.begin(), *unpacked);
    const std::int64_t least =
        std::max(tunables().contraction_least_sum, tunables().contraction_unpacked);
    auto of_long_sums = contraction(around_, at.map, at.results, least, names_);
    if (of_long_sums) lanes.insert(lanes.begin(), std::move(*of_long_sums));
  }

  /// Of a map that `ways` and, if it is one, `product` are open to.
  Complete completed_map(const MapAt& at, std::optional<ir::Version> product,
                         std::vector<ir::Strategy> ways) {
    return [this, at, product, ways](const ir::Strategy& one) -> std::optional<ir::Version> {
      if (const auto* blocks = as<ir::LaneBlocks>(one)) {
        const bool packs = !blocks->packed.empty();
        return completed_blocks(at, *blocks, packs ? Packing::allowed : Packing::forbidden);
      }
      if (const auto* sizes = as<ir::Contraction>(one)) {
        if (!product) return std::nullopt;
        const auto& chosen = std::get<ir::Contraction>(product->strategy);
        return sized_contraction(at.map, chosen, *sizes, names_);
      }
      const bool is_open = std::any_of(ways.begin(), ways.end(), [&](const ir::Strategy& way) {
        return way.index() == one.index();
      });
      const auto* stencil = as<ir::FusedStencil>(one);
      const bool of_others = stencil != nullptr && stencil->maps > 1;
      return is_open && !of_others ? std::optional(ir::Version{{}, one}) : std::nullopt;
    };
  }

  ir::Strategy by_points(const ir::Statement& statement, const ir::SegmentedMap& e) const {
    if (gains_by_interchange(around_, e)) return tiles();
    if (adds_numbers(e) && is_worth_a_block(e.body, names_, tunables())) return blocks();
    const auto stencil =
        tunables().stencils == 0
            ? std::nullopt
            : stencil_of(std::span(&statement, 1), StencilContext{names_, scalars_, iotas_});
    if (stencil && stencil->reads_conditionally) return ir::FusedStencil{1};
    return point_loop(e, options_.target);
  }

  bool adds_numbers(const ir::SegmentedMap& e) const { return adds_single_numbers(around_, e); }

  void reduce(const ir::Statement& statement, ir::SegmentedReduce& e) {
    std::vector<ir::Version> lanes;
    ir::Strategy by_points = ir::InPieces{};
    if (!on_cpu()) on_gpu(statement.results, e.schedule, gpu_reduction(e, around_, names_));
    if (may_choose(statement.operation)) {
      if (tunables().lanes != 0) lanes = reduction_in_lanes(around_, e, statement.results);
      std::size_t reduced = 0;
      for (const ir::ReduceOperator& one : e.operators) reduced += one.neutral.size();
      const bool maps = statement.results.size() > reduced;
      const bool may_interchange = !maps && can_interchange(e);
      if (!maps && gains_by_interchange(around_, e)) {
        by_points = tiles();
      } else if (may_interchange && tunables().interchange != 0) {
        const auto least = tunables().interchange_below;
        if (!is_known_below(e.space.back().extent, least)) {
          std::vector<ir::Guard> long_enough;
          add_guard(long_enough, e.space.back().extent, least);
          lanes.push_back({std::move(long_enough), ir::InPieces{}});
        }
        by_points = tiles();
      }
      if (random_) {
        std::vector<ir::Strategy> ways;
        if (may_interchange) ways.emplace_back(some_tiles());
        const auto sized =
            completed_blocks(around_, e, statement.results, random_->blocks_of_reduction());
        lanes.clear();
        if (sized) lanes.push_back(*sized);
        e.schedule = random_->reduction(std::move(lanes), std::move(ways));
      }
      const Complete complete = [&](const ir::Strategy& one) -> std::optional<ir::Version> {
        if (const auto* blocks = as<ir::LaneBlocks>(one)) {
          return completed_blocks(around_, e, statement.results, *blocks);
        }
        const bool follows = as<ir::Interchanged>(one) && may_interchange;
        return follows ? std::optional(ir::Version{{}, one}) : std::nullopt;
      };
      if (e.schedule.versions.empty()) e.schedule = versions(std::move(lanes), by_points);
      wanted_.follow(statement.results, e.schedule, ir::InPieces{}, complete);
    }
    if (e.schedule.versions.empty()) e.schedule = versions(std::move(lanes), by_points);
    note_work(e);
    note_vectors(e);
    thread(e.body);
    for (ir::ReduceOperator& one : e.operators) thread(one.op.body);
  }

  /// Whether the scan that `statements` begin with, and the scatters after it, may be one loop.
  void find_compaction(std::span<const ir::Statement> statements,
                       const std::vector<Operand>& results) {
    if (compacted_ > 0) --compacted_;
    const bool may = !options_.only_pointwise && !ir::has_trace(statements[0].operation);
    compaction_ = may ? compaction_of(statements, results, names_) : std::nullopt;
  }

  void scan(const ir::Statement& statement, ir::SegmentedScan& e) {
    e.schedule = only(ir::InPieces{});
    if (!on_cpu()) {
      on_gpu(statement.results, e.schedule, gpu_scan(e, around_, compaction_));
      // Statements that run together have one version.
      const bool several = e.schedule.versions.size() > 1 && compaction_;
      if (several) e.schedule = gpu_scan(e, around_, std::nullopt);
    }
    if (may_choose(statement.operation)) {
      const ScanAt at{around_, e, statement.results, compaction_};
      e.schedule = random_ ? only(random_->scan(at)) : ways_of_scan(at);
      wanted_.follow(statement.results, e.schedule, ir::InPieces{},
                    [&](const ir::Strategy& one) { return completed_scan(at, one); });
      if (e.schedule.versions.size() > 1 && compaction_) e.schedule = only(ir::InPieces{});
    }
    if (as<ir::Compaction>(e.schedule.versions[0].strategy)) {
      compacted_ = compaction_->statements + 1;
    }
    note_work(e);
    note_strip(statement.results, e);
    thread(e.body);
    for (ir::ScanOperator& one : e.operators) thread(one.op.body);
    if (e.post) thread(e.post->body);
  }

  void hist(const ir::Statement& statement, ir::SegmentedHistogram& e) {
    bool single = true;
    for (const ir::HistogramOperator& one : e.operators) {
      single = single && are_scalars(one.op.result_types);
    }
    const bool may_hold =
        may_choose(statement.operation) && single && is_arithmetic(e.body, names_);
    const bool holds = may_hold && (random_ ? random_->flips()
                                            : is_worth_a_block(e.body, names_, tunables()));
    const bool may_cut = e.space.size() == 1;
    if (on_cpu()) {
      const auto simplest = may_cut ? ir::Strategy(ir::InPieces{}) : ir::Strategy(ir::BySegments{});
      e.schedule = only(holds ? ir::Strategy(some_blocks()) : simplest);
      wanted_.follow(statement.results, e.schedule, simplest, [&](const ir::Strategy& one) {
        const bool follows = as<ir::HeldBlocks>(one) && may_hold;
        return follows ? std::optional(ir::Version{{}, one}) : std::nullopt;
      });
    } else {
      on_gpu(statement.results, e.schedule, gpu_histogram(e, around_));
    }
    if (may_cut) e.schedule.least_piece = more_than_bins(e, names_);
    note_work(e);
    thread(e.body);
    for (ir::HistogramOperator& one : e.operators) thread(one.op.body);
  }

  void write(const ir::Statement& statement, ir::SegmentedScatter& e) {
    e.schedule = only(ir::Pointwise{});
    const bool stands_alone = compacted_ == 0;
    if (stands_alone && may_choose(statement.operation) && tunables().lanes != 0) {
      const auto lanes = random_ ? completed_blocks(around_, e, random_->blocks_of_scatter())
                                 : scatter_in_lanes(around_, e);
      if (lanes && !(random_ && random_->flips())) e.schedule = versions({*lanes}, ir::Pointwise{});
      wanted_.follow(statement.results, e.schedule, ir::Pointwise{}, [&](const ir::Strategy& one) {
        const auto* blocks = as<ir::LaneBlocks>(one);
        return blocks ? completed_blocks(around_, e, *blocks) : std::nullopt;
      });
    }
    note_work(e);
    thread(e.body);
  }

  // ---------------------------------------------------------------- code of threads

  void thread(ir::Body& body) {
    for (ir::Statement& one : body.statements) {
      around_.enter(one);
      thread(one);
    }
  }

  void thread(ir::Statement& statement) {
    auto* map = as<ir::MapScanReduce>(statement.operation);
    if (map == nullptr) {
      if (auto* histogram = as<ir::Histogram>(statement.operation)) {
        thread(histogram->map.body);
        for (ir::HistogramOperator& one : histogram->operators) thread(one.op.body);
      }
      if (auto* scatter = as<ir::Scatter>(statement.operation)) thread(scatter->map.body);
      control(statement, [this](ir::Body& body) { thread(body); });
      return;
    }
    map->schedule = only(iterations(*map));
    if (may_choose(statement.operation)) nest(statement, *map);
    for (std::size_t k = 0; k < map->arrays.size(); ++k) {
      const NameId row = map->map.parameters[k].name;
      around_.continue_accumulator(row, map->arrays[k]);
      if (names_.type(row).is_array()) {
        around_.layouts.set(row, around_.layouts.part_of(map->arrays[k], 1));
      }
    }
    thread(map->map.body);
    for (ir::ScanOperator& one : map->scans) thread(one.op.body);
    for (ir::ReduceOperator& one : map->reductions) thread(one.op.body);
    if (map->post) thread(map->post->body);
  }

  ir::Pointwise iterations(const ir::MapScanReduce& map) {
    if (!on_cpu()) return {};
    const ir::Pointwise chosen = thread_loop(map, options_.target);
    return random_ ? random_->iterations(chosen) : chosen;
  }

  /// A map inside a task that has loops may run in lanes.
  void nest(const ir::Statement& statement, ir::MapScanReduce& map) {
    const auto space = nest_as_space(around_, map, statement.results, names_);
    if (!space) return;
    const MapAt at{around_, *space, statement.results, Around::task};
    std::vector<ir::Version> lanes;
    if (tunables().lanes != 0) lanes = map_in_lanes(at);
    map.schedule = random_ ? random_->map(at, std::nullopt, {})
                           : versions(std::move(lanes), iterations(map));
    wanted_.follow(statement.results, map.schedule, ir::Pointwise{},
                completed_map(at, std::nullopt, {}));
  }

  ir::Names& names_;
  const PlanOptions& options_;
  Surroundings around_;
  std::unordered_map<NameId, ir::Scalar> scalars_;  // of i64, computed by the host
  std::unordered_set<NameId> iotas_;                // 0, 1, 2, …, without memory
  std::unordered_set<NameId> device_threads_;       // how many threads fill the device
  std::optional<Compaction> compaction_;            // that the statement in turn begins
  std::size_t compacted_ = 0;  // statements from that in turn on that the last one's loop does
  // Whether there are at least so many points, by how many threads fill the device.
  std::unordered_map<NameId, Operand> resident_;
  std::optional<RandomSchedules>& random_;
  const WantedPlan& wanted_;
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
    FunctionPlanner(program, options, element_only, random, wanted).host(function.body);
  }
  ir::Settings settings = settings_for(options.device, options.target);
  if (random) settings = random->settings(settings);
  wanted.follow(settings);
  return {std::move(program), settings};
}

}  // namespace dagaz::plan
