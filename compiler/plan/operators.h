// What plans ask of operators and of the sizes of code.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/program.h"

namespace dagaz::plan {

/// The lambda of the innermost of the maps that `op` consists of; `op` itself if it is no map.
const ir::Lambda& innermost_lambda(const ir::Lambda& op);
/// Whether `op` applies one binary scalar operation per pair of arguments, perhaps under maps.
bool is_simple(const ir::Lambda& op);
/// Whether `op` only combines its arguments position by position, in one nest of maps: then its
/// result may overwrite an argument while it is computed.
bool is_positionwise(const ir::Lambda& op, const ir::Names& names);
/// Whether the values may be combined in another order.
bool is_commutative(const ir::ReduceOperator& op);
bool are_commutative(const std::vector<ir::ReduceOperator>& operators);
/// Whether a running value that the neutral element begins is a number from then on, and code that
/// sees so need ask of no element whether it is (codegen/extremum_reductions.h): what stood before
/// a piece of a scan is then combined with the neutral element, and does not take its place.
bool starts_as_a_number(const ir::Lambda& op);
bool are_scalars(const std::vector<ir::Type>& types);
/// Statements that are nothing but scalar operations and views.
bool is_straight(const std::vector<ir::Statement>& statements);
/// Whether all that a parallel statement of a point does is to reduce.
bool only_reduces(const ir::Statement& statement);
/// The only parallel statement of a point, if it only reduces.
const ir::Statement* sole_reduction(const ir::Body& body);
/// Whether `operand` is this constant.
bool is_constant(const ir::Operand& operand, std::int64_t value);
/// Whether `extent` is a constant below `least`.
bool is_known_below(const ir::Operand& extent, std::int64_t least);

}  // namespace dagaz::plan
