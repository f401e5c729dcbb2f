-- Work on both operands stays inside.
entry main [n][m][d] (xs: [n][d]f32) (ys: [m][d]f32) = map (\x -> map (\y -> f32.sum (map2 (\p q -> (p - q) * (p - q)) x y)) ys) xs
-- expect
--| -- main, line 2: segmented_map over [n][m]
--| x: [
--|   contraction block_rows 6 width 16 cached 42 most_rows 128 most_points 48 least_rows 16 least_points 6 split 1024 row_packing by_elements point_packing by_elements of_rows [p] of_points [q] when [n >= 24, m >= 32, d >= 16],
--|   lane_blocks points 1 rows 0 block_rows 4 columns 2 width 8 least_chunk 8 shares_rows true packed [y] when [m >= 16, n >= 4],
--|   lane_blocks points 1 rows 0 block_rows 8 width 4 least_chunk 8 shares_rows true packed [y] when [m >= 4, n >= 8],
--|   pointwise] operations [3, 3 * d] lanes 4
