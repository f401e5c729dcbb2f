// Indexing, slicing and updating, with their bounds checks.
#include "elaborate/elaborator.h"

namespace dagaz::elaborate {

namespace {

/// The positions of one access: what the IR needs, and what a failed check says.
class Access {
 public:
  using Evaluate = std::function<ValueRef(const ast::Exp*)>;
  Access(Elaborator& elaborator, Evaluate evaluate)
      : e_(elaborator), evaluate_(std::move(evaluate)) {}

  /// Adds a position in a dimension of size `size`.
  void add(const ast::IndexDimension& position, const ir::Operand& size) {
    if (!text_.empty()) text_ += ", ";
    if (position.is_slice) {
      add_slice(position, size);
    } else {
      add_fixed(position, size);
    }
    shape_.push_back(size);
  }

  /// Asserts that all positions are inside; `rest` are the sizes of the dimensions not indexed.
  std::optional<ir::NameId> check(const std::vector<ir::Operand>& rest) {
    std::string message = "Index [" + text_ + "] out of bounds for array of shape ";
    std::vector<ir::Operand> arguments = arguments_;
    shape_.insert(shape_.end(), rest.begin(), rest.end());
    for (const ir::Operand& size : shape_) {
      message += "[{}]";
      arguments.push_back(size);
    }
    message += ".";
    return e_.check(ok_, std::move(message), std::move(arguments));
  }

  bool all_fixed() const {
    for (const ir::SliceDimension& dimension : dimensions_) {
      if (!dimension.fixed) return false;
    }
    return true;
  }
  const std::vector<ir::SliceDimension>& dimensions() const { return dimensions_; }
  std::vector<ir::Operand> indices() const {
    std::vector<ir::Operand> result;
    for (const ir::SliceDimension& dimension : dimensions_) result.push_back(dimension.start);
    return result;
  }
  /// The positions followed by the whole of the remaining dimensions of an array of `type`.
  std::vector<ir::SliceDimension> complete(const ir::Type& type) const {
    std::vector<ir::SliceDimension> result = dimensions_;
    for (std::size_t i = result.size(); i < type.shape.size(); ++i) {
      result.push_back({false, ir::i64_operand(0), type.shape[i], ir::i64_operand(1)});
    }
    return result;
  }

 private:
  ir::Operand number(const ast::Exp* exp) {
    const ValueRef value = evaluate_(exp);
    const ir::Operand operand = e_.to_i64(e_.scalar_of(value), e_.primitive_of(value));
    text_ += "{}";
    arguments_.push_back(operand);
    return operand;
  }

  void require(const ir::Operand& condition) { ok_ = e_.logical_and(ok_, condition); }

  /// 0 <= a < b, or with `inclusive` a <= b, for a b that is not negative.
  ir::Operand within(const ir::Operand& a, const ir::Operand& b, bool inclusive) {
    if (a == b) return ir::make_bool(inclusive);
    return e_.scalar(inclusive ? ir::ScalarOp::ule : ir::ScalarOp::ult, ir::ScalarType::i64,
                     {a, b});
  }

  void add_fixed(const ast::IndexDimension& position, const ir::Operand& size) {
    const ir::Operand index = number(position.index);
    require(within(index, size, false));
    dimensions_.push_back({true, index, ir::i64_operand(1), ir::i64_operand(1)});
  }

  void add_slice(const ast::IndexDimension& position, const ir::Operand& size) {
    std::optional<ir::Operand> start, end, stride;
    if (position.start != nullptr) start = number(position.start);
    text_ += ":";
    if (position.end != nullptr) end = number(position.end);
    if (position.stride != nullptr) {
      text_ += ":";
      stride = number(position.stride);
    }
    const ir::Operand one = ir::i64_operand(1);
    if (stride.has_value() && !(*stride == one)) {
      add_strided(start, end, *stride, size);
      return;
    }
    const ir::Operand from = start.value_or(ir::i64_operand(0));
    const ir::Operand to = end.value_or(size);
    const ir::Operand count = e_.out->sub_i64(to, from);
    dimensions_.push_back({false, from, count, one});
    if (start.has_value() && end.has_value()) {
      const ir::Operand empty = e_.compare_i64(ir::ScalarOp::eq, from, to);
      const ir::Operand ordered = e_.compare_i64(ir::ScalarOp::sle, from, to);
      const ir::Operand inside =
          e_.logical_and(e_.compare_i64(ir::ScalarOp::sle, ir::i64_operand(0), from),
                         e_.compare_i64(ir::ScalarOp::sle, to, size));
      require(e_.logical_or(empty, e_.logical_and(ordered, inside)));
    } else if (start.has_value()) {
      require(within(from, size, true));
    } else if (end.has_value()) {
      require(within(to, size, true));
    }
  }

