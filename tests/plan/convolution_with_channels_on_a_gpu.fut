-- Tiles whose rows are filters, and whose points are those of both dimensions of the image.
-- target: cuda
entry main [c] [n] [m] [o] (xs: [c][n][m]f32) (ws: [o][c][3][3]f32) =
  map (\filter ->
         tabulate_2d (i64.max 0 (n - 2)) (i64.max 0 (m - 2)) (\i j ->
                                                                let window (x: [n][m]f32) (w: [3][3]f32) =
                                                                  f32.sum (tabulate 3 (\k -> f32.sum (tabulate 3 (\l -> #[unsafe] w[k, l] * x[i + k, j + l]))))
                                                                in f32.sum (map2 window xs filter)))
      ws

-- expect
--| settings points kernels arrays device points_a_thread 4 short_array 1 tile 8192
--| -- main, line 4: segmented_reduce over [o][x][x.2][c]
--| x.3: [
--|   contraction points 2 joined_points [1] block_rows 4 columns 4 depth 4 most_rows 16 most_points 16 split 512 row_packing by_points point_packing by_points of_rows [w, w.2, w.3, w.4, w.5, w.6, w.7, w.8, w.9] of_points [x.4, x.5, x.6, x.7, x.8, x.9, x.10, x.11, x.12] when [o >= 32, x * x.2 >= 32, c >= 2, 16 * o * x * x.2 >= 16 * resident],
--|   contraction points 2 joined_points [1] block_rows 2 columns 2 depth 8 most_rows 16 most_points 16 split 512 row_packing by_points point_packing by_points together 2 of_rows [w, w.2, w.3, w.4, w.5, w.6, w.7, w.8, w.9] of_points [x.4, x.5, x.6, x.7, x.8, x.9, x.10, x.11, x.12] when [o >= 16, x * x.2 >= 16, c >= 4],
--|   contraction points 2 joined_points [1] depth 16 most_rows 16 most_points 16 split 512 row_packing by_points point_packing by_points of_rows [w, w.2, w.3, w.4, w.5, w.6, w.7, w.8, w.9] of_points [x.4, x.5, x.6, x.7, x.8, x.9, x.10, x.11, x.12] when [o >= 8, x * x.2 >= 8, c >= 8],
--|   by_segments when [31 >= c],
--|   teams]
