-- Windows end at edges: what asks whether a point is inside is asked where elements are read, and
-- the sums over channels are products in tiles; for few channels boxes are staged.
-- target: cuda
def channels [c] [n] [m] [o] [w] [h] (xs: [c][n][m]f32) (ws: [o][c][w][h]f32) : [o][][]f32 =
  map (\filter ->
         tabulate_2d (n - w + 1) (m - h + 1) (\i j ->
                                                let window (x: [n][m]f32) (f: [w][h]f32) =
                                                  f32.sum (tabulate w (\k ->
                                                                         f32.sum (tabulate h (\l ->
                                                                                                #[unsafe]
                                                                                                f[k, l]
                                                                                                * x[i + k, j + l]))))
                                                in f32.sum (map2 window xs filter)))
      ws

entry main [c] [n] [m] [o] [w] [h] (xs: [c][n][m]f32) (ws: [o][c][w][h]f32) seed =
  vjp (\(xs, ws) -> channels xs ws) (xs, ws) seed

-- expect
--| settings points kernels arrays device points_a_thread 4 short_array 1 tile 8192
--| -- main, line 17: segmented_reduce over [o][c][w][h][x]
--| adjoint: [
--|   contraction points 3 joined_points [1, 2] block_rows 8 columns 8 depth 8 most_rows 16 most_points 16 split 512 row_packing by_elements point_packing by_points row_gap 4 together 2 of_rows [adjoint.2] of_points [x.2] when [o >= 96, c * w * h >= 96, x * x.3 >= 4, 16 * o * c * w * h >= 64 * resident],
--|   contraction points 3 joined_points [1, 2] block_rows 8 columns 8 depth 8 most_rows 32 most_points 8 split 512 row_packing by_elements point_packing by_points row_gap 4 together 2 of_rows [adjoint.2] of_points [x.2] when [o >= 192, c * w * h >= 48, x * x.3 >= 4, 16 * o * c * w * h >= 64 * resident],
--|   contraction points 3 joined_points [1, 2] block_rows 8 columns 8 depth 8 most_rows 8 most_points 32 split 512 row_packing by_elements point_packing by_points row_gap 4 together 2 of_rows [adjoint.2] of_points [x.2] when [o >= 48, c * w * h >= 192, x * x.3 >= 4, 16 * o * c * w * h >= 64 * resident],
--|   contraction points 3 joined_points [1, 2] block_rows 4 columns 4 depth 16 most_rows 16 most_points 16 split 512 row_packing by_elements point_packing by_points row_gap 4 of_rows [adjoint.2] of_points [x.2] when [o >= 32, c * w * h >= 32, x * x.3 >= 8],
--|   contraction points 3 joined_points [1, 2] depth 16 most_rows 16 most_points 16 split 512 row_packing by_elements point_packing by_points row_gap 4 of_rows [adjoint.2] of_points [x.2] when [o >= 8, c * w * h >= 8, x * x.3 >= 8],
--|   teams joined true when [x.3 >= 32],
--|   by_segments when [31 >= x],
--|   teams]
--| -- main, line 17: segmented_map over [c][n][m]
--| sums: [
--|   contraction points 2 joined_points [1] block_rows 8 columns 8 depth 8 most_rows 16 most_points 16 split 512 row_packing by_elements point_packing by_points row_gap 4 together 2 of_rows [ws] of_points [inside, x.4] when [c >= 96, n * m >= 96, o * w * h >= 4, 16 * c * n * m >= 64 * resident],
--|   contraction points 2 joined_points [1] block_rows 8 columns 8 depth 8 most_rows 32 most_points 8 split 512 row_packing by_elements point_packing by_points row_gap 4 together 2 of_rows [ws] of_points [inside, x.4] when [c >= 192, n * m >= 48, o * w * h >= 4, 16 * c * n * m >= 64 * resident],
--|   contraction points 2 joined_points [1] block_rows 8 columns 8 depth 8 most_rows 8 most_points 32 split 512 row_packing by_elements point_packing by_points row_gap 4 together 2 of_rows [ws] of_points [inside, x.4] when [c >= 48, n * m >= 192, o * w * h >= 4, 16 * c * n * m >= 64 * resident],
--|   contraction points 2 joined_points [1] block_rows 4 columns 4 depth 16 most_rows 16 most_points 16 split 512 row_packing by_elements point_packing by_points row_gap 4 of_rows [ws] of_points [inside, x.4] when [c >= 32, n * m >= 32, o * w * h >= 8],
--|   contraction points 2 joined_points [1] depth 16 most_rows 16 most_points 16 split 512 row_packing by_elements point_packing by_points row_gap 4 of_rows [ws] of_points [inside, x.4] when [c >= 8, n * m >= 8, o * w * h >= 8],
--|   staged_tiles rows 32 points 32 staged [seed, ws.2] when [16 >= w, 16 >= h, 1 >= o, 3072 >= o * w * h, m >= 16, n >= 4, 4 * c * n * m >= 4 * resident],
--|   staged_tiles rows 8 points 32 staged [seed, ws.2] when [16 >= w, 16 >= h, 2 >= o, 3072 >= o * w * h, m >= 16, n >= 4],
--|   staged_tiles rows 8 points 32 staged [ws.2] when [6144 >= o * w * h, m >= 16, n >= 4],
--|   pointwise when [31 >= o, 4 * c * n * m >= resident],
--|   teams warp 512 when [512 >= o, 32 * c * n * m >= resident],
--|   teams warp 0 when [10240 >= o],
--|   pointwise]
--| -- main, line 17: segmented_reduce over [c][n][m][o]
--| sum: [
--|   contraction points 2 joined_points [1] block_rows 8 columns 8 depth 8 most_rows 16 most_points 16 split 512 row_packing by_elements point_packing by_points row_gap 4 together 2 of_rows [ws.3] of_points [inside.2, x.5] when [c >= 96, n * m >= 96, o * w * h >= 4, 16 * c * n * m >= 64 * resident],
--|   contraction points 2 joined_points [1] block_rows 8 columns 8 depth 8 most_rows 32 most_points 8 split 512 row_packing by_elements point_packing by_points row_gap 4 together 2 of_rows [ws.3] of_points [inside.2, x.5] when [c >= 192, n * m >= 48, o * w * h >= 4, 16 * c * n * m >= 64 * resident],
--|   contraction points 2 joined_points [1] block_rows 8 columns 8 depth 8 most_rows 8 most_points 32 split 512 row_packing by_elements point_packing by_points row_gap 4 together 2 of_rows [ws.3] of_points [inside.2, x.5] when [c >= 48, n * m >= 192, o * w * h >= 4, 16 * c * n * m >= 64 * resident],
--|   teams]
--| -- main, line 17: segmented_map over [c][n][m]
--| sums.2: [
--|   pointwise points 4]
