// The walk that turns flat array IR into imperative code: its state, and a member per construct.
// Private to this folder.
//
// The same members emit code for three places.  In `host` code arrays live in counted blocks,
// released after their last use.  In a `task` (part of a CPU parallel loop) and in a `kernel`
// (one GPU thread) everything is sequential and arrays are thread-private memory.
//
// Destinations: a body is lowered with, for each result, an optional place where it is wanted; what
// memory/ found to be that result is made there.  What did not arrive is copied at the end of the
// body.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "imperative/emitter.h"
#include "imperative/host_scope.h"
#include "imperative/lower.h"
#include "imperative/lowering_types.h"
#include "imperative/place.h"
#include "ir/names.h"
#include "ir/program.h"
#include "memory/memory.h"
#include "plan/settings.h"
#include "plan/stencil.h"
#include "support/match.h"
#include "tree/form.h"

namespace dagaz::imperative {

class Lowering : public Emitter {
  friend class Gpu;
  friend class Lanes;
  friend class ContractionLowering;

 public:
  Lowering(Emission& emission, Program& program, const ir::PlannedProgram& planned,
           const plan::Settings& settings);
  void lower_program();

  struct Carried;

 private:
  /// Arrays that are only read element by element and have no memory: an element is computed.
  struct VirtualArray {
    ScalarType element;
    Operand start;
    std::optional<Operand> stride;  // none: all elements are `start`
  };

  // ---- lower_program.cpp
  Function lower_entry(const ir::Function& function);
  Function lower_called(const ir::Function& function, Mode mode);
  void lower_called_functions();
  ir::Function renamed_function(const ir::Function& function);
  NameId from_start(const Value& value);
  bool function_named_in_result(const std::string& name) const;
  std::string call(const std::string& function);
  void find_arena_functions();
  static std::string called_name(const std::string& function, Mode mode);
  [[noreturn]] void unsupported(std::string_view what) const;
  memory::Context memory_context() { return {names(), source_.functions, !is_gpu()}; }
  bool is_gpu() const { return program_.target != Target::cpu; }

  // ---- lower_body.cpp
  void lower_body(const ir::Body& body, const std::vector<Destination>& destinations,
                  const Finish& finish);
  void lower_lambda(const ir::Lambda& lambda, const std::vector<Value>& arguments,
                    const std::vector<Destination>& destinations, const Finish& finish);
  void lower_statement(const ir::Statement& statement);
  void forget_places(const ir::Statement& statement);
  void send_to_destinations(const ir::Body& body, const std::vector<Destination>& destinations);
  Destination destination_of(NameId name) const;
  /// A copy with names of its own, for another version of the same code.
  template <typename Operation>
  ir::Statement copy_of(const Operation& operation) {
    ir::Statement copy = ir::renamed(ir::Statement{{}, operation}, names());
    memory::place_thread(copy, names(), memory_);
    return copy;
  }
  ir::Lambda copy_of(const ir::Lambda& lambda);

  // ---- host_scope.cpp
  void own(NameId block);
  void own(NameId block, NameId array);
  void release_dead(std::size_t statement);
  void release(NameId block);
  /// A branch in host code that belongs to one statement: blocks made in it die in it.
  void host_branch(const Operand& condition, const std::function<void()>& yes,
                   const std::function<void()>& no = {});
  void leave_host_scope();

