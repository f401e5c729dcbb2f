// Recursive functions become functions of the IR, and so do those with the attribute `noinline` and
// those whose application in place has made too much code (functions.cpp).
//
// One IR function for each combination of a declaration, the static parts of its arguments and the
// types its type parameters stand for.  Its parameters are the sizes that the argument types
// leave open, then the leaves of the arguments.  Its body is elaborated where the first call
// stands, so that static arguments may use names of the caller; those names become further
// parameters, and every call passes them.  A function argument may call the function around, so
// what is captured is found for all functions at once that were begun inside the outermost one:
// the least solution of  captured(f) = free(f) ∪ ⋃ over calls of g in f of captured(g) \ bound(f).
#include "elaborate/called_functions.h"

#include <algorithm>

#include "elaborate/elaborator.h"
#include "ir/fields.h"
#include "ir/names.h"

namespace dagaz::elaborate {

ValueRef CalledFunctions::with_leaves(ValueRef like, TypeRef type, const ir::NameId*& leaves) {
  if (const auto* record = as<RecordValue>(like->node)) {
    const auto& shape = std::get<RecordShape>(type->node);
    RecordValue renamed;
    for (std::size_t i = 0; i < record->fields.size(); ++i) {
      const auto& [name, field] = record->fields[i];
      renamed.fields.emplace_back(name, with_leaves(field, shape.fields[i].second, leaves));
    }
    return e_.arena.value(std::move(renamed));
  }
  if (!std::holds_alternative<LeafValue>(like->node)) return like;
  const std::vector<ir::NameId> own(leaves, leaves + type->leaf_count);
  leaves += type->leaf_count;
  return e_.arena.from_leaves(type, own);
}

// ---------------------------------------------------------------- which function

namespace {

void append_address(std::vector<std::uint64_t>& key, const void* address) {
  key.push_back(reinterpret_cast<std::uintptr_t>(address));
}

/// What tells the static parts of an argument apart.
void append_static_parts(ValueRef value, std::vector<std::uint64_t>& key) {
  if (const auto* record = as<RecordValue>(value->node)) {
    for (const auto& [name, field] : record->fields) append_static_parts(field, key);
  } else if (const auto* sum = as<StaticSum>(value->node)) {
    key.push_back(sum->constructor.index);
    for (const ValueRef part : sum->payload) append_static_parts(part, key);
  } else if (const auto* closure = as<Closure>(value->node)) {
    append_address(key, closure->function);
    append_address(key, closure->frame);
    append_address(key, closure->here.instance);
  } else if (const auto* intrinsic = as<IntrinsicValue>(value->node)) {
    append_address(key, intrinsic->intrinsic);
    append_address(key, intrinsic->here.instance);
  } else if (!std::holds_alternative<LeafValue>(value->node)) {
    append_address(key, value);
  }
}

/// The structure of a type; sizes count as the operands they are.
void append_type(TypeRef type, std::vector<std::uint64_t>& key) {
  key.push_back(type->node.index());
  match(
      type->node,
      [&](const ScalarShape& t) { key.push_back(static_cast<std::uint64_t>(t.primitive)); },
      [&](const ArrayShape& t) {
        key.push_back(t.size.is_name() ? t.size.name().index : ~t.size.constant().bits);
        append_type(t.element, key);
      },
      [&](const RecordShape& t) {
        key.push_back(t.fields.size());
        for (const auto& [name, field] : t.fields) {
          key.push_back(name.index);
          append_type(field, key);
        }
      },
      [&](const SumShape& t) {
        for (const ConstructorShape& constructor : t.constructors) {
          key.push_back(constructor.name.index);
          for (const TypeRef part : constructor.payload) append_type(part, key);
        }
      },
      [&](const AccumulatorShape& t) { append_type(t.array, key); }, [](const FunctionShape&) {});
}

/// Marks the leaves that a function consumes.
void append_consumed(const check::Type* type, TypeRef shape, bool consumed,
                     std::vector<bool>& out) {
  const auto* record = as<check::Record>(type->node);
  const auto* fields = as<RecordShape>(shape->node);
  if (record != nullptr && fields != nullptr) {
    for (std::size_t i = 0; i < record->fields.size(); ++i) {
      append_consumed(record->fields[i].second, fields->fields[i].second, consumed, out);
    }
    return;
  }
  if (const auto* array = as<check::Array>(type->node)) consumed = consumed || array->unique;
  if (const auto* named = as<check::Named>(type->node)) consumed = consumed || named->unique;
  out.insert(out.end(), shape->leaf_count, consumed);
}

/// Calls `visit` for each call in a body.
template <typename BodyType, typename Visit>
void each_call(BodyType& body, const Visit& visit) {
  for (auto& statement : body.statements) {
    if (auto* call = as<ir::Call>(statement.operation)) visit(*call);
    ir::for_each_scope(statement.operation, [&](BodyType& inner) { each_call(inner, visit); });
  }
}

/// What one function of a group captures, and what it has to look at when that grows.
class Captures {
 public:
  Captures(const CalledFunction& function, const ir::Names& names) : names_(names) {
    for (const ir::Binder& parameter : function.body.parameters) bound_.insert(parameter.name);
    for (const ir::NameId name : ir::bound_names(function.body.body)) bound_.insert(name);
    for (const ir::NameId name : ir::free_names(function.body, names)) add(name);
    each_call(function.body.body, [&](const ir::Call& call) { callees_.insert(call.function); });
  }
  /// Each name after the sizes in its type.
  void add(ir::NameId name) {
    if (bound_.contains(name) || !seen_.insert(name).second) return;
    for (const ir::Operand& size : names_.type(name).shape) {
      if (size.is_name()) add(size.name());
    }
    captured_.push_back(name);
  }
  bool calls(const std::string& name) const { return callees_.contains(name); }
  const std::vector<ir::NameId>& captured() const { return captured_; }

