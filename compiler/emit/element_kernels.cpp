#include "emit/element_kernels.h"

#include <algorithm>
#include <iterator>

#include "ir/kernel_threads.h"
#include "support/match.h"
#include "tree/form.h"
#include "tree/walk.h"

namespace dagaz::emit {

void count_uses(const Code& code, UseCounts& uses) {
  tree::InstructionVisitor visitor;
  visitor.use = [&](const Operand& operand) {
    if (operand.is_name()) ++uses[operand.name()];
  };
  visitor.set = [](NameId) {};
  visitor.nested = [&](const Code& inner) { count_uses(inner, uses); };
  for (const Instruction& one : code) tree::visit(one, visitor);
}

static void append(Code& code, Code more) {
  code.insert(code.end(), std::make_move_iterator(more.begin()),
              std::make_move_iterator(more.end()));
}

/// Whether two pieces of code do the same with the same variables.
static bool are_same(const Code& a, const Code& b, const ir::Names& names) {
  const auto sets = [](const Code& code) {
    std::vector<NameId> all;
    tree::for_each_instruction(code, [&](const Instruction& one) {
      tree::visit(one, {[](const Operand&) {}, [&](NameId set) { all.push_back(set); },
                        [](const Code&) {}});
    });
    return all;
  };
  return tree::same_form(a, b, names) && sets(a) == sets(b) &&
         tree::captured_variables(a) == tree::captured_variables(b);
}

bool ElementKernels::split(const Code& code, const UseCounts& inside, Parts& parts) const {
  NameSet set;
  for (const Instruction& one : code) {
    Mentions mentions;
    mentions.add(one);
    const bool computes = as<Assign>(one.node) || as<Move>(one.node);
    const auto used_inside = [&](NameId name) {
      const auto found = inside.find(name);
      const auto all = uses_.find(name);
      return all == uses_.end() || all->second == (found == inside.end() ? 0 : found->second);
    };
    const bool stays_inside = std::all_of(mentions.set.begin(), mentions.set.end(), used_inside);
    if (as<ReadElement>(one.node) || as<WriteElement>(one.node) || as<If>(one.node) ||
        (computes && stays_inside)) {
      std::optional<Parts> own = parts_of(one, inside);
      if (!own || !own->on_host.empty() || !stays_inside) return false;
      set.merge(mentions.set);
      append(parts.in_kernel, std::move(own->in_kernel));
      continue;
    }
    const auto on_device = [&](NameId name) {
      return set.contains(name) || pending_.contains(name);
    };
    if (!(computes || as<Share>(one.node) || as<Release>(one.node)) ||
        std::any_of(mentions.used.begin(), mentions.used.end(), on_device)) {
      return false;
    }
    parts.on_host.push_back(one);
  }
  return true;
}

std::optional<ElementKernels::Parts> ElementKernels::parts_of(const Instruction& one,
                                                              const UseCounts& inside) const {
  const auto* branch = as<If>(one.node);
  if (branch == nullptr) return Parts{{in_kernel(one)}, {}};
  Parts yes;
  Parts no;
  if (!split(branch->then_code, inside, yes) || !split(branch->else_code, inside, no) ||
      !are_same(yes.on_host, no.on_host, names_)) {
    return std::nullopt;
  }
  Instruction chosen = If{branch->condition, std::move(yes.in_kernel), std::move(no.in_kernel)};
  return Parts{{std::move(chosen)}, std::move(yes.on_host)};
}

/// What the one thread of the kernel at the end of `out_` does.
Code& ElementKernels::kernel() {
  Launch* last = out_.empty() ? nullptr : as<Launch>(out_.back().node);
  if (last == nullptr || !last->kernel.empty()) {
    const NameId thread = names_.fresh("thread", ir::scalar_of(ScalarType::i32));
    const NameId first = names_.fresh("first", ir::scalar_of(ScalarType::boolean));
    const Operand zero = ir::Constant(ir::make_integer(ScalarType::i32, 0));
    Code body;
    body.push_back(ReadSpecial{thread, Special::thread_index});
    body.push_back(
        Assign{first, ScalarOp::eq, ScalarType::i32, ScalarType::boolean, {thread, zero}});
    body.push_back(If{first, {}, {}});
    out_.push_back(
        Launch{{}, ir::i64_operand(1), ir::block_threads, ir::i64_operand(0), std::move(body)});
    last = as<Launch>(out_.back().node);
  }
  return as<If>(last->body.back().node)->then_code;
}

bool ElementKernels::take(const Instruction& one, const Mentions& mentions) {
  if (!as<WriteElement>(one.node) && !as<If>(one.node)) return false;
  if (!pending_.contains_any(mentions.used) || pending_.would_change(mentions)) return false;
  UseCounts inside;
  count_uses({one}, inside);
  std::optional<Parts> parts = parts_of(one, inside);
  if (!parts || parts->in_kernel.empty()) return false;
  Code& code = kernel();
  append(code, pending_.in_kernel(mentions.used));
  append(code, std::move(parts->in_kernel));
  append(out_, std::move(parts->on_host));
  return true;
}

void ElementKernels::finish(Kernels& kernels, const std::string& function) {
  for (Instruction& one : out_) {
    auto* launch = as<Launch>(one.node);
    if (launch == nullptr || !launch->kernel.empty()) continue;
    launch->kernel = kernels.name_of(launch->body, function, "elements");
  }
}

}  // namespace dagaz::emit
