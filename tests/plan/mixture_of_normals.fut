-- Distances to centres, and the logarithm of a sum of exponentials.
entry main [n][k][d] (xs: [n][d]f64) (centres: [k][d]f64) (weights: [k]f64) =
  f64.sum (map (\x ->
    let ls = map2 (\c w -> w - 0.5 * f64.sum (map2 (\a b -> (a - b) * (a - b)) x c)) centres weights
    let m = f64.maximum ls
    in m + f64.log (f64.sum (map (\l -> f64.exp (l - m)) ls))) xs)
-- expect
--| -- main, line 3: segmented_reduce over [n]
--| x: [
--|   lane_blocks columns 4 width 4 remainder serialised packed [x.2] inner_rows [m : 4] when [k >= 2],
--|   in_pieces] operations [3, 4 * k, d * k]
--| -- main, line 3: map_scan_reduce over [k]
--| x.3: [
--|   pointwise whole_vectors 8]
