-- What memory alone should limit.

import "data"

entry floats = numbers
entry matrix = numbers_2d
entry indices_of (n: i64) : [n]i64 = places n n

-- | What the machine copies, by its own means.
entry copied [n] (xs: [n]f32) : [n]f32 = copy xs

entry scaled [n] (a: f32) (xs: [n]f32) (ys: [n]f32) : [n]f32 = map2 (\x y -> a * x + y) xs ys

entry sum [n] (xs: [n]f32) : f32 = reduce (+) 0 xs

entry arg_max [n] (xs: [n]f32) : i64 =
  let better (x: f32, i: i64) (y, j) = if x > y || (x == y && i < j) then (x, i) else (y, j)
  in (reduce_comm better (-f32.inf, n) (zip xs (iota n))).1

entry sums [n] (xs: [n]f32) : [n]f32 = scan (+) 0 xs

entry recurrence [n] (a: [n]f32) (b: [n]f32) : [n]f32 =
  let compose (a: f32, b: f32) (c, d) = (a * c, b * c + d)
  in map (.1) (scan compose (1, 0) (zip a b))

entry kept [n] (xs: [n]f32) : []f32 = filter (> 0.5) xs

entry parted [n] (xs: [n]f32) : ([]f32, []f32) = partition (> 0.5) xs

entry turned [n] [m] (xs: [n][m]f32) : [m][n]f32 = transpose xs

entry sums_of_rows [n] [m] (xs: [n][m]f32) : [n]f32 = map (reduce (+) 0) xs

entry sums_of_columns [n] [m] (xs: [n][m]f32) : [m]f32 = map (reduce (+) 0) (transpose xs)

entry gathered [n] (xs: [n]f32) (is: [n]i64) : [n]f32 = map (\i -> xs[i]) is

entry smoothed [n] [m] (xs: [n][m]f32) : [n][m]f32 =
  tabulate_2d n m (\i j ->
                     let at i j = xs[i64.max 0 (i64.min (n - 1) i), i64.max 0 (i64.min (m - 1) j)]
                     in 0.2 * (at i j + at (i - 1) j + at (i + 1) j + at i (j - 1) + at i (j + 1)))
