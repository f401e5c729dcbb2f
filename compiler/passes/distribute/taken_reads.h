// Reads at places that points compute, as operations of their own:
//
//   map (\i -> f xs[g i]) is   =   let places  = map g is
//                                  let answers = map (\p -> xs[p]) places
//                                  in map2 (\i x -> f x) is answers
//
// Where ranks have `xs` by rows, and the points, each asks for the rows that its own read.
#pragma once

#include <unordered_map>
#include <vector>

#include "ir/names.h"
#include "ir/program.h"

namespace dagaz::passes::distributing {

/// What reads rows of an array at places; by its result.
struct Request {
  ir::NameId array;
  ir::NameId places;
  ir::NameId read;  // which result it was before
};
using Requests = std::unordered_map<ir::NameId, Request>;

/// Takes reads out whose places follow from the point alone, within loops inside of it also from
/// their index: of all, or only those that are named by their results.
Requests take_reads_out(ir::Function& function, ir::Names& names, const ir::NameSet* only);

}  // namespace dagaz::passes::distributing
