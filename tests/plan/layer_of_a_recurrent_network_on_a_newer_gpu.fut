-- Both sums of a tile are multiplied by the instructions for matrices, from copies nobody waits for.
-- target: cuda
-- gpu: sm_80
entry main [n] [d] [h] (x: [n][d]f64) (state: [n][h]f64) (w: [h][d]f64) (u: [h][h]f64) (b: [h]f64) : [n][h]f64 =
  let dot a b = f64.sum (map2 (*) a b)
  in map2 (\x s -> map3 (\w u b -> f64.max 0 (dot x w + dot s u + b)) w u b) x state

-- expect
--| settings points kernels arrays device points_a_thread 4 short_array 1 tile 8192
--| -- main, line 6: segmented_map over [n][h]
--| x: [
--|   contraction block_rows 8 columns 4 depth 8 most_rows 16 most_points 16 split 512 row_packing by_elements point_packing by_elements row_gap 4 point_gap 4 unit f64 row_copies 2 point_copies 2 of_rows [a, a.2] of_points [b, b.2] when [n >= 64, h >= 32, d >= 4, 16 * n * h >= 32 * resident],
--|   contraction block_rows 4 columns 4 depth 8 most_rows 16 most_points 16 split 512 row_packing by_elements point_packing by_elements row_gap 4 point_gap 4 together 2 unit f64 row_copies 2 point_copies 2 of_rows [a, a.2] of_points [b, b.2] when [n >= 32, h >= 32, d >= 4],
--|   contraction depth 16 most_rows 16 most_points 16 split 512 row_packing by_elements point_packing by_elements row_gap 4 point_gap 2 stages 4 row_copies 1 point_copies 1 of_rows [a, a.2] of_points [b, b.2] when [n >= 8, h >= 8, d >= 8],
--|   pointwise when [31 >= d, 4 * n * h >= resident],
--|   teams warp 512 when [512 >= d, 512 >= h, 32 * n * h >= resident],
--|   teams warp 0 when [5120 >= d, 5120 >= h],
--|   pointwise]
--| -- main, line 6: segmented_reduce over [n][h][d]
--| x.2: [
--|   contraction block_rows 8 columns 4 depth 8 most_rows 16 most_points 16 split 512 row_packing by_elements point_packing by_elements row_gap 4 point_gap 4 unit f64 row_copies 2 point_copies 2 of_rows [a.3] of_points [b.3] when [n >= 64, h >= 32, d >= 4, 16 * n * h >= 32 * resident],
--|   contraction block_rows 4 columns 4 depth 8 most_rows 16 most_points 16 split 512 row_packing by_elements point_packing by_elements row_gap 4 point_gap 4 together 2 unit f64 row_copies 2 point_copies 2 of_rows [a.3] of_points [b.3] when [n >= 32, h >= 32, d >= 4],
--|   by_segments when [31 >= d],
--|   teams]
--| -- main, line 6: segmented_reduce over [n][h][h]
--| x.3: [
--|   contraction block_rows 8 columns 4 depth 8 most_rows 16 most_points 16 split 512 row_packing by_elements point_packing by_elements row_gap 4 point_gap 4 unit f64 row_copies 2 point_copies 2 of_rows [a.4] of_points [b.4] when [n >= 64, h >= 32, 16 * n * h >= 32 * resident],
--|   contraction block_rows 4 columns 4 depth 8 most_rows 16 most_points 16 split 512 row_packing by_elements point_packing by_elements row_gap 4 point_gap 4 together 2 unit f64 row_copies 2 point_copies 2 of_rows [a.4] of_points [b.4] when [n >= 32, h >= 32],
--|   contraction depth 16 most_rows 16 most_points 16 split 512 row_packing by_elements point_packing by_elements row_gap 4 point_gap 2 stages 4 row_copies 1 point_copies 1 of_rows [a.4] of_points [b.4] when [n >= 8, h >= 8],
--|   by_segments when [31 >= h],
--|   teams]
--| -- main, line 6: segmented_map over [n][h]
--| x.4: [
--|   pointwise points 4]
