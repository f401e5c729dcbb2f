// The iteration space of nested maps while it is being found, and the segmented operations that
// are made over it.
#pragma once

#include <vector>

#include "ir/builder.h"
#include "ir/names.h"
#include "ir/ops.h"

namespace dagaz::passes::flattening {

/// The dimensions found so far, and what every point computes before its body.
struct Nest {
  std::vector<ir::SpaceDimension> space;
  std::vector<ir::Statement> prefix;
};

/// A map whose results are all scalars of its points: `map`, `post` merged in where there are no
/// scans.  Its parameters become elements of the arrays at the nest's innermost index.
struct PointBody {
  ir::Body body;
  std::vector<ir::Type> result_types;
};

/// Adds the dimension of `width` to the nest.
void add_dimension(Nest& nest, const ir::Operand& width, ir::Names& names);
/// `lambda` at the nest's innermost index: its parameters are bound to elements of `arrays`.
PointBody at_index(ir::Lambda lambda, const std::vector<ir::NameId>& arrays, const Nest& nest,
                   ir::Names& names);
/// The map of `e`, and where it has no scans the post map on its mapped values.
PointBody point_body(ir::MapScanReduce e, const Nest& nest, ir::Names& names);

/// The results of all statements.
ir::NameSet bound_in(const std::vector<ir::Statement>& statements);
/// The names that a point of the nest binds: its indices and what its prefix computes.
ir::NameSet bound_by(const Nest& nest);
/// Whether an operator of `e` needs what a point binds: operators of segmented operations stand
/// outside the points.
bool operators_depend(const ir::MapScanReduce& e, const ir::NameSet& bound,
                      const ir::Names& names);
/// What `post` uses of what a point binds becomes mapped values, which it takes as parameters.
void pass_to_post(ir::MapScanReduce& e, const ir::NameSet& bound, ir::Names& names);

/// A statement whose operation alone makes all results of a body: the next level of a nest.
/// Null if there is none.
const ir::Statement* sole_producer(const ir::Body& body);
/// Whether computing it once per point of a deeper nest costs next to nothing; ranges do that are
/// `computed`.
bool repeats_cheaply(const ir::Statement& statement, const ir::Names& names,
                     const ir::NameSet& computed = {});
/// The same of several, of which `most` may be more than views.
bool repeats_cheaply(const std::vector<ir::Statement>& statements, const ir::Names& names,
                     std::int64_t most, const ir::NameSet& computed = {});
/// Constant widths below this are not worth threads of their own on a GPU.
bool is_narrow(const ir::Operand& width);
/// Whether `e` is nothing but a map.
bool is_map(const ir::MapScanReduce& e);

/// Segmented operations over the nest, with the point's prefix in front of the body.
ir::Operation segmented_map(Nest nest, PointBody point);
ir::Operation segmented_reduce(Nest nest, PointBody point,
                               std::vector<ir::ReduceOperator> operators);
ir::Operation segmented_scan(Nest nest, PointBody point, std::vector<ir::ScanOperator> operators,
                             std::optional<ir::Lambda> post);

}  // namespace dagaz::passes::flattening
