// See type_builder.h.
#include "check/type_builder.h"

#include <algorithm>
#include <charconv>

#include "support/match.h"

namespace dagaz::check {

TypeBuilder::TypeBuilder(TypeArena& arena, NameTable& names) : arena_(arena), names_(names) {
  any_ = arena_.make(Size{AnonymousSize{}});
  for (std::size_t i = 0; i < primitives_.size(); ++i) {
    primitives_[i] = arena_.make(Type{PrimitiveType{static_cast<Primitive>(i)}});
  }
  unit_ = arena_.make(Type{Record{}});
}

const Size* TypeBuilder::constant(std::int64_t value) {
  if (value < 0 || value >= 16) return arena_.make(Size{ConstantSize{value}});
  const auto index = static_cast<std::size_t>(value);
  if (constants_.empty()) constants_.resize(16);
  if (constants_[index] == nullptr) constants_[index] = arena_.make(Size{ConstantSize{value}});
  return constants_[index];
}
const Size* TypeBuilder::named_size(BindingId name) { return arena_.make(Size{NamedSize{name}}); }
const Size* TypeBuilder::applied(const ast::Exp* function, std::vector<const Size*> arguments) {
  return arena_.make(Size{AppliedSize{function, std::move(arguments)}});
}
const Size* TypeBuilder::expression(const ast::Exp* exp) {
  return arena_.make(Size{ExpressionSize{exp}});
}

const Type* TypeBuilder::array(const Size* size, const Type* element, bool is_unique) {
  return arena_.make(Type{Array{size, not_unique(element), is_unique}});
}

Symbol TypeBuilder::tuple_field(std::size_t index) {
  while (tuple_fields_.size() <= index) {
    tuple_fields_.push_back(names_.intern(std::to_string(tuple_fields_.size())));
  }
  return tuple_fields_[index];
}

const Type* TypeBuilder::tuple(const std::vector<const Type*>& elements) {
  if (elements.empty()) return unit_;
  Record result;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    result.fields.emplace_back(tuple_field(i), elements[i]);
  }
  return arena_.make(Type{std::move(result)});
}

/// The number that a field name is, or -1.
static int field_number(std::string_view name) {
  int number = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) return -1;
  return number;
}

bool TypeBuilder::field_before(Symbol a, Symbol b) const {
  const std::string_view x = names_.text(a);
  const std::string_view y = names_.text(b);
  const int m = field_number(x);
  const int n = field_number(y);
  if (m >= 0 && n >= 0) return m < n;
  if (m >= 0 || n >= 0) return m >= 0;
  return x < y;
}

int TypeBuilder::tuple_length(const Record& record) const {
  if (record.fields.size() == 1) return -1;
  for (std::size_t i = 0; i < record.fields.size(); ++i) {
    if (field_number(names_.text(record.fields[i].first)) != static_cast<int>(i)) return -1;
  }
  return static_cast<int>(record.fields.size());
}

const Type* TypeBuilder::record(std::vector<std::pair<Symbol, const Type*>> fields) {
  std::sort(fields.begin(), fields.end(),
            [&](const auto& a, const auto& b) { return field_before(a.first, b.first); });
  if (fields.empty()) return unit_;
  return arena_.make(Type{Record{std::move(fields)}});
}

const Type* TypeBuilder::sum(
    std::vector<std::pair<Symbol, std::vector<const Type*>>> constructors) {
  std::sort(constructors.begin(), constructors.end(), [&](const auto& a, const auto& b) {
    return names_.text(a.first) < names_.text(b.first);
  });
  return arena_.make(Type{Sum{std::move(constructors)}});
}

const Type* TypeBuilder::arrow(const Type* from, const Type* to) {
  return arena_.make(Type{Arrow{BindingId(), from, false, {}, to}});
}
const Type* TypeBuilder::arrow(Arrow the_arrow) {
  return arena_.make(Type{std::move(the_arrow)});
}
const Type* TypeBuilder::named(Named the_named) { return arena_.make(Type{std::move(the_named)}); }
const Type* TypeBuilder::meta(std::uint32_t index) { return arena_.make(Type{MetaType{index}}); }

const Type* TypeBuilder::unique(const Type* type) {
  return match(
      type->node,
      [&](const PrimitiveType&) { return type; },
      [&](const Array& a) {
        return a.unique ? type : arena_.make(Type{Array{a.size, a.element, true}});
      },
      [&](const Record& r) {
        Record result = r;
        for (auto& field : result.fields) field.second = unique(field.second);
        return result.fields.empty() ? type : arena_.make(Type{std::move(result)});
      },
      [&](const Sum& s) {
        Sum result = s;
        for (auto& constructor : result.constructors) {
          for (auto& payload : constructor.second) payload = unique(payload);
        }
        return arena_.make(Type{std::move(result)});
      },
      [&](const Arrow&) { return type; },
      [&](const Named& n) {
        return n.unique ? type : arena_.make(Type{Named{n.name, n.arguments, true}});
      },
      [&](const MetaType&) { return type; });
}

