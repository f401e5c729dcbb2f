// Bodies and statements in lanes, and the rule for each operation that fits them.
#pragma once

#include <optional>
#include <vector>

#include "emit/lanes/lanes.h"

namespace dagaz::emit {

std::vector<LaneResult> emit_body(Lanes& l, const ir::Body& body,
                                  const std::vector<std::optional<LaneArray>>& at);
std::vector<LaneResult> emit_lambda(Lanes& l, const ir::Lambda& lambda,
                                    const std::vector<LaneResult>& arguments,
                                    const std::vector<std::optional<LaneArray>>& at);
void emit_statement(Lanes& l, const ir::Statement& statement);
/// An element of an array, or a part of it.
LaneResult element_of(Lanes& l, NameId array, const std::vector<LaneScalar>& indices);
LaneResult result_of(const Lanes& l, const Operand& operand);

void emit_operation(Lanes& l, const ir::Statement& s, const ir::Identity& e);
void emit_operation(Lanes& l, const ir::Statement& s, const ir::Scalar& e);
void emit_operation(Lanes& l, const ir::Statement& s, const ir::Assert& e);
void emit_operation(Lanes& l, const ir::Statement& s, const ir::Index& e);
void emit_operation(Lanes& l, const ir::Statement& s, const ir::Slice& e);
void emit_operation(Lanes& l, const ir::Statement& s, const ir::Permute& e);
void emit_operation(Lanes& l, const ir::Statement& s, const ir::Reshape& e);
void emit_operation(Lanes& l, const ir::Statement& s, const ir::Iota& e);
void emit_operation(Lanes& l, const ir::Statement& s, const ir::Replicate& e);
void emit_operation(Lanes& l, const ir::Statement& s, const ir::ArrayLiteral& e);
void emit_operation(Lanes& l, const ir::Statement& s, const ir::Concat& e);
void emit_operation(Lanes& l, const ir::Statement& s, const ir::Copy& e);
void emit_operation(Lanes& l, const ir::Statement& s, const ir::Scratch& e);
void emit_operation(Lanes& l, const ir::Statement& s, const ir::Update& e);
void emit_operation(Lanes& l, const ir::Statement& s, const ir::Branch& e);  // branches.cpp
void emit_operation(Lanes& l, const ir::Statement& s, const ir::Loop& e);    // loops.cpp
void emit_operation(Lanes& l, const ir::Statement& s,
                    const ir::MapScanReduce& e);  // parallel_operations.cpp
void emit_operation(Lanes& l, const ir::Statement& s,
                    const ir::WithAccumulator& e);  // own_accumulators.cpp
void emit_operation(Lanes& l, const ir::Statement& s, const ir::Accumulate& e);  // accumulate.cpp

}  // namespace dagaz::emit
