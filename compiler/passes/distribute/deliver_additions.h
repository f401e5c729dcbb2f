// Additions to accumulators that go to those who have the rows.
#pragma once

#include "passes/distribute/rewriting.h"

namespace dagaz::passes::distributing {

/// An array whose additions go to those who have its rows.
struct DeliveredInput {
  std::size_t input;  // of the scope that opens it
  ir::NameId whole;
  ir::AccumulatorInput open;
};

std::vector<NotedAddition> notes_to_take(Rewriting& c, ir::WithAccumulator& with,
                                         const std::vector<DeliveredInput>& inputs,
                                         const Accumulators& accumulators, ir::Builder& out);
/// Binds what this rank has of each input then: the additions of all, delivered, or combined
/// where that sends less.
void bring_notes(Rewriting& c, const std::vector<NotedAddition>& notes,
                 const std::vector<NoteArrays>& arrays, const std::vector<DeliveredInput>& inputs,
                 ir::Builder& out);

}  // namespace dagaz::passes::distributing
