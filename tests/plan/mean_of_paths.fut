-- A mean over paths whose steps come one after another: points in lanes, for the exponential of a
-- step pays for numbers that are read apart.
entry main [p][t] (z: [p][t]f32) (s: f32) =
  f32.sum (map (\z -> f32.max 0 (foldl (\s z -> s * f32.exp (0.1 * z)) s z - 1)) z) / f32.i64 p
-- expect
--| -- main, line 4: segmented_reduce over [p]
--| x: [
--|   lane_blocks columns 4 width 16 remainder serialised] operations [4, 16 * t] lanes 4
