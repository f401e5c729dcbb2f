// Points whose loops add to rows of a few elements, as plan/handed_rows.h has them.
#pragma once

#include <vector>

#include "emit/context/context.h"

namespace dagaz::emit {

class HandedRows : public Emitter {
 public:
  HandedRows(Context& c, const ir::Statement& s, const ir::SegmentedMap& e,
             const ir::HeldBlocks& plan)
      : Emitter(c), c_(c), s_(s), e_(e), lanes_(plan.elements), added_(plan.rows) {}
  void run();

 private:
  /// What an iteration adds to a row.
  struct Row {
    Accumulator whole;
    std::vector<Operand> indices;
    Place sums;
    NameId first;  // the place of its first element; -1: there is no such row
  };

  void point(const Operand& block);
  void go_together(const ir::Statement& s, const ir::Loop& loop);
  bool adds_rows(const ir::Statement& s) const;
  void iterate(const ir::Statement& s, const ir::Loop& loop, const Operand& takes_part);
  Row new_row(const Accumulator& whole, const std::vector<Operand>& indices);
  HeldRow held(std::size_t number, const Row& row) const;
  void find(const Row& row);
  std::vector<Operand> turned(const Row& row);
  void hand(const Row& row, const Operand& present);
  Operand which(const Operand& value);
  Operand any(const Operand& condition);
  Operand of_i32(ScalarOp op, const Operand& a, const Operand& b);

  Context& c_;
  const ir::Statement& s_;
  const ir::SegmentedMap& e_;
  const int lanes_;
  const std::vector<ir::AddedRow>& added_;
  Operand here_;  // whether the thread has a point
  Operand lane_;  // i32
};

}  // namespace dagaz::emit
