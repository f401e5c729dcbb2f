#include "passes/scatter_to_gather/nest_values.h"

#include <algorithm>

#include "ir/cost.h"
#include "ir/names.h"
#include "support/match.h"

namespace dagaz::passes::gathering {

namespace {

void add_term(auto& terms, const auto& key, std::int64_t factor) {
  const std::int64_t sum = terms[key] += factor;
  if (sum == 0) terms.erase(key);
}

}  // namespace

Affine Affine::plus(const Affine& other, std::int64_t factor) const {
  Affine sum = *this;
  for (const auto& [level, by] : other.levels) add_term(sum.levels, level, by * factor);
  for (const auto& [name, by] : other.others) add_term(sum.others, name, by * factor);
  for (const auto& [term, by] : other.scaled) add_term(sum.scaled, term, by * factor);
  sum.constant += other.constant * factor;
  return sum;
}

// The product of a sum of indices with a number from outside the nest.
static std::optional<Affine> scaled(const Affine& sum, NameId by) {
  if (!sum.others.empty() || !sum.scaled.empty()) return std::nullopt;
  Affine product;
  for (const auto& [level, factor] : sum.levels) product.scaled[{level, by}] = factor;
  if (sum.constant != 0) product.others[by] = sum.constant;
  return product;
}

int NestValues::add_level(const MapScanReduce& map) {
  const int level = static_cast<int>(widths_.size());
  widths_.push_back(map.width);
  for (std::size_t k = 0; k < map.arrays.size(); ++k) {
    define_element(map.map.parameters[k].name, map.arrays[k], level);
  }
  return level;
}

void NestValues::define_element(NameId name, NameId array, int level) {
  same_.erase(name);
  if (const auto made = made_element(array, level)) {
    same_.emplace(name, *made);
  } else {
    definitions_[name] = {nullptr, level, array};
  }
}

// What a map of the nest, or a replicate, gives for an element of its array.
std::optional<Operand> NestValues::made_element(NameId array, int level) {
  const Statement* const statement = statement_of(array);
  if (statement == nullptr || !statement->tokens.empty()) return std::nullopt;
  const auto* replicate = as<Replicate>(statement->operation);
  if (replicate != nullptr && replicate->shape.size() == 1) return replicate->value;
  const auto* map = as<MapScanReduce>(statement->operation);
  if (map == nullptr || map->post || !map->scans.empty() || !map->reductions.empty()) {
    return std::nullopt;
  }
  const auto result = std::find_if(statement->results.begin(), statement->results.end(),
                                   [&](const Binder& one) { return one.name == array; });
  const auto place = static_cast<std::size_t>(result - statement->results.begin());
  if (map->map.result_types[place].kind != TypeKind::value) return std::nullopt;
  // Its statements are of one point at a time.
  const auto [entered, is_new] = producers_.emplace(statement, level);
  if (entered->second != level) return std::nullopt;
  if (is_new) {
    for (std::size_t k = 0; k < map->arrays.size(); ++k) {
      define_element(map->map.parameters[k].name, map->arrays[k], level);
    }
    for (const Statement& one : map->map.body.statements) learn(one);
  }
  return map->map.body.results[place];
}

Operand NestValues::resolved(const Operand& operand) const {
  if (!operand.is_name()) return operand;
  const auto same = same_.find(operand.name());
  return same == same_.end() ? operand : resolved(same->second);
}

void NestValues::learn(const Statement& statement) {
  for (const Binder& result : statement.results) definitions_[result.name] = {&statement, -1, {}};
  if (const auto* branch = as<Branch>(statement.operation)) {
    for (const Statement& one : branch->then_body.statements) learn(one);
    for (const Statement& one : branch->else_body.statements) learn(one);
  }
}

NameId NestValues::keep(NameId value, const std::vector<int>& levels, Names& names) {
  NameId row = value;
  for (std::size_t k = levels.size(); k-- > 0;) {
    const NameId array = names.fresh("kept", array_over(width(levels[k]), names.type(row)));
    definitions_[row] = {nullptr, levels[k], array};
    row = array;
  }
  return row;
}

const NestValues::Definition* NestValues::find(const Operand& operand) const {
  const Operand one = resolved(operand);
  if (!one.is_name()) return nullptr;
  const auto found = definitions_.find(one.name());
  return found == definitions_.end() ? nullptr : &found->second;
}

const Statement* NestValues::statement_of(const Operand& operand) const {
  const Definition* definition = find(operand);
  return definition == nullptr ? nullptr : definition->statement;
}

// ---------------------------------------------------------------- what is needed

/// Which result of a statement a name is.
static std::size_t place_of(NameId name, const Statement& statement) {
  const auto found = std::find_if(statement.results.begin(), statement.results.end(),
                                  [&](const Binder& one) { return one.name == name; });
  return static_cast<std::size_t>(found - statement.results.begin());
}

// In operations, without those of what it is computed from.
std::int64_t NestValues::own_cost(const Definition& definition) const {
  if (definition.statement == nullptr) return outside_.counts.contains(definition.array) ? 0 : 1;
  const auto* scalar = as<Scalar>(definition.statement->operation);
  return scalar == nullptr ? 1 : cost_of(scalar->op);
}

bool NestValues::add_array(NameId array, Needs& needs, std::unordered_set<NameId>& seen) const {
  const Definition* definition = find(array);
  if (definition == nullptr) return true;
  if (definition->statement == nullptr || as<Index>(definition->statement->operation)) {
    return add_needs(array, needs, seen);
  }
  const auto* permute = as<Permute>(definition->statement->operation);
  return permute != nullptr && definition->statement->tokens.empty() &&
         add_array(permute->array, needs, seen);
}

bool NestValues::add_branch(const Branch& branch, std::size_t result, Needs& needs,
                            std::unordered_set<NameId>& seen) const {
  return branch.result_types[result].is_scalar() && add_needs(branch.condition, needs, seen) &&
         add_needs(branch.then_body.results[result], needs, seen) &&
         add_needs(branch.else_body.results[result], needs, seen);
}

bool NestValues::add_needs(const Operand& operand, Needs& needs,
                           std::unordered_set<NameId>& seen) const {
  const Definition* definition = find(operand);
  if (definition == nullptr || !seen.insert(resolved(operand).name()).second) return true;
  needs.cost += own_cost(*definition);
  if (definition->statement == nullptr) {
    needs.levels.insert(definition->level);
    if (outside_.counts.contains(definition->array)) return true;
    needs.reads = true;
    return names_.type(operand).kind == TypeKind::value &&
           add_array(definition->array, needs, seen);
  }
  const Statement& statement = *definition->statement;
  for (const NameId token : statement.tokens) {
    if (binds(token)) return false;
    needs.tokens.push_back(token);
  }
  if (const auto* scalar = as<Scalar>(statement.operation)) {
    return !may_trap(scalar->op) &&
           std::all_of(scalar->arguments.begin(), scalar->arguments.end(),
                       [&](const Operand& one) { return add_needs(one, needs, seen); });
  }
  if (const auto* branch = as<Branch>(statement.operation)) {
    return add_branch(*branch, place_of(resolved(operand).name(), statement), needs, seen);
  }
  const auto* index = as<Index>(statement.operation);
  if (index == nullptr) return false;
  needs.reads = true;
  return add_array(index->array, needs, seen) &&
         std::all_of(index->indices.begin(), index->indices.end(),
                     [&](const Operand& one) { return add_needs(one, needs, seen); });
}

std::optional<Needs> NestValues::needs_of(const Operand& operand) const {
  Needs needs;
  std::unordered_set<NameId> seen;
  if (!add_needs(operand, needs, seen)) return std::nullopt;
  return needs;
}

bool NestValues::are_light(const std::vector<Operand>& terms, const std::vector<int>& levels,
                           const std::vector<int>& summed, const Tunables& tunables) const {
  Needs needs;
  std::unordered_set<NameId> parts;
  for (const Operand& term : terms) add_needs(term, needs, parts);
  if (needs.cost <= tunables.tap_operations) return true;
  std::int64_t again = 0;
  for (const NameId part : parts) {
    const std::set<int> its = needs_of(part)->levels;
    const bool is_summed =
        std::any_of(summed.begin(), summed.end(), [&](int level) { return its.contains(level); });
    if (is_summed && its.size() < levels.size()) again += own_cost(*find(part));
  }
  return needs.cost <= tunables.window_operations && again <= tunables.tap_operations;
}

std::optional<Affine> NestValues::affine(const Operand& index) const {
  const Operand operand = resolved(index);
  Affine sum;
  if (operand.is_constant()) {
    sum.constant = integer_value(operand.constant());
    return sum;
  }
  const Definition* definition = find(operand);
  if (definition == nullptr) {
    sum.others[operand.name()] = 1;
    return sum;
  }
  if (definition->statement == nullptr) {
    if (!outside_.counts.contains(definition->array)) return std::nullopt;
    sum.levels[definition->level] = 1;
    return sum;
  }
  const auto* scalar = as<Scalar>(definition->statement->operation);
  if (scalar == nullptr || scalar->type != ScalarType::i64) return std::nullopt;
  if (scalar->op != ScalarOp::add && scalar->op != ScalarOp::sub && scalar->op != ScalarOp::mul) {
    return std::nullopt;
  }
  const auto a = affine(scalar->arguments[0]);
  const auto b = affine(scalar->arguments[1]);
  if (!a || !b) return std::nullopt;
  if (scalar->op != ScalarOp::mul) return a->plus(*b, scalar->op == ScalarOp::add ? 1 : -1);
  const auto times = [&](const Affine& one, const Operand& by) -> std::optional<Affine> {
    if (by.is_constant()) return Affine{}.plus(one, integer_value(by.constant()));
    return find(by) == nullptr ? scaled(one, by.name()) : std::nullopt;
  };
  const auto product = times(*a, scalar->arguments[1]);
  return product ? product : times(*b, scalar->arguments[0]);
}

bool NestValues::is_last(const Operand& operand, const Operand& extent) const {
  if (operand.is_constant()) {
    return extent.is_constant() &&
           integer_value(operand.constant()) + 1 == integer_value(extent.constant());
  }
  const auto found = outside_.scalars.find(operand.name());
  if (found == outside_.scalars.end() || found->second.op != ScalarOp::add) return false;
  const auto& x = found->second.arguments;
  return (x[0] == extent && x[1] == i64_operand(-1)) || (x[1] == extent && x[0] == i64_operand(-1));
}

// ---------------------------------------------------------------- values at points

Operand NestValues::element(NameId of, Point& point, Builder& out) const {
  std::vector<Operand> indices;
  NameId name = resolved(of).name();
  for (const Definition* definition = find(name); definition; definition = find(name)) {
    std::vector<Operand> before;
    if (definition->statement == nullptr) {
      before.push_back(point.at.at(definition->level));
      name = resolved(definition->array).name();
    } else if (const auto* permute = as<Permute>(definition->statement->operation)) {
      std::vector<Operand> permuted(indices.size());
      for (std::size_t d = 0; d < indices.size(); ++d) {
        permuted[static_cast<std::size_t>(permute->permutation[d])] = indices[d];
      }
      indices = std::move(permuted);
      name = resolved(permute->array).name();
    } else {
      const auto& index = std::get<Index>(definition->statement->operation);
      for (const Operand& one : index.indices) before.push_back(value(one, point, out));
      name = resolved(index.array).name();
    }
    indices.insert(indices.begin(), before.begin(), before.end());
  }
  return out.index(name, std::move(indices));
}

Operand NestValues::branch_value(const Statement& statement, std::size_t result, Point& point,
                                 Builder& out) const {
  const auto& branch = std::get<Branch>(statement.operation);
  const auto side = [&](const Body& body) {
    return [this, &body, &point, result](Builder& in) {
      Point same = point;
      return std::vector<Operand>{value(body.results[result], same, in)};
    };
  };
  const Operand condition = value(branch.condition, point, out);
  // What the sides take from around the branch is made around it, where several may share it.
  Needs needs;
  std::unordered_set<NameId> needed;
  add_branch(branch, result, needs, needed);
  for (const NameId name : free_names(statement, names_)) {
    const Operand one = resolved(name);
    const bool is_needed = one.is_name() && needed.contains(one.name());
    if (is_needed && names_.type(name).is_scalar()) value(one, point, out);
  }
  return out.branch(condition, side(branch.then_body), side(branch.else_body), "x")[0];
}

Operand NestValues::value(const Operand& of, Point& point, Builder& out) const {
  const Operand operand = resolved(of);
  const Definition* definition = find(operand);
  if (definition == nullptr) return operand;
  const NameId name = operand.name();
  if (const auto made = point.made.find(name); made != point.made.end()) return made->second;
  Operand value;
  if (definition->statement == nullptr && outside_.counts.contains(definition->array)) {
    value = point.at.at(definition->level);
  } else if (const Statement* statement = definition->statement;
             statement != nullptr && as<Scalar>(statement->operation)) {
    Scalar copy = std::get<Scalar>(statement->operation);
    for (Operand& one : copy.arguments) one = this->value(one, point, out);
    value = out.add(std::move(copy), names_.base(name));
  } else if (statement != nullptr && as<Branch>(statement->operation)) {
    value = branch_value(*statement, place_of(name, *statement), point, out);
  } else {
    value = element(name, point, out);
  }
  point.made.emplace(name, value);
  return value;
}

Operand value_of(const Affine& sum, const std::map<int, Operand>& at, Builder& out) {
  Operand total = i64_operand(sum.constant);
  const auto add = [&](const Operand& one, std::int64_t factor) {
    if (factor == -1) {
      total = out.sub_i64(total, one);
    } else {
      total = out.add_i64(total, out.mul_i64(one, i64_operand(factor)));
    }
  };
  for (const auto& [name, factor] : sum.others) add(name, factor);
  for (const auto& [level, factor] : sum.levels) add(at.at(level), factor);
  for (const auto& [term, factor] : sum.scaled) {
    add(out.mul_i64(at.at(term.first), term.second), factor);
  }
  return total;
}

}  // namespace dagaz::passes::gathering
