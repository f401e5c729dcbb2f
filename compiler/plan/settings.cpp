#include "plan/settings.h"

namespace dagaz::plan {

Settings settings_for(Device device, const Tunables& tunables) {
  Settings settings;
  if (device == Device::cpu) {
    settings.short_array = tunables.short_array;
    settings.collected_bytes = tunables.collected_bytes;
    return settings;
  }
  settings.short_array = 1;  // each write of the host is a transfer
  settings.combined_at_once = tunables.gpu_combined;
  settings.combining_rounds = 3;
  settings.piece_elements = tunables.gpu_piece_elements;
  settings.segment_blocks = tunables.gpu_segment_blocks;
  settings.thread_elements = tunables.gpu_thread_elements;
  settings.arena_ratio = tunables.gpu_arena_ratio;
  settings.arena_expansions = tunables.gpu_arena_expansions;
  return settings;
}

}  // namespace dagaz::plan
