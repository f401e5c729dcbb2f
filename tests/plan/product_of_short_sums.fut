-- Copies to panels cost much beside sums of 64: these are read where they lie, in blocks that many registers
-- hold.
-- cpu: x86-64-v4
def dot [n] (a: [n]f32) (b: [n]f32) = f32.sum (map2 (*) a b)
entry main [n][p] (a: [n][64]f32) (b: [64][p]f32) = map (\r -> map (dot r) (transpose b)) a
entry unknown [n][m][p] (a: [n][m]f32) (b: [m][p]f32) = map (\r -> map (dot r) (transpose b)) a
-- expect
--| -- main, line 5: segmented_map over [n][p]
--| x: [
--|   contraction block_rows 12 columns 2 width 16 cached 21 most_rows 64 most_points 24 least_rows 8 least_points 3 split 1024 row_packing by_elements point_packing by_points of_rows [a] of_points [b] when [n >= 48, p >= 1024],
--|   lane_blocks points 1 rows 0 block_rows 4 columns 4 width 16 when [p >= 64, n >= 4],
--|   lane_blocks points 1 rows 0 block_rows 4 columns 2 width 16 when [p >= 32, n >= 4],
--|   lane_blocks points 1 rows 0 block_rows 8 width 8 when [p >= 8, n >= 8],
--|   interchanged] operations [131] lanes 8
--| -- unknown, line 6: segmented_map over [n.2][p.2]
--| x.2: [
--|   contraction block_rows 12 columns 2 width 16 cached 21 most_rows 64 most_points 24 least_rows 8 least_points 3 split 1024 row_packing by_elements point_packing by_points of_rows [a.2] of_points [b.2] when [n.2 >= 48, p.2 >= 64, m >= 128],
--|   contraction block_rows 12 columns 2 width 16 cached 21 most_rows 64 most_points 24 least_rows 8 least_points 3 split 1024 row_packing by_elements point_packing by_points of_rows [a.2] of_points [b.2] when [n.2 >= 48, m >= 16, p.2 >= 1024],
--|   lane_blocks points 1 rows 0 block_rows 4 columns 4 width 16 when [p.2 >= 64, n.2 >= 4],
--|   lane_blocks points 1 rows 0 block_rows 4 columns 2 width 16 when [p.2 >= 32, n.2 >= 4],
--|   lane_blocks points 1 rows 0 block_rows 8 width 8 when [p.2 >= 8, n.2 >= 8],
--|   interchanged] operations [3, 2 * m] lanes 8
