#include "plan/settings.h"

namespace dagaz::plan {

ir::Settings settings_for(Device device, const TargetDescription& target) {
  const Tunables& tunables = target.tunables;
  ir::Settings settings;
  settings.task = static_cast<int>(tunables.task_operations);
  settings.stack_array = static_cast<int>(tunables.stack_array);
  settings.carried_array = static_cast<int>(tunables.carried_array);
  settings.rolled_nests = tunables.rolled_nests != 0;
  if (device == Device::cpu) {
    settings.short_array = static_cast<int>(tunables.short_array);
    settings.streamed_bytes = static_cast<int>(tunables.streamed_bytes);
    settings.fetched_ahead = static_cast<int>(tunables.fetched_ahead);
    settings.line = target.cache_line_bytes;
    settings.tile_rows = static_cast<int>(tunables.tile_rows);
    settings.staged_rows = static_cast<int>(tunables.staged_rows);
    settings.crowding = static_cast<int>(tunables.crowding);
    settings.streams = static_cast<int>(tunables.strip_streams);
    settings.look = static_cast<int>(tunables.look_operations);
    settings.close_lanes = static_cast<int>(tunables.close_lanes);
    return settings;
  }
  settings.points = ir::PointsBy::kernels;
  settings.arrays = ir::ArraysIn::device;
  settings.points_a_thread = static_cast<int>(tunables.gpu_points);
  settings.tile = static_cast<int>(tunables.gpu_turned_bytes);
  settings.short_array = 1;  // each write of the host is a transfer
  settings.arena_ratio = static_cast<int>(tunables.gpu_arena_ratio);
  settings.arena_expansions = static_cast<int>(tunables.gpu_arena_expansions);
  return settings;
}

bool are_for(const ir::Settings& settings, Device device) {
  const bool on_cpu = device == Device::cpu;
  return (settings.points == ir::PointsBy::tasks) == on_cpu &&
         (settings.arrays == ir::ArraysIn::memory) == on_cpu;
}

}  // namespace dagaz::plan
