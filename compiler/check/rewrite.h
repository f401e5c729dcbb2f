// Replacing names in types, sizes and the expressions inside sizes.
#pragma once

#include <unordered_map>
#include <vector>

#include "check/context.h"
#include "check/type.h"

namespace dagaz::check {

/// What a type name stands for: `definition` in terms of `parameters`, and sizes left open.
struct TypeReplacement {
  std::vector<TypeParameterId> parameters;
  std::vector<BindingId> existentials;
  const Type* definition = nullptr;
};

/// Rebuilds types with names replaced.  Parts without any replaced name are shared.
/// Open sizes of replaced type names become existentials of the nearest function result around
/// them; those with no function around are left in `existentials`.
class Rewriter {
 public:
  explicit Rewriter(Context& context) : context_(context) {}
  virtual ~Rewriter() = default;
  Rewriter(const Rewriter&) = delete;
  Rewriter& operator=(const Rewriter&) = delete;

  const Type* type(const Type* type);
  const Size* size(const Size* size);
  const ast::Exp* expression(const ast::Exp* exp);

  std::vector<BindingId> existentials;

 protected:
  /// The replacement of a size name, or null.
  virtual const Size* replace_size(BindingId) { return nullptr; }
  /// The replacement of a type name, or null.
  virtual const TypeReplacement* replace_type(TypeNameId) { return nullptr; }
  /// A name bound inside a type (parameter, existential) that is renamed as well.
  virtual BindingId rename(BindingId name) { return name; }
  virtual TypeNameId rename(TypeNameId name) { return name; }

  Context& context_;

 private:
  const Type* rewrite_arrow(const Type* type, const Arrow& arrow);
  const Type* rewrite_named(const Type* type, const Named& named);
  bool changes(const ast::Exp* exp);
};

/// A Rewriter with tables.
class Substitution : public Rewriter {
 public:
  using Rewriter::Rewriter;
  void add(BindingId name, const Size* size) { sizes_[name] = size; }
  void add(BindingId name, BindingId other);
  void add(TypeNameId name, TypeReplacement replacement) { types_[name] = std::move(replacement); }
  void add(TypeNameId name, const Type* type) { types_[name] = {{}, {}, type}; }
  /// `name` with the same parameters is called `other`.
  void add(TypeNameId name, TypeNameId other) { renamed_types_[name] = other; }
  bool empty() const { return sizes_.empty() && types_.empty() && renamed_types_.empty(); }

 protected:
  const Size* replace_size(BindingId name) override;
  const TypeReplacement* replace_type(TypeNameId name) override;
  BindingId rename(BindingId name) override;
  TypeNameId rename(TypeNameId name) override;

 private:
  std::unordered_map<BindingId, const Size*> sizes_;
  std::unordered_map<BindingId, BindingId> renamed_;
  std::unordered_map<TypeNameId, TypeReplacement> types_;
  std::unordered_map<TypeNameId, TypeNameId> renamed_types_;
};

/// A copy of `type` in which names bound inside (parameters, existentials) are new.
const Type* rename_bound(Context& context, const Type* type);

}  // namespace dagaz::check
