-- Any pair of operators: minima of sums.
entry main [n] (a: [n][n]f32) = map (\r -> map (\c -> f32.minimum (map2 (+) r c)) (transpose a)) a
-- expect
--| -- main, line 2: segmented_map over [n][n]
--| x: [
--|   lane_blocks points 1 rows 0 block_rows 4 columns 2 width 16 when [n >= 32, n >= 4],
--|   interchanged]
