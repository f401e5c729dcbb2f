-- What ranks have for several results goes in one message.  Here and in the other files a comment
-- `-- counts: ENTRY: ARGUMENTS: KIND CALLS BYTES, …` says what the first of four ranks hands over by the
-- cost model's choice.  The agreement at the end of a call is 8 bytes.
--
-- A scan tells its totals, a number each, the sum its own.
-- counts: running_sum_of_squares: [1000]f64: agree 1 8, collect 2 16
-- Nobody needs the histogram before the sum.
-- counts: histogram_and_sum: [1000]i64: agree 1 8, reduce 1 88
-- Each step of training: the loss, and the gradient.
-- counts: training_step: [1000][6]f64 [1000]f64 [6]f64: agree 1 8, reduce 1 56
-- counts on sim: training_step: [1000][6]f64 [1000]f64 [6]f64: agree 1 8, collect 1 8, reduce 1 48
-- counts of parts: training_step: [10000][6]f64 [10000]f64 [6]f64: agree 1 8, reduce 1 56
-- counts on sim of parts: training_step: [10000][6]f64 [10000]f64 [6]f64: agree 1 8, collect 1 8, reduce 1 48
-- ==
-- entry: training_step
-- random input { [100][6]f64 [100]f64 [6]f64 } auto output

-- ==
-- entry: running_sum_of_squares
-- random input { [100]f64 } auto output

-- ==
-- entry: histogram_and_sum
-- random input { [100]i64 } auto output

entry running_sum_of_squares [n] (xs: [n]f64) : f64 = f64.sum (map (** 2) (scan (+) 0 xs))

entry training_step [n] [d] (xs: [n][d]f64) (ys: [n]f64) (w: [d]f64) : (f64, [d]f64) =
  let loss v =
    f64.sum (map2 (\x y -> (f64.tanh (f64.sum (map2 (*) x v)) - y) ** 2) xs ys) / f64.i64 n
  let (value, gradient) = vjp2 loss w 1
  in (value, map2 (\a g -> a - 0.1 * g) w gradient)

entry histogram_and_sum [n] (xs: [n]i64) : ([10]i64, i64) =
  (hist (+) 0 10 (map (%% 10) xs) (replicate n 1), i64.sum xs)
