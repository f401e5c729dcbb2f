-- A thread does several points where they are little work, and one where they are more.
-- target: cuda
entry main [n] (xs: [n]f32) (ys: [n]f32) =
  (map2 (\x y -> 2 * x + y) xs ys, map (\x -> f32.sum (map (* x) ys)) xs)
-- expect
--| settings points kernels arrays device points_a_thread 4 short_array 1 tile 8192
--| -- main, line 4: segmented_map over [n]
--| x: [
--|   pointwise points 4]
--| -- main, line 4: segmented_reduce over [n][n]
--| x.2: [
--|   contraction rows -1 points 0 columns 4 most_points 256 of_rows [x.3] kept_points [x.4] when [n >= 16, 4 * n >= 4 * resident],
--|   contraction rows -1 points 0 most_points 256 of_rows [x.3] kept_points [x.4] when [n >= 16, 4 * n >= resident],
--|   contraction rows -1 points 0 depth 32 most_points 256 split 32 of_rows [x.3] kept_points [x.4] when [n >= 128],
--|   by_segments when [31 >= n],
--|   teams]
