-- Layers of networks and their gradients.

def softmax_of [n] (xs: [n]f32) : [n]f32 =
  let top = reduce f32.max (-f32.inf) xs
  let powers = map (\x -> f32.exp (x - top)) xs
  let sum = reduce (+) 0 powers
  in map (/ sum) powers

def product [n] [k] [m] (a: [n][k]f32) (b: [k][m]f32) : [n][m]f32 =
  map (\row -> map (\column -> reduce (+) 0 (map2 (*) row column)) (transpose b)) a

entry softmax [n] [d] (xs: [n][d]f32) : [n][d]f32 = map softmax_of xs

entry layer_norm [n] [d] (xs: [n][d]f32) (scale: [d]f32) (shift: [d]f32) : [n][d]f32 =
  let normalised (row: [d]f32) =
    let mean = reduce (+) 0 row / f32.i64 d
    let variance = reduce (+) 0 (map (\x -> (x - mean) * (x - mean)) row) / f32.i64 d
    let factor = 1 / f32.sqrt (variance + 1e-5)
    in map3 (\x a b -> (x - mean) * factor * a + b) row scale shift
  in map normalised xs

entry layer_norm_gradient [n] [d] (xs: [n][d]f32)
                          (scale: [d]f32)
                          (shift: [d]f32)
                          (adjoint: [n][d]f32) : ([n][d]f32, [d]f32, [d]f32) =
  vjp (\(xs, scale, shift) -> layer_norm xs scale shift) (xs, scale, shift) adjoint

entry attention [h] [n] [d] (q: [h][n][d]f32) (k: [h][n][d]f32) (v: [h][n][d]f32) : [h][n][d]f32 =
  let head q k v =
    let scores = map (map (/ f32.sqrt (f32.i64 d))) (product q (transpose k))
    in product (map softmax_of scores) v
  in map3 head q k v

entry attention_gradient [h] [n] [d] (q: [h][n][d]f32)
                         (k: [h][n][d]f32)
                         (v: [h][n][d]f32)
                         (adjoint: [h][n][d]f32) : ([h][n][d]f32, [h][n][d]f32, [h][n][d]f32) =
  vjp (\(q, k, v) -> attention q k v) (q, k, v) adjoint

-- | The gradient of the mean cross entropy of two layers.
entry mlp_gradient [n] [d] [h] [c] (xs: [n][d]f32)
                   (labels: [n]i64)
                   (w1: [d][h]f32)
                   (b1: [h]f32)
                   (w2: [h][c]f32)
                   (b2: [c]f32) : ([d][h]f32, [h]f32, [h][c]f32, [c]f32) =
  let loss (w1, b1, w2, b2) =
    let hidden = map (map2 (\b x -> f32.max 0 (x + b)) b1) (product xs w1)
    let logits = map (map2 (+) b2) (product hidden w2)
    let entropy (row: [c]f32) (label: i64) =
      let top = reduce f32.max (-f32.inf) row
      in top + f32.log (reduce (+) 0 (map (\x -> f32.exp (x - top)) row)) - row[label]
    in reduce (+) 0 (map2 entropy logits labels) / f32.i64 n
  in vjp loss (w1, b1, w2, b2) 1
