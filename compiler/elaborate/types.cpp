// Types and sizes: from the checker's types in the names of a frame to type values, and back from
// the shapes of values to the sizes that a type names.
#include <algorithm>
#include <unordered_set>

#include "elaborate/elaborator.h"
#include "ir/names.h"

namespace dagaz::elaborate {

namespace {

using SizeRule = std::function<ir::Operand(const check::Size*, Frame*)>;

/// Evaluates a type with a rule for its sizes.
class TypeEvaluation {
 public:
  TypeEvaluation(Elaborator& elaborator, SizeRule size)
      : elaborator_(elaborator), size_(std::move(size)) {}

  TypeRef evaluate(const check::Type* type, Frame* frame) {
    ValueArena& arena = elaborator_.arena;
    return match(
        type->node,
        [&](const check::PrimitiveType& t) { return arena.scalar(t.primitive); },
        [&](const check::Array& t) {
          ir::Operand size = size_(t.size, frame);
          return arena.array(std::move(size), evaluate(t.element, frame));
        },
        [&](const check::Record& t) {
          std::vector<std::pair<Symbol, TypeRef>> fields;
          for (const auto& [name, field] : t.fields) {
            fields.emplace_back(name, evaluate(field, frame));
          }
          return arena.record(std::move(fields));
        },
        [&](const check::Sum& t) {
          std::vector<ConstructorShape> constructors;
          for (const auto& [name, payload] : t.constructors) {
            ConstructorShape& constructor = constructors.emplace_back();
            constructor.name = name;
            for (const check::Type* part : payload) {
              constructor.payload.push_back(evaluate(part, frame));
            }
          }
          return arena.sum(std::move(constructors));
        },
        [&](const check::Arrow&) { return arena.function(); },
        [&](const check::Named& t) {
          // The one abstract type without definition is the intrinsic `acc t`.
          if (frame->find(t.name) == nullptr && t.arguments.size() == 1) {
            const TypeRef array =
                evaluate(std::get<const check::Type*>(t.arguments.front()), frame);
            return elaborator_.combining != nullptr ? array : arena.accumulator(array);
          }
          Frame* inner = frame;
          TypeRef value = nullptr;
          const check::Type* definition = elaborator_.resolve_named(type, inner, value);
          return value != nullptr ? value : evaluate(definition, inner);
        },
        [&](const check::MetaType&) -> TypeRef {
          // The type of something that is never used: no value of it exists.
          return arena.record({});
        });
  }