 private:
  const ir::Names& names_;
  std::unordered_set<ir::NameId> bound_;
  std::unordered_set<ir::NameId> seen_;
  std::vector<ir::NameId> captured_;
  std::unordered_set<std::string> callees_;
};

/// Solves the equation at the top of this file.
void find_captured(const std::vector<CalledFunction*>& group, const ir::Names& names) {
  std::vector<Captures> captures;
  for (const CalledFunction* function : group) captures.emplace_back(*function, names);
  for (bool grown = true; grown;) {
    grown = false;
    for (Captures& caller : captures) {
      const std::size_t before = caller.captured().size();
      for (std::size_t i = 0; i < group.size(); ++i) {
        if (!caller.calls(group[i]->name)) continue;
        const std::vector<ir::NameId> callee = captures[i].captured();
        for (const ir::NameId name : callee) caller.add(name);
      }
      grown = grown || caller.captured().size() > before;
    }
  }
  for (std::size_t i = 0; i < group.size(); ++i) group[i]->captured = captures[i].captured();
}

/// Makes the captured names further parameters.
void capture(ir::Lambda& function, const std::vector<ir::NameId>& captured, ir::Names& names) {
  ir::Substitution renaming;
  std::vector<ir::Binder> added;
  for (const ir::NameId name : captured) {
    const ir::NameId own = names.fresh_like(name);
    names.set_type(own, ir::substitute(names.type(name), renaming));
    renaming.emplace(name, own);
    added.push_back({own});
  }
  ir::substitute(function, renaming, names);
  function.parameters.insert(function.parameters.end(), added.begin(), added.end());
}

}  // namespace

int CalledFunctions::depth() const {
  int depth = 0;
  for (const FunctionContext* c = e_.context; c != nullptr; c = c->outer) ++depth;
  return depth;
}

CalledFunction& CalledFunctions::function_for(const Closure& closure,
                                                 std::span<const ValueRef> arguments) {
  std::vector<std::uint64_t> key;
  append_address(key, closure.declaration);
  append_address(key, closure.frame);
  for (const ValueRef argument : arguments) append_static_parts(argument, key);
  if (closure.here.instance != nullptr) {
    for (const check::Type* type : closure.here.instance->types) {
      const TypeRef value = e_.evaluate_type_or_empty(type, closure.here.frame);
      append_type(value, key);
    }
  }
  CalledFunction*& known = functions_[key];
  if (known != nullptr) return *known;
  constexpr int deepest = 64;
  if (depth() > deepest) {
    e_.unsupported(e_.range, "the function arguments of this recursion change from call to call");
  }
  known = &storage_.emplace_back();
  known->declaration = closure.declaration;
  known->here = closure.here;
  known->sorts = sorts(closure.inlining);
  known->name = std::string(e_.symbols.text(closure.declaration->name.symbol)) + "_" +
                std::to_string(storage_.size());
  build(*known, closure, arguments);
  return *known;
}

// ---------------------------------------------------------------- bodies

void CalledFunctions::build(CalledFunction& function, const Closure& closure,
                            std::span<const ValueRef> arguments) {
  FunctionContext inner{ir::Builder(e_.names()), {}, {}, &function, e_.context, {}};
  const Temporarily<FunctionContext*> in_context(e_.context, &inner);
  const Temporarily<ir::Builder*> redirected(e_.out, &inner.top);
  const Temporarily<std::vector<ir::NameId>> unguarded(e_.tokens, {});
  const Temporarily<Request> cleared(e_.request, Request{});
  const Temporarily<bool> safety(e_.is_unsafe, closure.is_unsafe);
  const Temporarily<Inlining> of_the_call(e_.inlining, Inlining::automatic);
  std::vector<const check::Type*> types;
  for (const ast::Pattern* parameter : closure.function->parameters) {
    types.push_back(parameter->type);
  }
  function.parameters = open_parameters(e_, closure, types);
  const OpenParameters& parameters = function.parameters;
  const OpenType open = bind_parameters(function, closure, arguments);

  ir::Lambda body;
  for (const ir::NameId name : parameters.all()) body.parameters.push_back({name});
  const ValueRef value = e_.evaluate(closure.function->body, parameters.frame);
  std::vector<ir::Operand> results = e_.match_open(open, e_.arena.type_of(value));
  for (ir::Operand& result : e_.unshared_leaves(value)) results.push_back(std::move(result));
  for (const ir::Operand& result : results) body.result_types.push_back(e_.names().type(result));
  body.body = inner.top.take_body(std::move(results));

  function.body = std::move(body);
  group_.push_back(&function);
  const FunctionContext* around = e_.context->outer;
  while (around != nullptr && around->called == nullptr) around = around->outer;
  if (around == nullptr) finish_group();
}

void CalledFunctions::finish_group() {
  const std::vector<CalledFunction*> group = std::exchange(group_, {});
  find_captured(group, e_.names());
  for (CalledFunction* caller : group) {
    each_call(caller->body.body, [&](ir::Call& call) {
      for (const CalledFunction* callee : group) {
        if (callee->name != call.function) continue;
        call.arguments.insert(call.arguments.end(), callee->captured.begin(),
                              callee->captured.end());
      }
    });
  }
  for (CalledFunction* function : group) {
    ir::Lambda body = std::move(function->body);
    capture(body, function->captured, e_.names());
    function->consumes.resize(body.parameters.size(), false);
    function->finished = true;
    e_.ir_program.functions.push_back({function->name, std::move(body.parameters),
                                       function->consumes, std::move(body.result_types),
                                       std::move(body.body), function->noinline,
                                       function->sorts});
  }
}

OpenType CalledFunctions::bind_parameters(CalledFunction& function, const Closure& closure,
                                          std::span<const ValueRef> arguments) {
  const OpenParameters& parameters = function.parameters;
  const ir::NameId* leaf = parameters.leaves.data();
  const check::Type* type = closure.scheme->type;
  const std::vector<BindingId>* existentials = nullptr;
  function.consumes.assign(parameters.all().size() - parameters.leaves.size(), false);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const TypeRef shape = parameters.types[i].type;
    const ValueRef value = with_leaves(arguments[i], shape, leaf);
    e_.bind_pattern(closure.function->parameters[i], value, parameters.frame);
    const auto& arrow = std::get<check::Arrow>(type->node);
    if (arrow.parameter.valid()) parameters.frame->values[arrow.parameter] = value;
    append_consumed(closure.function->parameters[i]->type, shape, arrow.consumes,
                    function.consumes);
    existentials = &arrow.existentials;
    type = arrow.to;
  }
  return e_.open_type(type, parameters.frame, *existentials);
}

