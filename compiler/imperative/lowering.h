// The functions of this folder as members, for the files that still call them so.
#pragma once

#include "imperative/code/emitter.h"
#include "imperative/code/place.h"
#include "imperative/code/tree.h"
#include "imperative/code/values.h"
#include "imperative/context/accumulators.h"
#include "imperative/context/arrays.h"
#include "imperative/context/context.h"
#include "imperative/context/host_scopes.h"
#include "imperative/context/thread_memory.h"
#include "imperative/control/failures.h"
#include "imperative/control/loops.h"
#include "imperative/gpu/arena.h"
#include "imperative/gpu/kernels.h"
#include "imperative/host/accumulation_in_blocks.h"
#include "imperative/host/fused_stencil.h"
#include "imperative/host/held_blocks.h"
#include "imperative/host/interchange.h"
#include "imperative/host/neighbours.h"
#include "imperative/host/parallel_for.h"
#include "imperative/host/rows.h"
#include "imperative/memory/allocation.h"
#include "imperative/memory/concatenations.h"
#include "imperative/memory/elements.h"
#include "imperative/memory/homes.h"
#include "imperative/memory/host_scope.h"
#include "imperative/memory/joins.h"
#include "imperative/memory/virtual_arrays.h"
#include "imperative/pieces.h"
#include "imperative/points.h"
#include "imperative/segmented/reduce.h"
#include "imperative/segmented/scan.h"
#include "imperative/statements.h"
#include "imperative/thread/accumulation.h"
#include "imperative/thread/atomics.h"
#include "imperative/thread/combine.h"
#include "imperative/thread/loops.h"
#include "imperative/thread/parallel_operations.h"
#include "imperative/thread/running.h"
#include "imperative/versions.h"

namespace dagaz::imperative {

struct Lowering : Context {
  using Context::Context;

