// Return maps in chunks.
//
// Where sums over the iterations of a map need arrays that every iteration computes, these would
// all have to be kept until the map is done.  Instead the iterations are cut into chunks, one after
// the other: what a chunk keeps lives until its part of the sums is added to the rest.  As it
// keeps that anyway, values that its iterations would find twice may be there for the while, too.
//
//   Σᵢ<n f(aᵢ)  =  Σ_c Σ_{i in chunk c} f(aᵢ)
#include <algorithm>
#include <utility>

#include "passes/ad/chunk_threads.h"
#include "passes/ad/repeated_work.h"
#include "passes/ad/rules/return_map.h"

namespace dagaz::passes::ad {

using namespace ir;

namespace {

// A chunk keeps this times AdOptions::least_chunk numbers at least; two thirds as many as the sums
// have, which are there anyway; more if there would be more chunks than the options allow otherwise.
constexpr std::int64_t numbers_per_element = 12;
// Processors run so many iterations at a time on each of their threads, in vector lanes: a chunk has a
// multiple of what all of them run.  Iterations of which each keeps as much as a whole chunk has to
// run by themselves, and what one of them keeps is still in a cache when the sums go through it.
constexpr std::int64_t iterations_at_a_time = 32;

}  // namespace

bool runs_in_chunks(const Reverse& r, const MapSite& site, const ReturnMap& back,
                    const SumOverIterations& sums) {
  const auto& kept = sums.materialised();
  const auto& rows = back.mapped;  // are there after the map in any case
  return r.options.in_chunks && r.maps_around == 0 && back.given_back.empty() &&
         site.segments.empty() && !site.sequential &&
         std::any_of(kept.begin(), kept.end(), [&](NameId each) {
           return r.environment.names().type(each).is_array() &&
                  std::find(rows.begin(), rows.end(), Operand(each)) == rows.end();
         });
}

static Operand chunk_size(Reverse& r, const MapSite& site, const SumOverIterations& sums,
                          const Sums& plans) {
  const auto binary = [&](ScalarOp op, const Operand& a, const Operand& b) {
    return r.out().scalar(op, ScalarType::i64, {a, b}, "chunk");
  };
  Operand kept = i64_operand(0);
  for (const NameId each : sums.materialised()) {
    kept = r.out().add_i64(kept, r.out().product(r.names().type(each).shape));
  }
  Operand summed = i64_operand(0);
  for (const auto& [name, plan] : plans) {
    summed = r.out().add_i64(summed, r.out().product(r.environment.type_of(Operand(name)).shape));
  }
  const Operand share =
      binary(ScalarOp::sdiv, r.out().mul_i64(summed, i64_operand(2)), i64_operand(3));
  const Operand numbers =
      binary(ScalarOp::smax, share, i64_operand(numbers_per_element * r.options.least_chunk));
  const auto at_least_one = [&](const Operand& divisor) {
    return binary(ScalarOp::smax, divisor, i64_operand(1));
  };
  // Both in units of what runs at a time: the one rounded down, the other up.
  const Operand threads = threads_of_chunk(r.out(), r.options.in_order);
  // Several threads have twice as many each, so that starting them pays.
  const Operand times = binary(ScalarOp::smin, threads, i64_operand(2));
  const Operand is_long = r.out().scalar(ScalarOp::slt, ScalarType::i64, {numbers, kept}, "is_long");
  const Operand of_thread =
      r.out().select(ScalarType::i64, is_long, i64_operand(1),
                     r.out().mul_i64(times, i64_operand(iterations_at_a_time)));
  const Operand unit = r.out().mul_i64(threads, of_thread);
  const Operand by_size =
      binary(ScalarOp::sdiv, numbers, at_least_one(r.out().mul_i64(kept, unit)));
  const Operand least = r.out().mul_i64(i64_operand(r.options.most_chunks), unit);
  const auto rounded_up = [&](const Operand& a, const Operand& b) {
    return binary(ScalarOp::sdiv, r.out().add_i64(a, r.out().sub_i64(b, i64_operand(1))), b);
  };
  const Operand by_count = rounded_up(site.width, least);
  const Operand wanted =
      r.out().mul_i64(at_least_one(binary(ScalarOp::smax, by_size, by_count)), unit);
  // All of one size: each part of the sums goes through all of them again, so that a short rest
  // costs as much there as a whole chunk.
  const Operand count = at_least_one(rounded_up(site.width, wanted));
  return r.out().mul_i64(at_least_one(rounded_up(site.width, r.out().mul_i64(count, unit))), unit);
}

// A chunk may hold as many repeated values as values that it keeps for the sums, and arrays of
// lower rank, which are small beside these.
static void keep_repeated_values(Reverse& r, ReturnMap& back, const SumOverIterations& sums) {
  std::vector<Type> room;
  for (const NameId each : sums.materialised()) room.push_back(r.names().type(each));
  keep_repeated_work(back.map.map.body.statements, r.environment, [&](const Type& type) {
    const auto place = std::find(room.begin(), room.end(), type);
    if (place != room.end()) {
      room.erase(place);
      return true;
    }
    return std::any_of(room.begin(), room.end(), [&](const Type& each) {
      return type.rank() < each.rank() &&
             std::equal(type.shape.begin(), type.shape.end(), each.shape.begin());
    });
  });
}

// The map's arrays become their parts of `width` rows from `start` on.
static void take_part(Reverse& r, ReturnMap& back, const Operand& start, const Operand& width) {
  back.map.width = width;
  for (NameId& array : back.map.arrays) {
    array = r.out().add(Slice{array, rows_of(r.names().type(array), start, width)}, "part");
  }
}

// The loop's values: sums of scalars, rows, values, sums of arrays; what they are for.
static std::vector<NameId> carry_all(Reverse& r, const MapSite& site, const ReturnMap& back,
                                     const Sums& plans, Loop& loop) {
  std::vector<NameId> targets;
  const auto carry = [&](NameId target, const Operand& initial) {
    const NameId parameter = r.names().fresh("adjoint", r.names().type(initial));
    loop.values.push_back(LoopValue{Binder{parameter}, initial});
    targets.push_back(target);
  };
  const auto carry_rows = [&](NameId target, const Type& row) {
    const Type type = array_over(site.width, row);
    carry(target, r.out().add(Scratch{type.element, type.shape}, "adjoint"));
  };
  for (const NameId name : back.summed) carry(name, r.adjoints.take_owned(name));
  for (std::size_t i = 0; i < back.rows.size(); ++i) {
    carry_rows(*site.originals[back.rows[i]], back.mapped_types[i]);
  }
  for (std::size_t i = 0; i < back.values.size(); ++i) {
    carry_rows(site.statement->results[i].name, back.value_types[i]);
  }
  for (const auto& [name, plan] : plans) carry(name, r.adjoints.take_owned(name));
  return targets;
}

void emit_chunks(Reverse& r, const MapSite& site, ReturnMap& back, SumOverIterations& sums, Sums plans) {
  keep_repeated_values(r, back, sums);
  const Operand chunk = chunk_size(r, site, sums, plans);
  const Operand rounded = r.out().add_i64(site.width, r.out().sub_i64(chunk, i64_operand(1)));
  const Operand chunks =
      r.out().scalar(ScalarOp::sdiv, ScalarType::i64, {rounded, chunk}, "chunks");
  Loop loop;
  const std::vector<NameId> targets = carry_all(r, site, back, plans, loop);
  const std::size_t first_value = back.summed.size() + back.rows.size();
  const NameId index = r.names().fresh("c", scalar_of(ScalarType::i64));
  loop.form = ForForm{Binder{index}, chunks};
  std::vector<Operand> next;
  {
    NestedScope scope(r.environment);
    const Operand start = r.out().mul_i64(index, chunk);
    const Operand left = r.out().sub_i64(site.width, start);
    MapSite part = site;
    part.width = r.out().scalar(ScalarOp::smin, ScalarType::i64, {chunk, left}, "chunk");
    take_part(r, back, start, part.width);
    sums.set_part(back.map);
    const std::size_t first_sum = first_value + back.values.size();
    const std::vector<NameId> results = emit_map(r, part, back);
    sums.set_results({results.begin() + static_cast<std::ptrdiff_t>(first_sum), results.end()});
    if (site.statement != nullptr) note_sums(r, *site.statement, plans, sums);
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const NameId so_far = loop.values[i].parameter.name;
      const Type type = r.names().type(so_far);
      const bool is_row = i >= back.summed.size() && i < first_sum;
      if (is_row) {
        next.push_back(
            r.out().add(Update{so_far, rows_of(type, start, part.width), results[i]}, "adjoint"));
        continue;
      }
      const Operand more = i < first_sum
                               ? Operand(results[i])
                               : Operand(sums.emit(std::move(plans[i - first_sum].second)));
      next.push_back(r.environment.add(type, so_far, more));
    }
    loop.body = scope.take(std::move(next));
  }
  const std::vector<NameId> results = r.out().add_results(std::move(loop), "adjoint");
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (first_value <= i && i < first_value + back.values.size()) {
      back.given_values.push_back(results[i]);
    } else {
      r.adjoints.add(Operand(targets[i]), results[i], Ownership::owned);
    }
  }
}

}  // namespace dagaz::passes::ad
