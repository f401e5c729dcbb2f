-- Products and their transposes.
def loss [n][d][h] (xs: [n][d]f32) (w: [d][h]f32) = f32.sum (map (\x -> f32.sum (map (\c -> f32.max 0 (f32.sum (map2 (*) x c))) (transpose w))) xs)
entry main [n][d][h] (xs: [n][d]f32) (w: [d][h]f32) = vjp (loss xs) w 1
-- expect
--| -- main, line 3: segmented_map over [chunk][h]
--| adjoint: [
--|   contraction block_rows 6 width 16 cached 42 most_rows 128 most_points 48 least_rows 16 least_points 6 split 1024 row_packing by_elements point_packing by_points of_rows [a] of_points [b] when [chunk >= 24, h >= 32, d >= 16],
--|   lane_blocks points 1 rows 0 block_rows 4 columns 2 width 8 when [h >= 16, chunk >= 4],
--|   lane_blocks points 1 rows 0 block_rows 8 width 4 when [h >= 4, chunk >= 8],
--|   interchanged] operations [5, 2 * d] lanes 4
--| -- main, line 3: segmented_map over [h][d]
--| sums: [
--|   contraction block_rows 6 width 16 cached 42 most_rows 128 most_points 48 least_rows 16 least_points 6 split 1024 point_packing by_points of_rows [t] of_points [x] when [h >= 24, d >= 32, chunk >= 16],
--|   lane_blocks points 1 rows 0 block_rows 4 columns 2 width 8 when [d >= 16, h >= 4],
--|   lane_blocks points 1 rows 0 block_rows 8 width 4 when [d >= 4, h >= 8],
--|   interchanged] operations [6, 2 * chunk] lanes 4
