#include "passes/distribute/forms.h"

#include <algorithm>

#include "ir/fields.h"
#include "support/match.h"

namespace dagaz::passes::distributing {

using ir::NameId;
using ir::Operand;
using ir::ScalarOp;

namespace {

constexpr int deepest = 32;  // definition of a number by others that is followed
constexpr std::int64_t widest = std::int64_t{1} << 16;  // so that sums do not overflow

std::optional<Form> checked(Form form) {
  if (form.low < -widest || form.high > widest || form.low > form.high) return std::nullopt;
  return form;
}

std::optional<Form> both(const std::optional<Form>& a, const std::optional<Form>& b) {
  if (!a || !b || a->has_index != b->has_index) return std::nullopt;
  return Form{a->has_index,
              std::min(a->low, b->low),
              std::max(a->high, b->high),
              a->modulo || b->modulo,
              a->not_negative && b->not_negative,
              a->below_extent && b->below_extent};
}

/// A number that has nothing to do with the index.
Form number(std::int64_t low, std::int64_t high) { return {false, low, high, false, low >= 0}; }

std::optional<std::int64_t> constant_of(const Operand& operand) {
  if (!operand.is_constant()) return std::nullopt;
  return ir::integer_value(operand.constant());
}

/// The other operand, if one is `wanted`.
template <typename Wanted>
const Operand* beside(const ir::Scalar& scalar, const Wanted& wanted) {
  if (wanted(scalar.arguments[0])) return &scalar.arguments[1];
  return wanted(scalar.arguments[1]) ? scalar.arguments.data() : nullptr;
}

void find_definitions(const ir::Body& body, Definitions& found) {
  for (const ir::Statement& one : body.statements) {
    if (const auto* scalar = as<ir::Scalar>(one.operation)) {
      found.scalars.emplace(one.results[0].name, *scalar);
    } else if (const auto* range = as<ir::Iota>(one.operation)) {
      found.ranges.emplace(one.results[0].name, *range);
    }
    ir::for_each_scope(one.operation,
                       [&](const ir::Body& inner) { find_definitions(inner, found); });
  }
}

}  // namespace

void Window::include(const Window& other) {
  low = std::min(low, other.low);
  high = std::max(high, other.high);
  wraps = wraps || other.wraps;
}

namespace {

/// Finds comparisons of indices with extents that hold.
class HoldsWalk {
 public:
  explicit HoldsWalk(Definitions& definitions) : definitions_(definitions) {}

  void body(const ir::Body& body) {
    for (const ir::Statement& one : body.statements) {
      indices(one.operation);
      ir::for_each_scope(one.operation, [&](const ir::Body& inner) { this->body(inner); });
    }
  }

 private:
  void indices(const ir::Operation& operation) {
    match(operation, [&](const auto& node) {
      if constexpr (requires { node.space; }) {
        for (const ir::SpaceDimension& one : node.space) {
          index(operation, one.index.name, one.extent);
        }
      }
    });
    if (const auto* loop = as<ir::Loop>(operation)) {
      const auto* form = std::get_if<ir::ForForm>(&loop->form);
      if (form != nullptr) index(operation, form->index.name, form->bound);
    } else if (const auto* map = as<ir::MapScanReduce>(operation)) {
      for (std::size_t k = 0; k < map->arrays.size(); ++k) {
        const auto range = definitions_.ranges.find(map->arrays[k]);
        if (range != definitions_.ranges.end() && range->second.start == ir::i64_operand(0) &&
            range->second.stride == ir::i64_operand(1)) {
          index(operation, map->map.parameters[k].name, map->width);
        }
      }
    }
  }
  void index(const ir::Operation& operation, NameId name, const Operand& extent) {
    Forms forms(definitions_, name, extent);
    ir::for_each_scope(operation, [&](const ir::Body& body) { compare(body, forms); });
  }
  void compare(const ir::Body& body, Forms& forms) {
    for (const ir::Statement& one : body.statements) {
      forms.add(one);
      const auto* scalar = as<ir::Scalar>(one.operation);
      if (scalar != nullptr && scalar->op == ScalarOp::ult &&
          scalar->arguments[1] == forms.extent() && forms.is_within(scalar->arguments[0])) {
        definitions_.hold.insert(one.results[0].name);
      }
      ir::for_each_scope(one.operation, [&](const ir::Body& inner) { compare(inner, forms); });
    }
  }

