-- A while loop keeps each point to itself.
entry main [n] (xs: [n]f32) = map (\x -> (loop (y, i) = (0f32, 0i32) while y < 4 && i < 100 do (y * y + x, i + 1)).1) xs
-- expect
--| -- main, line 2: segmented_map over [n]
--| x: [
--|   lane_blocks columns 4 width 16 when [n >= 64],
--|   lane_blocks columns 2 width 16 when [n >= 32],
--|   lane_blocks width 16 when [n >= 16],
--|   pointwise] operations [28]