  // The defaults of elided bounds follow the sign of the stride.
  void add_strided(const std::optional<ir::Operand>& start, const std::optional<ir::Operand>& end,
                   const ir::Operand& stride, const ir::Operand& size) {
    using enum ir::ScalarOp;
    const auto i64 = [&](ir::ScalarOp op, std::vector<ir::Operand> arguments) {
      return e_.scalar(op, ir::ScalarType::i64, std::move(arguments));
    };
    const auto pick = [&](const ir::Operand& c, const ir::Operand& a, const ir::Operand& b) {
      return e_.out->select(ir::ScalarType::i64, c, a, b);
    };
    const ir::Operand zero = ir::i64_operand(0);
    const ir::Operand minus_one = ir::i64_operand(-1);
    const ir::Operand is_zero = i64(eq, {stride, zero});
    const ir::Operand step = pick(is_zero, ir::i64_operand(1), stride);
    const ir::Operand backwards = i64(slt, {step, zero});
    const ir::Operand last = e_.out->sub_i64(size, ir::i64_operand(1));
    const ir::Operand from = start.has_value() ? *start : pick(backwards, last, zero);
    const ir::Operand to = end.has_value() ? *end : pick(backwards, minus_one, size);
    const ir::Operand distance = e_.out->sub_i64(to, from);
    const ir::Operand rounding = e_.out->sub_i64(step, i64(ssgn, {step}));
    const ir::Operand count = i64(sdiv, {e_.out->add_i64(distance, rounding), step});
    const ir::Operand steps = e_.out->sub_i64(count, ir::i64_operand(1));
    const ir::Operand final = e_.out->add_i64(from, e_.out->mul_i64(steps, step));
    const ir::Operand ends_inside =
        e_.logical_and(within(from, size, false), within(final, size, false));
    const ir::Operand forwards_ok = e_.compare_i64(sle, from, to);
    const ir::Operand backwards_ok =
        e_.logical_and(e_.compare_i64(sle, minus_one, to), e_.compare_i64(sle, to, from));
    const ir::Operand direction_ok =
        e_.logical_or(e_.logical_and(backwards, backwards_ok),
                      e_.logical_and(e_.logical_not(backwards), forwards_ok));
    const ir::Operand empty = e_.compare_i64(eq, count, zero);
    require(e_.logical_not(is_zero));
    require(e_.logical_or(empty, e_.logical_and(direction_ok, ends_inside)));
    dimensions_.push_back({false, from, count, step});
  }

