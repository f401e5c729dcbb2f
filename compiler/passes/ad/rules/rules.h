// The rules of reverse mode: one overload of `adjoint_rule` for each operation, and what else rules
// say of the forward sweep, where it is more than a copy of the statement.
#pragma once

#include <vector>

#include "ir/program.h"
#include "passes/ad/reverse.h"

namespace dagaz::passes::ad {

// From the adjoints of a statement's results, of which at least one is there, to those of what the
// operation uses.
void adjoint_rule(Reverse& r, const ir::Statement& statement, const ir::Identity& identity);
void adjoint_rule(Reverse& r, const ir::Statement& statement, const ir::Scalar& scalar);
void adjoint_rule(Reverse& r, const ir::Statement& statement, const ir::ArrayLiteral& literal);
void adjoint_rule(Reverse& r, const ir::Statement& statement, const ir::Index& index);
void adjoint_rule(Reverse& r, const ir::Statement& statement, const ir::Slice& slice);
void adjoint_rule(Reverse& r, const ir::Statement& statement, const ir::Update& update);
void adjoint_rule(Reverse& r, const ir::Statement& statement, const ir::Iota& iota);
void adjoint_rule(Reverse& r, const ir::Statement& statement, const ir::Replicate& replicate);
void adjoint_rule(Reverse& r, const ir::Statement& statement, const ir::Concat& concat);
void adjoint_rule(Reverse& r, const ir::Statement& statement, const ir::Reshape& reshape);
void adjoint_rule(Reverse& r, const ir::Statement& statement, const ir::Permute& permute);
void adjoint_rule(Reverse& r, const ir::Statement& statement, const ir::Copy& copy);
void adjoint_rule(Reverse& r, const ir::Statement& statement, const ir::Scratch& scratch);
void adjoint_rule(Reverse& r, const ir::Statement& statement, const ir::Branch& branch);
void adjoint_rule(Reverse& r, const ir::Statement& statement, const ir::Loop& loop);
void adjoint_rule(Reverse& r, const ir::Statement& statement, const ir::Call& call);
void adjoint_rule(Reverse& r, const ir::Statement& statement, const ir::Assert& check);
void adjoint_rule(Reverse& r, const ir::Statement& statement, const ir::MapScanReduce& map);
void adjoint_rule(Reverse& r, const ir::Statement& statement, const ir::Histogram& histogram);
void adjoint_rule(Reverse& r, const ir::Statement& statement, const ir::Scatter& scatter);
void adjoint_rule(Reverse& r, const ir::Statement& statement, const ir::WithAccumulator& with);
void adjoint_rule(Reverse& r, const ir::Statement& statement, const ir::Accumulate& accumulate);
void adjoint_rule(Reverse& r, const ir::Statement& statement, const ir::FlatMap& flat_map);
void adjoint_rule(Reverse& r, const ir::Statement& statement, const ir::CustomDerivative& custom);

// Cases of MapScanReduce, by what follows the map.
void return_reduce(Reverse& r, const ir::Statement& statement, const ir::MapScanReduce& map);
void return_scan(Reverse& r, const ir::Statement& statement, const ir::MapScanReduce& map);

// The forward sweep.
/// A `for` loop that keeps what `plan` says; its return sweep finds it under `key`.
void forward_loop(Reverse& r, ir::NameId key, const ir::Statement& statement, LoopPlan plan);
/// The function whose derivative the program gives.
void forward_custom(Reverse& r, const ir::Statement& statement, const ir::CustomDerivative& custom);
/// What stands for a `while` loop in both sweeps.
std::vector<ir::Statement> counted_while(Reverse& r, const ir::Statement& statement);
std::vector<ir::Statement> bounded_while(Reverse& r, const ir::Statement& statement,
                                         const ir::Loop& loop);
/// Whether a scan has no rule of its own, and the loop that stands for it in both sweeps.
bool scan_needs_loop(const Reverse& r, const ir::MapScanReduce& map);
std::vector<ir::Statement> scan_as_loop(Reverse& r, const ir::Statement& statement,
                                        const ir::MapScanReduce& map);
/// Whether a statement uses accumulators whose scope is being swept, and the same without them.
bool touches_accumulators(const Reverse& r, const ir::Statement& statement);
ir::Statement without_accumulators(const Reverse& r, ir::Statement statement);

}  // namespace dagaz::passes::ad
