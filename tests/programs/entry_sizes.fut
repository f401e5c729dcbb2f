-- Sizes in the types of an entry point may be computed from its arguments; they are checked, and
-- results of the same size know it.
-- ==
-- entry: squares
-- input { 2i64 [1, 2, 3, 4] } output { [2, 3, 4, 5] }
-- input { 2i64 [1, 2, 3] } error: invalid size

-- ==
-- entry: repeated
-- input { 1i64 2i64 [1.0, 2.0, 3.0] } output { [2.0, 3.0, 4.0] }

entry squares (n: i64) (xs: [n * n]i32) : [n * n]i32 = map (+ 1) xs

entry repeated (n: i64) (m: i64) (xs: *[n * m + 1]f64) : *[n * m + 1]f64 =
  let (_, ys) =
    loop (k, xs) = (m, xs) for _i < n do (k + 1, map (+ 1) xs)
  in ys
