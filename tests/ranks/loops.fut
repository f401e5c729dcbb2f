-- Loops whose state stays split from step to step, or is gathered where a step reads other rows.
-- What is not sent: the state of a loop that only meets in sums.
-- counts: normalised: [1000]f64 10i64: agree 1 8, collect 10 80
-- ==
-- entry: normalised
-- random input { [100]f64 5i64 } auto output
-- random input { [2]f64 5i64 } auto output
-- random input { [10]f64 0i64 } auto output

-- ==
-- entry: power_iteration
-- random input { [20][20]f64 5i64 } auto output

-- ==
-- entry: exchanged turned
-- random input { [33]i64 [33]i64 5i64 } auto output

-- ==
-- entry: until_small
-- random input { [50]f64 } auto output

entry normalised [n] (xs: [n]f64) (steps: i64) : [n]f64 =
  loop xs for _i < steps do
    let sum = f64.sum (map (\x -> x * x) xs)
    in map (\x -> f64.cos x / f64.sqrt (1 + sum)) xs

entry power_iteration [n] (a: [n][n]f64) (steps: i64) : ([n]f64, f64) =
  loop (x, _) = (replicate n 1, 0)
  for _i < steps do
    let y = map (\row -> f64.sum (map2 (*) row x)) a
    let norm = f64.sqrt (f64.sum (map (** 2) y))
    in (map (/ norm) y, norm)

-- The two take turns.
entry exchanged [n] (xs: [n]i64) (ys: [n]i64) (steps: i64) : ([n]i64, [n]i64, i64) =
  loop (xs, ys, sum) = (xs, ys, 0)
  for i < steps do
    (ys, map2 (\x y -> x %% 1000 + y + i) xs ys, sum + i64.sum xs)

-- Each step reads what others have.
entry turned [n] (xs: [n]i64) (ys: [n]i64) (steps: i64) : [n]i64 =
  loop xs for _i < steps do
    map2 (\i y -> xs[n - 1 - i] %% 1000 + y) (iota n) ys

entry until_small [n] (xs: [n]f64) : ([n]f64, i64) =
  loop (xs, steps) = (xs, 0)
  while f64.sum (map f64.abs xs) > 0.5 do
    (map (* 0.7) xs, steps + 1)
