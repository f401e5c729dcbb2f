-- Products of matrices and what is like them, for bench/products.py.

def dot32 (xs: []f32) (ys: []f32): f32 = f32.sum (map2 (*) xs ys)
def dot64 (xs: []f64) (ys: []f64): f64 = f64.sum (map2 (*) xs ys)
def mul32 [n][m][k] (a: [n][k]f32) (b: [k][m]f32): [n][m]f32 =
  map (\r -> map (\c -> dot32 r c) (transpose b)) a
def mul64 [n][m][k] (a: [n][k]f64) (b: [k][m]f64): [n][m]f64 =
  map (\r -> map (\c -> dot64 r c) (transpose b)) a

entry product_f32 [n][m][k] (a: [n][k]f32) (b: [k][m]f32): [n][m]f32 = mul32 a b
entry product_f64 [n][m][k] (a: [n][k]f64) (b: [k][m]f64): [n][m]f64 = mul64 a b
entry left_transposed_f32 [n][m][k] (a: [k][n]f32) (b: [k][m]f32): [n][m]f32 =
  mul32 (transpose a) b
entry right_transposed_f32 [n][m][k] (a: [n][k]f32) (b: [m][k]f32): [n][m]f32 =
  mul32 a (transpose b)
entry batch_f32 [s][n][m][k] (a: [s][n][k]f32) (b: [s][k][m]f32): [s][n][m]f32 = map2 mul32 a b
entry min_plus_f32 [n][m][k] (a: [n][k]f32) (b: [k][m]f32): [n][m]f32 =
  map (\r -> map (\c -> f32.minimum (map2 (+) r c)) (transpose b)) a