 private:
  Elaborator& elaborator_;
  SizeRule size_;
};

}  // namespace

const check::Type* Elaborator::resolve_named(const check::Type* type, Frame*& frame,
                                             TypeRef& value) {
  while (const auto* named = as<check::Named>(type->node)) {
    const TypeBinding* binding = frame->find(named->name);
    if (binding == nullptr) throw UnknownSize{range};
    if (binding->value != nullptr) {
      value = binding->value;
      return type;
    }
    Frame* inner = binding->frame;
    if (!binding->parameters.empty()) {
      inner = arena.frame(binding->frame);
      for (std::size_t i = 0; i < binding->parameters.size(); ++i) {
        const auto& parameter = binding->parameters[i];
        if (i >= named->arguments.size()) break;
        const auto& argument = named->arguments[i];
        if (const auto* size = as<BindingId>(parameter)) {
          if (const auto* given = std::get_if<const check::Size*>(&argument)) {
            inner->values[*size] = arena.value(DelayedSize{*given, frame});
          }
        } else if (const auto* given = std::get_if<const check::Type*>(&argument)) {
          inner->types[std::get<TypeNameId>(parameter)] = TypeBinding{{}, *given, frame, nullptr};
        }
      }
    }
    type = binding->definition;
    frame = inner;
  }
  return type;
}

TypeRef Elaborator::evaluate_type(const check::Type* type, Frame* frame) {
  return TypeEvaluation(*this, [this](const check::Size* size, Frame* where) {
           return evaluate_size(size, where);
         }).evaluate(type, frame);
}

TypeRef Elaborator::try_evaluate_type(const check::Type* type, Frame* frame) {
  try {
    return evaluate_type(type, frame);
  } catch (const UnknownSize&) {
    return nullptr;
  }
}

TypeRef Elaborator::evaluate_type_or_empty(const check::Type* type, Frame* frame) {
  return TypeEvaluation(*this, [this](const check::Size* size, Frame* where) {
           try {
             return evaluate_size(size, where);
           } catch (const UnknownSize&) {
             return ir::i64_operand(0);
           }
         }).evaluate(type, frame);
}

OpenType Elaborator::open_type(const check::Type* type, Frame* frame,
                               const std::vector<BindingId>& unknown) {
  Frame* inner = frame;
  if (!unknown.empty()) {
    inner = arena.frame(frame);
    for (const BindingId id : unknown) inner->values[id] = arena.value(UnknownValue{});
  }
  OpenType open;
  std::unordered_map<BindingId, ir::NameId> named;
  const auto fresh_size = [&](const check::Size* size) -> ir::Operand {
    const auto* name = as<check::NamedSize>(size->node);
    if (name != nullptr) {
      const auto it = named.find(name->name);
      if (it != named.end()) return it->second;
    }
    const Symbol written = name == nullptr ? Symbol() : program.bindings[name->name].name;
    const std::string base = written.valid() ? std::string(symbols.text(written)) : "size";
    open.sizes.push_back(names().fresh(base, ir::scalar_of(ir::ScalarType::i64)));
    if (name != nullptr) named.emplace(name->name, open.sizes.back());
    return open.sizes.back();
  };
  open.type = TypeEvaluation(*this, [&](const check::Size* size, Frame* where) {
                try {
                  return evaluate_size(size, where);
                } catch (const UnknownSize&) {
                  return fresh_size(size);
                }
              }).evaluate(type, inner);
  return open;
}

namespace {

/// Rebuilds a type with other sizes.
template <typename F>
TypeRef map_sizes(ValueArena& arena, TypeRef type, const F& size) {
  return match(
      type->node, [&](const ScalarShape&) { return type; },
      [&](const ArrayShape& t) {
        ir::Operand changed = size(t.size);
        return arena.array(std::move(changed), map_sizes(arena, t.element, size));
      },
      [&](const RecordShape& t) {
        std::vector<std::pair<Symbol, TypeRef>> fields;
        for (const auto& [name, field] : t.fields) {
          fields.emplace_back(name, map_sizes(arena, field, size));
        }
        return arena.record(std::move(fields));
      },
      [&](const SumShape& t) {
        std::vector<ConstructorShape> constructors = t.constructors;
        for (ConstructorShape& constructor : constructors) {
          for (TypeRef& part : constructor.payload) part = map_sizes(arena, part, size);
        }
        return arena.sum(std::move(constructors));
      },
      [&](const AccumulatorShape& t) { return arena.accumulator(map_sizes(arena, t.array, size)); },
      [&](const FunctionShape&) { return type; });
}

}  // namespace

OpenType Elaborator::open_type(TypeRef type, std::size_t mark,
                               const std::unordered_set<ir::NameId>& keep) {
  OpenType open;
  std::unordered_map<ir::NameId, ir::NameId> opened;
  open.type = map_sizes(arena, type, [&](const ir::Operand& size) -> ir::Operand {
    if (!size.is_name() || size.name().index < mark || keep.contains(size.name())) return size;
    const auto [it, is_new] = opened.try_emplace(size.name());
    if (is_new) {
      it->second = names().fresh("size", ir::scalar_of(ir::ScalarType::i64));
      open.sizes.push_back(it->second);
    }
    return it->second;
  });
  return open;
}

TypeRef Elaborator::substitute(TypeRef type, const ir::Substitution& with) {
  if (with.empty()) return type;
  return map_sizes(arena, type, [&](const ir::Operand& size) -> ir::Operand {
    if (!size.is_name()) return size;
    const auto it = with.find(size.name());
    return it == with.end() ? size : it->second;
  });
}

OpenType Elaborator::renew(const OpenType& open) {
  ir::Substitution with;
  OpenType result;
  for (const ir::NameId size : open.sizes) {
    result.sizes.push_back(names().fresh_like(size));
    with.emplace(size, result.sizes.back());
  }
  result.type = substitute(open.type, with);
  return result;
}

ir::Operand Elaborator::evaluate_size(const check::Size* size, Frame* frame) {
  if (const auto* constant = as<check::ConstantSize>(size->node)) {
    return ir::i64_operand(constant->value);
  }
  return scalar_of(evaluate_size_value(size, frame));
}

ValueRef Elaborator::evaluate_size_value(const check::Size* size, Frame* frame) {
  return match(
      size->node,
      [&](const check::ConstantSize& s) { return i64_value(ir::i64_operand(s.value)); },
      [&](const check::NamedSize& s) {
        const ValueRef value = frame->find(s.name);
        if (value == nullptr) throw UnknownSize{range};
        return instantiate(value, nullptr, frame);
      },
      [&](const check::AppliedSize& s) {
        std::vector<ValueRef> arguments;
        for (const check::Size* argument : s.arguments) {
          arguments.push_back(evaluate_size_value(argument, frame));
        }
        return apply(evaluate(s.function, arena.frame(frame)), std::move(arguments), range);
      },
      [&](const check::ExpressionSize& s) { return evaluate(s.expression, arena.frame(frame)); },
      [&](const check::AnonymousSize&) -> ValueRef { throw UnknownSize{range}; },
      [&](const check::MetaSize&) -> ValueRef { throw UnknownSize{range}; });
}

namespace {

void match_sizes(TypeRef open, TypeRef actual, const std::unordered_set<ir::NameId>& wanted,
                 ir::Substitution& found) {
  if (const auto* array = as<ArrayShape>(open->node)) {
    const auto* other = as<ArrayShape>(actual->node);
    if (other == nullptr) return;
    if (array->size.is_name() && wanted.contains(array->size.name())) {
      found.try_emplace(array->size.name(), other->size);
    }
    match_sizes(array->element, other->element, wanted, found);
  } else if (const auto* record = as<RecordShape>(open->node)) {
    const auto* other = as<RecordShape>(actual->node);
    if (other == nullptr) return;
    for (std::size_t i = 0; i < record->fields.size(); ++i) {
      match_sizes(record->fields[i].second, other->fields[i].second, wanted, found);
    }
  } else if (const auto* accumulator = as<AccumulatorShape>(open->node)) {
    const auto* other = as<AccumulatorShape>(actual->node);
    if (other != nullptr) match_sizes(accumulator->array, other->array, wanted, found);
  } else if (const auto* sum = as<SumShape>(open->node)) {
    const auto* other = as<SumShape>(actual->node);
    if (other == nullptr) return;
    for (std::size_t i = 0; i < sum->constructors.size(); ++i) {
      const auto& payload = sum->constructors[i].payload;
      for (std::size_t j = 0; j < payload.size(); ++j) {
        match_sizes(payload[j], other->constructors[i].payload[j], wanted, found);
      }
    }
  }
}

}  // namespace

void Elaborator::find_sizes(const OpenType& open, TypeRef part, TypeRef actual,
                            ir::Substitution& found) {
  const std::unordered_set<ir::NameId> wanted(open.sizes.begin(), open.sizes.end());
  match_sizes(part, actual, wanted, found);
}

std::vector<ir::Operand> Elaborator::match_open(const OpenType& open, TypeRef actual) {
  if (open.sizes.empty()) return {};
  ir::Substitution found;
  find_sizes(open, open.type, actual, found);
  std::vector<ir::Operand> result;
  for (const ir::NameId size : open.sizes) {
    const auto it = found.find(size);
    if (it == found.end()) throw UnknownSize{range};
    result.push_back(it->second);
  }
  return result;
}

namespace {

/// Walks a checked type beside the shape of a value and binds sizes as they come.
class SizeBinding {
 public:
  SizeBinding(Elaborator& elaborator, std::function<bool(BindingId, Frame*)> wants)
      : elaborator_(elaborator), wants_(std::move(wants)) {}

