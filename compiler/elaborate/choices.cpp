// `if` and `match`: arms that are tried in turn, each branch inside the one before it.
//
// A chain of many arms would be a nest as deep, and every pass that asks something of a branch and
// all that is in it would take time that grows with the square of the length.  So a long chain
// becomes groups, one behind the other, each of which says whether it has decided:
//   (x, decided)  = branch c₁ {(e₁, true)} {branch c₂ {(e₂, true)} … {(0, false)}}
//   (x', decided') = branch decided {(x, true)} {branch c₆₅ …}
// This needs values for what is not decided, so the results must be scalars; and no arm may consume
// an array, which arms behind it may consume as well.
#include <algorithm>
#include <utility>

#include "elaborate/elaborator.h"

namespace dagaz::elaborate {

namespace {

constexpr std::size_t longest_chain = 64;

/// A chain whose results are scalars, in groups.
class Groups {
 public:
  Groups(Elaborator& elaborator, TypeRef type, std::span<const Arm> arms,
         const Elaborator::BranchBuilder& otherwise)
      : e_(elaborator), type_(type), types_(leaf_types(type)), arms_(arms), otherwise_(otherwise) {
    types_.push_back(ir::scalar_of(ir::ScalarType::boolean));
  }

  ValueRef value() {
    Leaves result = group();
    while (next_ < arms_.size()) {
      const ir::Operand decided = result.back();
      const auto same = [&] { return result; };
      result = branch(decided, same, [&] { return group(); });
    }
    return e_.arena.from_leaves(type_, result.data());
  }

 private:
  /// The leaves of the value, and whether it is decided.
  using Leaves = std::vector<ir::Operand>;
  using Builder = std::function<Leaves()>;

  Leaves branch(const ir::Operand& condition, const Builder& yes, const Builder& no) {
    if (condition.is_constant()) return condition.constant().bits != 0 ? yes() : no();
    // In the order in which they are evaluated.
    ir::Body first = e_.nested_body(yes);
    ir::Body second = e_.nested_body(no);
    const std::vector<ir::NameId> names = e_.fresh(types_);
    e_.emit_named(names, ir::Branch{condition, std::move(first), std::move(second), types_});
    return {names.begin(), names.end()};
  }

  static Leaves decided(ValueRef value) {
    Leaves leaves = leaves_of(value);
    leaves.emplace_back(ir::make_bool(true));
    return leaves;
  }

  Leaves group() {
    consumed_before_ = e_.consuming_operations;
    return arm(longest_chain);
  }

  /// The next arm and those behind it; after `left` of them the group ends.
  Leaves arm(std::size_t left) {
    if (next_ == arms_.size()) return decided(otherwise_());
    if (left == 0) {
      if (e_.consuming_operations == consumed_before_) return undecided();
      left = longest_chain;
    }
    const Arm& arm = arms_[next_++];
    const At at(e_, arm.exp->range);
    const ir::Operand condition = arm.test();
    return branch(
        condition, [&] { return decided(arm.value()); }, [&] { return this->arm(left - 1); });
  }

  Leaves undecided() {
    Leaves leaves = leaves_of(e_.blank(type_));
    leaves.emplace_back(ir::make_bool(false));
    return leaves;
  }

  Elaborator& e_;
  TypeRef type_;
  std::vector<ir::Type> types_;
  std::span<const Arm> arms_;
  const Elaborator::BranchBuilder& otherwise_;
  std::size_t next_ = 0;
  std::size_t consumed_before_ = 0;
};

/// The type of the value, if that is made of scalars.
TypeRef type_of_scalars(Elaborator& elaborator, const ast::Exp* exp, Frame* frame) {
  if (!exp->existentials.empty()) return nullptr;
  const TypeRef type = elaborator.try_evaluate_type(exp->type, frame);
  const auto is_scalar = [](const ir::Type& leaf) { return leaf.is_scalar(); };
  if (type == nullptr || !is_data(type)) return nullptr;
  const std::vector<ir::Type> leaves = leaf_types(type);
  return std::all_of(leaves.begin(), leaves.end(), is_scalar) ? type : nullptr;
}

}  // namespace

ValueRef Elaborator::choose(std::span<const Arm> arms, const BranchBuilder& otherwise,
                            Frame* frame) {
  if (arms.size() > longest_chain) {
    const TypeRef type = type_of_scalars(*this, arms.front().exp, frame);
    if (type != nullptr) return Groups(*this, type, arms, otherwise).value();
  }
  return choose_in_nest(arms, otherwise, frame);
}

ValueRef Elaborator::choose_in_nest(std::span<const Arm> arms, const BranchBuilder& otherwise,
                                    Frame* frame) {
  if (arms.empty()) return otherwise();
  const Arm& first = arms.front();
  const At at(*this, first.exp->range);
  const ir::Operand condition = first.test();
  return branch(condition, first.exp, frame, first.value,
                [&] { return choose_in_nest(arms.subspan(1), otherwise, frame); });
}

ValueRef Elaborator::branch(ir::Operand condition, const ast::Exp* exp, Frame* frame,
                            const BranchBuilder& yes, const BranchBuilder& no) {
  if (condition.is_constant()) return condition.constant().bits != 0 ? yes() : no();
  const OpenType open = open_type(exp->type, frame, exp->existentials);
  const auto body_of = [&](const BranchBuilder& build) {
    return nested_body([&] {
      const ValueRef value = build();
      std::vector<ir::Operand> results = match_open(open, arena.type_of(value));
      for (ir::Operand& leaf : unshared_leaves(value)) results.push_back(std::move(leaf));
      return results;
    });
  };
  ir::Branch branch{std::move(condition), body_of(yes), body_of(no), {}};
  std::vector<ir::NameId> results = open.sizes;
  const std::vector<ir::NameId> leaves = fresh(leaf_types(open.type));
  results.insert(results.end(), leaves.begin(), leaves.end());
  for (const ir::NameId name : results) branch.result_types.push_back(names().type(name));
  emit_named(results, std::move(branch));
  return arena.from_leaves(open.type, leaves);
}

ValueRef Elaborator::evaluate_if(const ast::Exp* exp, Frame* frame) {
  std::vector<Arm> arms;
  const ast::Exp* rest = exp;
  const auto* node = as<ast::If>(rest->node);
  while (node != nullptr) {
    arms.push_back({rest, [this, node, frame] { return evaluate_operand(node->condition, frame); },
                    [this, node, frame] { return evaluate(node->then_branch, frame); }});
    rest = node->else_branch;
    node = rest->existentials.empty() ? as<ast::If>(rest->node) : nullptr;
  }
  return choose(arms, [&] { return evaluate(rest, frame); }, frame);
}

ValueRef Elaborator::evaluate_match(const ast::Exp* exp, const ast::Match& node, Frame* frame) {
  const At at(*this, exp->range);
  const ValueRef value = evaluate(node.value, frame);
  const auto take = [this, value, frame](const ast::Case& one) {
    bind_pattern(one.pattern, value, frame);
    return evaluate(one.body, frame);
  };
  std::vector<Arm> arms;
  for (const ast::Case& one : node.cases) {
    arms.push_back({exp,
                    [this, &one, value, frame] { return test_pattern(one.pattern, value, frame); },
                    [&take, &one] { return take(one); }});
  }
  // The checker knows that the cases are exhaustive, so the last one needs no test.
  arms.pop_back();
  return choose(arms, [&] { return take(node.cases.back()); }, frame);
}

}  // namespace dagaz::elaborate
