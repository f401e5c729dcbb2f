-- Both halves are products.
def loss [n][m][p] (b: [m][p]f32) (a: [n][m]f32) = f32.sum (flatten (map (\r -> map (\c -> f32.sum (map2 (*) r c)) (transpose b)) a))
entry main [n][m][p] (a: [n][m]f32) (b: [m][p]f32) = vjp (loss b) a 1
-- expect
--| -- main, line 3: segmented_map over [n][m]
--| adjoint: [
--|   contraction block_rows 6 width 16 cached 42 most_rows 128 most_points 48 least_rows 16 least_points 6 split 1024 row_packing by_elements point_packing by_elements of_rows [adjoint.2] of_points [c] when [n >= 24, m >= 32, p >= 16],
--|   lane_blocks points 1 rows 0 block_rows 4 columns 2 width 8 least_chunk 8 shares_rows true packed [cs] when [m >= 16, n >= 4],
--|   lane_blocks points 1 rows 0 block_rows 8 width 4 least_chunk 8 shares_rows true packed [cs] when [m >= 4, n >= 8],
--|   pointwise] operations [3, 2 * p] lanes 4
