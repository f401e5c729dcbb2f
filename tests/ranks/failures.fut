-- What fails on one rank fails on all, with that rank's message; what comes after is not run.
-- ==
-- entry: roots
-- input { [1.0, 4.0, 9.0, 16.0] } output { 10.0 }
-- input { [1.0, 4.0, 9.0, -16.0] } error: Assertion
-- input { [-1.0, 4.0, 9.0, 16.0] } error: Assertion

-- ==
-- entry: chosen
-- input { [0i64, 1i64, 2i64] } output { [0i64, 1i64, 4i64] }
-- input { [0i64, 1i64, 3i64] } error: Index \[3\] out of bounds
-- input { [7i64, 1i64, 3i64] } error: Index \[[37]\] out of bounds

-- ==
-- entry: in_a_loop
-- input { [1i64, 2i64, 3i64, 4i64] 3i64 } output { 310i64 }
-- input { [1i64, 2i64, 3i64, 4i64] 9i64 } error: Assertion

entry roots [n] (xs: [n]f64) : f64 = f64.sum (map (\x -> assert (x >= 0) (f64.sqrt x)) xs)

entry chosen [n] (is: [n]i64) : [n]i64 = map (\i -> is[i] * is[i]) is

entry in_a_loop [n] (xs: [n]i64) (steps: i64) : i64 =
  loop sum = 0
  for _i < steps do
    sum + i64.sum (map (\x -> assert (x * sum < 1000) (x + sum)) xs)
