// Loops.  What changes from one iteration to the next are the leaves of the loop pattern and those
// sizes in its type that the body decides anew; both become loop values.
#include <algorithm>

#include "elaborate/elaborator.h"

namespace dagaz::elaborate {

namespace {

/// Marks the leaves that stand under #[true_dep] in the loop pattern.
void mark_true_dependences(const NameTable& symbols, const ast::Pattern* pattern, TypeRef type,
                           bool marked, std::vector<bool>& out) {
  if (const auto* attributed = as<ast::AttributePattern>(pattern->node)) {
    const Symbol name = attributed->attribute.name;
    const bool here = name.valid() && symbols.text(name) == "true_dep";
    return mark_true_dependences(symbols, attributed->pattern, type, marked || here, out);
  }
  if (const auto* ascribed = as<ast::AscribedPattern>(pattern->node)) {
    return mark_true_dependences(symbols, ascribed->pattern, type, marked, out);
  }
  const auto* tuple = as<ast::TuplePattern>(pattern->node);
  const auto* record = as<RecordShape>(type->node);
  if (tuple != nullptr && record != nullptr) {
    for (std::size_t i = 0; i < tuple->elements.size(); ++i) {
      mark_true_dependences(symbols, tuple->elements[i], record->fields[i].second, marked, out);
    }
    return;
  }
  out.insert(out.end(), type->leaf_count, marked);
}

/// One loop while it is being built.
class LoopBuilder {
 public:
  LoopBuilder(Elaborator& elaborator, const ast::Loop& node, Frame* frame)
      : e_(elaborator), node_(node), frame_(frame), request_(elaborator.request) {
    sizes_ = node.size_ids;
    for (const ast::TypeParameter& size : node.sizes) sizes_.push_back(size.size_id);
  }

  ValueRef build() {
    const Temporarily<Request> cleared(e_.request, Request{});
    const ValueRef initial = e_.evaluate(node_.initial, frame_);
    open_ = e_.open_type(node_.pattern->type, frame_, sizes_);
    parameters_ = e_.fresh_for(node_.pattern, open_.type);
    set_form(initial);
    set_values(initial);
    set_attributes();
    loop_.body = e_.nested_body([&] { return build_body(); });
    return finish();
  }

 private:
  bool is_while() const { return std::holds_alternative<ast::WhileLoop>(node_.form); }

  /// The loop pattern bound to `value` in `frame`.
  void bind(ValueRef value, Frame* frame) {
    e_.bind_sizes(node_.pattern->type, e_.arena.type_of(value), frame, sizes_);
    e_.bind_pattern(node_.pattern, value, frame);
  }

  /// The condition of a while loop when the loop value is `value`.
  ir::Operand condition(ValueRef value) {
    Frame* inner = e_.arena.frame(frame_);
    bind(value, inner);
    return e_.evaluate_operand(std::get<ast::WhileLoop>(node_.form).condition, inner);
  }

  void set_form(ValueRef initial) {
    ir::Names& names = e_.names();
    if (is_while()) {
      const ir::NameId running =
          names.fresh("running", ir::scalar_of(ir::ScalarType::boolean));
      loop_.form = ir::WhileForm{running};
      loop_.values.push_back({{running}, condition(initial)});
      return;
    }
    ir::Operand bound;
    if (const auto* counted = as<ast::ForLoop>(node_.form)) {
      const Temporarily<std::string> named(e_.hint, "iterations");
      const ValueRef value = e_.evaluate(counted->bound, frame_);
      index_primitive_ = e_.primitive_of(value);
      bound = e_.scalar_of(value);
      // Counting is signed; a narrower unsigned bound may not fit its own width.
      if (is_unsigned(index_primitive_)) bound = e_.to_i64(bound, index_primitive_);
    } else {
      elements_ = e_.evaluate(std::get<ast::ForInLoop>(node_.form).array, frame_);
      bound = e_.array_shape(elements_).size;
    }
    const ir::ScalarType type = names.type(bound).element;
    index_ = names.fresh("i", ir::scalar_of(type));
    loop_.form = ir::ForForm{{index_}, std::move(bound)};
  }

  void set_values(ValueRef initial) {
    const std::vector<ir::Operand> sizes = e_.match_open(open_, e_.arena.type_of(initial));
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      loop_.values.push_back({{open_.sizes[i]}, sizes[i]});
    }
    const std::vector<ir::Operand> leaves = e_.unshared_leaves(initial);
    DZ_CHECK(leaves.size() == parameters_.size(), "a loop starts with a value of its type");
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      loop_.values.push_back({{parameters_[i]}, leaves[i]});
    }
  }

  void set_attributes() {
    loop_.attributes.stripmine = request_.stripmine;
    loop_.attributes.unroll = request_.unroll;
    if (is_while()) loop_.attributes.bound = request_.bound;
    std::vector<bool> marked;
    mark_true_dependences(e_.symbols, node_.pattern, open_.type, false, marked);
    if (std::find(marked.begin(), marked.end(), true) == marked.end()) return;
    marked.insert(marked.begin(), loop_.values.size() - marked.size(), false);
    loop_.attributes.true_dependence = std::move(marked);
  }

  std::vector<ir::Operand> build_body() {
    bind(e_.arena.from_leaves(open_.type, parameters_), frame_);
    if (const auto* counted = as<ast::ForLoop>(node_.form)) {
      ir::Operand index = index_;
      const ir::ScalarType type = scalar_type(index_primitive_);
      if (is_unsigned(index_primitive_)) {
        index = e_.out->convert(ir::ScalarOp::sign_extend, ir::ScalarType::i64, type, index);
      }
      e_.bind_pattern(counted->index, e_.arena.leaf(e_.arena.scalar(index_primitive_), index),
                      frame_);
    } else if (const auto* over = as<ast::ForInLoop>(node_.form)) {
      e_.bind_pattern(over->element, e_.element_at(elements_, index_), frame_);
    }
    const ValueRef next = e_.evaluate(node_.body, frame_);
    std::vector<ir::Operand> results;
    if (is_while()) results.push_back(condition(next));
    for (ir::Operand& size : e_.match_open(open_, e_.arena.type_of(next))) {
      results.push_back(std::move(size));
    }
    for (ir::Operand& leaf : e_.unshared_leaves(next)) results.push_back(std::move(leaf));
    return results;
  }

  ValueRef finish() {
    const OpenType final = e_.renew(open_);
    const std::vector<ir::NameId> leaves = e_.fresh(leaf_types(final.type));
    std::vector<ir::NameId> results;
    if (is_while()) results = e_.fresh({ir::scalar_of(ir::ScalarType::boolean)});
    results.insert(results.end(), final.sizes.begin(), final.sizes.end());
    results.insert(results.end(), leaves.begin(), leaves.end());
    const Temporarily<Request> requested(e_.request, request_);
    e_.emit_named(results, std::move(loop_));
    return e_.arena.from_leaves(final.type, leaves);
  }

  Elaborator& e_;
  const ast::Loop& node_;
  Frame* frame_;
  Request request_;
  std::vector<BindingId> sizes_;
  OpenType open_;
  std::vector<ir::NameId> parameters_;
  ir::NameId index_;
  check::Primitive index_primitive_ = check::Primitive::i64;
  ValueRef elements_ = nullptr;
  ir::Loop loop_;
};

}  // namespace

ValueRef Elaborator::evaluate_loop(const ast::Exp* exp, const ast::Loop& node, Frame* frame) {
  const At at(*this, exp->range);
  return LoopBuilder(*this, node, frame).build();
}

}  // namespace dagaz::elaborate
