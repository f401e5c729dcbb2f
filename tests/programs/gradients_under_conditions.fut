-- Gradients of sums whose terms are read under conditions, as those of filters at the edge of what
-- they filter: by reverse mode as by forward mode, and checked as the filter itself is.
def numbers (n: i64) (seed: i64) : [n]f64 =
  tabulate n (\i -> f64.i64 ((i * 7 + seed * 5) % 11) / 8 - 0.5)

-- The gradient of what `s` weighs, an element at a time.
def forwards [n] [m] (f: [n]f64 -> [m]f64) (x: [n]f64) (s: [m]f64) : [n]f64 =
  tabulate n (\k -> f64.sum (map2 (*) s (jvp f x (tabulate n (\i -> f64.bool (i == k))))))

def agree [n] [m] (f: [n]f64 -> [m]f64) (x: [n]f64) (s: [m]f64) : bool =
  and (map2 (\a b -> f64.abs (a - b) < 1e-12) (vjp f x s) (forwards f x s))

-- Two taps of a filter of the past, `d` apart.
def causal [c] [t] [o] (d: i64) (x: [c][t]f64) (w: [o][c][2]f64) : [o][t]f64 =
  map (\f ->
         tabulate t (\i ->
                       f64.tanh (f64.sum (map2 (\x w ->
                                                  w[1] * x[i]
                                                  + (if i >= d then w[0] * x[i - d] else 0))
                                               x
                                               f))))
      w

entry causal_agrees (c: i64) (t: i64) (o: i64) (d: i64) : bool =
  let x = numbers (c * t) 1
  let w = numbers (o * c * 2) 2
  let s = numbers (o * t) 3
  in agree (\x -> flatten (causal d (unflatten x) (unflatten_3d w))) x s
     && agree (\w -> flatten (causal d (unflatten x) (unflatten_3d w))) w s

entry causal_gradient [c] [t] [o] (d: i64) (x: [c][t]f64) (w: [o][c][2]f64) : ([c][t]f64, [o][c][2]f64) =
  vjp (\(x, w) -> causal d x w) (x, w) (replicate o (replicate t 1))

-- Layers of them over several sequences, whose taps are ever further apart.
def layers [c] [t] [l] (ws: [l][c][c][2]f64) (x: [c][t]f64) : [c][t]f64 =
  let (x, _) =
    loop (x, d) = (x, 1)
    for w in ws do
      (map2 (map2 (+)) x (causal d x w), d * 2)
  in x

entry layers_agree (b: i64) (c: i64) (t: i64) (l: i64) : bool =
  let xs = unflatten_3d (numbers (b * c * t) 1)
  let s = numbers (b * (c * t)) 2
  in agree (\ws -> flatten (map (\x -> flatten (layers (unflatten_4d ws) x)) xs))
           (numbers (l * c * c * 2) 3)
           s

-- What one filter of two taps adds to an element that no point reaches is nothing.
entry unreached [t] (d: i64) (x: [t]f64) (w: [2]f64) : ([t]f64, [2]f64) =
  let filter (xs: [1][t]f64, ws: [1][1][2]f64) =
    map (\f ->
           tabulate t (\i ->
                         f64.sum (map2 (\x w ->
                                          w[1] * x[i]
                                          + (if i >= d then w[0] * x[i - d] else 0))
                                       xs
                                       f)))
        ws
  let (dx, dw) = vjp filter ([x], [[w]]) [replicate t 1]
  in (dx[0], dw[0, 0])

-- Windows of images with zeros around them.
def padded [c] [n] [m] [o] (x: [c][n][m]f64) (w: [o][c][3][3]f64) : [o][n][m]f64 =
  map (\f ->
         tabulate_2d n m (\i j ->
                            let window (x: [n][m]f64) (w: [3][3]f64) =
                              let at i j = if i >= 0 && i < n && j >= 0 && j < m then x[i, j] else 0
                              in f64.sum (tabulate 3 (\k ->
                                                        f64.sum (tabulate 3 (\l ->
                                                                               w[k, l]
                                                                               * at (i + k - 1)
                                                                                    (j + l - 1)))))
                            in f64.tanh (f64.sum (map2 window x f))))
      w

entry padded_agrees (c: i64) (n: i64) (m: i64) (o: i64) : bool =
  let x = numbers (c * n * m) 1
  let w = numbers (o * c * 3 * 3) 2
  let s = numbers (o * n * m) 3
  in agree (\x -> flatten_3d (padded (unflatten_3d x) (unflatten_4d w))) x s
     && agree (\w -> flatten_3d (padded (unflatten_3d x) (unflatten_4d w))) w s

-- The same where taps are written out, some of them under a condition each.
def cross [c] [n] [m] [o] (x: [c][n][m]f64) (w: [o][c][3]f64) : [o][n][m]f64 =
  map (\f ->
         tabulate_2d n m (\i j ->
                            let taps (x: [n][m]f64) (w: [3]f64) =
                              w[0] * x[i, j]
                              + (if i > 0 then w[1] * x[i - 1, j] else 0)
                              + (if j + 1 < m then w[2] * x[i, j + 1] else 0)
                            in f64.tanh (f64.sum (map2 taps x f))))
      w

entry cross_agrees (c: i64) (n: i64) (m: i64) (o: i64) : bool =
  let x = numbers (c * n * m) 1
  let w = numbers (o * c * 3) 2
  let s = numbers (o * n * m) 3
  in agree (\x -> flatten_3d (cross (unflatten_3d x) (unflatten_3d w))) x s
     && agree (\w -> flatten_3d (cross (unflatten_3d x) (unflatten_3d w))) w s

-- ==
-- entry: causal_agrees
-- input { 3i64 9i64 2i64 1i64 } output { true }
-- input { 2i64 9i64 3i64 4i64 } output { true }
-- input { 2i64 5i64 1i64 5i64 } output { true }
-- input { 2i64 5i64 1i64 9000000000000000000i64 } output { true }
-- input { 1i64 4i64 2i64 0i64 } output { true }
-- input { 0i64 4i64 2i64 -1i64 } output { true }
-- input { 2i64 0i64 2i64 -1i64 } output { true }
-- ==
-- entry: causal_gradient
-- input { -1i64 [[1.0, 2.0, 3.0]] [[[1.0, 2.0]]] }
-- error: Index \[3\] out of bounds for array of shape \[3\]
-- input { -9000000000000000000i64 [[1.0, 2.0, 3.0]] [[[1.0, 2.0]]] }
-- error: Index \[9000000000000000000\] out of bounds for array of shape \[3\]
-- ==
-- entry: layers_agree
-- input { 2i64 3i64 9i64 3i64 } output { true }
-- input { 1i64 1i64 3i64 4i64 } output { true }
-- input { 0i64 2i64 3i64 2i64 } output { true }
-- ==
-- entry: unreached
-- input { 2i64 [1.0, 2.0, 4.0] [f64.inf, 3.0] } output { [f64.inf, 3.0, 3.0] [1.0, 7.0] }
-- ==
-- entry: padded_agrees
-- input { 2i64 4i64 5i64 3i64 } output { true }
-- input { 1i64 1i64 2i64 2i64 } output { true }
-- ==
-- entry: cross_agrees
-- input { 2i64 4i64 5i64 3i64 } output { true }
-- input { 3i64 1i64 1i64 2i64 } output { true }
