-- Two products, each in tiles.
-- target: cuda
entry main [n][m][k] (a: [n][k]f32) (b: [k][m]f32) (s: [n][m]f32) =
  vjp (\(a, b) -> map (\r -> map (\c -> f32.sum (map2 (*) r c)) (transpose b)) a) (a, b) s
-- expect
--| settings points kernels arrays device points_a_thread 4 short_array 1
--| -- main, line 4: segmented_reduce over [n][k][m]
--| adjoint: [
--|   contraction block_rows 8 columns 8 depth 16 most_rows 16 most_points 16 split 512 row_packing by_elements point_packing by_elements of_rows [adjoint.2] of_points [c] when [n >= 64, k >= 64, m >= 16, 16 * n * k >= 64 * resident],
--|   contraction block_rows 4 columns 4 depth 16 most_rows 16 most_points 16 split 512 row_packing by_elements point_packing by_elements of_rows [adjoint.2] of_points [c] when [n >= 32, k >= 32, m >= 16],
--|   by_segments when [31 >= m],
--|   teams]
--| -- main, line 4: segmented_reduce over [m][k][n]
--| sum: [
--|   contraction block_rows 8 columns 8 depth 16 most_rows 16 most_points 16 split 512 row_packing by_points point_packing by_points of_rows [adjoint.3] of_points [r] when [m >= 64, k >= 64, n >= 16, 16 * m * k >= 64 * resident],
--|   contraction block_rows 4 columns 4 depth 16 most_rows 16 most_points 16 split 512 row_packing by_points point_packing by_points of_rows [adjoint.3] of_points [r] when [m >= 32, k >= 32, n >= 16],
--|   by_segments when [31 >= n],
--|   by_segments when [4 * m * k >= resident],
--|   teams]
