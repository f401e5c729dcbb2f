// The rules of forward mode: one overload of `tangent_rule` for each operation, which emits it and
// the tangents of its results.
#pragma once

#include "ir/program.h"
#include "passes/ad/forward.h"

namespace dagaz::passes::ad {

void tangent_rule(Forward& f, const ir::Statement& statement, const ir::Identity& identity);
void tangent_rule(Forward& f, const ir::Statement& statement, const ir::Scalar& scalar);
void tangent_rule(Forward& f, const ir::Statement& statement, const ir::ArrayLiteral& literal);
void tangent_rule(Forward& f, const ir::Statement& statement, const ir::Index& index);
void tangent_rule(Forward& f, const ir::Statement& statement, const ir::Slice& slice);
void tangent_rule(Forward& f, const ir::Statement& statement, const ir::Update& update);
void tangent_rule(Forward& f, const ir::Statement& statement, const ir::Iota& iota);
void tangent_rule(Forward& f, const ir::Statement& statement, const ir::Replicate& replicate);
void tangent_rule(Forward& f, const ir::Statement& statement, const ir::Concat& concat);
void tangent_rule(Forward& f, const ir::Statement& statement, const ir::Reshape& reshape);
void tangent_rule(Forward& f, const ir::Statement& statement, const ir::Permute& permute);
void tangent_rule(Forward& f, const ir::Statement& statement, const ir::Copy& copy);
void tangent_rule(Forward& f, const ir::Statement& statement, const ir::Scratch& scratch);
void tangent_rule(Forward& f, const ir::Statement& statement, const ir::Branch& branch);
void tangent_rule(Forward& f, const ir::Statement& statement, const ir::Loop& loop);
void tangent_rule(Forward& f, const ir::Statement& statement, const ir::Call& call);
void tangent_rule(Forward& f, const ir::Statement& statement, const ir::Assert& check);
void tangent_rule(Forward& f, const ir::Statement& statement, const ir::MapScanReduce& map);
void tangent_rule(Forward& f, const ir::Statement& statement, const ir::Histogram& histogram);
void tangent_rule(Forward& f, const ir::Statement& statement, const ir::Scatter& scatter);
void tangent_rule(Forward& f, const ir::Statement& statement, const ir::WithAccumulator& with);
void tangent_rule(Forward& f, const ir::Statement& statement, const ir::Accumulate& accumulate);
void tangent_rule(Forward& f, const ir::Statement& statement, const ir::FlatMap& flat_map);
void tangent_rule(Forward& f, const ir::Statement& statement, const ir::CustomDerivative& custom);

}  // namespace dagaz::passes::ad
