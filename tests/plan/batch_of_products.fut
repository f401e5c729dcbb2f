-- A dimension around the product.
def dot [n] (a: [n]f32) (b: [n]f32) = f32.sum (map2 (*) a b)
entry main [k][n][m][p] (a: [k][n][m]f32) (b: [k][m][p]f32) = map2 (\x y -> map (\r -> map (dot r) (transpose y)) x) a b
-- expect
--| -- main, line 3: segmented_map over [k][n][p]
--| x: [
--|   lane_blocks points 2 rows 1 block_rows 4 columns 2 width 16 when [p >= 32, n >= 4],
--|   pointwise]
