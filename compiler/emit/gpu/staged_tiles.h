// Points in tiles whose reads a block stages in shared memory, as plan/gpu_staging.h has it.
#pragma once

#include <string_view>

#include "emit/points.h"
#include "plan/gpu_staging.h"

namespace dagaz::emit {

/// A kernel that runs `body` at every point of the space of `code`.
void launch_staged_tiles(Context& c, const plan::PointCode& code, const ir::StagedTiles& plan,
                         std::string_view kernel, const PointFunction& body);

}  // namespace dagaz::emit
