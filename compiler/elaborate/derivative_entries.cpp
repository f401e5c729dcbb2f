// Entry points that are derivatives of entry points.  For f(x…) = (y…):
//   f_vjp(x…, y̅…) = x̅…            the adjoints of the arguments, from those of the results
//   f_jvp(x…, ẋ…) = ẏ…            the tangents of the results, from those of the arguments
//   f_value_and_grad(x…) = y, x̅…  the value and its gradient, where y is one float
// over the arguments that are differentiated, in their order; the others are constants.  The
// bodies are what `vjp` and its relatives in the program would be, so that records, sums, sizes
// and everything after elaboration are theirs.  A derivative consumes none of its arguments: where
// the entry point does, it gets a copy.
#include <algorithm>

#include "elaborate/elaborator.h"
#include "elaborate/entry_points.h"
#include "support/spelling.h"

namespace dagaz::elaborate {

namespace {

enum class DerivativeKind { vjp, jvp, value_and_grad };

constexpr std::pair<DerivativeKind, std::string_view> kinds[] = {
    {DerivativeKind::vjp, "_vjp"},
    {DerivativeKind::jvp, "_jvp"},
    {DerivativeKind::value_and_grad, "_value_and_grad"}};

bool is_float(check::Primitive primitive) {
  return primitive >= check::Primitive::f16 && primitive <= check::Primitive::f64;
}

bool holds_floats(TypeRef type) {
  return match(
      type->node, [](const ScalarShape& t) { return is_float(t.primitive); },
      [](const ArrayShape& t) { return holds_floats(t.element); },
      [](const RecordShape& t) {
        return std::any_of(t.fields.begin(), t.fields.end(),
                           [](const auto& field) { return holds_floats(field.second); });
      },
      [](const SumShape& t) {
        return std::any_of(t.constructors.begin(), t.constructors.end(), [](const auto& each) {
          return std::any_of(each.payload.begin(), each.payload.end(), holds_floats);
        });
      },
      [](const AccumulatorShape& t) { return holds_floats(t.array); },
      [](const FunctionShape&) { return false; });
}

std::string quoted_list(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "`" : ", `") + name + "`";
  return out;
}

/// Makes the derivatives of one entry point.
class DerivativeEntries {
 public:
  DerivativeEntries(Elaborator& elaborator, const check::EntryPoint& entry)
      : e_(elaborator), entry_(entry) {}

  /// Decides what to differentiate: the named parameters, or all that hold floats.  Reports why
  /// there is nothing, unless nobody asked for this entry point by name.
  bool select(const DerivativeRequest& request, bool by_name);
  void make();

 private:
  TypeRef shape(const check::EntryValue& value) {
    return e_.evaluate_type_or_empty(value.type, e_.root);
  }
  bool fail(DiagnosticKind kind, std::string message) {
    e_.diagnostics.report(kind, place(), std::move(message));
    return false;
  }
  Range place() const {
    return std::get<ast::ValueDeclaration>(entry_.declaration->node).name.range;
  }
  bool select_named(const std::vector<std::string>& names);
  bool has_gradient();
  check::EntryPoint describe(DerivativeKind kind, std::string_view suffix) const;
  ValueRef build(DerivativeKind kind, const Closure& closure, Frame* frame,
                 const std::vector<ValueRef>& arguments);
  ValueRef joined(std::vector<ValueRef> values);
  ValueRef copied(ValueRef value);
  /// The entry point's value with `selected` in the place of what is differentiated.
  ValueRef primal(const Closure& closure, Frame* frame, std::vector<ValueRef> arguments,
                  ValueRef selected);
  TypeRef result_type(const Closure& closure, Frame* frame,
                      const std::vector<ValueRef>& arguments, ValueRef selected);

  Elaborator& e_;
  const check::EntryPoint& entry_;
  std::vector<std::size_t> selected_;  // numbers of parameters
};

bool DerivativeEntries::select_named(const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const check::EntryValue& parameter : entry_.parameters) known.push_back(parameter.name);
  for (const std::string& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (name.empty() || found == known.end()) {
      return fail(DiagnosticKind::unknown_name,
                  "`" + entry_.name + "` has no argument `" + name +
                      "` to differentiate; its arguments are " + quoted_list(known));
    }
    selected_.push_back(static_cast<std::size_t>(found - known.begin()));
    if (!holds_floats(shape(entry_.parameters[selected_.back()]))) {
      return fail(DiagnosticKind::entry_point,
                  "argument `" + name + "` of `" + entry_.name +
                      "` holds no floats, so there is nothing to differentiate");
    }
  }
  std::sort(selected_.begin(), selected_.end());
  selected_.erase(std::unique(selected_.begin(), selected_.end()), selected_.end());
  return true;
}

