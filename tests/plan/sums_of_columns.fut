-- Segments are neighbours: tiles of accumulators.
entry main [n][m] (a: [n][m]f32) = map f32.sum (transpose a)
-- expect
--| -- main, line 2: segmented_reduce over [m][n]
--| x: [
--|   interchanged] operations [3] lanes 4
