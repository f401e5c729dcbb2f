-- What is made of a sum along a row, by functions that run in vectors along the points.
-- ==
-- entry: logistic
-- input { 100i64 20i64 } output { true }
-- input { 17i64 5i64 } output { true }
-- input { 0i64 20i64 } output { true }
-- input { 20i64 0i64 } output { true }
-- input { 3i64 1000i64 } output { true }
-- ==
-- entry: gradient
-- input { 100i64 20i64 } output { true }
-- input { 17i64 5i64 } output { true }
-- input { 0i64 20i64 } output { true }
-- ==
-- entry: several
-- input { 50i64 20i64 } output { true }
-- input { 1i64 7i64 } output { true }
-- ==
-- entry: shared
-- input { 50i64 20i64 } output { true }
-- ==
-- entry: extremes
-- input { 50i64 20i64 } output { true }
-- input { 5i64 0i64 } output { true }
-- ==
-- entry: batches
-- input { 6i64 20i64 } output { true }
def numbers (n: i64) (seed: i64) : [n]f64 =
  tabulate n (\i -> f64.i64 ((i * 37 + seed * 11) % 23 - 11) / 8)

def close [n] (a: [n]f64) (b: [n]f64) : bool =
  and (map2 (\x y -> f64.abs (x - y) <= 1e-12 * (1 + f64.abs y)) a b)

def dot [n] (a: [n]f64) (b: [n]f64) : f64 = f64.sum (map2 (*) a b)

def in_turn (n: i64) (f: i64 -> f64) : f64 = loop s = 0 for k < n do s + f k

def sigmoid (x: f64) : f64 = 1 / (1 + f64.exp (-x))

entry logistic (n: i64) (d: i64) : bool =
  let a = numbers (n * d) 1
  let w = numbers d 2
  let y = numbers n 3
  let predicted = map2 (\row z -> sigmoid (dot row w / 8) - z) (unflatten a :> [n][d]f64) y
  in close predicted (tabulate n (\i -> sigmoid (in_turn d (\k -> a[i * d + k] * w[k]) / 8) - y[i]))

entry gradient (n: i64) (d: i64) : bool =
  let a = unflatten (numbers (n * d) 1) :> [n][d]f64
  let y = map (\x -> f64.bool (x > 0)) (numbers n 3)
  let w = numbers d 2
  let loss w =
    f64.sum (map2 (\row z -> let x = dot row w in f64.log1p (f64.exp x) - z * x) a y)
  in close (vjp loss w 1)
           (tabulate d (\k -> in_turn n (\i -> a[i, k] * (sigmoid (dot a[i] w) - y[i]))))

-- Two sums in one loop, two results, of which one is a sum as it is.
entry several (n: i64) (d: i64) : bool =
  let a = unflatten (numbers (n * d) 1) :> [n][d]f64
  let w = numbers d 2
  let v = numbers d 3
  let (p, q) = unzip (map (\row -> let s = dot row w in (s, f64.tanh (s - dot row v))) a)
  in close p (map (dot w) a)
     && close q (tabulate n (\i -> f64.tanh (in_turn d (\k -> a[i, k] * (w[k] - v[k])))))

-- What the sum and the function of it both need takes long.
entry shared (n: i64) (d: i64) : bool =
  let a = unflatten (numbers (n * d) 1) :> [n][d]f64
  let y = numbers n 3
  let f row z =
    let scale = f64.exp z
    in scale + f64.exp (-f64.abs (f64.sum (map (\x -> x * scale) row)))
  in close (map2 f a y)
           (tabulate n (\i ->
                          f64.exp y[i] + f64.exp (-f64.abs (in_turn d (\k -> a[i, k] * f64.exp y[i])))))

entry extremes (n: i64) (d: i64) : bool =
  let a = unflatten (numbers (n * d) 1) :> [n][d]f64
  let tops = map (\row -> f64.exp (f64.maximum row)) a
  in and (map2 (==) tops (map (\row -> f64.exp (loop m = -f64.inf for x in row do f64.max m x)) a))

-- Sums along the rows of matrices, which are read in order.
entry batches (n: i64) (d: i64) : bool =
  let a = unflatten (unflatten (numbers (3 * n * d) 1)) :> [3][n][d]f64
  let f = map (map (\row -> f64.sqrt (f64.sum (map (\x -> x * x) row))))
  in close (flatten (f a))
           (flatten (tabulate_2d 3 n (\l i -> f64.sqrt (in_turn d (\k -> a[l, i, k] * a[l, i, k])))))
