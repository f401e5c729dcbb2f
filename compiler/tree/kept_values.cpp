// A walk in the order in which code runs.  What a branch or a loop sets is out of sight behind it;
// a variable that is used out of sight, or is set twice, is not kept.
#include "tree/kept_values.h"

#include "tree/walk.h"

namespace dagaz::tree {

namespace {

class KeptValues {
 public:
  void set(NameId name) {
    if (!set_.insert(name).second) changed_.insert(name);
    if (seen_.insert(name).second) here_.push_back(name);
  }

  void use(const Operand& operand) {
    if (operand.is_name() && !seen_.contains(operand.name())) changed_.insert(operand.name());
  }

  void walk(const Code& code) {
    for (const Instruction& one : code) walk(one);
  }

  std::unordered_set<NameId> take() {
    for (const NameId name : changed_) set_.erase(name);
    return std::move(set_);
  }

 private:
  void walk(const Instruction& one) {
    if (const auto* loop = std::get_if<ParallelFor>(&one.node)) {
      walk_apart(one, loop->body);
    } else if (const auto* launch = std::get_if<Launch>(&one.node)) {
      walk_apart(one, launch->body);
    } else if (const auto* repeated = std::get_if<While>(&one.node)) {
      inside([&] {
        walk(repeated->test);
        use(repeated->condition);
        walk(repeated->body);
      });
    } else {
      const bool always = std::holds_alternative<ScratchScope>(one.node);
      visit(one, [&](const Code& inner) {
        if (always) {
          walk(inner);
        } else {
          inside([&] { walk(inner); });
        }
      });
    }
  }

  /// The code inside is a function of its own.
  void walk_apart(const Instruction& one, const Code& body) {
    visit(one, [](const Code&) {});
    for (const NameId name : captured_variables(body)) use(name);
  }

  template <typename Nested>
  void visit(const Instruction& one, const Nested& nested) {
    InstructionVisitor visitor;
    visitor.use = [this](const Operand& operand) { use(operand); };
    visitor.set = [this](NameId name) { set(name); };
    visitor.nested = nested;
    tree::visit(one, visitor);
  }

  template <typename Function>
  void inside(const Function& function) {
    const std::size_t before = here_.size();
    function();
    for (std::size_t k = before; k < here_.size(); ++k) seen_.erase(here_[k]);
    here_.resize(before);
  }

  std::unordered_set<NameId> set_;
  std::unordered_set<NameId> changed_;
  std::unordered_set<NameId> seen_;  // that are set whenever this place is reached
  std::vector<NameId> here_;         // these in their order
};

}  // namespace

std::unordered_set<NameId> kept_values(const Code& code, const std::vector<NameId>& parameters,
                                       const std::vector<Operand>& results) {
  KeptValues all;
  for (const NameId name : parameters) all.set(name);
  all.walk(code);
  for (const Operand& result : results) all.use(result);
  return all.take();
}

}  // namespace dagaz::tree
