-- The nest runs whole, in tiles, with the bias added where a sum is whole; or a product, then a map.
-- target: cuda
entry main [n] [m] [k] (a: [n][k]f32) (b: [k][m]f32) (c: [m]f32) =
  map (\r -> map2 (\column s -> f32.max 0 (f32.sum (map2 (*) r column) + s)) (transpose b) c) a

-- expect
--| settings points kernels arrays device points_a_thread 4 short_array 1 tile 8192
--| -- main, line 4: segmented_map over [n][m]
--| x: [
--|   contraction block_rows 8 columns 8 depth 8 most_rows 16 most_points 16 split 512 row_packing by_elements point_packing by_points row_gap 4 together 2 of_rows [a] of_points [b] when [n >= 96, m >= 96, k >= 4, 16 * n * m >= 64 * resident],
--|   contraction block_rows 8 columns 8 depth 8 most_rows 32 most_points 8 split 512 row_packing by_elements point_packing by_points row_gap 4 together 2 of_rows [a] of_points [b] when [n >= 192, m >= 48, k >= 4, 16 * n * m >= 64 * resident],
--|   contraction block_rows 8 columns 8 depth 8 most_rows 8 most_points 32 split 512 row_packing by_elements point_packing by_points row_gap 4 together 2 of_rows [a] of_points [b] when [n >= 48, m >= 192, k >= 4, 16 * n * m >= 64 * resident],
--|   contraction block_rows 4 columns 4 depth 16 most_rows 16 most_points 16 split 512 row_packing by_elements point_packing by_points row_gap 4 of_rows [a] of_points [b] when [n >= 32, m >= 32, k >= 8],
--|   contraction depth 16 most_rows 16 most_points 16 split 512 row_packing by_elements point_packing by_points row_gap 4 of_rows [a] of_points [b] when [n >= 8, m >= 8, k >= 8],
--|   pointwise when [31 >= k, 4 * n * m >= resident],
--|   teams warp 512 when [512 >= k, 32 * n * m >= resident],
--|   teams warp 0 when [10240 >= k],
--|   pointwise]
--| -- main, line 4: segmented_reduce over [n][m][k]
--| x.2: [
--|   contraction block_rows 8 columns 8 depth 8 most_rows 16 most_points 16 split 512 row_packing by_elements point_packing by_points row_gap 4 together 2 of_rows [a.2] of_points [b.2] when [n >= 96, m >= 96, k >= 4, 16 * n * m >= 64 * resident],
--|   contraction block_rows 8 columns 8 depth 8 most_rows 32 most_points 8 split 512 row_packing by_elements point_packing by_points row_gap 4 together 2 of_rows [a.2] of_points [b.2] when [n >= 192, m >= 48, k >= 4, 16 * n * m >= 64 * resident],
--|   contraction block_rows 8 columns 8 depth 8 most_rows 8 most_points 32 split 512 row_packing by_elements point_packing by_points row_gap 4 together 2 of_rows [a.2] of_points [b.2] when [n >= 48, m >= 192, k >= 4, 16 * n * m >= 64 * resident],
--|   by_segments when [4 * n * m >= resident],
--|   interchanged tile 32 steps 8 when [m >= 16],
--|   teams]
--| -- main, line 4: segmented_map over [n][m]
--| x.3: [
--|   pointwise points 4]
