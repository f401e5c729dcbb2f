// Remainders of an index that is moved a little:
//
//   map (\i -> … (i + c) mod n …) (iota n)
//     =  let s = c mod n - n
//        in map (\i -> let t = i + c  let u = i + s
//                      in … if t < n then t else if u < 0 then u + n else u …) (iota n)      0 ≤ c
//
// and likewise where c is negative.  So wrap the indices of periodic boundaries, which each point
// reads some of: a division takes as long as twenty additions, and no vector has one.  At all
// points but a few the index is t (plan/inner_points.h).
#include <unordered_map>
#include <vector>

#include "ir/builder.h"
#include "ir/classify.h"
#include "ir/fields.h"
#include "ir/names.h"
#include "passes/open_scope.h"
#include "passes/passes.h"
#include "support/match.h"

namespace dagaz::passes {

namespace {

using namespace ir;

class Wrapper {
 public:
  explicit Wrapper(Names& names) : names_(names) {}

  void function(Function& function) {
    for (const Binder& parameter : function.parameters) depths_[parameter.name] = 0;
    body(function.body);
  }
  bool changed() const { return changed_; }

 private:
  struct Scopes;

  void body(Body& body);
  void statement(Statement& statement);
  void bind(NameId name) { depths_[name] = scopes_.size() - 1; }
  void note_range(NameId index, const Operand& extent) { extents_.insert_or_assign(index, extent); }
  void note_elements(const MapScanReduce& map);
  void note_read(const Statement& statement, const Index& index);
  std::optional<Operand> moved_by(const Scalar& remainder) const;
  void wrap(Statement& statement, const Scalar& remainder, const Operand& by);
  Operand round(const Operand& by, const Operand& divisor);

  Names& names_;
  std::vector<OpenScope*> scopes_;
  std::unordered_map<NameId, std::size_t> depths_;
  std::unordered_map<NameId, Operand> extents_;  // of what counts from 0 to below them
  std::unordered_map<NameId, Iota> ranges_;      // arrays 0, 1, 2, …
  std::unordered_map<NameId, Scalar> sums_;      // and differences
  bool changed_ = false;
};

/// Enters the scopes of a statement.
struct Wrapper::Scopes {
  Wrapper& wrapper;
  void use(const NameId&) {}
  void use(const Operand&) {}
  // In the scope that is entered next.
  void bind(const Binder& binder) { wrapper.depths_[binder.name] = wrapper.scopes_.size(); }
  void type(const Type&) {}
  void body(Body& body) { wrapper.body(body); }
  void lambda(Lambda& lambda) {
    for (const Binder& parameter : lambda.parameters) bind(parameter);
    wrapper.body(lambda.body);
  }
};

void Wrapper::body(Body& body) {
  OpenScope scope(body);
  scopes_.push_back(&scope);
  scope.walk([this](Statement& met) { statement(met); });
  scopes_.pop_back();
}

void Wrapper::statement(Statement& statement) {
  match(
      statement.operation,
      [&](const Iota& range) {
        if (counts_from_zero(range)) ranges_.insert_or_assign(statement.results.front().name, range);
      },
      [&](const Index& index) { note_read(statement, index); },
      [&](const Scalar& scalar) {
        if (scalar.type != ScalarType::i64) return;
        if (scalar.op == ScalarOp::add || scalar.op == ScalarOp::sub) {
          sums_.insert_or_assign(statement.results.front().name, scalar);
        } else if (scalar.op == ScalarOp::smod_floor) {
          const Scalar remainder = scalar;
          if (const auto by = moved_by(remainder)) wrap(statement, remainder, *by);
        }
      },
      [&](const MapScanReduce& map) { note_elements(map); },
      [&](const auto& operation) {
        if constexpr (requires { operation.space; }) {
          for (const SpaceDimension& one : operation.space) note_range(one.index.name, one.extent);
        }
      });
  Scopes scopes{*this};
  walk_fields(scopes, statement.operation);
  for (const Binder& result : statement.results) bind(result.name);
}

void Wrapper::note_elements(const MapScanReduce& map) {
  for (std::size_t i = 0; i < map.arrays.size(); ++i) {
    const auto range = ranges_.find(map.arrays[i]);
    if (range != ranges_.end()) note_range(map.map.parameters[i].name, range->second.count);
  }
}

void Wrapper::note_read(const Statement& statement, const Index& index) {
  const auto range = ranges_.find(index.array);
  if (range != ranges_.end()) note_range(statement.results.front().name, range->second.count);
}

// By which constant the dividend is an index moved that counts to below the divisor.
std::optional<Operand> Wrapper::moved_by(const Scalar& remainder) const {
  const Operand& dividend = remainder.arguments[0];
  if (!dividend.is_name() || !remainder.arguments[1].is_name()) return std::nullopt;
  const auto sum = sums_.find(dividend.name());
  if (sum == sums_.end()) return std::nullopt;
  const Operand& index = sum->second.arguments[0];
  const Operand& by = sum->second.arguments[1];
  if (!index.is_name() || !by.is_constant()) return std::nullopt;
  // Then neither sum overflows.
  constexpr std::int64_t most = std::int64_t{1} << 32;
  const std::int64_t number = integer_value(by.constant());
  if (number < -most || number > most) return std::nullopt;
  const auto extent = extents_.find(index.name());
  if (extent == extents_.end() || extent->second != remainder.arguments[1]) return std::nullopt;
  return i64_operand(sum->second.op == ScalarOp::add ? number : -number);
}

// c mod n - n, computed where the divisor is known.
Operand Wrapper::round(const Operand& by, const Operand& divisor) {
  const auto known = depths_.find(divisor.name());
  OpenScope& scope = *scopes_[known == depths_.end() ? 0 : known->second];
  Builder out(names_);
  out.set_location(scope.met().location);
  const Operand some = out.scalar(ScalarOp::smax, ScalarType::i64, {divisor, i64_operand(1)});
  const Operand rest = out.scalar(ScalarOp::smod_floor, ScalarType::i64, {by, some}, "rest");
  const Operand round = out.sub_i64(rest, divisor);
  scope.insert(out.take());
  return round;
}

void Wrapper::wrap(Statement& statement, const Scalar& remainder, const Operand& by) {
  changed_ = true;
  const Operand index = sums_.at(remainder.arguments[0].name()).arguments[0];
  const Operand extent = remainder.arguments[1];
  Builder out(names_);
  out.set_location(statement.location);
  const Operand& moved = remainder.arguments[0];
  const bool is_up = integer_value(by.constant()) >= 0;
  const Operand inside =
      is_up ? out.scalar(ScalarOp::slt, ScalarType::i64, {moved, extent}, "inside")
            : out.scalar(ScalarOp::sle, ScalarType::i64, {i64_operand(0), moved}, "inside");
  const Operand below = out.add_i64(index, round(by, extent));
  const Operand is_below =
      out.scalar(ScalarOp::slt, ScalarType::i64, {below, i64_operand(0)}, "below");
  const Operand wrapped =
      out.select(ScalarType::i64, is_below, out.add_i64(below, extent), below);
  scopes_.back()->insert(out.take());
  statement.operation =
      Scalar{ScalarOp::select, ScalarType::i64, ScalarType::i64, {inside, moved, wrapped}};
  statement.tokens.clear();
}

}  // namespace

bool wrap_indices(FlatProgram& program) {
  bool changed = false;
  for (Function& function : program.program.functions) {
    Wrapper wrapper(program.program.names);
    wrapper.function(function);
    changed = changed || wrapper.changed();
  }
  return changed;
}

}  // namespace dagaz::passes
