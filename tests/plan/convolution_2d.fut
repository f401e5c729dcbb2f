-- The same in two dimensions.
entry main [n][m] (k: [3][3]f32) (xs: [n][m]f32) = tabulate_2d (i64.max 0 (n - 2)) (i64.max 0 (m - 2)) (\i j -> f32.sum (tabulate 3 (\p -> f32.sum (tabulate 3 (\q -> k[p, q] * xs[i + p, j + q])))))
-- expect
--| -- main, line 2: segmented_map over [x][x.2]
--| x.3: [
--|   pointwise] operations [46] lanes 4 strip 256
