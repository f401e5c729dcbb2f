#include "plan/whole_nests.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_set>
#include <vector>

#include "ir/device_threads.h"
#include "ir/names.h"
#include "plan/sums_in_turn.h"
#include "plan/versions.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::NameId;
using ir::Operand;

namespace {

/// The last version by `Strategy` asks for the least; null where there is none.
template <typename Strategy>
const ir::Version* last_by(const ir::Schedule& schedule) {
  const auto last =
      std::find_if(schedule.versions.rbegin(), schedule.versions.rend(),
                   [](const ir::Version& one) { return as<Strategy>(one.strategy) != nullptr; });
  return last == schedule.versions.rend() ? nullptr : &*last;
}

/// The versions of a map that are the reason to take it whole, those that ask for the least: teams,
/// and tiles.
std::vector<const ir::Version*> by_blocks(const ir::Schedule& schedule) {
  std::vector<const ir::Version*> found;
  for (const ir::Version* const version :
       {last_by<ir::Contraction>(schedule), last_by<ir::Teams>(schedule)}) {
    if (version != nullptr) found.push_back(version);
  }
  return found;
}

/// Those by which blocks run products in tiles, and what is between them.
std::vector<const ir::Version*> by_row_blocks(const ir::Schedule& schedule) {
  std::vector<const ir::Version*> found;
  for (const ir::Version& one : schedule.versions) {
    if (as<ir::RowBlocks>(one.strategy)) found.push_back(&one);
  }
  return found;
}

bool implies_all(const std::vector<ir::Guard>& when, const std::vector<ir::Guard>& wanted) {
  return std::ranges::all_of(wanted, [&](const ir::Guard& one) {
    return std::ranges::any_of(when, [&](const ir::Guard& known) { return implies(known, one); });
  });
}

/// Drops versions that would run only where one of `whole` does.
void drop_versions(ir::Schedule& schedule, const std::vector<const ir::Version*>& whole) {
  if (schedule.versions.empty()) return;
  const auto last = std::prev(schedule.versions.end());  // taken where no other is
  const auto never_runs = [&](const ir::Version& version) {
    return std::ranges::any_of(
        whole, [&](const ir::Version* one) { return implies_all(version.when, one->when); });
  };
  schedule.versions.erase(std::remove_if(schedule.versions.begin(), last, never_runs), last);
}

void drop_versions(ir::Body& body, const std::vector<const ir::Version*>& whole) {
  for (ir::Statement& one : body.statements) {
    if (auto* map = as<ir::SegmentedMap>(one.operation)) {
      drop_versions(map->schedule, whole);
    } else if (auto* sum = as<ir::SegmentedReduce>(one.operation)) {
      drop_versions(sum->schedule, whole);
    } else if (auto* branch = as<ir::Branch>(one.operation)) {
      drop_versions(branch->then_body, whole);
      drop_versions(branch->else_body, whole);
    }
  }
}

class Conditions {
 public:
  Conditions(const Operand& resident, std::int64_t product_terms, ir::Builder& builder)
      : resident_(resident), product_terms_(product_terms), builder_(builder) {}

  /// Whether one of these versions can be taken.
  Operand any_holds(const std::vector<const ir::Version*>& versions) {
    std::optional<Operand> any;
    for (const ir::Version* const version : versions) any = either(any, hold(version->when));
    return *any;
  }

  /// Whether `body` has a product in tiles with so many terms for each thread that the device
  /// holds; none if no product is known to be there.
  std::optional<Operand> has_large_product(const ir::Body& body) {
    for (const NameId name : ir::bound_names(body)) inside_.insert(name);
    std::optional<Operand> any;
    find_large_products(body, any);
    return any;
  }

 private:
  void find_large_products(const ir::Body& body, std::optional<Operand>& any) {
    for (const ir::Statement& one : body.statements) {
      if (const auto* map = as<ir::SegmentedMap>(one.operation)) {
        add_product(*map, map->space.size(), any);
      } else if (const auto* sum = as<ir::SegmentedReduce>(one.operation)) {
        add_product(*sum, sum->space.size() - 1, any);
      } else if (const auto* branch = as<ir::Branch>(one.operation)) {
        find_large_products(branch->then_body, any);
      }
    }
  }