bool DerivativeEntries::select(const DerivativeRequest& request, bool by_name) {
  if (!request.parameters.empty()) {
    if (!select_named(request.parameters)) return false;
  } else {
    for (std::size_t i = 0; i < entry_.parameters.size(); ++i) {
      if (holds_floats(shape(entry_.parameters[i]))) selected_.push_back(i);
    }
  }
  const auto without = [&](const char* what) {
    return by_name && fail(DiagnosticKind::entry_point, "`" + entry_.name +
                                                            "` has no derivative: none of its " +
                                                            what + " holds floats");
  };
  if (selected_.empty()) return without("arguments");
  const bool any_result =
      std::any_of(entry_.results.begin(), entry_.results.end(),
                  [&](const check::EntryValue& result) { return holds_floats(shape(result)); });
  return any_result || without("results");
}

bool DerivativeEntries::has_gradient() {
  if (entry_.results.size() != 1) return false;
  const auto* scalar = as<ScalarShape>(shape(entry_.results[0])->node);
  return scalar != nullptr && is_float(scalar->primitive);
}

check::EntryPoint DerivativeEntries::describe(DerivativeKind kind, std::string_view suffix) const {
  check::EntryPoint derivative = entry_;
  derivative.name += suffix;
  for (check::EntryValue& parameter : derivative.parameters) parameter.unique = false;
  for (check::EntryValue& result : derivative.results) result.unique = false;
  std::vector<check::EntryValue> of_parameters;
  for (const std::size_t i : selected_) {
    of_parameters.push_back(derivative.parameters[i]);
    check::EntryValue& added = of_parameters.back();
    added.name += kind == DerivativeKind::jvp ? "_tangent" : "_adjoint";
  }
  std::vector<check::EntryValue> of_results = derivative.results;
  for (std::size_t i = 0; i < of_results.size(); ++i) {
    of_results[i].name = kind == DerivativeKind::jvp ? "tangent" : "adjoint";
    if (of_results.size() > 1) of_results[i].name += "_" + std::to_string(i);
  }
  const auto append = [](std::vector<check::EntryValue>& to,
                         const std::vector<check::EntryValue>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  // Where the types of these are written; a tuple of several is written nowhere.
  for (std::size_t i = 0; i < entry_.parameters.size(); ++i) {
    derivative.written.push_back(static_cast<int>(i));
  }
  const int one_result = of_results.size() == 1 ? check::EntryPoint::written_result
                                                : check::EntryPoint::written_nowhere;
  const int one_parameter = selected_.size() == 1 ? static_cast<int>(selected_[0])
                                                  : check::EntryPoint::written_nowhere;
  const std::string of = " of `" + entry_.name + "`";
  switch (kind) {
    case DerivativeKind::vjp:
      derivative.written.insert(derivative.written.end(), of_results.size(), one_result);
      derivative.written.push_back(one_parameter);
      append(derivative.parameters, of_results);
      derivative.results = of_parameters;
      derivative.documentation = "Reverse derivative" + of + ": adjoints of its arguments.";
      break;
    case DerivativeKind::jvp:
      for (const std::size_t i : selected_) derivative.written.push_back(static_cast<int>(i));
      derivative.written.push_back(check::EntryPoint::written_result);
      append(derivative.parameters, of_parameters);
      derivative.results = of_results;
      derivative.documentation = "Forward derivative" + of + ": tangents of its results.";
      break;
    case DerivativeKind::value_and_grad:
      derivative.written.push_back(check::EntryPoint::written_nowhere);
      append(derivative.results, of_parameters);
      derivative.documentation = "The value" + of + " and its gradient.";
      break;
  }
  return derivative;
}

ValueRef DerivativeEntries::joined(std::vector<ValueRef> values) {
  return values.size() == 1 ? values[0] : e_.tuple(std::move(values));
}

ValueRef DerivativeEntries::copied(ValueRef value) {
  std::vector<ir::Operand> leaves = leaves_of(value);
  for (ir::Operand& leaf : leaves) {
    if (leaf.is_name() && !e_.names().type(leaf).is_scalar()) {
      leaf = e_.emit_one(ir::Copy{leaf.name()});
    }
  }
  return e_.arena.from_leaves(e_.arena.type_of(value), leaves.data());
}

ValueRef DerivativeEntries::primal(const Closure& closure, Frame* frame,
                                   std::vector<ValueRef> arguments, ValueRef selected) {
  if (selected_.size() == 1) {
    arguments[selected_[0]] = selected;
  } else {
    const auto& fields = std::get<RecordValue>(selected->node).fields;
    for (std::size_t i = 0; i < selected_.size(); ++i) {
      arguments[selected_[i]] = fields[i].second;
    }
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (entry_.parameters[i].unique) arguments[i] = copied(arguments[i]);
  }
  return apply_entry(e_, closure, e_.arena.frame(frame), std::move(arguments));
}

// With the sizes that are known outside of the function.
TypeRef DerivativeEntries::result_type(const Closure& closure, Frame* frame,
                                       const std::vector<ValueRef>& arguments,
                                       ValueRef selected) {
  std::vector<std::pair<Symbol, TypeRef>> parts;
  for (const check::EntryValue& result : entry_.results) {
    const TypeRef part = e_.try_evaluate_type(result.type, frame);
    // Only the value has the size: it is computed once more.
    if (part == nullptr) return e_.arena.type_of(primal(closure, frame, arguments, selected));
    parts.emplace_back(e_.tuple_field(parts.size()), part);
  }
  return parts.size() == 1 ? parts[0].second : e_.arena.record(std::move(parts));
}

ValueRef DerivativeEntries::build(DerivativeKind kind, const Closure& closure, Frame* frame,
                                  const std::vector<ValueRef>& arguments) {
  const auto count = static_cast<std::ptrdiff_t>(entry_.parameters.size());
  const std::vector<ValueRef> own(arguments.begin(), arguments.begin() + count);
  const std::vector<ValueRef> seeds(arguments.begin() + count, arguments.end());
  std::vector<ValueRef> differentiated;
  for (const std::size_t i : selected_) differentiated.push_back(own[i]);
  const ValueRef argument = joined(std::move(differentiated));
  const bool forward = kind == DerivativeKind::jvp;
  ValueRef seed = nullptr;
  if (kind == DerivativeKind::value_and_grad) {
    const TypeRef type = shape(entry_.results[0]);
    const auto& scalar = std::get<ScalarShape>(type->node);
    seed = e_.arena.leaf(type, ir::make_float(scalar_type(scalar.primitive), 1.0));
  } else {
    seed = joined(seeds);
  }
  const TypeRef result =
      forward ? result_type(closure, frame, own, argument) : e_.arena.type_of(seed);
  const auto function = [&](ValueRef value) {
    return e_.shaped_as(primal(closure, frame, own, value), result);
  };
  const ValueRef both = differentiate_function(
      e_, forward ? ir::DerivativeMode::forward : ir::DerivativeMode::reverse, function, argument,
      seed, result);
  const auto& pair = std::get<RecordValue>(both->node).fields;
  if (kind != DerivativeKind::value_and_grad) return pair[1].second;
  std::vector<ValueRef> results{pair[0].second};
  if (selected_.size() == 1) {
    results.push_back(pair[1].second);
  } else {
    for (const auto& [name, field] : std::get<RecordValue>(pair[1].second->node).fields) {
      results.push_back(field);
    }
  }
  return e_.tuple(std::move(results));
}

void DerivativeEntries::make() {
  for (const auto& [kind, suffix] : kinds) {
    if (kind == DerivativeKind::value_and_grad && !has_gradient()) continue;
    const check::EntryPoint derivative = describe(kind, suffix);
    const auto same_name = [&](const check::EntryPoint& other) {
      return other.name == derivative.name;
    };
    const auto& entries = e_.program.entries;
    if (std::any_of(entries.begin(), entries.end(), same_name)) {
      fail(DiagnosticKind::entry_point, "the derivative `" + derivative.name + "` of `" +
                                            entry_.name +
                                            "` would have the name of another entry point");
      continue;
    }
    const auto body = [&, which = kind](const Closure& closure, Frame* frame,
                                        const std::vector<ValueRef>& arguments) {
      return build(which, closure, frame, arguments);
    };
    elaborate_entry(e_, derivative, body);
  }
}

}  // namespace

