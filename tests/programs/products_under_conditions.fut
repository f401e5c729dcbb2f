-- Products of matrices some of whose terms are there under a condition: factors that are read where
-- it holds, and factors that are read in any case, which may be infinite where it does not.
entry read_there [c] [o] [t] (d: i64) (x: [c][t]f64) (s: [o][t]f64) : [o][c]f64 =
  map (\s -> map (\x -> f64.sum (tabulate t (\i -> if i >= d then x[i - d] * s[i] else 0))) x) s

entry read_anyway [c] [o] [t] (d: i64) (x: [c][t]f64) (s: [o][t]f64) : [o][c]f64 =
  map (\s ->
         map (\x -> f64.sum (map3 (\i x s -> if i >= d then x * s else 0) (iota t) x s)) x)
      s

def numbers (n: i64) (m: i64) (seed: i64) : [n][m]f64 =
  tabulate_2d n m (\i j -> f64.i64 ((i * 7 + j * 5 + seed) % 11) - 5)

-- Whole numbers: any order of sums is exact.
entry agree (n: i64) (m: i64) (t: i64) (d: i64) : bool =
  let (x, s) = (numbers n t 1, numbers m t 2)
  let one a b i = if i >= d then x[a, i - d] * s[b, i] else 0
  let other a b i = if i >= d then x[a, i] * s[b, i] else 0
  let sums f = tabulate_2d m n (\b a -> loop sum = 0 for i < t do sum + f a b i)
  let equal a b = and (flatten (map2 (map2 (==)) a b))
  in equal (read_there d x s) (sums one) && equal (read_anyway d x s) (sums other)

-- ==
-- entry: read_there
-- input { 1i64 [[1.0, 2.0, 3.0]] [[f64.inf, 1.0, 2.0], [4.0, 5.0, 6.0]] }
-- output { [[5.0], [17.0]] }
-- ==
-- entry: read_anyway
-- input { 1i64 [[f64.inf, 2.0, 3.0]] [[0.0, 1.0, 2.0], [4.0, 5.0, 6.0]] }
-- output { [[8.0], [28.0]] }
-- ==
-- entry: agree
-- input { 40i64 70i64 50i64 3i64 } output { true }
-- input { 3i64 2i64 5i64 9i64 } output { true }