  Elaborator& e_;
  Evaluate evaluate_;
  std::string text_;
  std::vector<ir::Operand> arguments_;
  std::vector<ir::Operand> shape_;
  ir::Operand ok_ = ir::make_bool(true);
  std::vector<ir::SliceDimension> dimensions_;
};

/// The sizes of the dimensions of an array type.
std::vector<ir::Operand> sizes_of(TypeRef type) {
  std::vector<ir::Operand> sizes;
  while (const auto* array = as<ArrayShape>(type->node)) {
    sizes.push_back(array->size);
    type = array->element;
  }
  return sizes;
}

/// `element` with the dimensions that the access keeps around it.
TypeRef kept_type(ValueArena& arena, const std::vector<ir::SliceDimension>& dimensions,
                  TypeRef element) {
  for (std::size_t i = dimensions.size(); i-- > 0;) {
    if (!dimensions[i].fixed) element = arena.array(dimensions[i].count, element);
  }
  return element;
}

}  // namespace

ir::Operand Elaborator::to_i64(ir::Operand value, check::Primitive type) {
  const ir::ScalarOp op =
      is_unsigned(type) ? ir::ScalarOp::zero_extend : ir::ScalarOp::sign_extend;
  return out->convert(op, scalar_type(type), ir::ScalarType::i64, std::move(value));
}

const ArrayShape& Elaborator::array_shape(ValueRef array) {
  const auto* shape = as<ArrayShape>(leaf_of(array).type->node);
  DZ_CHECK(shape != nullptr, "an array is expected here");
  return *shape;
}

ValueRef Elaborator::element_at(ValueRef array, ir::Operand index) {
  const TypeRef element = array_shape(array).element;
  std::vector<ir::Operand> leaves;
  for (const ir::Operand& leaf : leaf_of(array).leaves) {
    leaves.push_back(emit_one(ir::Index{array_name(leaf), {index}}));
  }
  return arena.from_leaves(element, leaves.data());
}

ValueRef Elaborator::index_value(ValueRef array,
                                 const std::vector<ast::IndexDimension>& dimensions, Frame* frame,
                                 const Range& where) {
  const At at(*this, where);
  const LeafValue& source = leaf_of(array);
  Access access(*this, [&](const ast::Exp* exp) { return evaluate(exp, frame); });
  TypeRef element = source.type;
  for (const ast::IndexDimension& dimension : dimensions) {
    const auto& shape = std::get<ArrayShape>(element->node);
    access.add(dimension, shape.size);
    element = shape.element;
  }
  const TypeRef type = kept_type(arena, access.dimensions(), element);
  const Guarded guarded(*this, access.check(sizes_of(element)));
  std::vector<ir::Operand> leaves;
  for (const ir::Operand& leaf : source.leaves) {
    const ir::NameId name = array_name(leaf);
    if (access.all_fixed()) {
      leaves.push_back(emit_one(ir::Index{name, access.indices()}));
    } else {
      leaves.push_back(emit_one(ir::Slice{name, access.complete(names().type(name))}));
    }
  }
  return arena.from_leaves(type, leaves.data());
}

ValueRef Elaborator::evaluate_index(const ast::Exp* exp, const ast::Index& node, Frame* frame) {
  return index_value(evaluate(node.array, frame), node.dimensions, frame, exp->range);
}

ValueRef Elaborator::apply_path(const std::vector<ast::PathStep>& path, ValueRef value,
                                Frame* frame, const Range& where) {
  for (const ast::PathStep& step : path) {
    if (const auto* field = as<ast::Name>(step.step)) {
      value = project(value, field->symbol, step.range);
    } else {
      const auto& dimensions = std::get<std::vector<ast::IndexDimension>>(step.step);
      value = index_value(value, dimensions, frame, where);
    }
  }
  return value;
}

// ---------------------------------------------------------------- updates

ValueRef Elaborator::evaluate_update(const ast::Exp* exp, const ast::Update& node, Frame* frame) {
  // The value and the positions may read what evaluating the source consumes.
  const ValueRef value = evaluate(node.value, frame);
  const Positions positions = evaluate_positions(node.path, frame);
  const ValueRef source = evaluate(node.source, frame);
  const At at(*this, exp->range);
  return update_value(source, node.path, value, positions);
}

Elaborator::Positions Elaborator::evaluate_positions(const std::vector<ast::PathStep>& path,
                                                     Frame* frame) {
  Positions positions;
  for (const ast::PathStep& step : path) {
    const auto* dimensions = std::get_if<std::vector<ast::IndexDimension>>(&step.step);
    if (dimensions == nullptr) continue;
    for (const ast::IndexDimension& dimension : *dimensions) {
      for (const ast::Exp* exp :
           {dimension.index, dimension.start, dimension.end, dimension.stride}) {
        if (exp != nullptr) positions.emplace(exp, evaluate(exp, frame));
      }
    }
  }
  return positions;
}

ValueRef Elaborator::update_value(ValueRef source, std::span<const ast::PathStep> path,
                                  ValueRef value, const Positions& positions) {
  if (path.empty()) return value;
  const auto* record = as<RecordValue>(source->node);
  if (record == nullptr) return update_array(leaf_of(source), path, value, positions);
  const Symbol field = std::get<ast::Name>(path.front().step).symbol;
  RecordValue result = *record;
  for (auto& [name, part] : result.fields) {
    if (name == field) part = update_value(part, path.subspan(1), value, positions);
  }
  return arena.value(std::move(result));
}

ir::NameId Elaborator::consumable(const ir::Operand& array) {
  const ir::NameId name = array_name(array);
  if (!shared.contains(name)) return name;
  return emit_one(ir::Copy{name});
}

std::vector<ir::Operand> Elaborator::unshared_leaves(ValueRef value) {
  std::vector<ir::Operand> leaves = leaves_of(value);
  for (ir::Operand& leaf : leaves) {
    if (leaf.is_name() && shared.contains(leaf.name())) leaf = consumable(leaf);
  }
  return leaves;
}

// However many steps the path has, an array of records is a row of arrays: the whole path comes
// down to one position in some of the leaves.
ValueRef Elaborator::update_array(const LeafValue& source, std::span<const ast::PathStep> path,
                                  ValueRef value, const Positions& positions) {
  Access access(*this, [&](const ast::Exp* exp) { return positions.at(exp); });
  TypeRef current = source.type;
  std::size_t first = 0;
  for (const ast::PathStep& step : path) {
    if (const auto* field = as<ast::Name>(step.step)) {
      for (const auto& [name, type] : std::get<RecordShape>(current->node).fields) {
        if (name == field->symbol) {
          current = type;
          break;
        }
        first += type->leaf_count;
      }
      continue;
    }
    for (const auto& position : std::get<std::vector<ast::IndexDimension>>(step.step)) {
      const auto& shape = std::get<ArrayShape>(current->node);
      access.add(position, shape.size);
      current = shape.element;
    }
  }
  const TypeRef written = kept_type(arena, access.dimensions(), current);
  const std::optional<ir::NameId> inside = access.check(sizes_of(current));
  const Guarded guarded(*this, inside);
  const std::vector<ir::Operand> have = sizes_of(arena.type_of(value));
  const std::vector<ir::Operand> want = sizes_of(written);
  ir::Operand fits = ir::make_bool(true);
  for (std::size_t i = 0; i < have.size() && i < want.size(); ++i) {
    fits = logical_and(fits, compare_i64(ir::ScalarOp::eq, have[i], want[i]));
  }
  const std::optional<ir::NameId> same =
      access.all_fixed() ? std::nullopt
                         : check(fits, "Shape of slice does not match shape of value.");
  const Guarded sized(*this, same);
  LeafValue result = source;
  const std::vector<ir::Operand> parts = leaves_of(value);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    ir::Operand& leaf = result.leaves[first + i];
    const ir::NameId name = consumable(leaf);
    leaf = emit_one(ir::Update{name, access.complete(names().type(name)), parts[i]});
  }
  return arena.value(std::move(result));
}

}  // namespace dagaz::elaborate
