-- Products that only some of the points use: those before a point, those that a mask leaves, those
-- near by value.
-- ==
-- entry: back masked near
-- input { 5i64 3i64 } output { true }
-- input { 70i64 33i64 } output { true }
-- input { 1i64 0i64 } output { true }
-- input { 0i64 4i64 } output { true }

-- ==
-- entry: of_attention of_masks
-- input { 5i64 [1.2, 0.6, 0.9, 1.7] } output { true true true true }

import "shared/derivative_properties"

def dot [n] (xs: [n]f64) (ys: [n]f64) : f64 = f64.sum (map2 (*) xs ys)

def rows (n: i64) (m: i64) (seed: i64) : [n][m]f64 =
  tabulate_2d n m (\i j -> f64.i64 ((i * 31 + j * 17 + seed) % 13) / 4 - 1)

def alike [n] (a: [n][n]f64) (b: [n][n]f64) : bool =
  and (flatten (map2 (map2 (\x y -> f64.abs (x - y) < 1e-12)) a b))

def all_products [n] [m] (a: [n][m]f64) (b: [n][m]f64) : [n][n]f64 =
  tabulate_2d n n (\i j -> loop s = 0 for k < m do s + a[i, k] * b[j, k])

entry back n m =
  let (a, b) = (rows n m 1, rows n m 2)
  in alike (map2 (\x i -> map2 (\y j -> if j <= i then dot x y / 2 else -1) b (iota n)) a (iota n))
           (map2 (\row i -> map2 (\s j -> if j > i then -1 else s / 2) row (iota n))
                 (all_products a b)
                 (iota n))

entry masked n m =
  let (a, b) = (rows n m 3, rows n m 4)
  let mask = map (\i -> i % 3 != 1) (iota n)
  in alike (map (\x -> map2 (\y k -> if k then dot x y else 0) b mask) a)
           (map (map2 (\k s -> if k then s else 0) mask) (all_products a b))

entry near n m =
  let (a, b) = (rows n m 5, rows n m 6)
  let ts = map (\i -> f64.i64 (i * i % 7)) (iota n)
  in alike (map2 (\x t -> map2 (\y u -> if f64.abs (t - u) < 2 then dot x y else 0) b ts) a ts)
           (map2 (\row t -> map2 (\s u -> if f64.abs (t - u) < 2 then s else 0) row ts)
                 (all_products a b)
                 ts)

def attention [n] [d] (q: [n][d]f64) (k: [n][d]f64) (v: [n][d]f64) : [n][d]f64 =
  map2 (\q i ->
          let s = map2 (\k j -> if j <= i then dot q k / f64.sqrt (f64.i64 d) else -1e9) k (iota n)
          let m = f64.maximum s
          let e = map (\s -> f64.exp (s - m)) s
          let z = f64.sum e
          in map (\c -> dot e c / z) (transpose v))
       q
       (iota n)

def matrix (n: i64) (x: [4]f64) (by: i64) : [n][3]f64 =
  tabulate_2d n 3 (\i j -> x[(i * by + j) % 4] * (0.3 + 0.1 * f64.i64 (i + j)))

entry of_attention n =
  properties (\x -> weighted (flatten (attention (matrix n x 1) (matrix n x 2) (matrix n x 3))))

entry of_masks n =
  properties (\x ->
                let (a, b) = (matrix n x 1, matrix n x 3)
                let s =
                  map2 (\p i -> map2 (\q j -> if i != j && j % 2 == 0 then f64.sin (dot p q) else p[0]) b (iota n))
                       a
                       (iota n)
                in weighted (flatten s))