  template <typename Segmented>
  void add_product(const Segmented& e, std::size_t dimensions, std::optional<Operand>& any) {
    const ir::Version* const version = last_by<ir::Contraction>(e.schedule);
    if (version == nullptr || std::get<ir::Contraction>(version->strategy).rows < 0) return;
    const auto parts = tile_sums(e, builder_.names());
    if (!parts) return;
    std::vector<ir::Guard> guards = version->when;
    ir::Guard fill{{1, {}}, {product_terms_, {}, true}};
    for (std::size_t d = 0; d < dimensions; ++d) fill.size.sizes.push_back(e.space[d].extent);
    for (const SumLevel& level : parts->levels) fill.size.sizes.push_back(level.width);
    guards.push_back(std::move(fill));
    const bool known = std::all_of(guards.begin(), guards.end(), [&](const ir::Guard& one) {
      return is_around(one.size.sizes) && is_around(one.least.sizes);
    });
    if (known) any = either(any, hold(guards));
  }

  bool is_around(const std::vector<Operand>& sizes) const {
    return std::none_of(sizes.begin(), sizes.end(), [&](const Operand& one) {
      return one.is_name() && inside_.contains(one.name());
    });
  }

  Operand hold(const std::vector<ir::Guard>& guards) {
    Operand all = ir::Constant(ir::make_bool(true));
    for (const ir::Guard& guard : guards) {
      const Operand holds =
          builder_.scalar(ir::ScalarOp::sle, ir::ScalarType::i64,
                          {value_of(guard.least), value_of(guard.size)}, "fits");
      all = builder_.scalar(ir::ScalarOp::bit_and, ir::ScalarType::boolean, {all, holds}, "fits");
    }
    return all;
  }
  Operand value_of(const ir::Product& one) {
    Operand value = builder_.mul_i64(ir::i64_operand(one.factor), builder_.product(one.sizes));
    if (one.resident) value = builder_.mul_i64(value, resident_);
    if (!one.block_bytes) return value;
    if (!block_bytes_) block_bytes_ = builder_.add(ir::ask_block_bytes(), "bytes");
    return builder_.mul_i64(value, *block_bytes_);
  }
  Operand either(const std::optional<Operand>& a, const Operand& b) {
    if (!a) return b;
    return builder_.scalar(ir::ScalarOp::bit_or, ir::ScalarType::boolean, {*a, b}, "fits");
  }

  Operand resident_;
  std::optional<Operand> block_bytes_;
  std::int64_t product_terms_;
  ir::Builder& builder_;
  std::unordered_set<NameId> inside_;
};

}  // namespace

void choose_whole_nest(ir::Branch& branch, const Operand& resident, std::int64_t product_terms,
                       ir::Builder& builder) {
  const auto* map = as<ir::SegmentedMap>(branch.then_body.statements.at(0).operation);
  if (map == nullptr || branch.then_body.statements.size() != 1) return;
  const std::vector<const ir::Version*> whole = by_blocks(map->schedule);
  if (whole.empty()) return;
  Conditions conditions(resident, product_terms, builder);
  const auto combined = [&](ir::ScalarOp op, const Operand& a, const Operand& b) {
    return builder.scalar(op, ir::ScalarType::boolean, {a, b}, "whole");
  };
  branch.condition = combined(ir::ScalarOp::bit_or, branch.condition, conditions.any_holds(whole));
  const bool is_product = last_by<ir::Contraction>(map->schedule) != nullptr;
  const auto product = is_product ? std::nullopt : conditions.has_large_product(branch.else_body);
  if (product) {
    const Operand none =
        builder.scalar(ir::ScalarOp::bit_not, ir::ScalarType::boolean, {*product}, "whole");
    branch.condition = combined(ir::ScalarOp::bit_and, branch.condition, none);
  } else {
    drop_versions(branch.else_body, whole);
  }
  const std::vector<const ir::Version*> in_blocks = by_row_blocks(map->schedule);
  if (in_blocks.empty()) return;
  branch.condition =
      combined(ir::ScalarOp::bit_or, branch.condition, conditions.any_holds(in_blocks));
}

}  // namespace dagaz::plan