void add_derivatives(Elaborator& e, const Derivatives& wanted) {
  const auto add = [&](const check::EntryPoint& entry, const DerivativeRequest& asked,
                       bool by_name) {
    DerivativeEntries derivatives(e, entry);
    if (derivatives.select(asked, by_name)) derivatives.make();
  };
  std::vector<std::string> known;
  for (const check::EntryPoint& entry : e.program.entries) known.push_back(entry.name);
  for (const DerivativeRequest& asked : wanted.of) {
    const auto found = std::find(known.begin(), known.end(), asked.entry);
    if (found == known.end()) {
      e.diagnostics.report(DiagnosticKind::unknown_name, Range{},
                           "there is no entry point `" + asked.entry +
                               "` to differentiate; there are " + quoted_list(known) +
                               did_you_mean(asked.entry, known));
      continue;
    }
    add(e.program.entries[static_cast<std::size_t>(found - known.begin())], asked, true);
  }
  if (!wanted.of_all) return;
  for (const check::EntryPoint& entry : e.program.entries) {
    const bool done = std::any_of(wanted.of.begin(), wanted.of.end(),
                                  [&](const auto& each) { return each.entry == entry.name; });
    if (!done) add(entry, {entry.name, {}}, false);
  }
}

}  // namespace dagaz::elaborate
