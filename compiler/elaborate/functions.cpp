// Functions: closures, their instances, and application by evaluating the body in place, unless
// attributes ask for a call, or the function is an entry point as well.  Where evaluating in place
// makes very much code of one declaration (a chain of functions that each call the one before
// twice), it is called instead from then on, as recursive functions are.
#include <algorithm>

#include "elaborate/elaborator.h"

namespace dagaz::elaborate {

ValueRef Elaborator::instantiate(ValueRef value, const check::Instance* instance, Frame* frame) {
  if (const auto* closure = as<Closure>(value->node)) {
    if (instance == nullptr) return value;
    Closure copy = *closure;
    copy.here = {instance, frame};
    return arena.value(std::move(copy));
  }
  if (const auto* intrinsic = as<IntrinsicValue>(value->node)) {
    if (instance == nullptr) return value;
    return arena.value(IntrinsicValue{intrinsic->intrinsic, {instance, frame}});
  }
  if (const auto* constant = as<DelayedConstant>(value->node)) {
    DelayedConstant here = *constant;
    if (instance != nullptr) here.here = {instance, frame};
    return constants.evaluate(here);
  }
  if (const auto* size = as<DelayedSize>(value->node)) {
    return i64_value(evaluate_size(size->size, size->frame));
  }
  if (const auto* coerced = as<CoercedValue>(value->node)) {
    Frame* inner = arena.frame(coerced->here.frame);
    if (coerced->scheme != nullptr && instance != nullptr) {
      const check::Scheme& scheme = *coerced->scheme;
      for (std::size_t i = 0; i < scheme.size_parameters.size(); ++i) {
        inner->values[scheme.size_parameters[i]] =
            arena.value(DelayedSize{instance->sizes[i], frame});
      }
      for (std::size_t i = 0; i < scheme.type_parameters.size(); ++i) {
        inner->types[scheme.type_parameters[i]] =
            TypeBinding{{}, instance->types[i], frame, nullptr};
      }
    }
    return instantiate(coerced->inner, coerced->here.instance, inner);
  }
  return value;
}

// ---------------------------------------------------------------- definitions

ValueRef Elaborator::evaluate_lambda(const ast::Exp* exp, const ast::Lambda& node, Frame* frame) {
  return arena.value(
      Closure{&node.function, nullptr, nullptr, exp->type, frame, {}, is_unsafe});
}

ValueRef Elaborator::evaluate_let_function(const ast::LetFunction& node, Frame* frame) {
  return arena.value(
      Closure{&node.function, nullptr, node.scheme, nullptr, frame, {}, is_unsafe});
}

// ---------------------------------------------------------------- application

void Elaborator::bind_instance(const Closure& closure, Frame* frame) {
  if (closure.scheme == nullptr || closure.here.instance == nullptr) return;
  const check::Scheme& scheme = *closure.scheme;
  const check::Instance& instance = *closure.here.instance;
  for (std::size_t i = 0; i < scheme.type_parameters.size(); ++i) {
    if (i >= instance.types.size()) break;
    frame->types[scheme.type_parameters[i]] =
        TypeBinding{{}, instance.types[i], closure.here.frame, nullptr};
  }
}

void Elaborator::bind_instance_sizes(const Closure& closure, Frame* frame) {
  if (closure.scheme == nullptr || closure.here.instance == nullptr) return;
  const check::Scheme& scheme = *closure.scheme;
  const check::Instance& instance = *closure.here.instance;
  for (std::size_t i = 0; i < scheme.size_parameters.size(); ++i) {
    if (i >= instance.sizes.size()) break;
    frame->values.try_emplace(scheme.size_parameters[i],
                              arena.value(DelayedSize{instance.sizes[i], closure.here.frame}));
  }
}

Frame* Elaborator::activate(const Closure& closure, std::span<const ValueRef> arguments) {
  Frame* frame = arena.frame(closure.frame);
  bind_instance(closure, frame);
  const ast::Function& function = *closure.function;
  // Sizes come from the arguments; what they do not determine comes from the instance.
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    if (!has_arrays(arguments[i])) continue;
    bind_new_sizes(function.parameters[i]->type, arena.type_of(arguments[i]), frame);
  }
  bind_instance_sizes(closure, frame);
  const check::Type* type = closure.scheme != nullptr ? closure.scheme->type : closure.type;
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    bind_pattern(function.parameters[i], arguments[i], frame);
    const auto* arrow = type == nullptr ? nullptr : as<check::Arrow>(type->node);
    if (arrow != nullptr && arrow->parameter.valid()) {
      frame->values[arrow->parameter] = arguments[i];
    }
    type = arrow == nullptr ? nullptr : arrow->to;
  }
  return frame;
}

namespace {

/// The names that one declaration may make in an entry point before it is called instead.
constexpr std::size_t most_names = 5000;
/// Building a function for a call may apply others; this many deep they are applied in place.
constexpr int deepest_calls = 32;

bool is_first_order(ValueRef value) {
  if (const auto* record = as<RecordValue>(value->node)) {
    return std::all_of(record->fields.begin(), record->fields.end(),
                       [](const auto& field) { return is_first_order(field.second); });
  }
  return std::holds_alternative<LeafValue>(value->node);
}

}  // namespace

bool Elaborator::has_grown(const Closure& closure, std::span<const ValueRef> arguments) const {
  const auto made = grown.find(closure.declaration);
  return made != grown.end() && made->second > most_names &&
         called_functions.depth() < deepest_calls &&
         std::all_of(arguments.begin(), arguments.end(), is_first_order);
}

