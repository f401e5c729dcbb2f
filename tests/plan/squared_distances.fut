-- Work on both operands stays inside.
entry main [n][m][d] (xs: [n][d]f32) (ys: [m][d]f32) = map (\x -> map (\y -> f32.sum (map2 (\p q -> (p - q) * (p - q)) x y)) ys) xs
-- expect
--| -- main, line 2: segmented_map over [n][m]
--| x: [
--|   lane_blocks points 1 rows 0 block_rows 4 columns 2 width 16 packed [y] when [m >= 32, n >= 4, n >= 2],
--|   pointwise]
