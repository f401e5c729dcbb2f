// What does not fit lanes.
#pragma once

#include <functional>

#include "emit/lanes/lanes.h"

namespace dagaz::emit {

/// Point after point, those that run.
void for_running_points(Lanes& l, const std::function<void(const Operand& point)>& body);
/// What a statement writes over becomes each point's own, also where the points had the same.
void own_what_it_consumes(Lanes& l, const ir::Statement& s);
/// The statement, point after point.
void one_by_one(Lanes& l, const ir::Statement& s);

}  // namespace dagaz::emit
