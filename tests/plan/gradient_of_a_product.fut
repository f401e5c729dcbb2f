-- Both halves are products.
def loss [n][m][p] (b: [m][p]f32) (a: [n][m]f32) = f32.sum (flatten (map (\r -> map (\c -> f32.sum (map2 (*) r c)) (transpose b)) a))
entry main [n][m][p] (a: [n][m]f32) (b: [m][p]f32) = vjp (loss b) a 1
-- expect
--| -- main, line 3: segmented_map over [n][m]
--| adjoint: [
--|   lane_blocks points 1 rows 0 block_rows 4 columns 2 width 16 packed [cs] when [m >= 32, n >= 4, n >= 2],
--|   pointwise]
