-- The gradient of a two-layer network (tanh, softmax, cross-entropy; the network of
-- examples/digits, in f64) is the central difference to 1e-6, and forward and reverse mode agree
-- to 1e-10.
-- ==
-- input { 5i64 6i64 4i64 3i64 } output { true true }

def matmul [n] [m] [p] (a: [n][m]f64) (b: [m][p]f64) : [n][p]f64 =
  map (\row -> map (\column -> f64.sum (map2 (*) row column)) (transpose b)) a

def log_sum_exp [n] (xs: [n]f64) : f64 =
  let top = f64.maximum xs
  in top + f64.log (f64.sum (map (\x -> f64.exp (x - top)) xs))

def loss [n] [d] [h] [k] (images: [n][d]f64)
         (labels: [n]i64)
         (w1: [h][d]f64, b1: [h]f64, w2: [k][h]f64, b2: [k]f64) : f64 =
  let hidden = f64.tanh.(matmul images (transpose w1) .+ b1)
  let scores = matmul hidden (transpose w2) .+ b2
  in f64.sum (map2 (\row label -> log_sum_exp row - row[label]) scores labels) / f64.i64 n

def dot [n] (x: [n]f64) (y: [n]f64) : f64 = f64.sum (map2 (*) x y)

def close (tolerance: f64) (a: f64) (b: f64) : bool =
  f64.abs (a - b) <= tolerance * f64.max 1 (f64.abs b)

entry main (n: i64) (d: i64) (h: i64) (k: i64) : (bool, bool) =
  let wave (phase: f64) (i: i64) = f64.sin (phase + 1.7 * f64.i64 i)
  let images = tabulate_2d n d (\i j -> wave 0.1 (i * d + j))
  let labels = tabulate n (\i -> i % k)
  let weights (phase: f64) =
    ( tabulate_2d h d (\i j -> wave phase (i * d + j))
    , tabulate h (wave (phase + 0.1))
    , tabulate_2d k h (\i j -> wave (phase + 0.2) (i * h + j))
    , tabulate k (wave (phase + 0.3))
    )
  let w = weights 0.4
  let (v1, c1, v2, c2) = weights 0.8
  let (g1, a1, g2, a2) = vjp (loss images labels) w 1
  let by_reverse =
    dot (flatten g1) (flatten v1) + dot a1 c1 + dot (flatten g2) (flatten v2) + dot a2 c2
  let by_forward = jvp (loss images labels) w (v1, c1, v2, c2)
  let step s =
    loss images labels (w.0 .+ s .* v1, w.1 .+ s .* c1, w.2 .+ s .* v2, w.3 .+ s .* c2)
  let by_difference = (step 1e-6 - step (-1e-6)) / 2e-6
  in (close 1e-6 by_reverse by_difference, close 1e-10 by_reverse by_forward)