  void walk(const check::Type* type, TypeRef actual, Frame* frame) {
    if (const auto* array = as<check::Array>(type->node)) {
      const auto* shape = as<ArrayShape>(actual->node);
      if (shape == nullptr) return;
      bind(array->size, shape->size, frame);
      walk(array->element, shape->element, frame);
    } else if (const auto* record = as<check::Record>(type->node)) {
      const auto* shape = as<RecordShape>(actual->node);
      if (shape == nullptr) return;
      for (std::size_t i = 0; i < record->fields.size(); ++i) {
        walk(record->fields[i].second, shape->fields[i].second, frame);
      }
    } else if (const auto* sum = as<check::Sum>(type->node)) {
      walk_sum(*sum, actual, frame);
    } else if (const auto* named = as<check::Named>(type->node)) {
      walk_named(*named, actual, frame);
    }
  }

 private:
  void bind(const check::Size* size, const ir::Operand& actual, Frame* frame) {
    const auto* named = as<check::NamedSize>(size->node);
    if (named == nullptr || !wants_(named->name, frame)) return;
    frame->values[named->name] = elaborator_.i64_value(actual);
  }

  void walk_sum(const check::Sum& sum, TypeRef actual, Frame* frame) {
    const auto* shape = as<SumShape>(actual->node);
    if (shape == nullptr) return;
    for (std::size_t i = 0; i < sum.constructors.size(); ++i) {
      const auto& payload = sum.constructors[i].second;
      for (std::size_t j = 0; j < payload.size(); ++j) {
        walk(payload[j], shape->constructors[i].payload[j], frame);
      }
    }
  }

