-- Reductions are one kernel each, and the scalars of a call are read back together.
-- spills: sm_90 kernels 0
-- counts: sum [1000000]f32: launches 1, waits 1
-- counts: dot [1000000]f32 [1000000]f32: launches 1, waits 1
-- counts: arg_max [1000000]f32: launches 1, waits 1
-- counts: moments [1000000]f64: launches 1, waits 1
-- counts: two_sums [1000000]f32 [1000000]f32: launches 2, waits 1
-- counts: row_sums [10000][100]f32: launches 1, waits 1
-- counts: column_sums [10000][100]f32: launches 1, waits 1
-- counts: few_long_rows [10][1000000]f32: launches 1, waits 1
-- counts: mean_and_spread [1000000]f64: launches 2, waits 1
-- counts: products_in_order [1000000]f32 [1000000]f32: launches 1, waits 1
-- counts: sum_of_rows [10000][100]f32: launches 1, waits 1
-- counts: sum_of_rows [100][10000]f32: launches 1, waits 1
-- moves: sum [100000]f32: loads 400000, stores 4, sectors 100
-- moves: dot [100000]f32 [100000]f32: loads 800000, stores 4, sectors 100
-- moves: arg_max [100000]f32: loads 400000, stores 12, sectors 100
-- moves: moments [100000]f64: loads 800000, stores 24, sectors 100
-- moves: products_in_order [100000]f32 [100000]f32: loads 800000, stores 8, sectors 100
-- moves: sum_of_rows [1000][100]f32: loads 400000, stores 400, sectors 100
-- moves: sum_of_rows [100][1000]f32: loads 400000, stores 4000, sectors 100
-- moves: two_sums [100000]f32 [100000]f32: loads 800000, stores 8, sectors 100
-- moves: mean_and_spread [100000]f64: loads 1600000, stores 16, sectors 100
-- moves: row_sums [1000][100]f32: loads 400000, stores 4000, sectors 100
-- moves: column_sums [1000][100]f32: loads 400000, stores 400, sectors 100
-- moves: few_long_rows [10][10000]f32: loads 400000, stores 40, sectors 100
entry sum (xs: []f32) = f32.sum xs
entry dot [n] (xs: [n]f32) (ys: [n]f32) = f32.sum (map2 (*) xs ys)
entry arg_max [n] (xs: [n]f32) =
  reduce (\(a, i) (b, j) -> if a > b || (a == b && i < j) then (a, i) else (b, j))
         (-f32.inf, -1) (zip xs (iota n))
entry moments (xs: []f64) = (f64.sum xs, f64.sum (map (\x -> x * x) xs), f64.maximum xs)
entry two_sums [n][m] (xs: [n]f32) (ys: [m]f32) = (f32.sum xs, f32.sum ys)
entry products_in_order [n] (as: [n]f32) (bs: [n]f32) =
  reduce (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (zip as bs)
entry sum_of_rows [n] [m] (xs: [n][m]f32) = reduce (map2 (+)) (replicate m 0) xs
entry row_sums (xs: [][]f32) = map f32.sum xs
entry column_sums (xs: [][]f32) = map f32.sum (transpose xs)
entry few_long_rows (xs: [][]f32) = map f32.sum xs
-- The second sum needs the first.
entry mean_and_spread [n] (xs: [n]f64) =
  let mean = f64.sum xs / f64.i64 n
  in (mean, f64.sqrt (f64.sum (map (\x -> (x - mean) ** 2) xs) / f64.i64 n))