  // ---- memory.cpp
  const Place& place_of(NameId array) const;
  void bind(NameId array, Place place);
  std::vector<Operand> shape_of(NameId name) const { return names().type(name).shape; }
  Operand byte_count(const ir::Type& type);
  NameId new_block(const Operand& bytes, std::string_view base);
  Place private_array(const ir::Type& type, std::string_view base);
  Place new_array(const ir::Type& type, std::string_view base);
  /// The place of result `name`: where it is wanted, or a new array.
  Place result_array(NameId name);
  Operand load(const Place& place, const std::vector<Operand>& indices, ScalarType type,
               std::string_view base);
  void load_into(NameId target, const Place& place, const std::vector<Operand>& indices,
                 ScalarType type);
  void store(const Place& place, const std::vector<Operand>& indices, const Operand& value,
             ScalarType type);
  void copy(const Place& target, const Place& source, const ir::Type& type);
  /// Fills an array with `value` if that is zero and the device can do it without a kernel.
  bool clear(const Place& target, const ir::Type& type, const Operand& value);
  /// Writes a scalar or array to the part of `target` at `indices`.
  void write(const Place& target, const std::vector<Operand>& indices, const Value& value);
  /// The array without gaps, copied if it has some.
  Place dense(const Place& place, const ir::Type& type);
  Value value_of(const Operand& operand);
  Value element_of(NameId array, const std::vector<Operand>& indices);
  /// Makes `to` mean `value`: sets a variable or binds a place.
  void assign(NameId to, const Value& value);
  const Accumulator& accumulator_of(NameId name) const;
  void open(NameId name, Accumulator accumulator);
  /// Makes `to` mean the open accumulator `from`.
  void continue_accumulator(NameId to, NameId from);
  /// Emits what `build` emits; scratch memory is given back after it.  Whether it used private
  /// memory, so that iterations of a loop around it share memory.
  bool with_private_scope(const std::function<void()>& build);

  // ---- lower_scalar.cpp
  void lower(const ir::Statement& s, const ir::Identity& e);
  void lower(const ir::Statement& s, const ir::Scalar& e);
  void lower(const ir::Statement& s, const ir::Assert& e);
  void fail(const std::string& text, const std::vector<Operand>& arguments,
            ir::LocationId location);

  // ---- virtual_arrays.cpp
  bool make_virtual(NameId result, ScalarType element, const Operand& start,
                    const std::optional<Operand>& stride);
  Operand virtual_element(const VirtualArray& array, const Operand& index);

  // ---- lower_arrays.cpp
  void lower(const ir::Statement& s, const ir::ArrayLiteral& e);
  void lower(const ir::Statement& s, const ir::Index& e);
  void lower(const ir::Statement& s, const ir::Slice& e);
  void lower(const ir::Statement& s, const ir::Update& e);
  void lower(const ir::Statement& s, const ir::Iota& e);
  void lower(const ir::Statement& s, const ir::Replicate& e);
  void lower(const ir::Statement& s, const ir::Reshape& e);
  void lower(const ir::Statement& s, const ir::Permute& e);
  void lower(const ir::Statement& s, const ir::Copy& e);
  void lower(const ir::Statement& s, const ir::Scratch& e);

  // ---- homes.cpp
  /// The memory of an array of host code, as memory/ decided.
  Place at_home(NameId array);
  NameId own_block(const Operand& bytes, std::string_view base, NameId array);
  Place own_array(NameId array, const std::vector<int>& order);
  Place in_order(NameId block, const std::vector<Operand>& shape, const std::vector<int>& order);
  bool is_over(NameId result) const;
  Place over_array(NameId array, NameId result);
  void count_checkpoints(const ir::Loop& e);
  Place at_checkpoint(NameId result, const memory::Checkpoint& checkpoint);

  // ---- lower_concat.cpp
  Operand width_of(const memory::Piece& piece);
  const std::vector<Place>& place_whole(NameId result);
  Place place_concatenation(NameId result, const std::vector<Operand>& shape,
                            const Operand& bytes);
  std::vector<Place> places_of_pieces(const Place& whole, const std::vector<Operand>& widths);
  Place place_of_origin(NameId origin, NameId whole);
  bool bind_placed_view(NameId result);
  void lower(const ir::Statement& s, const ir::Concat& e);

  // ---- lower_control.cpp
  void lower(const ir::Statement& s, const ir::Branch& e);
  void lower(const ir::Statement& s, const ir::Loop& e);
  void lower(const ir::Statement& s, const ir::Call& e);
  Join new_join(NameId name);
  void set_join(const Join& join, const Value& value);
  void lower_host_branch(const ir::Statement& s, const ir::Branch& e);
  void lower_thread_branch(const ir::Statement& s, const ir::Branch& e);
  void append_to(Code& code, const std::function<void()>& build);
  Place meet(const ir::Type& type, const Place& yes, Code& then_code, const Place& no,
             Code& else_code);

