// A rewritten function reads what it has of an argument through slices from the first of its rows
// on; whatever else mentions the argument wants all of it.
#include "passes/distribute/arguments.h"

#include <algorithm>
#include <unordered_map>

#include "ir/fields.h"
#include "ir/names.h"
#include "ir/ranks.h"
#include "support/match.h"

namespace dagaz::passes::distributing {

namespace {

using ir::NameId;
using ir::Operand;

/// Takes the slices that are a rank's own rows out of a body.
class OwnRows {
 public:
  explicit OwnRows(const ir::Names& names) : names_(names) {}

  void take_out(ir::Body& body) {
    std::erase_if(body.statements, [&](const ir::Statement& one) {
      note(one);
      return are_own_rows(one.operation);
    });
    for (ir::Statement& one : body.statements) {
      ir::for_each_scope(one.operation, [&](ir::Body& inside) { take_out(inside); });
    }
  }

 private:
  void note(const ir::Statement& statement) {
    const auto* call = as<ir::Call>(statement.operation);
    if (call == nullptr || !ir::is_rank_call(call->function)) return;
    const ir::RankKind kind = ir::rank_call_of(call->function).kind;
    if (kind == ir::RankKind::first) first_.emplace(statement.results[0].name, call->arguments[0]);
    if (kind == ir::RankKind::count) count_.emplace(statement.results[0].name, call->arguments[0]);
  }
  bool are_own_rows(const ir::Operation& operation) const {
    const auto* slice = as<ir::Slice>(operation);
    if (slice == nullptr || slice->dimensions.front().fixed) return false;
    const ir::SliceDimension& rows = slice->dimensions.front();
    const Operand& extent = names_.type(slice->array).shape.front();
    return rows.stride == ir::i64_operand(1) && is_of(first_, rows.start, extent) &&
           is_of(count_, rows.count, extent);
  }
  static bool is_of(const std::unordered_map<NameId, Operand>& numbers, const Operand& number,
                    const Operand& extent) {
    const auto found = number.is_name() ? numbers.find(number.name()) : numbers.end();
    return found != numbers.end() && found->second == extent;
  }

  const ir::Names& names_;
  std::unordered_map<NameId, Operand> first_;
  std::unordered_map<NameId, Operand> count_;
};

}  // namespace

std::vector<NameId> read_whole(const ir::Function& function, const ir::Names& names) {
  ir::Body body = function.body;
  OwnRows(names).take_out(body);
  std::vector<NameId> whole = ir::free_names(body, names);
  std::erase_if(whole, [&](NameId name) {
    return !names.type(name).is_array() ||
           std::none_of(function.parameters.begin(), function.parameters.end(),
                        [&](const ir::Binder& one) { return one.name == name; });
  });
  std::sort(whole.begin(), whole.end());
  return whole;
}

}  // namespace dagaz::passes::distributing
