-- The points of a block write their rows as neighbours; then each row goes to where it lies.
entry main [n] (xs: [n]f32) : [n][16]f32 =
  map (\x -> loop p = replicate 16 x for i < 15 do p with [i + 1] = p[i] * x) xs
-- expect
--| -- main, line 3: segmented_map over [n]
--| x: [
--|   lane_blocks columns 4 width 16 collected [0] when [n >= 64 * resident],
--|   lane_blocks columns 4 width 16 collected [0] when [n >= 64, 65536 >= 194 * n],
--|   lane_blocks columns 2 width 16 collected [0] when [n >= 32 * resident],
--|   lane_blocks columns 2 width 16 collected [0] when [n >= 32, 65536 >= 194 * n],
--|   lane_blocks width 16 collected [0] when [n >= 16],
--|   pointwise] operations [194] lanes 4