  // ---- lower_loop.cpp
  void emit_loop(const ir::Loop& e, Code body);
  void step_scalars(const ir::Loop& e, const std::vector<Value>& values);
  void lower_host_loop(const ir::Loop& e);
  void bind_joins(const ir::Loop& e, const std::vector<Join>& joins);
  void step_host_arrays(const ir::Loop& e, const std::vector<Join>& joins,
                        const std::vector<Value>& values);
  void lower_thread_loop(const ir::Loop& e);
  Carried carry(const ir::Loop& e, std::size_t k);
  Carried carry_following(const ir::Type& type, const Place& initial);
  void step_thread_arrays(const std::vector<Carried>& carried, const std::vector<Value>& values);

  // ---- running.cpp
  Running start_running(const ir::Lambda& op, const std::vector<Operand>& neutral,
                        const std::vector<Destination>& destinations);
  std::vector<Running> start_scans(const std::vector<ir::ScanOperator>& operators);
  std::vector<Running> start_reductions(const std::vector<ir::ReduceOperator>& operators);
  void combine(const Running& running, const std::vector<Value>& values);
  void set_running(const Running& running, const std::vector<Value>& values);
  /// Combines the values from `position` on into all of `running`; the position after them.
  std::size_t combine_all(const std::vector<Running>& running, const std::vector<Value>& values,
                          std::size_t position);
  void load_running(const std::vector<Running>& running, const std::vector<Place>& slots,
                    const std::vector<Operand>& point);
  Operand is_inside(const std::vector<Operand>& indices, const std::vector<Operand>& shape);
  /// targets[indices] := op(targets[indices], values)
  void combine_at(const ir::Lambda& op, const std::vector<Place>& targets,
                  const std::vector<Operand>& indices, const std::vector<Value>& values);

  // ---- atomics.cpp
  void combine_atomically(const ir::Lambda& op, const ir::Type& row, const Place& place,
                          const std::vector<Operand>& indices, const Value& value);
  void combine_scalar_atomically(const ir::Lambda& op, ScalarType type, const Place& place,
                                 const std::vector<Operand>& indices, const Operand& value);
  Operand to_bits(const Operand& value, ScalarType type);
  Operand from_bits(const Operand& value, ScalarType type);

  // ---- lower_sequential.cpp
  void lower(const ir::Statement& s, const ir::MapScanReduce& e);
  void lower(const ir::Statement& s, const ir::Histogram& e);
  void lower(const ir::Statement& s, const ir::Scatter& e);
  void lower(const ir::Statement& s, const ir::WithAccumulator& e);
  void lower(const ir::Statement& s, const ir::Accumulate& e);
  void accumulate(const ir::Accumulate& e, const Value& value);
  /// A sequential loop whose iterations have scratch memory of their own.
  void thread_loop(const Operand& width, bool independent,
                   const std::function<void(Operand)>& body);
  std::vector<Value> elements_at(const std::vector<NameId>& arrays, const Operand& index);
  void map_scan_reduce_step(const ir::Statement& s, const ir::MapScanReduce& e,
                            const std::vector<Running>& scans,
                            const std::vector<Running>& reductions,
                            const std::vector<Destination>& targets, const Operand& i);
  void histogram_step(const std::vector<ir::HistogramOperator>& operators,
                      const std::vector<std::vector<Place>>& targets,
                      const std::vector<Value>& values);
  void scatter_step(const std::vector<ir::ScatterTarget>& targets,
                    const std::vector<Place>& places, const std::vector<Value>& values);