bool has_unique(const Type* type) {
  return match(
      type->node, [](const PrimitiveType&) { return false; },
      [](const Array& a) { return a.unique; },
      [](const Record& r) {
        return std::any_of(r.fields.begin(), r.fields.end(),
                           [](const auto& field) { return has_unique(field.second); });
      },
      [](const Sum& s) {
        for (const auto& constructor : s.constructors) {
          for (const Type* payload : constructor.second) {
            if (has_unique(payload)) return true;
          }
        }
        return false;
      },
      [](const Arrow&) { return false; }, [](const Named& n) { return n.unique; },
      [](const MetaType&) { return false; });
}

const Type* TypeBuilder::not_unique(const Type* type) {
  if (!has_unique(type)) return type;
  return match(
      type->node, [&](const PrimitiveType&) { return type; },
      [&](const Array& a) { return arena_.make(Type{Array{a.size, a.element, false}}); },
      [&](const Record& r) {
        Record result = r;
        for (auto& field : result.fields) field.second = not_unique(field.second);
        return arena_.make(Type{std::move(result)});
      },
      [&](const Sum& s) {
        Sum result = s;
        for (auto& constructor : result.constructors) {
          for (auto& payload : constructor.second) payload = not_unique(payload);
        }
        return arena_.make(Type{std::move(result)});
      },
      [&](const Arrow&) { return type; },
      [&](const Named& n) { return arena_.make(Type{Named{n.name, n.arguments, false}}); },
      [&](const MetaType&) { return type; });
}

const Type* TypeBuilder::erase(const Type* type) {
  return match(
      type->node, [&](const PrimitiveType&) { return type; },
      [&](const Array& a) {
        return arena_.make(Type{Array{any_, erase(a.element), false}});
      },
      [&](const Record& r) {
        Record result = r;
        for (auto& field : result.fields) field.second = erase(field.second);
        return result.fields.empty() ? type : arena_.make(Type{std::move(result)});
      },
      [&](const Sum& s) {
        Sum result = s;
        for (auto& constructor : result.constructors) {
          for (auto& payload : constructor.second) payload = erase(payload);
        }
        return arena_.make(Type{std::move(result)});
      },
      [&](const Arrow& a) {
        return arena_.make(Type{Arrow{a.parameter, erase(a.from), false, {}, erase(a.to)}});
      },
      [&](const Named& n) {
        if (n.arguments.empty() && !n.unique) return type;
        Named result{n.name, n.arguments, false};
        for (auto& argument : result.arguments) {
          if (const Type* const* t = as<const Type*>(argument)) {
            argument = erase(*t);
          } else {
            argument = any_;
          }
        }
        return arena_.make(Type{std::move(result)});
      },
      [&](const MetaType&) { return type; });
}

bool may_hold_array(const Type* type) {
  return match(
      type->node, [](const PrimitiveType&) { return false; }, [](const Array&) { return true; },
      [](const Record& r) {
        return std::any_of(r.fields.begin(), r.fields.end(),
                           [](const auto& field) { return may_hold_array(field.second); });
      },
      [](const Sum& s) {
        for (const auto& constructor : s.constructors) {
          for (const Type* payload : constructor.second) {
            if (may_hold_array(payload)) return true;
          }
        }
        return false;
      },
      [](const Arrow&) { return false; }, [](const Named&) { return true; },
      [](const MetaType&) { return true; });
}

std::string_view primitive_name(Primitive p) {
  switch (p) {
    case Primitive::boolean: return "bool";
    case Primitive::i8: return "i8";
    case Primitive::i16: return "i16";
    case Primitive::i32: return "i32";
    case Primitive::i64: return "i64";
    case Primitive::u8: return "u8";
    case Primitive::u16: return "u16";
    case Primitive::u32: return "u32";
    case Primitive::u64: return "u64";
    case Primitive::f16: return "f16";
    case Primitive::f32: return "f32";
    case Primitive::f64: return "f64";
  }
  return "?";
}

bool is_float(Primitive p) { return p >= Primitive::f16; }
bool is_integer(Primitive p) { return p != Primitive::boolean && !is_float(p); }
bool is_signed(Primitive p) { return p >= Primitive::i8 && p <= Primitive::i64; }

}  // namespace dagaz::check