bool Elaborator::gives_data(const Closure& closure, std::span<const ValueRef> arguments) {
  const check::Type* type = closure.scheme->type;
  for (std::size_t i = 0; i < arguments.size(); ++i) type = std::get<check::Arrow>(type->node).to;
  Frame* frame = arena.frame(closure.frame);
  bind_instance(closure, frame);
  return is_data(evaluate_type_or_empty(type, frame));
}

ir::Sorts sorts(Inlining inlining) {
  switch (inlining) {
    case Inlining::sorting: return ir::Sorts::unsigned_numbers;
    case Inlining::sorting_signed: return ir::Sorts::signed_numbers;
    default: return ir::Sorts::no;
  }
}

Inlining Elaborator::inlining_of(const Closure& closure) const {
  return inlining == Inlining::automatic ? closure.inlining : inlining;
}

bool Elaborator::is_called(const Closure& closure, std::span<const ValueRef> arguments) {
  if (closure.declaration == nullptr) return false;
  if (closure.declaration->is_recursive) return true;
  switch (inlining_of(closure)) {
    case Inlining::always: return false;
    case Inlining::automatic: return has_grown(closure, arguments);
    case Inlining::shared:
    case Inlining::never:
    case Inlining::sorting:
    case Inlining::sorting_signed:
      return called_functions.depth() < deepest_calls && gives_data(closure, arguments);
  }
  DZ_UNREACHABLE("inlining");
}

ValueRef Elaborator::apply_closure(const Closure& closure, std::span<const ValueRef> arguments,
                                   const Range& where) {
  const At at(*this, where);
  if (is_called(closure, arguments)) return called_functions.call(closure, arguments);
  const Temporarily<Inlining> of_the_call(inlining, Inlining::automatic);
  Frame* frame = activate(closure, arguments);
  const Temporarily<ir::LocationId> called(inlined_at, out->location());
  const Temporarily<bool> safety(is_unsafe, closure.is_unsafe);
  const std::size_t before = names().size();
  const ValueRef result = evaluate(closure.function->body, frame);
  if (closure.declaration != nullptr) grown[closure.declaration] += names().size() - before;
  return result;
}

namespace {

/// How many arguments it takes until something is computed.
std::size_t arity_of(ValueRef function) {
  return match(
      function->node, [](const Closure& f) { return f.function->parameters.size(); },
      [](const IntrinsicValue& f) { return f.intrinsic->arity; },
      [](const PartialApplication&) { return std::size_t{1}; },
      [](const RightSectionValue&) { return std::size_t{1}; },
      [](const PathFunction&) { return std::size_t{1}; },
      [](const HoleFunction&) { return std::size_t{1}; },
      [](const GuardedFunction& f) { return arity_of(f.function); },
      [](const auto&) { return std::size_t{0}; });  // no other value is a function
}

}  // namespace

ValueRef Elaborator::apply(ValueRef function, std::vector<ValueRef> arguments,
                           const Range& where) {
  function = instantiate(function, nullptr, nullptr);
  if (const auto* checked = as<GuardedFunction>(function->node)) {
    const Guarded guarded(*this, checked->token);
    return guarded_by(checked->token, apply(checked->function, std::move(arguments), where));
  }
  if (const auto* partial = as<PartialApplication>(function->node)) {
    arguments.insert(arguments.begin(), partial->arguments.begin(), partial->arguments.end());
    function = partial->function;
  }
  const std::size_t arity = arity_of(function);
  DZ_CHECK(arity > 0 || arguments.empty(), "only functions are applied: " + files.describe(where));
  if (arguments.empty()) return function;
  if (arguments.size() < arity) {
    return arena.value(PartialApplication{function, std::move(arguments)});
  }
  std::vector<ValueRef> rest(arguments.begin() + static_cast<std::ptrdiff_t>(arity),
                             arguments.end());
  arguments.resize(arity);
  ValueRef value = nullptr;
  if (const auto* closure = as<Closure>(function->node)) {
    value = apply_closure(*closure, arguments, where);
  } else if (const auto* intrinsic = as<IntrinsicValue>(function->node)) {
    const At at(*this, where);
    value = intrinsic->intrinsic->build(
        *this, IntrinsicCall{*intrinsic->intrinsic, intrinsic->here, arguments, where});
  } else if (const auto* section = as<RightSectionValue>(function->node)) {
    value = apply(section->operation, {arguments.front(), section->right}, where);
  } else if (const auto* hole = as<HoleFunction>(function->node)) {
    value = evaluate_hole(std::get<check::Arrow>(hole->type->node).to, hole->frame, hole->range);
  } else {
    const auto& path = std::get<PathFunction>(function->node);
    const auto& steps = std::get<ast::PathSection>(path.section->node).path;
    value = apply_path(steps, arguments.front(), path.frame, where);
  }
  return rest.empty() ? value : apply(value, std::move(rest), where);
}

const ast::Pattern* Elaborator::parameter_pattern(ValueRef function, std::size_t index) {
  if (const auto* partial = as<PartialApplication>(function->node)) {
    return parameter_pattern(partial->function, index + partial->arguments.size());
  }
  const auto* closure = as<Closure>(function->node);
  const bool known = closure != nullptr && index < closure->function->parameters.size();
  return known ? closure->function->parameters[index] : nullptr;
}

}  // namespace dagaz::elaborate