  // ---- segmented_map.cpp
  void lower(const ir::Statement& s, const ir::SegmentedMap& e);
  /// What a point takes.
  Operand cost_of(const ir::Schedule& schedule) { return sum_of(schedule.operations); }
  Operand sum_of(const std::vector<ir::Product>& terms);
  /// How many points are worth a task.
  Operand grain_for(const Operand& cost);
  /// `run` for the first version whose guards hold.
  void run_versions(const ir::Schedule& schedule,
                    const std::function<void(const ir::Strategy&)>& run);
  Operand holds(const std::vector<ir::Guard>& guards);
  Operand value_of(const ir::Product& product);
  void lower_point_by_point(const ir::Statement& s, const ir::SegmentedMap& e,
                            const std::vector<Destination>& targets, int several);
  void set_indices(const std::vector<ir::SpaceDimension>& space,
                   const std::vector<Operand>& point);
  /// `body` at every point, in parallel where this is host code.
  void for_each_point(const std::vector<Operand>& extents, const PointWork& work,
                      std::string_view kernel, const PointFunction& body);
  /// Of a copy and the like.
  PointWork little_work() const { return {ir::i64_operand(2), points_per_thread_}; }
  void nested_loops(const std::vector<Operand>& extents, const PointFunction& body);
  /// In parallel, for runs [low, high) of the innermost dimension at `outer`.
  using RowFunction = std::function<void(const std::vector<Operand>& outer, Operand low,
                                         Operand high)>;
  void parallel_rows(const std::vector<Operand>& extents, const Operand& cost,
                     const RowFunction& body);
  void parallel_points(const std::vector<Operand>& extents, const Operand& cost,
                       const PointFunction& body);
  std::vector<Destination> result_targets(const ir::Statement& s, std::size_t from);
  PointTargets at_point(const std::vector<Destination>& targets, std::vector<Operand> point);
  void put_point(const ir::Statement& s, std::size_t from, const PointTargets& at,
                 const std::vector<Value>& values);

  // ---- accumulate_blocks.cpp
  void accumulate_in_blocks(const ir::Statement& s, const ir::SegmentedMap& e,
                            const ir::HeldBlocks& blocks, const std::vector<Destination>& targets);
  void add_held(const std::vector<const ir::Accumulate*>& additions,
                const std::vector<Value>& held);

  // ---- fused_stencil.cpp
  std::optional<plan::Stencil> stencil_from(std::span<const ir::Statement> statements) const;
  struct StencilLoop;
  void stencil_point(const StencilLoop& loop, const Operand& point, bool inner,
                   const std::optional<Operand>& gives);
  void lower_stencil(const plan::Stencil& stencil, const std::vector<Destination>& targets);
  void lower_inner_points(const ir::Statement& s, const std::vector<Destination>& targets);
  std::size_t lower_together(const ir::Body& body, std::size_t first);

  // ---- blocks.cpp
  /// A body for the elements of a row.
  struct BlockBody {
    const std::vector<ir::SpaceDimension>& space;
    const ir::Body& body;
    const std::vector<Destination>& targets;  // where the first results go
    std::vector<ir::Type> types;       // of the others, which are used in turn
    std::function<std::vector<Operand>(const Operand& i)> point;
  };
  void in_blocks(const Operand& count, const ir::HeldBlocks& blocks, const BlockBody& elements,
                 const Finish& use);

  // ---- parallel_for.cpp
  /// `body` for ranges that together are [0, count), in parallel; `cost` of one iteration.
  void parallel_for(const Operand& count, const Operand& cost, const RangeFunction& body);
  void parallel_loop(const Operand& count, const Operand& grain, const RangeFunction& body);
  void accumulate_alone(const std::vector<std::size_t>& shared, const Operand& count,
                        const RangeFunction& body);
  static ir::Type type_of(const Accumulator& accumulator);
  Operand size_of(const Accumulator& accumulator);
  void accumulate_by_pieces(const std::vector<std::size_t>& shared, const Operand& count,
                            const Pieces& pieces, const RangeFunction& body);
  void fill_neutral(const Accumulator& accumulator);

  // ---- neighbours.cpp
  std::optional<Operand> distance_of_additions();
  void accumulate_apart(const std::vector<std::size_t>& shared, const Operand& count,
                        const Operand& cost, const Operand& distance,
                        const RangeFunction& body);