  Definitions& definitions_;
};

}  // namespace

Definitions::Definitions(const ir::Function& function) {
  find_definitions(function.body, *this);
  HoldsWalk(*this).body(function.body);
}

bool Forms::is_within(const Operand& operand) {
  const auto form = of(operand);
  return form && form->has_index && form->not_negative && form->below_extent;
}

bool Forms::is_extent(const Operand& operand) const {
  if (operand == extent_) return true;
  if (!operand.is_name()) return false;
  // max n 1, as a divisor.
  const auto found = definitions_.scalars.find(operand.name());
  if (found == definitions_.scalars.end() || found->second.op != ScalarOp::smax) return false;
  const Operand* other =
      beside(found->second, [](const Operand& one) { return one == ir::i64_operand(1); });
  return other != nullptr && *other == extent_;
}

bool Forms::is_last(const Operand& operand) const {
  if (!operand.is_name()) {
    const auto extent = constant_of(extent_);
    return extent && constant_of(operand) == *extent - 1;
  }
  const auto found = definitions_.scalars.find(operand.name());
  if (found == definitions_.scalars.end()) return false;
  const ir::Scalar& scalar = found->second;
  if (scalar.op == ScalarOp::sub) {
    return scalar.arguments[0] == extent_ && scalar.arguments[1] == ir::i64_operand(1);
  }
  if (scalar.op != ScalarOp::add) return false;
  const Operand* other =
      beside(scalar, [](const Operand& one) { return one == ir::i64_operand(-1); });
  return other != nullptr && *other == extent_;
}

void Forms::add_index(NameId index, const Operand& bound) {
  const auto count = constant_of(bound);
  if (count && *count > 0) known_.insert_or_assign(index, checked(number(0, *count - 1)));
}

std::optional<Form> Forms::element_of(NameId array, const std::optional<Form>& index) const {
  const auto found = definitions_.ranges.find(array);
  if (found == definitions_.ranges.end() || !index) return std::nullopt;
  const ir::Iota& range = found->second;
  const auto start = constant_of(range.start);
  if (range.type != ir::ScalarType::i64 || !start || *start < -widest || *start > widest ||
      range.stride != ir::i64_operand(1)) {
    return std::nullopt;
  }
  Form form = *index;
  form.low += *start;
  form.high += *start;
  form.not_negative = form.not_negative && *start >= 0;
  form.below_extent = form.below_extent && *start <= 0;
  return checked(form);
}

void Forms::add_elements(NameId parameter, NameId array, const Operand& width) {
  const auto count = constant_of(width);
  if (!count || *count <= 0) return;
  known_.insert_or_assign(parameter, element_of(array, checked(number(0, *count - 1))));
}

void Forms::add(const ir::Statement& statement) {
  if (const auto* scalar = as<ir::Scalar>(statement.operation)) {
    known_.insert_or_assign(statement.results[0].name, of(*scalar, 0));
  } else if (const auto* read = as<ir::Index>(statement.operation)) {
    if (read->indices.size() != 1) return;
    const auto element = element_of(read->array, of(read->indices.front(), 0));
    if (element) known_.insert_or_assign(statement.results[0].name, element);
  }
}

std::optional<Form> Forms::of(const Operand& operand, int depth) {
  if (operand == extent_) return Form{false, 0, 0, true};
  if (const auto constant = constant_of(operand)) return checked(number(*constant, *constant));
  const NameId name = operand.name();
  if (name == index_) return Form{true, 0, 0, false, true, true};
  const auto known = known_.find(name);
  if (known != known_.end()) return known->second;
  const auto outside = definitions_.scalars.find(name);
  if (outside == definitions_.scalars.end() || depth == deepest) return std::nullopt;
  const auto form = of(outside->second, depth + 1);
  known_.insert_or_assign(name, form);
  return form;
}

std::optional<Form> Forms::sum(const ir::Scalar& scalar, int depth) {
  const auto a = of(scalar.arguments[0], depth);
  const auto b = of(scalar.arguments[1], depth);
  if (!a || !b) return std::nullopt;
  if (b->has_index && (scalar.op == ScalarOp::sub || a->has_index)) return std::nullopt;
  const bool adds = scalar.op == ScalarOp::add;
  const std::int64_t low = adds ? b->low : -b->high;
  const std::int64_t high = adds ? b->high : -b->low;
  const auto is_number = [](const Form& one) { return !one.has_index && !one.modulo; };
  Form form{a->has_index || b->has_index, a->low + low, a->high + high, a->modulo || b->modulo};
  form.not_negative = a->not_negative && (adds ? b->not_negative : is_number(*b) && low >= 0);
  form.below_extent = (a->below_extent && is_number(*b) && high <= 0) ||
                      (adds && b->below_extent && is_number(*a) && a->high <= 0);
  return checked(form);
}

// max (i + c) 0 is not less than i + min c 0; min (i + c) (n - 1) neither, for i is less than n.
std::optional<Form> Forms::clamped(const ir::Scalar& scalar, int depth) {
  const bool below = scalar.op == ScalarOp::smax;
  const Operand* other = beside(
      scalar, [&](const Operand& one) { return below ? one == ir::i64_operand(0) : is_last(one); });
  if (other == nullptr) return std::nullopt;
  const auto form = of(*other, depth);
  if (!form || !form->has_index || form->modulo) return std::nullopt;
  if (below) {
    return Form{true,  form->low, std::max<std::int64_t>(form->high, 0),
                false, true,      form->below_extent};
  }
  return Form{true, std::min<std::int64_t>(form->low, 0), form->high, false, form->not_negative,
              true};
}

std::optional<Form> Forms::of(const ir::Scalar& scalar, int depth) {
  if (scalar.type != ir::ScalarType::i64) return std::nullopt;
  switch (scalar.op) {
    case ScalarOp::add:
    case ScalarOp::sub: return sum(scalar, depth);
    case ScalarOp::smin:
    case ScalarOp::smax: return clamped(scalar, depth);
    case ScalarOp::select:
      return both(of(scalar.arguments[1], depth), of(scalar.arguments[2], depth));
    case ScalarOp::smod_floor:
    case ScalarOp::srem: {
      if (!is_extent(scalar.arguments[1])) return std::nullopt;
      auto form = of(scalar.arguments[0], depth);
      if (!form) return form;
      form->modulo = true;
      form->not_negative = form->not_negative || scalar.op == ScalarOp::smod_floor;
      form->below_extent = true;
      return form;
    }
    default: return std::nullopt;
  }
}

std::optional<Window> Forms::window_of(const Operand& index) {
  const auto form = of(index);
  if (!form || !form->has_index) return std::nullopt;
  return Window{form->low, form->high, form->modulo};
}

}  // namespace dagaz::passes::distributing
