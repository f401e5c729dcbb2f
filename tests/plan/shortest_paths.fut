-- Any pair of operators: minima of sums.
entry main [n] (a: [n][n]f32) = map (\r -> map (\c -> f32.minimum (map2 (+) r c)) (transpose a)) a
-- expect
--| -- main, line 2: segmented_map over [n][n]
--| x: [
--|   contraction block_rows 6 width 16 cached 42 most_rows 128 most_points 48 least_rows 16 least_points 6 split 1024 row_packing by_elements point_packing by_points of_rows [a] of_points [b] when [n >= 32],
--|   lane_blocks points 1 rows 0 block_rows 4 columns 2 width 8 when [n >= 16],
--|   lane_blocks points 1 rows 0 block_rows 8 width 4 when [n >= 8],
--|   interchanged] operations [3, 2 * n] lanes 4
