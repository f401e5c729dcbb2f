-- Matrix product and its gradient, f32.
-- ==
-- entry: primal gradient
-- random input { [512][512]f32 [512][512]f32 }

def matmul [n][m][p] (a: [n][m]f32) (b: [m][p]f32): [n][p]f32 =
  map (\row -> map (\column -> f32.sum (map2 (*) row column)) (transpose b)) a

entry primal [n] (a: [n][n]f32) (b: [n][n]f32): [n][n]f32 = matmul a b
entry gradient [n] (a: [n][n]f32) (b: [n][n]f32): ([n][n]f32, [n][n]f32) =
  vjp (\(x, y) -> matmul x y) (a, b) (replicate n (replicate n 1))
