-- The points of each row, or a thread a point.
-- target: cuda
entry main [n][m] (k: [3][3]f32) (xs: [n][m]f32) = tabulate_2d (i64.max 0 (n - 2)) (i64.max 0 (m - 2)) (\i j -> f32.sum (tabulate 3 (\p -> f32.sum (tabulate 3 (\q -> k[p, q] * xs[i + p, j + q])))))
-- expect
--| settings points kernels arrays device points_a_thread 4 short_array 1 tile 8192
--| -- main, line 3: segmented_map over [x][x.2]
--| x.3: [
--|   staged_tiles rows 32 points 32 staged [xs] when [x.2 >= 16, x >= 4, 4 * x * x.2 >= 4 * resident],
--|   staged_tiles rows 8 points 32 staged [xs] when [x.2 >= 16, x >= 4],
--|   pointwise]
