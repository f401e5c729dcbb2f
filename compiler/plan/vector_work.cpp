#include "plan/vector_work.h"

#include <algorithm>
#include <vector>

#include "ir/names.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::NameId;
using ir::Operand;

namespace {

/// Whether a body has nothing but arithmetic, conditions, and reads at places that it computes:
/// elements at places that were read themselves are gathered one by one.
class Vectorisable {
 public:
  Vectorisable(const ir::Names& names, const std::unordered_set<NameId>& iotas)
      : names_(names), iotas_(iotas) {}

  bool operator()(const ir::Body& body) {
    return std::all_of(body.statements.begin(), body.statements.end(),
                       [&](const ir::Statement& one) { return admits(one); });
  }

 private:
  bool admits(const ir::Statement& one) {
    if (const auto* index = as<ir::Index>(one.operation)) {
      const bool gathered = std::any_of(
          index->indices.begin(), index->indices.end(),
          [&](const Operand& place) { return place.is_name() && read_.contains(place.name()); });
      const bool is_row = !names_.type(one.results[0].name).is_scalar();
      if (!is_row && !iotas_.contains(index->array)) read_.insert(one.results[0].name);
      return !gathered;
    }
    if (const auto* branch = as<ir::Branch>(one.operation)) {
      note(one);
      return (*this)(branch->then_body) && (*this)(branch->else_body);
    }
    note(one);
    return as<ir::Scalar>(one.operation);
  }

  void note(const ir::Statement& one) {
    const std::vector<NameId> used = ir::free_names(one.operation, names_);
    if (std::none_of(used.begin(), used.end(), [&](NameId name) { return read_.contains(name); })) {
      return;
    }
    for (const ir::Binder& result : one.results) read_.insert(result.name);
  }

  const ir::Names& names_;
  const std::unordered_set<NameId>& iotas_;
  std::unordered_set<NameId> read_;  // what depends on elements
};

}  // namespace

static bool runs_in_vectors(const ir::Version& version, const ir::Body& body,
                            const ir::Names& names, const std::unordered_set<NameId>& iotas) {
  if (const auto* blocks = as<ir::LaneBlocks>(version.strategy)) return blocks->serialised.empty();
  if (as<ir::Contraction>(version.strategy)) return true;
  const bool in_loop = as<ir::Pointwise>(version.strategy) ||
                       as<ir::FusedStencil>(version.strategy) ||
                       as<ir::InPieces>(version.strategy) ||
                       as<ir::Interchanged>(version.strategy);
  return in_loop && Vectorisable(names, iotas)(body);
}

void count_in_vectors(ir::Schedule& schedule, const ir::Body& body, const ir::Names& names,
                      const std::unordered_set<NameId>& iotas, int lanes) {
  // Maps that a stencil takes along have no versions of their own.
  const ir::Version version =
      schedule.versions.empty() ? ir::Version{{}, ir::FusedStencil{}} : schedule.versions.front();
  if (!runs_in_vectors(version, body, names, iotas)) return;
  schedule.lanes = lanes;
}

}  // namespace dagaz::plan
