// Bodies and statements, and the rule for each operation.
//
// A body is emitted with, for each result, an optional place where it is wanted; what memory/ found
// to be that result is made there.  What did not arrive is copied at the end of the body.
#pragma once

#include <vector>

#include "emit/context/context.h"
#include "ir/names.h"

namespace dagaz::emit {

/// Emits the statements; `finish` gets the results at the end of the code.
void emit_body(Context& c, const ir::Body& body, const std::vector<Destination>& destinations,
               const Finish& finish);
void emit_lambda(Context& c, const ir::Lambda& lambda, const std::vector<Value>& arguments,
                 const std::vector<Destination>& destinations, const Finish& finish);
void emit_statement(Context& c, const ir::Statement& statement);
/// Copies with names of their own, for another version of the same code.
template <typename Operation>
ir::Statement copy_of(Context& c, const Operation& operation) {
  ir::Statement copy = ir::renamed(ir::Statement{{}, operation}, c.names());
  memory::place_thread(copy, c.names(), c.memory);
  return copy;
}
ir::Lambda copy_of(Context& c, const ir::Lambda& lambda);

/// The rule for each operation: control/, thread/ and segmented/.
void emit_operation(Context& c, const ir::Statement& s, const ir::Identity& e);
void emit_operation(Context& c, const ir::Statement& s, const ir::Scalar& e);
void emit_operation(Context& c, const ir::Statement& s, const ir::Assert& e);
void emit_operation(Context& c, const ir::Statement& s, const ir::Branch& e);
void emit_operation(Context& c, const ir::Statement& s, const ir::Call& e);
void emit_operation(Context& c, const ir::Statement& s, const ir::Loop& e);
void emit_operation(Context& c, const ir::Statement& s, const ir::ArrayLiteral& e);
void emit_operation(Context& c, const ir::Statement& s, const ir::Index& e);
void emit_operation(Context& c, const ir::Statement& s, const ir::Slice& e);
void emit_operation(Context& c, const ir::Statement& s, const ir::Update& e);
void emit_operation(Context& c, const ir::Statement& s, const ir::Iota& e);
void emit_operation(Context& c, const ir::Statement& s, const ir::Replicate& e);
void emit_operation(Context& c, const ir::Statement& s, const ir::Reshape& e);
void emit_operation(Context& c, const ir::Statement& s, const ir::Permute& e);
void emit_operation(Context& c, const ir::Statement& s, const ir::Copy& e);
void emit_operation(Context& c, const ir::Statement& s, const ir::Scratch&);
void emit_operation(Context& c, const ir::Statement& s, const ir::Concat& e);
void emit_operation(Context& c, const ir::Statement& s, const ir::WithAccumulator& e);
void emit_operation(Context& c, const ir::Statement& s, const ir::Accumulate& e);
void emit_operation(Context& c, const ir::Statement& s, const ir::MapScanReduce& e);
void emit_operation(Context& c, const ir::Statement& s, const ir::Histogram& e);
void emit_operation(Context& c, const ir::Statement& s, const ir::Scatter& e);
void emit_operation(Context& c, const ir::Statement& s, const ir::SegmentedMap& e);
void emit_operation(Context& c, const ir::Statement& s, const ir::SegmentedReduce& e);
void emit_operation(Context& c, const ir::Statement& s, const ir::SegmentedScan& e);
void emit_operation(Context& c, const ir::Statement& s, const ir::SegmentedHistogram& e);
void emit_operation(Context& c, const ir::Statement& s, const ir::SegmentedScatter& e);

}  // namespace dagaz::emit
