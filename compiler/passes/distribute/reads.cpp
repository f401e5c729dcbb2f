#include "passes/distribute/reads.h"

#include <algorithm>

#include "ir/fields.h"
#include "ir/names.h"
#include "support/match.h"

namespace dagaz::passes::distributing {

namespace {

using ir::NameId;

/// Collects the reads of one operation.
class ReadsWalk {
 public:
  ReadsWalk(NameId index, std::unordered_map<NameId, Positions>& reads)
      : index_(index), reads_(reads) {}

  void walk(const ir::Operation& operation) {
    if (const auto* read = as<ir::Index>(operation)) {
      note(read->array, positions_in(*read));
      return;
    }
    ir::walk_fields(*this, operation);
  }

  // What any other operation mentions, it may read everywhere.
  void use(const NameId& name) { note(name, {}); }
  void use(const ir::Operand& operand) {
    if (operand.is_name()) note(operand.name(), {});
  }
  void bind(const ir::Binder&) {}
  void type(const ir::Type&) {}
  void body(const ir::Body& body) {
    for (const ir::Statement& one : body.statements) walk(one.operation);
    for (const ir::Operand& result : body.results) use(result);
  }
  void lambda(const ir::Lambda& lambda) { body(lambda.body); }

 private:
  Positions positions_in(const ir::Index& read) const {
    Positions positions;
    for (std::size_t k = 0; k < read.indices.size(); ++k) {
      if (read.indices[k] == ir::Operand(index_)) positions.push_back(k);
    }
    return positions;
  }
  void note(NameId array, Positions positions) {
    const auto found = reads_.find(array);
    if (found == reads_.end()) return;
    if (!seen_.insert(array).second) {
      std::erase_if(found->second, [&](std::size_t k) {
        return std::find(positions.begin(), positions.end(), k) == positions.end();
      });
    } else {
      found->second = std::move(positions);
    }
  }

  const NameId index_;
  std::unordered_map<NameId, Positions>& reads_;
  ir::NameSet seen_;
};

}  // namespace

std::unordered_map<NameId, Positions> reads_at(const ir::Operation& operation, NameId index,
                                               const ir::Names& names) {
  std::unordered_map<NameId, Positions> reads;
  for (const NameId name : ir::free_names(operation, names)) {
    if (names.type(name).is_array()) reads.emplace(name, Positions{});
  }
  ReadsWalk(index, reads).walk(operation);
  return reads;
}

void read_part(ir::Body& body, NameId array, std::size_t position, NameId part, NameId local) {
  for (ir::Statement& one : body.statements) {
    auto* read = as<ir::Index>(one.operation);
    if (read != nullptr && read->array == array) {
      read->array = part;
      read->indices[position] = local;
    }
    ir::for_each_scope(one.operation,
                       [&](ir::Body& inner) { read_part(inner, array, position, part, local); });
  }
}

}  // namespace dagaz::passes::distributing
