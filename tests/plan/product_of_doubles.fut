-- Vectors hold half as many doubles.
entry main [n][m][p] (a: [n][m]f64) (b: [m][p]f64) = map (\r -> map (\c -> f64.sum (map2 (*) r c)) (transpose b)) a
-- expect
--| -- main, line 2: segmented_map over [n][p]
--| x: [
--|   contraction block_rows 6 width 8 cached 21 most_rows 128 most_points 96 least_rows 16 least_points 12 split 1024 row_packing by_elements point_packing by_points of_rows [a] of_points [b] when [n >= 24, p >= 16, m >= 16],
--|   lane_blocks points 1 rows 0 block_rows 4 columns 2 width 4 when [p >= 8, n >= 4],
--|   interchanged] operations [3, 2 * m] lanes 4
