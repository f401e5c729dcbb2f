-- Both halves are products.
def loss [n][m][p] (b: [m][p]f32) (a: [n][m]f32) = f32.sum (flatten (map (\r -> map (\c -> f32.sum (map2 (*) r c)) (transpose b)) a))
entry main [n][m][p] (a: [n][m]f32) (b: [m][p]f32) = vjp (loss b) a 1
