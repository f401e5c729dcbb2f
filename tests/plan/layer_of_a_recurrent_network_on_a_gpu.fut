-- Sums over the input and over the state are sums in turn of one tile, with values of both.
-- target: cuda
entry main [n] [d] [h] (x: [n][d]f32) (state: [n][h]f32) (w: [h][d]f32) (u: [h][h]f32) (b: [h]f32) : [n][h]f32 =
  let dot a b = f32.sum (map2 (*) a b)
  in map2 (\x s -> map3 (\w u b -> f32.tanh (dot x w + dot s u + b)) w u b) x state

-- expect
--| settings points kernels arrays device points_a_thread 4 short_array 1 tile 8192
--| -- main, line 5: segmented_map over [n][h]
--| x: [
--|   contraction block_rows 8 columns 8 depth 8 most_rows 16 most_points 16 split 512 row_packing by_elements point_packing by_elements row_gap 4 point_gap 2 together 2 of_rows [a, a.2] of_points [b, b.2] when [n >= 96, h >= 96, d >= 4, 16 * n * h >= 64 * resident],
--|   contraction block_rows 8 columns 8 depth 8 most_rows 32 most_points 8 split 512 row_packing by_elements point_packing by_elements row_gap 4 point_gap 2 together 2 of_rows [a, a.2] of_points [b, b.2] when [n >= 192, h >= 48, d >= 4, 16 * n * h >= 64 * resident],
--|   contraction block_rows 8 columns 8 depth 8 most_rows 8 most_points 32 split 512 row_packing by_elements point_packing by_elements row_gap 4 point_gap 2 together 2 of_rows [a, a.2] of_points [b, b.2] when [n >= 48, h >= 192, d >= 4, 16 * n * h >= 64 * resident],
--|   contraction block_rows 4 columns 4 depth 16 most_rows 16 most_points 16 split 512 row_packing by_elements point_packing by_elements row_gap 4 point_gap 2 of_rows [a, a.2] of_points [b, b.2] when [n >= 32, h >= 32, d >= 8],
--|   contraction depth 16 most_rows 16 most_points 16 split 512 row_packing by_elements point_packing by_elements row_gap 4 point_gap 2 of_rows [a, a.2] of_points [b, b.2] when [n >= 8, h >= 8, d >= 8],
--|   pointwise when [31 >= d, 4 * n * h >= resident],
--|   teams warp 512 when [512 >= d, 512 >= h, 32 * n * h >= resident],
--|   teams warp 0 when [5120 >= d, 5120 >= h],
--|   pointwise]
--| -- main, line 5: segmented_reduce over [n][h][d]
--| x.2: [
--|   contraction block_rows 8 columns 8 depth 8 most_rows 16 most_points 16 split 512 row_packing by_elements point_packing by_elements row_gap 4 point_gap 2 together 2 of_rows [a.3] of_points [b.3] when [n >= 96, h >= 96, d >= 4, 16 * n * h >= 64 * resident],
--|   contraction block_rows 8 columns 8 depth 8 most_rows 32 most_points 8 split 512 row_packing by_elements point_packing by_elements row_gap 4 point_gap 2 together 2 of_rows [a.3] of_points [b.3] when [n >= 192, h >= 48, d >= 4, 16 * n * h >= 64 * resident],
--|   contraction block_rows 8 columns 8 depth 8 most_rows 8 most_points 32 split 512 row_packing by_elements point_packing by_elements row_gap 4 point_gap 2 together 2 of_rows [a.3] of_points [b.3] when [n >= 48, h >= 192, d >= 4, 16 * n * h >= 64 * resident],
--|   by_segments when [31 >= d],
--|   teams]
--| -- main, line 5: segmented_reduce over [n][h][h]
--| x.3: [
--|   contraction block_rows 8 columns 8 depth 8 most_rows 16 most_points 16 split 512 row_packing by_elements point_packing by_elements row_gap 4 point_gap 2 together 2 of_rows [a.4] of_points [b.4] when [n >= 96, h >= 96, 16 * n * h >= 64 * resident],
--|   contraction block_rows 8 columns 8 depth 8 most_rows 32 most_points 8 split 512 row_packing by_elements point_packing by_elements row_gap 4 point_gap 2 together 2 of_rows [a.4] of_points [b.4] when [n >= 192, h >= 48, 16 * n * h >= 64 * resident],
--|   contraction block_rows 8 columns 8 depth 8 most_rows 8 most_points 32 split 512 row_packing by_elements point_packing by_elements row_gap 4 point_gap 2 together 2 of_rows [a.4] of_points [b.4] when [n >= 48, h >= 192, 16 * n * h >= 64 * resident],
--|   contraction block_rows 4 columns 4 depth 16 most_rows 16 most_points 16 split 512 row_packing by_elements point_packing by_elements row_gap 4 point_gap 2 of_rows [a.4] of_points [b.4] when [n >= 32, h >= 32],
--|   contraction depth 16 most_rows 16 most_points 16 split 512 row_packing by_elements point_packing by_elements row_gap 4 point_gap 2 of_rows [a.4] of_points [b.4] when [n >= 8, h >= 8],
--|   by_segments when [31 >= h],
--|   teams]
--| -- main, line 5: segmented_map over [n][h]
--| x.4: [
--|   pointwise points 4]
