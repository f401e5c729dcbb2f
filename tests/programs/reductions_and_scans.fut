-- Reductions and scans with built-in, tuple and array operators; empty ones give the neutral
-- element.
-- ==
-- entry: sums
-- input { [1, 2, 3, 4] } output { 10 [1, 3, 6, 10] 24 }
-- input { empty([0]i32) } output { 0 empty([0]i32) 1 }

-- ==
-- entry: argmax
-- input { [3.0, 9.0, 2.0, 9.0] } output { 1i64 9.0 }

-- ==
-- entry: row_sums
-- input { [[1, 2], [3, 4], [5, 6]] } output { [3, 7, 11] [9, 12] }

-- ==
-- entry: vector_scan
-- input { [[1, 2], [3, 4], [5, 6]] } output { [[1, 2], [4, 6], [9, 12]] }

-- ==
-- entry: compositions
-- input { [2.0, 3.0] [1.0, 4.0] } output { [2.0, 6.0] [1.0, 7.0] }

entry sums (xs: []i32) = (reduce (+) 0 xs, scan (+) 0 xs, reduce (*) 1 xs)

entry argmax [n] (xs: [n]f64) =
  reduce (\(i, x) (j, y) -> if y > x || (y == x && j < i) then (j, y) else (i, x))
         (-1, -f64.inf)
         (zip (iota n) xs)

entry row_sums (xss: [][]i32) = (map (reduce (+) 0) xss, map (reduce (+) 0) (transpose xss))
entry vector_scan [n] [m] (xss: [n][m]i32) = scan (map2 (+)) (replicate m 0) xss

entry compositions [n] (a: [n]f64) (b: [n]f64) =
  unzip (scan (\(a1, b1) (a2, b2) -> (a1 * a2, a2 * b1 + b2)) (1, 0) (zip a b))
