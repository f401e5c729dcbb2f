#include "ir/fields.h"

#include <variant>

#include "support/members.h"

namespace dagaz::ir {

static_assert(alternatives_list_all_members<Operations>, "an operation's DZ_FIELDS omits a member");
static_assert(alternatives_list_all_members<std::variant<
                  SliceDimension, LoopValue, ForForm, WhileForm, LoopAttributes, ScanOperator,
                  ReduceOperator, HistogramOperator, ScatterTarget, AccumulatorInput,
                  SpaceDimension, Product, Guard, InnerRows, CopiedValues, Version>>,
              "a part's DZ_FIELDS omits a member");
static_assert(alternatives_list_all_members<Strategy>, "a strategy's DZ_FIELDS omits a member");

void walk_roles(RoleVisitor<false>& visitor, Operation& operation) {
  walk_field(visitor, operation);
}
void walk_roles(RoleVisitor<true>& visitor, const Operation& operation) {
  walk_field(visitor, operation);
}

namespace {

template <bool is_const>
class NoRoles : public RoleVisitor<is_const> {
 public:
  template <typename T>
  using Node = typename RoleVisitor<is_const>::template Node<T>;

  void use(Node<NameId>&) override {}
  void use(Node<Operand>&) override {}
  void bind(Node<Binder>&) override {}
  void body(Node<Body>&) override {}
  void lambda(Node<Lambda>&) override {}
  void type(Node<Type>&) override {}

 protected:
  ~NoRoles() = default;
};

template <bool is_const>
class Scopes final : public NoRoles<is_const> {
 public:
  template <typename T>
  using Node = typename RoleVisitor<is_const>::template Node<T>;

  explicit Scopes(FunctionRef<void(Node<Body>&)> function) : function_(function) {}
  void body(Node<Body>& body) override { function_(body); }
  void lambda(Node<Lambda>& lambda) override { function_(lambda.body); }

 private:
  FunctionRef<void(Node<Body>&)> function_;
};

template <bool is_const>
class Lambdas final : public NoRoles<is_const> {
 public:
  template <typename T>
  using Node = typename RoleVisitor<is_const>::template Node<T>;

  explicit Lambdas(FunctionRef<void(Node<Lambda>&)> function) : function_(function) {}
  void lambda(Node<Lambda>& lambda) override { function_(lambda); }

 private:
  FunctionRef<void(Node<Lambda>&)> function_;
};

class Uses final : public NoRoles<true> {
 public:
  explicit Uses(FunctionRef<void(const Operand&)> function) : function_(function) {}
  void use(const NameId& name) override { function_(Operand(name)); }
  void use(const Operand& operand) override { function_(operand); }

 private:
  FunctionRef<void(const Operand&)> function_;
};

}  // namespace

void for_each_scope(Operation& operation, FunctionRef<void(Body&)> function) {
  Scopes<false> visitor(function);
  walk_roles(visitor, operation);
}
void for_each_scope(const Operation& operation, FunctionRef<void(const Body&)> function) {
  Scopes<true> visitor(function);
  walk_roles(visitor, operation);
}

void for_each_lambda(Operation& operation, FunctionRef<void(Lambda&)> function) {
  Lambdas<false> visitor(function);
  walk_roles(visitor, operation);
}
void for_each_lambda(const Operation& operation, FunctionRef<void(const Lambda&)> function) {
  Lambdas<true> visitor(function);
  walk_roles(visitor, operation);
}

void for_each_operand(const Operation& operation, FunctionRef<void(const Operand&)> function) {
  Uses visitor(function);
  walk_roles(visitor, operation);
}

}  // namespace dagaz::ir
