#include "emit/gpu/side_shares.h"

#include "emit/gpu/kernels.h"

namespace dagaz::emit {

std::int64_t SideShares::each() const {
  const std::int64_t all = side_.width * depth() / side_.together;
  return (all + block_threads - 1) / block_threads;
}

bool SideShares::has_rest() const {
  return side_.width * depth() / side_.together % block_threads != 0;
}

StagedShare SideShares::share(const Operand& number) {
  return share(number, read_special(c_, Special::thread_index));
}

// What is known of it is told apart, so that one address serves all.
StagedShare SideShares::share(const Operand& number, const Operand& thread) {
  const bool along_sum = side_.is_along_sum();
  const std::int64_t length = (along_sum ? depth() : side_.width) / side_.together;
  const Operand line = ir::i64_operand(length);
  const bool is_known = number.is_constant() && block_threads % length == 0;
  const Operand flat = is_known ? thread : add(thread, mul(number, ir::i64_operand(block_threads)));
  const std::int64_t further =
      is_known ? ir::integer_value(number.constant()) * (block_threads / length) : 0;
  const Operand inner = remainder(flat, line);
  const Operand outer = divide(flat, line);
  if (along_sum) return {inner, outer, 0, further};
  return {outer, inner, further, 0};
}

// What is computed for a row or point waits in no register, unless that takes divisions.
Operand SideShares::thread() {
  return side_.dimensions.size() > 1 ? read_special(c_, Special::thread_index)
                                     : read_thread_anew(c_);
}

void SideShares::if_there(const StagedShare& at, bool is_known,
                          const std::function<void()>& action) {
  if (is_known) return action();
  const bool along_sum = side_.is_along_sum();
  const Operand elements =
      ir::i64_operand(depth() / (along_sum ? side_.together : 1) - at.further_elements);
  const Operand width =
      ir::i64_operand(side_.width / (along_sum ? 1 : side_.together) - at.further_own);
  branch(both(less(at.element, elements), less(at.own, width)), action);
}

SideShares::Source SideShares::source_of(const StagedShare& at, const Operand& chunk) {
  const bool along_sum = side_.is_along_sum();
  const Operand together = ir::i64_operand(side_.together);
  const Operand inner = along_sum ? mul(at.element, together) : at.element;
  const Operand across = along_sum ? at.own : mul(at.own, together);
  return {add(add(chunk, inner), ir::i64_operand(at.further_elements)),
          add(add(side_.first, across), ir::i64_operand(at.further_own))};
}

std::vector<Operand> SideShares::indices_in(const Place& written, const StagedShare& at,
                                            const Operand& half) {
  const Operand further = add(mul(ir::i64_operand(at.further_elements), written.strides[1]),
                              mul(ir::i64_operand(at.further_own), written.strides[2]));
  return {half, at.element, at.own, further};
}

}  // namespace dagaz::emit
