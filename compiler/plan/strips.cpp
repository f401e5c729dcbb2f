#include "plan/strips.h"

#include <algorithm>
#include <cstdint>

#include "ir/fields.h"
#include "support/match.h"

namespace dagaz::plan {

namespace {

/// What is read so far, or computed from that.
class Reads {
 public:
  explicit Reads(const std::unordered_set<ir::NameId>& iotas) : iotas_(iotas) {}

  bool gather(const ir::Body& body) {
    return std::any_of(body.statements.begin(), body.statements.end(),
                       [&](const ir::Statement& one) { return gather(one); });
  }

 private:
  bool gather(const ir::Statement& statement) {
    bool any = false;
    if (const auto* index = as<ir::Index>(statement.operation)) {
      any = has_any(index->indices);
      if (!iotas_.contains(index->array)) read_.insert(statement.results[0].name);
    } else if (const auto* scalar = as<ir::Scalar>(statement.operation)) {
      if (has_any(scalar->arguments)) read_.insert(statement.results[0].name);
    }
    ir::for_each_scope(statement.operation,
                       [&](const ir::Body& inner) { any = any || gather(inner); });
    return any;
  }

  bool has_any(const std::vector<ir::Operand>& operands) const {
    return std::any_of(operands.begin(), operands.end(), [&](const ir::Operand& one) {
      return one.is_name() && read_.contains(one.name());
    });
  }

  const std::unordered_set<ir::NameId>& iotas_;
  std::unordered_set<ir::NameId> read_;
};

}  // namespace

bool gathers(const ir::Body& body, const std::unordered_set<ir::NameId>& iotas) {
  return Reads(iotas).gather(body);
}

// The operations of a point, where they are the same for any sizes.
static std::optional<std::int64_t> operations_of(const ir::Schedule& schedule) {
  std::int64_t sum = 0;
  for (const ir::Product& one : schedule.operations) {
    if (!one.sizes.empty()) return std::nullopt;
    sum += one.factor;
  }
  return sum;
}

static bool in_order(const ir::Strategy& strategy) {
  return as<ir::Pointwise>(strategy) || as<ir::InPieces>(strategy) ||
         as<ir::LaneBlocks>(strategy) || as<ir::Compaction>(strategy);
}

// Short segments do not go past the caches.
static bool follow(const std::vector<ir::Version>& versions) {
  return in_order(versions.back().strategy) &&
         std::all_of(versions.begin(), versions.end() - 1, [](const ir::Version& one) {
           return as<ir::BySegments>(one.strategy) != nullptr;
         });
}

int strip_of(const std::vector<ir::Binder>& results, const ir::Schedule& schedule,
             std::size_t dimensions, const ir::Names& names, const Tunables& tunables) {
  const bool any = std::any_of(results.begin(), results.end(), [&](const ir::Binder& one) {
    const ir::Type& type = names.type(one.name);
    return type.kind == ir::TypeKind::value && dimensions > 0 && type.shape.size() == dimensions;
  });
  const auto operations = operations_of(schedule);
  const bool pays = operations && *operations <= tunables.strip_operations;
  return any && pays && follow(schedule.versions) ? static_cast<int>(tunables.strip) : 0;
}

}  // namespace dagaz::plan