// ---------------------------------------------------------------- calls

ValueRef CalledFunctions::without_guards(ValueRef value, std::vector<ir::NameId>& guards) {
  if (const auto* checked = as<GuardedFunction>(value->node)) {
    guards.push_back(checked->token);
    return without_guards(checked->function, guards);
  }
  const auto* record = as<RecordValue>(value->node);
  if (record == nullptr) return value;
  RecordValue result;
  for (const auto& [name, field] : record->fields) {
    result.fields.emplace_back(name, without_guards(field, guards));
  }
  return e_.arena.value(std::move(result));
}

ValueRef CalledFunctions::call(Closure closure, std::span<const ValueRef> given) {
  std::vector<ir::NameId> guards = e_.tokens;
  std::vector<ValueRef> arguments;
  for (const ValueRef argument : given) arguments.push_back(without_guards(argument, guards));
  const Temporarily<std::vector<ir::NameId>> guarded(e_.tokens, std::move(guards));

  // Inside its own body a polymorphic function has the types of that body.
  for (FunctionContext* c = e_.context; c != nullptr && closure.here.instance == nullptr;
       c = c->outer) {
    if (c->called != nullptr && c->called->declaration == closure.declaration) {
      closure.here = c->called->here;
    }
  }
  CalledFunction& function = function_for(closure, arguments);
  const Inlining asked = e_.inlining_of(closure);
  if (asked == Inlining::never || sorts(asked) != ir::Sorts::no) {
    function.noinline = true;
    if (function.finished) e_.function_named(function.name)->noinline = true;
  }
  const OpenParameters& parameters = function.parameters;
  Frame* frame = e_.activate(closure, arguments);

  ir::Call call{function.name, {}, {}};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    for (ir::Operand& size : e_.match_open(parameters.types[i], e_.arena.type_of(arguments[i]))) {
      call.arguments.push_back(std::move(size));
    }
  }
  for (const BindingId size : parameters.loose_sizes) {
    const ValueRef value = frame->find(size);
    if (value == nullptr) throw UnknownSize{e_.range};
    call.arguments.push_back(e_.scalar_of(e_.instantiate(value, nullptr, frame)));
  }
  for (const ValueRef argument : arguments) {
    for (ir::Operand& leaf : e_.unshared_leaves(argument)) {
      call.arguments.push_back(std::move(leaf));
    }
  }
  if (function.finished) {
    for (const ir::NameId name : function.captured) {
      call.arguments.push_back(e_.constants.imported_here(name));
    }
  }
  const check::Type* type = closure.scheme->type;
  const std::vector<BindingId>* existentials = nullptr;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto& arrow = std::get<check::Arrow>(type->node);
    existentials = &arrow.existentials;
    type = arrow.to;
  }
  const OpenType open = e_.open_type(type, frame, *existentials);
  std::vector<ir::NameId> results = open.sizes;
  const std::vector<ir::NameId> leaves = e_.fresh(leaf_types(open.type));
  results.insert(results.end(), leaves.begin(), leaves.end());
  for (const ir::NameId name : results) call.result_types.push_back(e_.names().type(name));
  e_.emit_named(results, std::move(call));
  return e_.arena.from_leaves(open.type, leaves);
}

}  // namespace dagaz::elaborate
