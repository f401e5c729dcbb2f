// Rows of which all points of a map read the element at the same place, before derivatives are
// made.
//
//   map (\row -> … row[o] …) rows  =  map (\x -> … x …) rows[:, o]
//
// The adjoint of row[o] is a row of zeros but for one element, for each point; that of x is a
// number.  In a loop over o, as one over what is observed, that is the difference between adding to
// all elements of an array in each iteration and adding to those that were read.  Places that are
// constants stay: small rows become numbers elsewhere (scalarise/).  So do those that differ
// between the points of a map around: what these read of all rows is better left to its own
// adjoint.
#include <algorithm>

#include "ir/fields.h"
#include "ir/names.h"
#include "passes/simplify/rules.h"

namespace dagaz::passes {

namespace {

class SteadyReads {
 public:
  SteadyReads(MapScanReduce& map, std::size_t input, const Rules& rules)
      : row_(map.map.parameters[input].name), rules_(rules) {
    find(map.map.body);
    is_all_ = is_all_ && !reads_.empty() && !is_used_otherwise(map.map.body);
  }

  /// Whether nothing else happens to the row.
  bool is_all() const { return is_all_; }
  const std::vector<Statement*>& reads() const { return reads_; }
  const std::vector<Operand>& indices() const {
    return std::get<Index>(reads_.front()->operation).indices;
  }

 private:
  void find(Body& body) {
    for (Statement& one : body.statements) {
      const auto* index = as<Index>(one.operation);
      if (index && index->array == row_) {
        is_all_ = is_all_ && is_steady(one, *index);
        reads_.push_back(&one);
      }
      for_each_scope(one.operation, [&](Body& inner) { find(inner); });
    }
  }

  bool is_steady(const Statement& one, const Index& index) const {
    const auto is_outside = [&](const Operand& operand) {
      return !operand.is_name() || rules_.is_bound_outside_scopes(operand.name());
    };
    const bool is_computed = std::any_of(index.indices.begin(), index.indices.end(),
                                         [](const Operand& place) { return place.is_name(); });
    const bool is_of_a_map =
        std::any_of(index.indices.begin(), index.indices.end(), [&](const Operand& place) {
          return place.is_name() && rules_.is_bound_in_a_map(place.name());
        });
    const bool is_same = reads_.empty() || index.indices == indices();
    return is_computed && !is_of_a_map && is_same &&
           !rules_.may_be_consumed(one.results.front().name) &&
           std::all_of(index.indices.begin(), index.indices.end(), is_outside) &&
           std::all_of(one.tokens.begin(), one.tokens.end(), is_outside);
  }

  bool is_used_otherwise(Body body) const {
    drop_reads(body);
    const std::vector<NameId> used = free_names(body, rules_.names());
    return std::find(used.begin(), used.end(), row_) != used.end();
  }

  void drop_reads(Body& body) const {
    std::erase_if(body.statements, [&](const Statement& one) {
      const auto* index = as<Index>(one.operation);
      return index && index->array == row_;
    });
    for (Statement& one : body.statements) {
      for_each_scope(one.operation, [&](Body& inner) { drop_reads(inner); });
    }
  }

  const NameId row_;
  const Rules& rules_;
  std::vector<Statement*> reads_;
  bool is_all_ = true;
};

}  // namespace

Outcome steady_reads(MapScanReduce& node, Rules& rules) {
  if (!rules.is_to_be_differentiated()) return Outcome::none;
  for (std::size_t i = 0; i < node.arrays.size(); ++i) {
    const Type& type = rules.type(node.arrays[i]);
    const NameId row = node.map.parameters[i].name;
    if (type.kind != TypeKind::value || type.rank() < 2 || rules.may_be_consumed(row)) continue;
    const SteadyReads found(node, i, rules);
    if (!found.is_all()) continue;
    Slice slice{node.arrays[i], {{false, i64_operand(0), type.shape[0], i64_operand(1)}}};
    for (std::size_t d = 1; d < type.rank(); ++d) {
      const bool fixed = d <= found.indices().size();
      slice.dimensions.push_back({fixed, fixed ? found.indices()[d - 1] : i64_operand(0),
                                  fixed ? i64_operand(1) : type.shape[d], i64_operand(1)});
    }
    for (const Statement* read : found.reads()) {
      std::vector<NameId>& guards = rules.statement->tokens;
      guards.insert(guards.end(), read->tokens.begin(), read->tokens.end());
    }
    const std::string base = rules.names().base(row);
    const NameId elements = rules.emit(std::move(slice), base).name();
    const NameId element = rules.fresh_parameter(base, row_of(rules.type(elements)));
    for (Statement* read : found.reads()) read->operation = Identity{element};
    node.arrays[i] = elements;
    node.map.parameters[i] = {element};
    return Outcome::rewritten;
  }
  return Outcome::none;
}

}  // namespace dagaz::passes
