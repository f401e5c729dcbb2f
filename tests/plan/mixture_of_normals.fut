-- Distances to centres, and the logarithm of a sum of exponentials.
entry main [n][k][d] (xs: [n][d]f64) (centres: [k][d]f64) (weights: [k]f64) =
  f64.sum (map (\x ->
    let ls = map2 (\c w -> w - 0.5 * f64.sum (map2 (\a b -> (a - b) * (a - b)) x c)) centres weights
    let m = f64.maximum ls
    in m + f64.log (f64.sum (map (\l -> f64.exp (l - m)) ls))) xs)
-- expect
--| -- main, line 3: segmented_map over [n]
--| in: [
--|   lane_blocks columns 4 width 4 packed [x] inner_rows [m : 4] when [n >= 16, k >= 2],
--|   pointwise] operations [15, 17 * k, 3 * d * k] lanes 4
--| -- main, line 3: map_scan_reduce over [k]
--| x.2: [
--|   pointwise whole_vectors 8]
--| -- main, line 3: segmented_reduce over [n]
--| x.3: [
--|   in_pieces streams 4 line 16 when [n >= 524288],
--|   in_pieces] operations [2] lanes 4