  // The sizes among the arguments of an abstract type are found through its definition.
  void walk_named(const check::Named& named, TypeRef actual, Frame* frame) {
    const TypeBinding* binding = frame->find(named.name);
    const auto* accumulator = as<AccumulatorShape>(actual->node);
    if (binding == nullptr && accumulator != nullptr) {
      const auto* array = std::get_if<const check::Type*>(&named.arguments.front());
      if (array != nullptr) walk(*array, accumulator->array, frame);
    }
    if (binding == nullptr || binding->definition == nullptr) return;
    const TypeBinding found = *binding;
    if (found.parameters.empty()) {
      walk(found.definition, actual, found.frame);
      return;
    }
    Frame* inner = elaborator_.arena.frame(found.frame);
    std::unordered_set<BindingId> sizes;
    const std::size_t count = std::min(found.parameters.size(), named.arguments.size());
    for (std::size_t i = 0; i < count; ++i) {
      if (const auto* id = std::get_if<BindingId>(&found.parameters[i])) {
        sizes.insert(*id);
      } else if (const auto* given = std::get_if<const check::Type*>(&named.arguments[i])) {
        inner->types[std::get<TypeNameId>(found.parameters[i])] =
            TypeBinding{{}, *given, frame, nullptr};
      }
    }
    SizeBinding(elaborator_, [&](BindingId id, Frame* where) {
      return sizes.erase(id) > 0 || wants_(id, where);
    }).walk(found.definition, actual, inner);
    for (std::size_t i = 0; i < count; ++i) {
      const auto* id = std::get_if<BindingId>(&found.parameters[i]);
      const auto* size = std::get_if<const check::Size*>(&named.arguments[i]);
      if (id == nullptr || size == nullptr) continue;
      const auto it = inner->values.find(*id);
      if (it != inner->values.end()) bind(*size, elaborator_.scalar_of(it->second), frame);
    }
  }

  Elaborator& elaborator_;
  std::function<bool(BindingId, Frame*)> wants_;
};

}  // namespace

void Elaborator::bind_new_sizes(const check::Type* type, TypeRef actual, Frame* frame) {
  SizeBinding(*this, [](BindingId id, Frame* where) {
    return where->find(id) == nullptr;
  }).walk(type, actual, frame);
}

void Elaborator::bind_sizes(const check::Type* type, TypeRef actual, Frame* frame,
                            const std::vector<BindingId>& sizes) {
  std::unordered_set<BindingId> wanted(sizes.begin(), sizes.end());
  SizeBinding(*this, [&wanted](BindingId id, Frame*) {
    return wanted.erase(id) > 0;
  }).walk(type, actual, frame);
}

}  // namespace dagaz::elaborate
