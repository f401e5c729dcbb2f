-- The gradient of a cross entropy of products: the scores are no more than what points give, and are
-- a product; what follows are operations on rows, whose results have their rows in order.
entry main [n] [d] [m] (xs: [n][d]f32) (w: [m][d]f32) (labels: [n]i64) : [m][d]f32 =
  let entropy w x y =
    let scores = map (\row -> f32.sum (map2 (*) row x)) w
    let top = f32.maximum scores
    in top + f32.log (f32.sum (map (\s -> f32.exp (s - top)) scores)) - scores[y]
  in vjp (\w -> f32.sum (map2 (entropy w) xs labels)) w 1
-- expect
--| -- main, line 8: segmented_map over [chunk][m]
--| mapped: [
--|   contraction block_rows 6 width 16 cached 42 most_rows 128 most_points 48 least_rows 16 least_points 6 split 1024 row_packing by_elements point_packing by_elements of_rows [b] of_points [a] when [chunk >= 24, m >= 32, d >= 16],
--|   lane_blocks points 1 rows 0 block_rows 4 columns 2 width 8 least_chunk 8 shares_rows true packed [row] when [m >= 16, chunk >= 4],
--|   lane_blocks points 1 rows 0 block_rows 8 width 4 least_chunk 8 shares_rows true packed [row] when [m >= 4, chunk >= 8],
--|   pointwise] operations [3, 2 * d] lanes 4
--| -- main, line 8: segmented_map over [chunk]
--| adjoint: [
--|   pointwise] operations [8, 40 * m]
--| -- main, line 8: map_scan_reduce over [m]
--| x: [
--|   pointwise whole_vectors 8]
--| -- main, line 8: map_scan_reduce over [m]
--| adjoint.2: [
--|   pointwise whole_vectors 8]
--| -- main, line 8: segmented_map over [m][d]
--| sums: [
--|   contraction block_rows 6 width 16 cached 42 most_rows 128 most_points 48 least_rows 16 least_points 6 split 1024 point_packing by_points of_rows [sum] of_points [x.2] when [m >= 24, d >= 32, chunk >= 16],
--|   lane_blocks points 1 rows 0 block_rows 4 columns 2 width 8 when [d >= 16, m >= 4],
--|   lane_blocks points 1 rows 0 block_rows 8 width 4 when [d >= 4, m >= 8],
--|   interchanged] operations [6, 2 * chunk] lanes 4
