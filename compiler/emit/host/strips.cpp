// Strips begin where a line of memory does, but for the first of a task: an element's index in its
// block tells that, since blocks begin with a line. Where the results are small there is one strip,
// which is made where it belongs: the same code, of other addresses.
//
// Reading stops while a strip is copied, and a processor that looks some lines ahead does not make
// up for that; nor does it look further than to the end of a page.  So points that are independent
// have strips in several places of their row in turn, as many streams of memory (plan/streams.h
// says of whom that is), and with each strip as much is fetched of what they read in order, some
// strips ahead, if it is of few arrays.
#include "emit/host/strips.h"

#include <algorithm>
#include <utility>

#include "emit/points.h"
#include "emit/thread/loops.h"
#include "ir/names.h"
#include "ir/reads.h"
#include "plan/copies.h"

namespace dagaz::emit {

Place strip_of_row(Context& c, const Operand& large, NameId buffer, const Place& row,
                   const Operand& begin, ScalarType type) {
  const NameId made = c.block_variable("made");
  // As the blocks differ, not the offsets, LLVM sees that neighbours are stored.
  const Operand first = element_at(c, row, {begin});
  c.branch(
      large, [&] { c.emit(Share{made, buffer}); },
      [&] {
        c.emit(Share{made, row.block, c.mul(first, ir::i64_operand(ir::byte_size(type)))});
      });
  Place place = row;
  place.block = made;
  place.offset = c.sub(ir::i64_operand(0), begin);
  return place;
}

Operand ahead_or(Context& c, const Operand& ahead, const Operand& near) {
  const Operand is_unknown = c.equal(ahead, ir::i64_operand(0));
  return c.scalar(ScalarOp::select, ScalarType::i64, {is_unknown, near, ahead});
}

Operand are_large(Context& c, const Operand& bytes) {
  return c.less(ir::i64_operand(c.settings.streamed_bytes - 1), bytes);
}

// Lines that are read before they are written are in the cache.
static bool is_read(Context& c, const ir::Statement& s, NameId block) {
  const std::vector<NameId> used = ir::free_names(s.operation, c.names());
  return std::any_of(used.begin(), used.end(), [&](NameId one) {
    return c.arrays.has_place(one) && c.arrays.place_of(one).block == block;
  });
}

Strips::Strips(Context& c, const ir::Statement& s, const ir::Schedule& schedule,
               const std::vector<Destination>& targets, const std::vector<Operand>& extents)
    : c_(c), targets_(targets), large_(ir::make_bool(false)) {
  if (c.mode != Mode::host || schedule.strip == 0) return;
  std::int64_t largest = 1;
  std::int64_t bytes = 0;
  for (std::size_t k = 0; k < targets.size(); ++k) {
    if (!targets[k] || targets[k]->strides.size() != extents.size()) continue;
    if (!is_constant(targets[k]->strides.back(), 1)) continue;
    if (is_read(c, s, targets[k]->block)) continue;
    const ScalarType type = c.names().type(s.results[k].name).element;
    streams_.push_back({k, type});
    largest = std::max<std::int64_t>(largest, ir::byte_size(type));
    bytes += ir::byte_size(type);
  }
  if (streams_.empty()) return;
  elements_ = std::max<std::int64_t>(schedule.strip / largest, 1);
  const auto* map = as<ir::SegmentedMap>(s.operation);
  if (map != nullptr) find_sources(map->space, map->body);
  if (const auto* scan = as<ir::SegmentedScan>(s.operation)) find_sources(scan->space, scan->body);
  for (const Source& one : sources_) bytes += ir::byte_size(one.type);
  const Operand all = c.mul(c.product(extents), ir::i64_operand(bytes));
  if (map != nullptr) places_ = plan::places_in_turn(c.settings, sources_.size());
  if (!plan::are_fetched(c.settings, sources_.size())) sources_.clear();
  large_ = c.both(are_large(c, all), c.less(ir::i64_operand(elements_), extents.back()));
}

void Strips::find_sources(const std::vector<ir::SpaceDimension>& space, const ir::Body& body) {
  for (const ir::ElementRead& read : ir::elements_read(body, c_.names())) {
    if (!c_.arrays.has_place(read.array)) continue;
    std::vector<std::size_t> dimensions;
    for (const Operand& index : read.indices) {
      const auto found = std::find_if(
          space.begin(), space.end(),
          [&](const ir::SpaceDimension& each) { return index == Operand(each.index.name); });
      if (found == space.end()) break;
      dimensions.push_back(static_cast<std::size_t>(found - space.begin()));
    }
    const Place& place = c_.arrays.place_of(read.array);
    // Others are read again for each row, which a cache holds.
    const bool has_all = dimensions.size() == space.size();
    const bool in_order = dimensions.size() == place.strides.size() && has_all &&
                          dimensions.back() + 1 == space.size() &&
                          is_constant(place.strides.back(), 1);
    const Source source{place, c_.names().type(read.array).element, dimensions};
    const bool is_new = std::find(sources_.begin(), sources_.end(), source) == sources_.end();
    if (in_order && is_new) sources_.push_back(source);
  }
}

// What the strip reads that begins so many elements behind the one at `point`.
void Strips::fetch(const Source& source, const std::vector<Operand>& point,
                   const Operand& ahead) const {
  std::vector<Operand> indices;
  for (const std::size_t k : source.dimensions) indices.push_back(point[k]);
  const Operand at = c_.add(element_at(c_, source.place, indices), ahead);
  const std::int64_t size = ir::byte_size(source.type);
  for (std::int64_t byte = 0; byte < elements_ * size; byte += c_.settings.line) {
    c_.emit(Fetch{source.place.block, c_.add(at, ir::i64_operand(byte / size)), source.type});
  }
}

Operand Strips::take_large() { return std::exchange(large_, Operand(ir::make_bool(true))); }

void Strips::run(const std::vector<Operand>& outer, const Operand& low, const Operand& high,
                 const StripFunction& body, const Operand& ahead) const {
  if (streams_.empty()) {
    body(targets_, low, high);
    return;
  }
  const Operand most = ir::i64_operand(elements_);
  std::vector<NameId> buffers;
  for (const Stream& one : streams_) {
    buffers.push_back(c_.block_variable("strip"));
    c_.emit(AllocateLocal{buffers.back(), elements_ * ir::byte_size(one.type)});
  }
  const auto if_large = [&](const Operand& yes, const Operand& no) {
    return c_.scalar(ScalarOp::select, ScalarType::i64, {large_, yes, no});
  };
  const Place& first_target = *targets_[streams_[0].result];
  const Operand place = element_at(c_, first_target, with(outer, low));
  const Operand start = if_large(c_.sub(low, c_.remainder(place, most)), low);
  const Operand whole = c_.maximum(c_.sub(high, low), ir::i64_operand(1));
  const Operand length = if_large(most, whole);
  const Operand strips = c_.divide_up(c_.sub(high, start), length);
  const Operand share = c_.divide(strips, ir::i64_operand(places_));
  thread_loop(c_, strips, false, [&](const Operand& k) {
    const Operand from = c_.add(start, c_.mul(strip_in_turn(k, share), length));
    run_strip(outer, buffers, c_.maximum(low, from), c_.minimum(high, c_.add(from, length)), body,
              ahead);
  });
}

// The strip that comes as the `k`-th, where each place has a `share` of them; those that are left
// come last.
Operand Strips::strip_in_turn(const Operand& k, const Operand& share) const {
  if (places_ == 1) return k;
  const Operand places = ir::i64_operand(places_);
  const Operand turn = c_.add(c_.mul(c_.remainder(k, places), share), c_.divide(k, places));
  const Operand is_shared = c_.less(k, c_.mul(share, places));
  return c_.scalar(ScalarOp::select, ScalarType::i64, {is_shared, turn, k});
}

void Strips::run_strip(const std::vector<Operand>& outer, const std::vector<NameId>& buffers,
                       const Operand& begin, const Operand& end, const StripFunction& body,
                       const Operand& ahead) const {
  if (const auto bytes = plan::bytes_ahead(c_.settings)) {
    c_.branch(large_, [&] {
      for (const Source& source : sources_) {
        const std::int64_t share = *bytes / (places_ * std::ssize(sources_));
        const Operand near = ir::i64_operand(share / ir::byte_size(source.type));
        fetch(source, with(outer, begin), ahead_or(c_, ahead, near));
      }
    });
  }
  std::vector<Destination> targets = targets_;
  std::vector<Place> rows;
  for (std::size_t k = 0; k < streams_.size(); ++k) {
    Place& target = *targets[streams_[k].result];
    rows.push_back(part_at(c_, target, outer));
    target = strip_of_row(c_, large_, buffers[k], rows.back(), begin, streams_[k].type);
    target.strides.insert(target.strides.begin(), outer.size(), ir::i64_operand(0));
    target.unit.reset();
  }
  body(targets, begin, end);
  c_.branch(large_, [&] {
    for (std::size_t k = 0; k < streams_.size(); ++k) {
      c_.emit(CopyElements{rows[k].block, element_at(c_, rows[k], {begin}), buffers[k],
                           ir::i64_operand(0), c_.sub(end, begin), streams_[k].type, true});
    }
  });
}

}  // namespace dagaz::emit
