#include "emit/pending_scalars.h"

#include <algorithm>
#include <iterator>

#include "support/match.h"
#include "tree/walk.h"

namespace dagaz::emit {

void Mentions::add(const Instruction& one) {
  const bool loads = as<Load>(one.node) != nullptr;
  tree::InstructionVisitor visitor;
  visitor.use = [&](const Operand& operand) {
    if (!operand.is_name()) return;
    used.insert(operand.name());
    if (!loads) not_loaded.insert(operand.name());
  };
  visitor.set = [&](NameId name) { set.insert(name); };
  visitor.nested = [&](const Code& inner) { add(inner); };
  tree::visit(one, visitor);
}

void Mentions::add(const Code& code) {
  for (const Instruction& one : code) add(one);
}

Instruction in_kernel(const Instruction& one) {
  if (const auto* read = as<ReadElement>(one.node)) {
    return Load{read->target, read->block, read->index, read->type};
  }
  if (const auto* write = as<WriteElement>(one.node)) {
    return Store{write->block, write->index, write->value, write->type};
  }
  return one;
}

const ReadElement* PendingScalars::Step::read() const { return as<ReadElement>(one.node); }

NameId PendingScalars::Step::target() const {
  if (const ReadElement* element = read()) return element->target;
  if (const auto* assign = as<Assign>(one.node)) return assign->target;
  return as<Move>(one.node)->target;
}

std::vector<Operand> PendingScalars::Step::operands() const {
  if (const ReadElement* element = read()) return {element->index};
  if (const auto* assign = as<Assign>(one.node)) return assign->arguments;
  return {as<Move>(one.node)->value};
}

bool PendingScalars::contains_any(const NameSet& names) const {
  return std::any_of(steps_.begin(), steps_.end(),
                     [&](const Step& step) { return names.contains(step.target()); });
}

NameId PendingScalars::add(Instruction step) {
  steps_.push_back({std::move(step)});
  const NameId target = steps_.back().target();
  values_.insert(target);
  return target;
}

bool PendingScalars::keep_release(Instruction& one) {
  const auto* release = as<Release>(one.node);
  if (release == nullptr) return false;
  const auto of_block = std::find_if(steps_.rbegin(), steps_.rend(), [&](const Step& step) {
    return step.read() != nullptr && step.read()->block == release->block;
  });
  if (of_block == steps_.rend()) return false;
  of_block->releases.push_back(std::move(one));
  return true;
}

bool PendingScalars::would_change(const Mentions& one) const {
  return std::any_of(steps_.begin(), steps_.end(), [&](const Step& step) {
    if (step.read() != nullptr && one.not_loaded.contains(step.read()->block)) return true;
    if (one.set.contains(step.target())) return true;
    const std::vector<Operand> operands = step.operands();
    return std::any_of(operands.begin(), operands.end(), [&](const Operand& operand) {
      return operand.is_name() && one.set.contains(operand.name());
    });
  });
}

Code PendingScalars::in_kernel(const NameSet& names) const {
  NameSet needed = names;
  Code code;
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    if (!needed.contains(step->target())) continue;
    for (const Operand& operand : step->operands()) {
      if (operand.is_name()) needed.insert(operand.name());
    }
    code.push_back(emit::in_kernel(step->one));
  }
  std::reverse(code.begin(), code.end());
  return code;
}

void PendingScalars::flush(Code& out) {
  const auto is_read = [&](const Step& step) {
    return step.read() != nullptr && !contains(step.read()->index);
  };
  std::stable_partition(steps_.begin(), steps_.end(), is_read);
  for (Step& step : steps_) out.push_back(std::move(step.one));
  for (Step& step : steps_) {
    std::move(step.releases.begin(), step.releases.end(), std::back_inserter(out));
  }
  steps_.clear();
  values_.clear();
}

}  // namespace dagaz::emit
