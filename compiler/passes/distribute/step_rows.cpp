#include "passes/distribute/step_rows.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "ir/fields.h"
#include "support/match.h"

namespace dagaz::passes::distributing {

using ir::NameId;
using ir::Operand;

namespace {

struct Row {
  std::vector<Operand> indices;
  NameId name;
};
using RowsRead = std::unordered_map<NameId, std::vector<Row>>;  // by array

void read_rows(ir::Body& points, const RowsRead& rows) {
  for (ir::Statement& one : points.statements) {
    ir::for_each_scope(one.operation, [&](ir::Body& inner) { read_rows(inner, rows); });
    auto* read = as<ir::Index>(one.operation);
    const auto found = read == nullptr ? rows.end() : rows.find(read->array);
    if (found == rows.end()) continue;
    for (const Row& row : found->second) {
      if (row.indices.size() >= read->indices.size() ||
          !std::equal(row.indices.begin(), row.indices.end(), read->indices.begin())) {
        continue;
      }
      read->array = row.name;
      read->indices.erase(read->indices.begin(),
                          read->indices.begin() + static_cast<std::ptrdiff_t>(row.indices.size()));
      break;
    }
  }
}

bool has_space(const ir::Operation& operation) {
  return match(operation, [](const auto& node) {
    return requires { node.space; };
  });
}

void find_rows(ir::Body& body, RowsRead rows) {
  for (ir::Statement& one : body.statements) {
    const auto* read = as<ir::Index>(one.operation);
    if (read != nullptr) rows[read->array].push_back({read->indices, one.results[0].name});
    const bool is_space = has_space(one.operation);
    ir::for_each_scope(one.operation, [&](ir::Body& inner) {
      if (is_space) {
        read_rows(inner, rows);
      } else {
        find_rows(inner, rows);
      }
    });
  }
}

}  // namespace

void read_through_rows(ir::Function& function) { find_rows(function.body, {}); }

}  // namespace dagaz::passes::distributing
