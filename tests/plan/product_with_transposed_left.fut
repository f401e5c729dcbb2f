-- The same where the left matrix is read by columns.
def dot [n] (a: [n]f32) (b: [n]f32) = f32.sum (map2 (*) a b)
entry main [n][m][p] (a: [m][n]f32) (b: [m][p]f32) = map (\r -> map (dot r) (transpose b)) (transpose a)
-- expect
--| -- main, line 3: segmented_map over [n][p]
--| x: [
--|   contraction block_rows 6 width 16 cached 42 most_rows 128 most_points 48 least_rows 16 least_points 6 split 1024 point_packing by_points of_rows [a] of_points [b] when [n >= 24, p >= 32, m >= 16],
--|   lane_blocks points 1 rows 0 block_rows 4 columns 2 width 8 when [p >= 16, n >= 4],
--|   lane_blocks points 1 rows 0 block_rows 8 width 4 when [p >= 4, n >= 8],
--|   interchanged] operations [3, 2 * m] lanes 4
