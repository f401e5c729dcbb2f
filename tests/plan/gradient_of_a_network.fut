-- Products and their transposes.
def loss [n][d][h] (xs: [n][d]f32) (w: [d][h]f32) = f32.sum (map (\x -> f32.sum (map (\c -> f32.max 0 (f32.sum (map2 (*) x c))) (transpose w))) xs)
entry main [n][d][h] (xs: [n][d]f32) (w: [d][h]f32) = vjp (loss xs) w 1
-- expect
--| -- main, line 3: segmented_map over [chunk][h]
--| adjoint: [
--|   lane_blocks points 1 rows 0 block_rows 4 columns 2 width 16 when [h >= 32, chunk >= 4],
--|   interchanged]
--| -- main, line 3: segmented_map over [h][d]
--| sums: [
--|   lane_blocks points 1 rows 0 block_rows 4 columns 2 width 16 when [d >= 32, h >= 4],
--|   interchanged]
