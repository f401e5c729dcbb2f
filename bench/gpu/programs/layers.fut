-- Products, layers of networks, and gradients.

import "data"

entry matrix = numbers_2d
entry matrices = numbers_3d
entry vector = numbers
entry labels = places

def multiply [n] [k] [m] (a: [n][k]f32) (b: [k][m]f32) : [n][m]f32 =
  map (\row -> map (\column -> reduce (+) 0 (map2 (*) row column)) (transpose b)) a

def softmax_of [n] (xs: [n]f32) : [n]f32 =
  let top = reduce f32.max (-f32.inf) xs
  let powers = map (\x -> f32.exp (x - top)) xs
  let sum = reduce (+) 0 powers
  in map (/ sum) powers

entry product = multiply

entry product_gradient [n] [k] [m] (a: [n][k]f32) (b: [k][m]f32) (adjoint: [n][m]f32) : ([n][k]f32, [k][m]f32) =
  vjp (\(a, b) -> multiply a b) (a, b) adjoint

entry batch [s] [n] [k] [m] (a: [s][n][k]f32) (b: [s][k][m]f32) : [s][n][m]f32 = map2 multiply a b

entry softmax [n] [d] (xs: [n][d]f32) : [n][d]f32 = map softmax_of xs

def layer_norm_of [n] [d] (xs: [n][d]f32) (scale: [d]f32) (shift: [d]f32) : [n][d]f32 =
  let normalised (row: [d]f32) =
    let mean = reduce (+) 0 row / f32.i64 d
    let variance = reduce (+) 0 (map (\x -> (x - mean) * (x - mean)) row) / f32.i64 d
    let factor = 1 / f32.sqrt (variance + 1e-5)
    in map3 (\x a b -> (x - mean) * factor * a + b) row scale shift
  in map normalised xs

entry layer_norm = layer_norm_of

entry layer_norm_gradient [n] [d] (xs: [n][d]f32) (scale: [d]f32) (shift: [d]f32) (adjoint: [n][d]f32) : ([n][d]f32, [d]f32, [d]f32) =
  vjp (\(xs, scale, shift) -> layer_norm_of xs scale shift) (xs, scale, shift) adjoint

-- | Of the mean cross entropy, with respect to the scores.
entry entropy_gradient [n] [d] (xs: [n][d]f32) (labels: [n]i64) : [n][d]f32 =
  let entropy (row: [d]f32) (label: i64) =
    let top = reduce f32.max (-f32.inf) row
    in top + f32.log (reduce (+) 0 (map (\x -> f32.exp (x - top)) row)) - row[label]
  in vjp (\xs -> reduce (+) 0 (map2 entropy xs labels) / f32.i64 n) xs 1

def attend [h] [n] [d] (q: [h][n][d]f32) (k: [h][n][d]f32) (v: [h][n][d]f32) : [h][n][d]f32 =
  let head q k v =
    let scores = map (map (/ f32.sqrt (f32.i64 d))) (multiply q (transpose k))
    in multiply (map softmax_of scores) v
  in map3 head q k v

entry attention = attend

entry attention_gradient [h] [n] [d] (q: [h][n][d]f32)
                         (k: [h][n][d]f32)
                         (v: [h][n][d]f32)
                         (adjoint: [h][n][d]f32) : ([h][n][d]f32, [h][n][d]f32, [h][n][d]f32) =
  vjp (\(q, k, v) -> attend q k v) (q, k, v) adjoint

entry convolution [h] [w] (image: [h][w]f32) (kernel: [3][3]f32) : [][]f32 =
  tabulate_2d (h - 2) (w - 2) (\i j ->
                                 f32.sum (map (\a ->
                                                 f32.sum (map (\b -> image[i + a, j + b] * kernel[a, b])
                                                              (iota 3)))
                                              (iota 3)))
