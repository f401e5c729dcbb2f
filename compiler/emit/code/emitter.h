// Appends imperative instructions: variables, folded index arithmetic, loops and branches.  The
// base of what emits operations; it knows nothing of arrays.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "emit/code/tree.h"

namespace dagaz::emit {

/// Where code goes.
struct Emission {
  ir::Names& names;
  Code* code = nullptr;
  bool recording = false;
  std::unordered_set<NameId> recorded = {};
};

/// A handle to an emission; emitters of the same one append to the same code.
class Emitter {
 public:
  explicit Emitter(Emission& emission) : emission_(&emission) {}

  ir::Names& names() { return emission_->names; }
  const ir::Names& names() const { return emission_->names; }

  void emit(Instruction instruction) {
    emission_->code->push_back(std::move(instruction));
    if (emission_->recording) record_targets(emission_->code->back());
  }
  /// What `build` emits, not appended.
  Code collect(const std::function<void()>& build);
  void append(Code code);

  NameId variable(std::string_view base, ScalarType type);
  NameId block_variable(std::string_view base);

  /// op(arguments) in a new variable, or folded.
  Operand scalar(ScalarOp op, ScalarType type, std::vector<Operand> arguments,
                 std::string_view base = "t");
  // i64 arithmetic; divisors are positive and dividends not negative.
  Operand add(const Operand& a, const Operand& b);
  Operand sub(const Operand& a, const Operand& b);
  Operand mul(const Operand& a, const Operand& b);
  Operand divide(const Operand& a, const Operand& b);
  Operand remainder(const Operand& a, const Operand& b);
  Operand divide_up(const Operand& a, const Operand& b);
  Operand minimum(const Operand& a, const Operand& b);
  Operand maximum(const Operand& a, const Operand& b);
  Operand less(const Operand& a, const Operand& b);
  Operand equal(const Operand& a, const Operand& b);
  Operand both(const Operand& a, const Operand& b);
  Operand product(const std::vector<Operand>& factors);
  /// a·b of sizes that are not negative; 2^62, which no memory holds, where that does not fit.
  Operand size_mul(const Operand& a, const Operand& b);
  Operand to_i64(const Operand& value, ScalarType from);
  /// A mutable variable that starts as `initial`.
  NameId mutable_variable(std::string_view base, ScalarType type, const Operand& initial);
  void move(NameId target, const Operand& value) { emit(Move{target, value}); }

  /// for index in 0 … bound-1: body(index)
  void loop(std::string_view base, const Operand& bound, LoopHints hints,
            const std::function<void(Operand)>& body);
  /// One that unrolling would only make long.
  void rolled_loop(std::string_view base, const Operand& bound,
                   const std::function<void(Operand)>& body);
  void branch(const Operand& condition, const std::function<void()>& yes,
              const std::function<void()>& no = {});

  /// Between start and stop, variables that emitted code sets are remembered.
  void start_recording();
  void stop_recording() { emission_->recording = false; }
  void record(NameId name) {
    if (emission_->recording) emission_->recorded.insert(name);
  }
  bool was_recorded(NameId name) const { return emission_->recorded.contains(name); }

  /// The coordinates of flat index `flat` in a row-major space of these extents.
  std::vector<Operand> unflatten(const Operand& flat, const std::vector<Operand>& extents);

 protected:
  void set_code(Code* code) { emission_->code = code; }
  Code* code() { return emission_->code; }

 private:
  void record_targets(const Instruction& instruction);

  Emission* emission_;
};

}  // namespace dagaz::emit
