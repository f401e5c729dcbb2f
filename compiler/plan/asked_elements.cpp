#include "plan/asked_elements.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "ir/names.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::NameId;
using ir::Operand;
using ir::ScalarOp;

namespace {

class Taking {
 public:
  Taking(const ir::Statement& statement, ir::Names& names)
      : statement_(statement), branch_(*as<ir::Branch>(statement.operation)), names_(names) {}

  bool is_possible() const {
    const auto constant = [](const Operand& one) { return one.is_constant(); };
    const std::vector<ir::Statement>& there = branch_.then_body.statements;
    return branch_.else_body.statements.empty() &&
           std::all_of(branch_.else_body.results.begin(), branch_.else_body.results.end(),
                       constant) &&
           std::all_of(there.begin(), there.end(), [](const ir::Statement& one) {
             const auto* scalar = as<ir::Scalar>(one.operation);
             return (scalar && !ir::is_partial(scalar->op)) || as<ir::Index>(one.operation) ||
                    as<ir::Identity>(one.operation);
           });
  }

  std::vector<ir::Statement> take() {
    for (const ir::Statement& one : branch_.then_body.statements) {
      const auto* read = as<ir::Index>(one.operation);
      if (read && names_.type(one.results[0].name).is_scalar()) {
        ask(one, *read);
      } else {
        made_.push_back(one);
      }
    }
    for (std::size_t k = 0; k < statement_.results.size(); ++k) give(k);
    return std::move(made_);
  }

 private:
  // The element, or zero.
  void ask(const ir::Statement& one, const ir::Index& read) {
    const NameId result = one.results[0].name;
    const NameId there = names_.fresh_like(result);
    ir::Branch asked{branch_.condition,
                     {{{{{there}}, read}}, {there}},
                     {{}, {ir::zero_of(names_.type(result).element)}},
                     {names_.type(result)}};
    made_.push_back({{{result}}, std::move(asked), {}, one.location});
    zeros_.insert(result);
  }

  void give(std::size_t k) {
    const Operand& value = branch_.then_body.results[k];
    const Operand& outside = branch_.else_body.results[k];
    const ir::Binder& result = statement_.results[k];
    if (value.is_name() && multiply_zeros(value.name(), result, outside)) return;
    made_.push_back({{result}, chosen(value, outside), {}, statement_.location});
  }

  ir::Scalar chosen(const Operand& inside, const Operand& outside) const {
    const ir::ScalarType type = outside.constant().type;
    return {ScalarOp::select, type, type, {branch_.condition, inside, outside}};
  }

  // Whether `value` is a product, and zero is wanted outside: then the result is one of zeros
  // there. A factor that is none yet takes the name of the value: plans tell of it, and are made
  // and followed apart from each other.
  bool multiply_zeros(NameId value, const ir::Binder& result, const Operand& outside) {
    const auto product = std::find_if(made_.begin(), made_.end(), [&](const ir::Statement& one) {
      const auto* scalar = as<ir::Scalar>(one.operation);
      return scalar && scalar->op == ScalarOp::mul && one.results[0].name == value;
    });
    if (product == made_.end() || outside != Operand(ir::zero_of(outside.constant().type))) {
      return false;
    }
    std::vector<Operand*> others;
    for (Operand& factor : as<ir::Scalar>(product->operation)->arguments) {
      if (!factor.is_name() || !zeros_.contains(factor.name())) others.push_back(&factor);
    }
    if (others.empty()) {
      made_.push_back({{result}, ir::Identity{value}, {}, statement_.location});
      return true;
    }
    if (others.size() > 1 || uses(value) != 1) return false;
    ir::Statement factor{{{value}}, chosen(*others[0], outside), {}, product->location};
    *others[0] = value;
    product->results = {result};
    made_.insert(product, std::move(factor));
    return true;
  }

  // How often the side where the condition holds mentions a name that it binds.
  std::size_t uses(NameId name) const {
    const ir::Body& there = branch_.then_body;
    auto all = std::count(there.results.begin(), there.results.end(), Operand(name));
    for (const ir::Statement& one : there.statements) {
      const std::vector<NameId> used = ir::free_names(one, names_);
      all += std::count(used.begin(), used.end(), name);
    }
    return static_cast<std::size_t>(all);
  }

  const ir::Statement& statement_;
  const ir::Branch& branch_;
  ir::Names& names_;
  std::vector<ir::Statement> made_;
  std::unordered_set<NameId> zeros_;  // what is zero where the condition does not hold
};

}  // namespace

bool ask_at_reads(ir::Body& elements, ir::Names& names) {
  std::vector<ir::Statement>& all = elements.statements;
  const auto branch = std::find_if(all.begin(), all.end(), [](const ir::Statement& one) {
    return as<ir::Branch>(one.operation) != nullptr;
  });
  if (branch == all.end()) return true;
  Taking taking(*branch, names);
  if (!taking.is_possible()) return false;
  const std::vector<ir::Statement> made = taking.take();
  const auto behind = all.erase(branch);
  all.insert(behind, made.begin(), made.end());
  return true;
}

const ir::Index* read_of(const ir::Statement& statement) {
  if (const auto* read = as<ir::Index>(statement.operation)) return read;
  const auto* branch = as<ir::Branch>(statement.operation);
  if (!branch || branch->then_body.statements.size() != 1) return nullptr;
  return as<ir::Index>(branch->then_body.statements[0].operation);
}

}  // namespace dagaz::plan
