// A rewritten function reads what it has of an argument, or of the argument with its dimensions in
// another order, through slices from the first of its rows on; whatever else mentions these wants
// all.
#include "passes/distribute/arguments.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "ir/fields.h"
#include "ir/names.h"
#include "ir/ranks.h"
#include "support/match.h"

namespace dagaz::passes::distributing {

namespace {

using ir::NameId;
using ir::Operand;

/// Takes the slices that are a rank's own rows out of a body, and the views that they are slices
/// of.
class OwnRows {
 public:
  OwnRows(const ir::Function& function, const ir::Names& names) : names_(names) {
    for (const ir::Binder& one : function.parameters) {
      if (names.type(one.name).is_array()) views_.emplace(one.name, View{one.name, 0});
    }
  }

  void take_out(ir::Body& body) {
    std::erase_if(body.statements, [&](const ir::Statement& one) {
      note(one);
      return are_own_rows(one.operation) || add_view(one);
    });
    for (ir::Statement& one : body.statements) {
      ir::for_each_scope(one.operation, [&](ir::Body& inside) { take_out(inside); });
    }
  }

  /// The argument that a name stands for.
  std::optional<NameId> argument(NameId name) const {
    const auto found = views_.find(name);
    return found == views_.end() ? std::nullopt : std::optional(found->second.argument);
  }

 private:
  struct View {
    NameId argument;
    std::size_t rows;  // the dimension that are its rows
  };

  void note(const ir::Statement& statement) {
    const auto* call = as<ir::Call>(statement.operation);
    if (call == nullptr || !ir::is_rank_call(call->function)) return;
    const ir::RankKind kind = ir::rank_call_of(call->function).kind;
    if (kind == ir::RankKind::first) first_.emplace(statement.results[0].name, call->arguments[0]);
    if (kind == ir::RankKind::count) count_.emplace(statement.results[0].name, call->arguments[0]);
  }
  bool add_view(const ir::Statement& statement) {
    const auto* permute = as<ir::Permute>(statement.operation);
    const auto found = permute == nullptr ? views_.end() : views_.find(permute->array);
    if (found == views_.end()) return false;
    const std::vector<int>& order = permute->permutation;
    const auto at = std::find(order.begin(), order.end(), static_cast<int>(found->second.rows));
    views_.emplace(statement.results[0].name,
                   View{found->second.argument, static_cast<std::size_t>(at - order.begin())});
    return true;
  }
  bool are_own_rows(const ir::Operation& operation) const {
    const auto* slice = as<ir::Slice>(operation);
    const auto view = slice == nullptr ? views_.end() : views_.find(slice->array);
    if (view == views_.end()) return false;
    const ir::SliceDimension& rows = slice->dimensions[view->second.rows];
    const Operand& extent = names_.type(slice->array).shape[view->second.rows];
    return !rows.fixed && rows.stride == ir::i64_operand(1) && is_of(first_, rows.start, extent) &&
           is_of(count_, rows.count, extent);
  }
  static bool is_of(const std::unordered_map<NameId, Operand>& numbers, const Operand& number,
                    const Operand& extent) {
    const auto found = number.is_name() ? numbers.find(number.name()) : numbers.end();
    return found != numbers.end() && found->second == extent;
  }

  const ir::Names& names_;
  std::unordered_map<NameId, View> views_;
  std::unordered_map<NameId, Operand> first_;
  std::unordered_map<NameId, Operand> count_;
};

}  // namespace

std::vector<NameId> read_whole(const ir::Function& function, const ir::Names& names) {
  ir::Body body = function.body;
  OwnRows own(function, names);
  own.take_out(body);
  std::vector<NameId> whole;
  for (const NameId name : ir::free_names(body, names)) {
    if (const auto argument = own.argument(name)) whole.push_back(*argument);
  }
  std::sort(whole.begin(), whole.end());
  whole.erase(std::unique(whole.begin(), whole.end()), whole.end());
  return whole;
}

}  // namespace dagaz::passes::distributing