  // ---- interchange.cpp
  using TileValues = std::function<void(Operand j, Operand first, std::int64_t steps,
                                        const std::vector<Running>& running)>;
  using TileFunction =
      std::function<void(Operand base, Operand count, const std::vector<Place>& tile)>;
  void reduce_tile(const std::vector<ir::ReduceOperator>& operators,
                   const ir::Interchanged& tiles, const Operand& count, const Operand& width,
                   const std::vector<Place>& tile, const TileValues& values);
  void for_each_tile(const ir::Interchanged& tiles, const Operand& low, const Operand& high,
                     const std::vector<ir::Type>& types, const TileFunction& body);
  void lower_interchanged(const ir::Statement& s, const ir::SegmentedMap& e,
                          const ir::Interchanged& tiles, const std::vector<Destination>& targets);
  void reduce_pieces_interchanged(const ir::SegmentedReduce& e, const ir::Interchanged& tiles,
                                  const Pieces& pieces, const Operand& cost,
                                  const std::vector<Place>& partial);

  // ---- segmented_reduce.cpp
  void lower(const ir::Statement& s, const ir::SegmentedReduce& e);
  void reduce_by_pieces(const ir::Statement& s, const ir::SegmentedReduce& e,
                        const std::vector<ir::Type>& types, const std::vector<Place>& totals,
                        const std::vector<Destination>& mapped);
  void reduce_pieces(const ir::Statement& s, const ir::SegmentedReduce& e, const Pieces& pieces,
                     const Operand& cost, const std::vector<Destination>& mapped,
                     const std::vector<Place>& partial);
  void reduce_point(const ir::Statement& s, const ir::SegmentedReduce& e,
                    const std::vector<Running>& running, const std::vector<Destination>& mapped,
                    const std::vector<Operand>& point);
  static std::int64_t most_pieces(const ir::Schedule& schedule);
  Operand cost_of_combining(const Operand& count);
  Operand piece_count(const Operand& segments, const Operand& width, const Operand& cost,
                      std::int64_t most);
  Pieces cut_segments(const std::vector<ir::SpaceDimension>& space, const Operand& cost,
                      std::int64_t most);
  Groups combine_groups(const std::vector<Operand>& outer, const Operand& count,
                        const GroupFunction& combine);
  void for_each_piece(
      const Pieces& pieces, const Operand& cost,
      const std::function<void(const std::vector<Operand>& outer, Operand piece, Operand start,
                               Operand length)>& body);
  std::vector<Place> partial_arrays(const std::vector<ir::Type>& types, const Pieces& pieces);
  std::vector<Value> values_at(const std::vector<Place>& arrays,
                               const std::vector<ir::Type>& types,
                               const std::vector<Operand>& point);
  void write_all(const std::vector<Place>& arrays, const std::vector<Operand>& point,
                 const std::vector<Value>& values);
  std::vector<Place> total_arrays(const ir::Statement& s, std::size_t count);
  void load_totals(const ir::Statement& s, const std::vector<Place>& totals);

  // ---- segmented_scan.cpp
  void lower(const ir::Statement& s, const ir::SegmentedScan& e);
  void scan_by_pieces(const ir::Statement& s, const ir::SegmentedScan& e,
                      const std::vector<ir::Type>& types, const std::vector<Destination>& targets);
  void scan_point(const ir::Statement& s, const ir::SegmentedScan& e,
                  const std::vector<Running>& running, const std::vector<Destination>& targets,
                  const std::vector<Operand>& point);
  void reduce_pieces(const ir::SegmentedScan& e, const Pieces& pieces, const Operand& cost,
                     const std::vector<Place>& partial);
  void exclusive_over_pieces(const ir::SegmentedScan& e, const Pieces& pieces,
                             const std::vector<Place>& partial,
                             const std::vector<ir::Type>& types);

