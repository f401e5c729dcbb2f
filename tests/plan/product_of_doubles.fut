-- Vectors hold half as many doubles.
entry main [n][m][p] (a: [n][m]f64) (b: [m][p]f64) = map (\r -> map (\c -> f64.sum (map2 (*) r c)) (transpose b)) a
-- expect
--| -- main, line 2: segmented_map over [n][p]
--| x: [
--|   lane_blocks points 1 rows 0 block_rows 4 columns 2 width 8 when [p >= 16, n >= 4],
--|   interchanged]
