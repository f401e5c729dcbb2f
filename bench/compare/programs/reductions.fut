-- One value of many.

entry sum [n] (xs: [n]f32) : f32 = reduce (+) 0 xs

entry dot [n] (xs: [n]f32) (ys: [n]f32) : f32 = reduce (+) 0 (map2 (*) xs ys)

entry greatest [n] (xs: [n]f32) : f32 = reduce f32.max (-f32.inf) xs

-- | The greatest element's place; of equal ones the first.
entry arg_max [n] (xs: [n]f32) : i64 =
  let better (x: f32, i: i64) (y, j) =
    if x > y || (x == y && i < j) then (x, i) else (y, j)
  in (reduce_comm better (-f32.inf, n) (zip xs (iota n))).1

entry log_sum_exp [n] (xs: [n]f32) : f32 =
  let top = reduce f32.max (-f32.inf) xs
  in top + f32.log (reduce (+) 0 (map (\x -> f32.exp (x - top)) xs))

-- | Mean and variance in one traversal, by Welford's update in the form that joins two parts.
entry welford [n] (xs: [n]f32) : (f32, f32) =
  let join (n: f32, mean: f32, squares: f32) (m, other, others) =
    if n == 0
    then (m, other, others)
    else if m == 0
    then (n, mean, squares)
    else let total = n + m
         let d = other - mean
         in (total, mean + d * m / total, squares + others + d * d * n * m / total)
  let (count, mean, squares) = reduce_comm join (0, 0, 0) (map (\x -> (1, x, 0)) xs)
  in (mean, squares / count)

-- | The greatest sum of neighbours.
entry best_segment [n] (xs: [n]i32) : i32 =
  let join (best: i32, first: i32, last: i32, all: i32) (best', first', last', all') =
    ( i32.max best (i32.max best' (last + first'))
    , i32.max first (all + first')
    , i32.max last' (last + all')
    , all + all'
    )
  let whole x = let y = i32.max x 0 in (y, y, y, x)
  in (reduce join (0, 0, 0, 0) (map whole xs)).0

entry sums_of_columns [n] [m] (xs: [n][m]f32) : [m]f32 =
  map (\column -> reduce (+) 0 column) (transpose xs)
