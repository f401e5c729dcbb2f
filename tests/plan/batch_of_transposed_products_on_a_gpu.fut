-- Doubles in smaller tiles, read along rows where these are neighbours.
-- target: cuda
entry main [l][n][m][k] (a: [l][k][n]f64) (b: [l][m][k]f64) = map2 (\x y -> map (\r -> map (\c -> f64.sum (map2 (*) r c)) y) (transpose x)) a b
-- expect
--| -- main, line 3: segmented_reduce over [l][n][m][k]
--| x: [
--|   contraction rows 1 points 2 block_rows 4 columns 4 depth 16 most_rows 16 most_points 16 split 512 row_packing by_points point_packing by_elements of_rows [a] of_points [b] when [n >= 32, m >= 32, k >= 16, 16 * l * n * m >= 16 * resident],
--|   contraction rows 1 points 2 block_rows 2 columns 2 depth 16 most_rows 16 most_points 16 split 512 row_packing by_points point_packing by_elements of_rows [a] of_points [b] when [n >= 16, m >= 16, k >= 16],
--|   by_segments when [31 >= k],
--|   teams]
