-- A dimension around the product.
def dot [n] (a: [n]f32) (b: [n]f32) = f32.sum (map2 (*) a b)
entry main [k][n][m][p] (a: [k][n][m]f32) (b: [k][m][p]f32) = map2 (\x y -> map (\r -> map (dot r) (transpose y)) x) a b
-- expect
--| -- main, line 3: segmented_map over [k][n][p]
--| x: [
--|   contraction rows 1 points 2 block_rows 6 width 16 cached 42 most_rows 128 most_points 48 least_rows 16 least_points 6 split 1024 row_packing by_elements point_packing by_points of_rows [a] of_points [b] when [n >= 24, p >= 32, m >= 16],
--|   contraction rows 2 block_rows 3 width 16 cached 42 most_rows 128 most_points 48 least_rows 16 least_points 6 split 1024 point_packing by_elements of_rows [b] of_points [a] when [p >= 6, n >= 16, m >= 16],
--|   lane_blocks points 2 rows 1 block_rows 4 columns 2 width 8 when [p >= 16, n >= 4],
--|   lane_blocks points 2 rows 1 block_rows 8 width 4 when [p >= 4, n >= 8],
--|   pointwise] operations [6, 2 * m] lanes 4
