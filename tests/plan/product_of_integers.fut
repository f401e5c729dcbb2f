-- Any element type.
entry main [n][m][p] (a: [n][m]i32) (b: [m][p]i32) = map (\r -> map (\c -> i32.sum (map2 (*) r c)) (transpose b)) a
-- expect
--| -- main, line 2: segmented_map over [n][p]
--| x: [
--|   lane_blocks points 1 rows 0 block_rows 4 columns 2 width 16 when [p >= 32, n >= 4],
--|   interchanged]