  const Accumulator& accumulator_of(NameId name) const { return accumulators.of(name); }
  void continue_accumulator(NameId to, NameId from) { accumulators.continue_as(to, from); }
  void bind(NameId array, Place place) { arrays.bind(array, std::move(place)); }
  const Place& place_of(NameId array) const { return arrays.place_of(array); }
  void forget_places(const ir::Statement& statement) { arrays.forget(statement); }
  void leave_host_scope() { scopes.leave(*this); }
  Operand cost_of(const ir::Schedule& schedule) { return imperative::cost_of(*this, schedule); }
  bool has_private_memory() const { return thread.has_memory(); }
  template <typename Operation>
  auto copy_of(const Operation& operation) {
    return imperative::copy_of(*this, operation);
  }
  void accumulate(const ir::Accumulate& e, const Value& value) {
    imperative::accumulate(*this, e, value);
  }
  PointTargets at_point(const std::vector<Destination>& targets, std::vector<Operand> point) {
    return imperative::at_point(*this, targets, point);
  }
  void combine(const Running& running, const std::vector<Value>& values) {
    imperative::combine(*this, running, values);
  }
  std::size_t combine_all(const std::vector<Running>& running, const std::vector<Value>& values,
                          std::size_t position) {
    return imperative::combine_all(*this, running, values, position);
  }
  void combine_at(const ir::Lambda& op, const std::vector<Place>& targets,
                  const std::vector<Operand>& indices, const std::vector<Value>& values) {
    imperative::combine_at(*this, op, targets, indices, values);
  }
  Groups combine_groups(const std::vector<Operand>& outer, const Operand& count,
                        const GroupFunction& combine) {
    return imperative::combine_groups(*this, outer, count, combine);
  }
  void combine_scalar_atomically(const ir::Lambda& op, ScalarType type, const Place& place,
                                 const std::vector<Operand>& indices, const Operand& value) {
    imperative::combine_scalar_atomically(*this, op, type, place, indices, value);
  }
  void copy(const Place& target, const Place& the_source, const ir::Type& type) {
    imperative::copy(*this, target, the_source, type);
  }
  void element_scope(const std::function<void()>& build) {
    imperative::element_scope(*this, build);
  }
  void emit_loop(const ir::Loop& e, Code body) { imperative::emit_loop(*this, e, body); }
  void exclusive_over_pieces(const ir::SegmentedScan& e, const Pieces& pieces,
                             const std::vector<Place>& partial,
                             const std::vector<ir::Type>& types) {
    imperative::exclusive_over_pieces(*this, e, pieces, partial, types);
  }
  void fail(const std::string& text, const std::vector<Operand>& arguments,
            ir::LocationId the_location) {
    imperative::fail(*this, text, arguments, the_location);
  }
  void for_each_piece(
      const Pieces& pieces, const Operand& cost,
      const std::function<void(const std::vector<Operand>&, Operand, Operand, Operand)>& body) {
    imperative::for_each_piece(*this, pieces, cost, body);
  }
  void for_each_point(const std::vector<Operand>& extents, const PointWork& work,
                      std::string_view kernel, const PointFunction& body) {
    imperative::for_each_point(*this, extents, work, kernel, body);
  }
  Operand grain_for(const Operand& cost) { return imperative::grain_for(*this, cost); }
  void host_branch(const Operand& condition, const std::function<void()>& yes,
                   const std::function<void()>& no = {}) {
    imperative::host_branch(*this, condition, yes, no);
  }
  Operand is_inside(const std::vector<Operand>& indices, const std::vector<Operand>& shape) {
    return imperative::is_inside(*this, indices, shape);
  }
  bool is_over(NameId result) { return imperative::is_over(*this, result); }
  BlockKernel kernel_of_blocks(const Operand& parts, const BlockFunction& body) {
    return imperative::kernel_of_blocks(*this, parts, body);
  }
  void launch(std::string_view kernel, const Operand& grid, const Operand& shared_bytes,
              Code code) {
    imperative::launch(*this, kernel, grid, shared_bytes, code);
  }
  Operand load(const Place& place, const std::vector<Operand>& indices, ScalarType type,
               std::string_view base) {
    return imperative::load(*this, place, indices, type, base);
  }
  void load_into(NameId target, const Place& place, const std::vector<Operand>& indices,
                 ScalarType type) {
    imperative::load_into(*this, target, place, indices, type);
  }
  void load_running(const std::vector<Running>& running, const std::vector<Place>& slots,
                    const std::vector<Operand>& point) {
    imperative::load_running(*this, running, slots, point);
  }
  void lower_body(const ir::Body& body, const std::vector<Destination>& destinations,
                  const Finish& finish) {
    imperative::emit_body(*this, body, destinations, finish);
  }
  void lower_lambda(const ir::Lambda& lambda, const std::vector<Value>& arguments,
                    const std::vector<Destination>& destinations, const Finish& finish) {
    imperative::emit_lambda(*this, lambda, arguments, destinations, finish);
  }
  void lower_statement(const ir::Statement& statement) {
    imperative::emit_statement(*this, statement);
  }
  void nested_loops(const std::vector<Operand>& extents, const PointFunction& body) {
    imperative::nested_loops(*this, extents, body);
  }
  Place new_array(const ir::Type& type, std::string_view base) {
    return imperative::new_array(*this, type, base);
  }
  NameId new_block(const Operand& bytes, std::string_view base) {
    return imperative::new_block(*this, bytes, base);
  }
  void parallel_for(const Operand& count, const Operand& cost, const RangeFunction& body) {
    imperative::parallel_for(*this, count, cost, body);
  }
  void parallel_points(const std::vector<Operand>& extents, const Operand& cost,
                       const PointFunction& body) {
    imperative::parallel_points(*this, extents, cost, body);
  }
  std::vector<Place> partial_arrays(const std::vector<ir::Type>& types, const Pieces& pieces) {
    return imperative::partial_arrays(*this, types, pieces);
  }
  Place private_array(const ir::Type& type, std::string_view base) {
    return imperative::private_array(*this, type, base);
  }
  void put_point(const ir::Statement& s, std::size_t from, const PointTargets& at,
                 const std::vector<Value>& values) {
    imperative::put_point(*this, s, from, at, values);
  }
  Operand read_special(Special which) { return imperative::read_special(*this, which); }
  void reduce_point(const ir::Statement& s, const ir::SegmentedReduce& e,
                    const std::vector<Running>& running, const std::vector<Destination>& mapped,
                    const std::vector<Operand>& point) {
    imperative::reduce_point(*this, s, e, running, mapped, point);
  }
  Operand resident_threads() { return imperative::resident_threads(*this); }
  void scan_point(const ir::Statement& s, const ir::SegmentedScan& e,
                  const std::vector<Running>& running, const std::vector<Destination>& targets,
                  const std::vector<Operand>& point) {
    imperative::scan_point(*this, s, e, running, targets, point);
  }
  void set_indices(const std::vector<ir::SpaceDimension>& space,
                   const std::vector<Operand>& point) {
    imperative::set_indices(*this, space, point);
  }
  void set_running(const Running& running, const std::vector<Value>& results) {
    imperative::set_running(*this, running, results);
  }
  std::vector<Running> start_reductions(const std::vector<ir::ReduceOperator>& operators) {
    return imperative::start_reductions(*this, operators);
  }
  std::vector<Running> start_scans(const std::vector<ir::ScanOperator>& scans) {
    return imperative::start_scans(*this, scans);
  }
  void store(const Place& place, const std::vector<Operand>& indices, const Operand& value,
             ScalarType type) {
    imperative::store(*this, place, indices, value, type);
  }
  void thread_loop(const Operand& width, bool independent,
                   const std::function<void(Operand)>& body) {
    imperative::thread_loop(*this, width, independent, body);
  }
  Value value_of(const Operand& operand) { return imperative::value_of(*this, operand); }
  std::vector<Value> values_at(const std::vector<Place>& the_arrays,
                               const std::vector<ir::Type>& types,
                               const std::vector<Operand>& point) {
    return imperative::values_at(*this, the_arrays, types, point);
  }
  bool with_private_scope(const std::function<void()>& build) {
    return imperative::with_private_scope(*this, build);
  }
  void write(const Place& target, const std::vector<Operand>& indices, const Value& value) {
    imperative::write(*this, target, indices, value);
  }
  void write_all(const std::vector<Place>& the_arrays, const std::vector<Operand>& point,
                 const std::vector<Value>& values) {
    imperative::write_all(*this, the_arrays, point, values);
  }
};

inline Lowering& lowering(Context& c) { return static_cast<Lowering&>(c); }

}  // namespace dagaz::imperative
