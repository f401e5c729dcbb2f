-- A dimension around the product.
def dot [n] (a: [n]f32) (b: [n]f32) = f32.sum (map2 (*) a b)
entry main [k][n][m][p] (a: [k][n][m]f32) (b: [k][m][p]f32) = map2 (\x y -> map (\r -> map (dot r) (transpose y)) x) a b