  // ---- segmented_hist.cpp
  void lower(const ir::Statement& s, const ir::SegmentedHistogram& e);
  void lower(const ir::Statement& s, const ir::SegmentedScatter& e);
  void bind_destinations(const ir::Statement& s,
                         const std::vector<ir::HistogramOperator>& operators,
                         std::vector<std::vector<Place>>& places);
  void histogram_elements(const ir::SegmentedHistogram& e,
                          const std::vector<std::vector<Place>>& bins,
                          const std::vector<Operand>& outer, const Operand& start,
                          const Operand& count);
  void histogram_atomically(const ir::SegmentedHistogram& e,
                            const std::vector<std::vector<Place>>& places);
  void histogram_by_segments(const ir::SegmentedHistogram& e,
                             const std::vector<std::vector<Place>>& places);
  void histogram_by_pieces(const ir::SegmentedHistogram& e,
                           const std::vector<std::vector<Place>>& places, std::int64_t most);
  void fill_pieces(const ir::SegmentedHistogram& e, const std::vector<std::vector<Place>>& places,
                   const Operand& width, const Operand& pieces);
  void fill_bins(const ir::HistogramOperator& one, const std::vector<Place>& bins);

  // ---- gpu_points.cpp
  Operand resident_threads();
  Operand read_special(Special which);
  std::string kernel_name(std::string_view base);
  Code kernel_body(const std::function<void()>& build);
  void launch(std::string_view kernel, const Operand& grid, const Operand& shared_bytes,
              Code code);
  BlockKernel kernel_of_blocks(const Operand& parts, const BlockFunction& body);
  void element_scope(const std::function<void()>& build);
  void launch_points(const std::vector<Operand>& extents, std::string_view kernel, int several,
                     const PointFunction& body);
  Place kernel_array(const ir::Type& type, NameId block);
  bool has_private_memory() const { return uses_arena_ || !expansions_.empty(); }
  Operand threads_with_room();
  void allocate_private_memory(const Operand& threads);

  // ---- gpu_arena.cpp
  Place arena_array(const ir::Type& type);
  void enter_arena();
  void leave_arena();
  Operand arena_bytes();
  void allocate_arena(const Operand& threads);
  void receive_arena(Function& function);
  void hand_on_arena(imperative::Call& call);
  void add_arena_functions();

  // Operations that an earlier pass has removed.
  template <typename Operation>
  void lower(const ir::Statement&, const Operation&) {
    unsupported("`" + std::string(Operation::mnemonic) + "` here");
  }

  Program& program_;
  const ir::Program& source_;
  const plan::Settings& settings_;
  std::int64_t task_operations_;
  int points_per_thread_;
  Mode mode_ = Mode::host;
  ir::LocationId location_;
  bool reassociate_ = false;          // scalar operations belong to an associative operator
  bool uses_scratch_ = false;         // since the innermost private scope began
  bool uses_private_memory_ = false;  // likewise

  std::unordered_map<NameId, Place> places_;
  std::unordered_map<NameId, Place> destinations_;
  std::vector<Accumulator> opened_;
  std::unordered_map<NameId, std::size_t> accumulators_;  // by position in opened_
  std::set<std::size_t> shared_;  // of opened_: several threads combine into these
  const ir::SegmentedMap* accumulating_ = nullptr;  // whose points run
  std::unordered_map<NameId, ir::Scalar> host_scalars_;  // of i64, computed outside parallel code
  std::unordered_map<NameId, VirtualArray> virtual_arrays_;
  std::unordered_set<NameId> virtual_iotas_;  // those that count 0, 1, 2, …
  std::vector<std::pair<std::string, Mode>> called_;
  std::unordered_set<std::string> arena_functions_;  // those that kernels hand their arena to

  // The kernel being built.
  std::string function_name_;  // the function it belongs to
  int kernel_count_ = 0;
  tree::Forms<Code> kernels_{names()};     // numbers in kernel_names_
  std::vector<std::string> kernel_names_;
  std::vector<Expansion> expansions_;
  Operand kernel_thread_;         // this thread's number among …
  Operand kernel_threads_total_;  // … so many
  bool in_device_function_ = false;
  bool uses_arena_ = false;
  NameId arena_;                  // a block
  NameId arena_level_bytes_;      // of each of its levels
  NameId arena_used_;             // where what this thread has taken of its part ends
  NameId arena_limit_;            // where the part ends

  std::vector<HostScope> scopes_;
  memory::Memory memory_;  // of the function
  std::unordered_map<NameId, Operand> checkpoint_counts_;  // of next states: those that have a row
};

}  // namespace dagaz::imperative
