-- Rows of both matrices lie apart along the lanes: they are packed.
def dot [n] (a: [n]f32) (b: [n]f32) = f32.sum (map2 (*) a b)
entry main [n][m][p] (a: [n][m]f32) (b: [p][m]f32) = map (\r -> map (dot r) b) a
-- expect
--| -- main, line 3: segmented_map over [n][p]
--| x: [
--|   contraction block_rows 6 width 16 cached 42 most_rows 128 most_points 48 least_rows 16 least_points 6 split 1024 row_packing by_elements point_packing by_elements of_rows [a] of_points [b] when [n >= 24, p >= 32, m >= 16],
--|   lane_blocks points 1 rows 0 block_rows 4 columns 2 width 8 least_chunk 8 shares_rows true packed [b.2] when [p >= 16, n >= 4],
--|   lane_blocks points 1 rows 0 block_rows 8 width 4 least_chunk 8 shares_rows true packed [b.2] when [p >= 4, n >= 8],
--|   pointwise] operations [3, 2 * m] lanes 4
