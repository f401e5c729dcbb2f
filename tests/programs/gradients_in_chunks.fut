-- Operators whose gradients run in chunks, over more elements than fit one: a gradient against the
-- derivative along a direction, ⟨w, J v⟩ = ⟨Jᵀ w, v⟩; no elements; and few.
-- ==
-- entry: reductions scans histograms histograms_into_bins histograms_by_an_active_operator several
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 9001i64 } output { true }

def numbers (n: i64) : [n]f64 = map (\i -> f64.sin (f64.i64 (i * i % 1013))) (iota n)
def directions (n: i64) : [n]f64 = map (\i -> f64.cos (f64.i64 (3 * i))) (iota n)

def agrees [n] (f: [n]f64 -> f64) (xs: [n]f64) : bool =
  let vs = directions n
  let along = jvp f xs vs
  let back = f64.sum (map2 (*) (vjp f xs 1) vs)
  in f64.abs (along - back) <= 1e-9 * (1 + f64.abs along)

def weighed [n] (xs: [n]f64) : f64 = f64.sum (map2 (\x i -> x * f64.i64 (i % 7 + 1)) xs (iota n))

def affine (a: (f64, f64)) (b: (f64, f64)) : (f64, f64) = (b.0 + b.1 * a.0, a.1 * b.1)
def pairs [n] (xs: [n]f64) : [n](f64, f64) = zip xs (map (\x -> 0.5 - 0.4 * x) (rotate 1 xs))

def times (a: (f64, f64)) (b: (f64, f64)) : (f64, f64) =
  (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)

def total (a: f64, b: f64) : f64 = a + 2 * b
def compound (a: f64) (b: f64) : f64 = a + b + 0.001 * a * b
def near_one (x: f64) : f64 = 1 + 0.001 * x
def rows [n] (xs: [n]f64) : [n][3]f64 = map (\x -> [near_one x, 1, near_one (x * x)]) xs

entry reductions (n: i64) : bool =
  let xs = numbers n
  let zeros = map2 (\i x -> if i == 4321 then 0 else x) (iota n) xs
  in agrees (\xs -> total (reduce affine (0, 1) (pairs xs))) xs
     && agrees (\xs -> reduce compound 0 xs) xs
     && agrees (\xs -> f64.product (map near_one xs)) xs
     && agrees (\xs -> f64.product (map (* 1.5) xs)) zeros
     && agrees (\xs -> f64.sum (reduce (map2 (*)) (replicate 3 1) (rows xs))) xs
     && agrees (\xs -> f64.sum (map2 (*) [1, 2, 3] (reduce (map2 (+)) (replicate 3 0) (rows xs)))) xs

entry scans (n: i64) : bool =
  let xs = numbers n
  in agrees (\xs -> weighed (map total (scan affine (0, 1) (pairs xs)))) xs
     && agrees (\xs -> weighed (scan (*) 1 (map near_one xs))) xs
     && agrees (\xs -> weighed (scan f64.max (-f64.inf) (map (* 2) xs))) xs
     && agrees (\xs -> weighed (map f64.sum (scan (map2 (+)) (replicate 3 0) (rows xs)))) xs
     && agrees (\xs -> weighed (flatten (scan (map2 (+)) (replicate n 0) [xs, map (* 2) xs, xs]))) xs
     && agrees (\xs -> weighed (map2 (*) xs (map (.1) (scan affine (0, 1) (pairs xs))))) xs

entry histograms (n: i64) : bool =
  let xs = numbers n
  let keys = map (\i -> i * i % 9 - 1) (iota n)
  let near_one_pairs [n] (xs: [n]f64) : [n](f64, f64) =
    map (\(x, y) -> (near_one x, 0.001 * y)) (pairs xs)
  in agrees (\xs -> weighed (map total (hist times (1, 0) 7 keys (near_one_pairs xs)))) xs
     && agrees (\xs -> weighed (hist (*) 1 7 keys (map near_one xs))) xs
     && agrees (\xs -> weighed (map (f64.min 9) (hist f64.min f64.inf 7 keys (map (+ 1) xs)))) xs
     && agrees (\xs ->
                  weighed (reduce_by_index (map (f64.sin) (sized 7 (take 7 (xs ++ replicate 7 0.5))))
                                           f64.max
                                           (-f64.inf)
                                           keys
                                           xs))
               xs

-- The destination depends on the argument, bins have two dimensions, the operator has a branch.
entry histograms_into_bins (n: i64) : bool =
  let places = map (\i -> (i % 3 - 1, i * i % 5)) (iota n)
  let either (a: (f64, f64)) (b: (f64, f64)) = if a.1 < b.1 then b else a
  let start (xs: []f64) = unflatten (sized (2 * 4) (take 8 (pairs xs ++ replicate 8 (0.5, 0.9))))
  let bins (xs: [n]f64) = reduce_by_index_2d (start xs) either (0, -f64.inf) places (pairs xs)
  in agrees (\xs -> weighed (map total (flatten (bins xs)))) (numbers n)

-- The operator uses what is differentiated.
entry histograms_by_an_active_operator (n: i64) : bool =
  let keys = map (\i -> i * i % 9 - 1) (iota n)
  in agrees (\xs ->
               let c = 0.001 * f64.sum (map f64.sin xs) / f64.i64 (n + 1)
               in weighed (hist (\a b -> a + b + c * a * b) 0 7 keys xs))
            (numbers n)

-- Reductions and scans of one traversal, with arrays beside them, in a loop.
entry several (n: i64) : bool =
  let step [n] (xs: [n]f64) : [n]f64 =
    let ys = map near_one xs
    let (a, b) = reduce affine (0, 1) (zip xs ys)
    let zs = scan (*) 1 ys
    in map3 (\x y z -> 0.5 * x + 0.1 * y * z + 0.01 * f64.tanh (a + b)) xs ys zs
  in agrees (\xs -> weighed (loop xs for _i < 3 do step xs)) (numbers n)
